from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.profile import Sentence, word_stems

WORDS = ["O'Brien", "1,000", "J.R.", "J. R. Oak", "under_score", "re-read", "Straße", "İzmir", "東京都", "3.5", "B2b"]
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(alphabet="aAbB19 .,'-_éß", max_size=8), max_size=6).map(" ".join)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_stems_held_are_those_asked_for_among_all(text: str, asked: str) -> None:
    keys = sorted(word_stems(asked) | {"brien", "1000", "", "a"})
    assert Sentence(text).held(keys) == [key for key in keys if key in Sentence(text).stems]


@pytest.mark.parametrize("text", ["the reviewers met", "a reviewer", "Review: late"])
def test_stem_is_held_in_any_inflection_and_only_from_the_start_of_a_word(text: str) -> None:
    assert Sentence(text).held(["review", "view", "late"])[0] == "review"
    assert "view" not in Sentence(text).held(["view"])
