from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.errors import BadCorpus, BadLimits
from hopstop.program.records import Fact, Limits, Outcome, Passage, Query, Quote, Round, StopBy, StopReason, Usage

QUOTE = Quote("p", "Ridley Scott\n directed it", 0, 25)


def test_defaults_are_those_of_the_design() -> None:
    assert dataclasses.asdict(Limits()) == {
        "max_rounds": 4, "first_k": 5, "next_k": 3, "carry_k": 2, "max_passages": 18, "max_read": None,
        "max_tokens": 20_000, "max_seconds": 60.0, "max_cost_usd": None, "width": 2, "patience": 1, "rewrite_tries": 2,
        "blend": 0.0, "min_coverage": 1.0, "min_sufficiency": 0.6, "min_rounds": 1, "stop_by": "both",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("field", "lowest"),
    [("max_rounds", 1), ("first_k", 1), ("next_k", 1), ("carry_k", 0), ("max_passages", 1), ("max_read", 1),
     ("max_tokens", 1), ("width", 1), ("patience", 0), ("rewrite_tries", 1), ("min_rounds", 1)],
)  # fmt: skip
def test_whole_numbers_have_a_lowest_value(field: str, lowest: int) -> None:
    assert getattr(Limits(**{field: lowest}), field) == lowest
    for wrong in (lowest - 1, 1.5, "3", True, math.nan, [1]):
        with pytest.raises(BadLimits, match=field):
            Limits(**{field: wrong})


@pytest.mark.parametrize("field", ["max_seconds", "max_cost_usd"])
def test_bounds_of_time_and_money_are_above_zero_and_finite(field: str) -> None:
    assert getattr(Limits(**{field: 0.001}), field) == 0.001
    assert getattr(Limits(**{field: 2}), field) == 2
    for wrong in (0, -1, math.nan, math.inf, "60", True):
        with pytest.raises(BadLimits, match=field):
            Limits(**{field: wrong})


@pytest.mark.parametrize("field", ["min_coverage", "min_sufficiency"])
def test_thresholds_are_shares(field: str) -> None:
    assert [getattr(Limits(**{field: value}), field) for value in (0, 0.5, 1)] == [0, 0.5, 1]
    for wrong in (-0.01, 1.01, math.nan, "1", None, True):
        with pytest.raises(BadLimits, match=field):
            Limits(**{field: wrong})


def test_only_what_may_be_unbounded_takes_none() -> None:
    assert (Limits(max_cost_usd=None, max_read=None).max_read, Limits().max_cost_usd) == (None, None)
    for field in ("max_rounds", "max_seconds", "min_rounds"):
        with pytest.raises(BadLimits, match=field):
            Limits(**{field: None})


def test_min_rounds_is_at_most_max_rounds() -> None:
    assert Limits(min_rounds=4).min_rounds == 4
    with pytest.raises(BadLimits, match=r"min_rounds \(5\) is above max_rounds \(4\)"):
        Limits(min_rounds=5)


def test_stop_by_is_one_of_two_words() -> None:
    assert Limits(stop_by="evidence").stop_by is StopBy.EVIDENCE  # type: ignore[arg-type]
    for wrong in ("model", None, 1, []):
        with pytest.raises(BadLimits, match="stop_by"):
            Limits(stop_by=wrong)  # type: ignore[arg-type]


COSTS = st.one_of(st.none(), st.integers(0, 1000).map(lambda cents: cents / 64))
COUNTS = st.integers(0, 10_000)
USAGES = st.builds(Usage, COUNTS, COUNTS, COUNTS, COUNTS, COUNTS, COSTS, COUNTS)


@settings(deadline=None)
@given(USAGES, USAGES)
def test_usage_adds_up_field_by_field_and_minus_undoes_it(left: Usage, right: Usage) -> None:
    total = left + right
    assert total.tokens == left.tokens + right.tokens
    assert (total.calls, total.parse_failures) == (left.calls + right.calls, left.parse_failures + right.parse_failures)
    assert total + Usage() == total
    undone = total.minus(left)
    assert dataclasses.replace(undone, cost_usd=None) == dataclasses.replace(right, cost_usd=None)
    assert (undone.cost_usd or 0.0) == (right.cost_usd or 0.0)


