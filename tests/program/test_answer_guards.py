"""Each check of an answer on hand-made cases that it must refuse and that it must let through."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hopstop.program.composition import merged, not_read, says_nothing, unquoted_sides
from hopstop.program.latch import latched
from hopstop.program.lookalike import near_misses

FOLDER = Path(__file__).parent / "cases"
CASES: dict[str, Any] = {
    name: cases
    for file in ("look_alikes.json", "answers.json")
    for name, cases in json.loads((FOLDER / file).read_text(encoding="utf-8")).items()
}
CHECKS: dict[str, Callable[..., Any]] = {
    "near_miss": lambda question, text: near_misses(question, [text]),
    "latch": lambda before, after, texts: latched([before], after, [], texts),
    "merged_answer": merged,
    "vague_answer": says_nothing,
    "spelling": lambda draft, text: not not_read(draft, [text]),
    "both_sides": unquoted_sides,
}


def refused(name: str, side: str) -> list[Any]:
    return [case for case in CASES[name][side] if CHECKS[name](*case)]


def figures(name: str) -> tuple[float, float]:
    """Precision and recall."""
    right, wrong = len(refused(name, "positive")), len(refused(name, "negative"))
    return right / max(1, right + wrong), right / len(CASES[name]["positive"])


@pytest.mark.parametrize(
    ("name", "precision", "recall"),
    [
        ("near_miss", 1.0, 0.95),
        ("latch", 1.0, 1.0),
        ("merged_answer", 1.0, 0.95),
        ("vague_answer", 1.0, 1.0),
        ("spelling", 1.0, 1.0),
        ("both_sides", 1.0, 0.9),
    ],
)
def test_guard_refuses_what_it_should_and_little_else(name: str, precision: float, recall: float) -> None:
    found = figures(name)
    assert found[0] >= precision, refused(name, "negative")
    assert found[1] >= recall, [case for case in CASES[name]["positive"] if case not in refused(name, "positive")]


@pytest.mark.parametrize("case", CASES["latch"]["positive"], ids=str)
def test_latch_is_undone_by_quotes_for_both_and_holds_until_then(case: list[Any]) -> None:
    before, after, texts = case
    assert latched([before, "something else"], after, [f"It is {after}."], texts)
    assert latched([before], after, [f"It is {after}.", f"It is not {before}."], texts) is None


def test_years_of_one_century_are_no_look_alikes_between_rounds() -> None:
    assert latched(["1179"], "1143", ["born 1143"]) is None
    assert latched(["1178"], "1179", ["born 1179"])
    assert latched(["1978"], "1987", ["born 1987"])


def test_year_in_the_words_of_a_fact_tells_what_it_is_about() -> None:
    text = "Denis Sand. Denis Sand won in 1962 and died in 1987."
    assert near_misses("when the director of the 1964 film died", [text], years=False) == []
    assert near_misses("who signed CHG-2041", ["CHG-2042. Bo Kim signed CHG-2042."], years=False)


def test_kind_is_no_answer_to_a_yes_no_question_that_names_it() -> None:
    assert says_nothing("Were both fixes reviewed by the same person?", "a person")
    assert says_nothing("Were both fixes reviewed by the same person?", "Yes") == []
    assert says_nothing("Is Graz a city or a country?", "a city") == []
