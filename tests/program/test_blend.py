from __future__ import annotations

import pytest

from fakes import HALF, QUESTION, ScriptedPolicy, WordRetriever
from hopstop.program.errors import BadLimits
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits, Outcome, Passage

PASSAGES = (
    Passage("a", "The director of Alien was born. Where?", "a"),
    Passage("b", "Where was the director born?", "b"),
    Passage("c", "Scott, Scott.", "c"),
    Passage("d", "Scott was born.", "d"),
)


def searched(blend: float, **changes: object) -> tuple[Outcome, WordRetriever]:
    retriever = WordRetriever(PASSAGES)
    policy = ScriptedPolicy([HALF], queries=["Scott"], **changes)  # type: ignore[arg-type]
    return IterativeQA(retriever, policy, Limits(first_k=1, next_k=2, max_rounds=2, blend=blend))(QUESTION), retriever


def test_without_a_blend_the_query_alone_is_searched() -> None:
    outcome, retriever = searched(0.0)
    assert [query for query, _, _ in retriever.searched] == [QUESTION, "Scott"]
    assert outcome.rounds[1].new == ("c", "d")


def test_blend_fuses_the_query_with_the_question() -> None:
    outcome, retriever = searched(1.0)
    assert [query for query, _, _ in retriever.searched] == [QUESTION, "Scott", QUESTION]
    assert set(outcome.rounds[1].hits[:2]) == {"d", "a"}
    assert outcome.rounds[1].new == ("d", "c")  # "a" was read before and takes no place of a new one


def test_policy_that_does_not_search_words_is_left_alone() -> None:
    _, retriever = searched(1.0, writes_freely=False)
    assert [query for query, _, _ in retriever.searched] == [QUESTION, "Scott"]


@pytest.mark.parametrize("value", [-0.1, 1.1, True, "x"])
def test_weight_outside_its_range_is_refused(value: object) -> None:
    with pytest.raises(BadLimits, match="blend"):
        Limits(blend=value)  # type: ignore[arg-type]
