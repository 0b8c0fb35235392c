import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.whole_words import lowered, mentions, places

TEXTS = st.text(alphabet="aB_-.1 é", max_size=20)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Ann met Anna and Ann", "Ann", [0, 17]),
        ("cache_two, cache", "cache", [11]),
        ("re-Ann, Ann's", "Ann", [3, 8]),
        ("ann", "Ann", []),
        ("Élan élan", "élan", [5]),
        ("anything", "", []),
    ],
)
def test_a_name_stands_only_where_no_word_goes_on(text: str, name: str, expected: list[int]) -> None:
    assert list(places(text, name)) == expected
    assert mentions(text, name) == bool(expected)


@given(TEXTS, st.text(alphabet="aB_-.1é", min_size=1, max_size=3))
def test_places_are_those_that_a_pattern_finds(text: str, name: str) -> None:
    pattern = re.compile(rf"(?<!\w)(?={re.escape(name)}(?!\w))")
    assert list(places(text, name)) == [match.start() for match in pattern.finditer(text)]


@given(st.text(max_size=20))
def test_lower_case_keeps_each_character_in_its_place(text: str) -> None:
    assert len(lowered(text)) == len(text)
    assert lowered("İa") == "İa"