def test_an_unknown_price_stays_unknown_and_never_becomes_zero() -> None:
    assert (Usage() + Usage()).cost_usd is None
    assert (Usage(cost_usd=0.0) + Usage()).cost_usd == 0.0
    assert Usage().minus(Usage()).cost_usd is None


@pytest.mark.parametrize(
    ("groups", "user", "may"),
    [((), (), True), ((), ("a",), True), (("a",), (), False), (("a",), ("b",), False), (("a", "b"), ("b", "c"), True)],
)
def test_a_passage_is_readable_by_its_groups_or_by_everyone(
    groups: tuple[str, ...], user: tuple[str, ...], may: bool
) -> None:
    assert Passage("p", "text", groups=frozenset(groups)).readable_by(frozenset(user)) is may


def outcome(reason: StopReason, *facts: Fact, answer: str | None = None, note: str = "") -> Outcome:
    rounds = (Round(1, (Query("q", "q"), Query("r", "r"))), Round(2, (Query("s", "s"),)))
    evidence = (Passage("p", "Ridley Scott\n directed it"),)
    return Outcome("q", reason, answer, facts, evidence=evidence, rounds=rounds, note=note)


def test_outcome_tells_citations_from_what_is_missing() -> None:
    facts = (
        Fact("director", QUOTE),
        Fact("older", follows_from=("director",)),
        Fact("oldest", follows_from=("older",)),
    )
    found = outcome(StopReason.ROUND_LIMIT, *facts, Fact("birth"), Fact("age", follows_from=("birth",)))
    assert found.citations == facts[:1]
    assert found.missing == ("birth", "age")


@pytest.mark.parametrize(
    ("found", "said", "not_said"),
    [
        (
            outcome(StopReason.ANSWERED, Fact("director", QUOTE), answer="Ridley Scott"),
            ["Searched 3 times in 2 rounds and read 1 passage;", "the answer is: Ridley Scott."],
            ["no passage", "Ended with"],
        ),
        (
            outcome(StopReason.ROUND_LIMIT, Fact("director", QUOTE), Fact("birthplace"), note="A note."),
            ['director ("Ridley Scott directed it")', "no passage read says: birthplace", "ROUND_LIMIT", "A note."],
            ["answer is"],
        ),
        (outcome(StopReason.LM_ERROR), ["no fact of the question could be named", "LM_ERROR"], ["answer is"]),
        (
            outcome(StopReason.ROUND_LIMIT, Fact("director", QUOTE)),
            ["these quotes do not say the answer for certain", "ROUND_LIMIT"],
            ["could be named", "no passage", "answer is"],
        ),
        (
            outcome(StopReason.ANSWERED, Fact("director", QUOTE), Fact("birthplace"), answer="Scott"),
            ["no passage read says: birthplace", "The answer is: Scott."],
            ["every fact"],
        ),
    ],
    ids=["answered", "missing", "nothing", "unproven", "answered at a lower coverage"],
)
def test_explain_says_what_was_found_and_what_is_missing(found: Outcome, said: list[str], not_said: list[str]) -> None:
    text = found.explain()
    assert all(part in text for part in said), text
    assert not any(part in text for part in not_said), text
    assert "\n" not in text


def test_records_cannot_be_changed() -> None:
    for record in (Passage("p", "t"), QUOTE, Fact("n"), Limits(), Usage()):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(record, dataclasses.fields(record)[0].name, "x")


def test_explain_says_what_the_fallback_source_brought() -> None:
    rounds = (Round(1, (Query("x", "x"),), new=("a", "b"), fallback=("b",)),)
    evidence = (Passage("a", "A."), Passage("b", "B."))
    text = Outcome("x", StopReason.ROUND_LIMIT, evidence=evidence, rounds=rounds).explain()
    assert "read 2 passages (1 of them from the fallback source); " in text


def test_groups_given_as_one_string_are_refused() -> None:
    with pytest.raises(BadCorpus, match="passage 'a': groups must be a set of names"):
        Passage("a", "text", groups="hr")  # type: ignore[arg-type]
