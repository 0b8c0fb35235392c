from __future__ import annotations

import pytest

from hopstop.eval.diagnose import MEANING, Case, Cause, by_cause, diagnose
from hopstop.eval.outcomes import Row
from hopstop.eval.questions import Question, Support
from hopstop.eval.score import Crash, score
from hopstop.program.records import Fact, Outcome, Passage, Quote, Round, StopReason

GOLD = Question("q", "Who?", ("Ada",), supports=(Support("a"), Support("b")))
TEXT = "Ada did."


def outcome(
    answer: str | None, read: str = "ab", *, hits: str | None = None, quoted: str = "", refused: str = ""
) -> Outcome:
    ids = tuple(read)
    return Outcome(
        question="Who?",
        reason=StopReason.ANSWERED if answer else StopReason.ROUND_LIMIT,
        answer=answer,
        facts=tuple(Fact(f"fact {name}", Quote(name, TEXT, 0, len(TEXT))) for name in quoted),
        evidence=tuple(Passage(name, TEXT) for name in ids),
        rounds=(
            Round(
                1,
                (),
                hits=tuple(read if hits is None else hits),
                kept=ids,
                stop=bool(refused),
                draft=refused,
                objections=("no quote",) if refused else (),
            ),
        ),
        ranking=ids,
    )


def cases(question: Question, end: Outcome) -> tuple[Case, ...]:
    return diagnose([Row.of(question, score(question, end), end)])


@pytest.mark.parametrize(
    ("end", "cause", "passages"),
    [
        (outcome(None, "ax"), Cause.HOP_NEVER_FOUND, ("b",)),
        (outcome(None, "a", hits="ab"), Cause.HOP_NOT_READ, ("b",)),
        (outcome("Bob", "a", hits="ab"), Cause.HOP_NOT_READ, ("b",)),
        (outcome("Ada", "xa"), Cause.EARLY_STOP, ("b",)),
        (outcome("Bob", "xa"), Cause.EARLY_STOP, ("b",)),
        (outcome("Bob", "ab", quoted="ab"), Cause.WRONG_STOP, ()),
        (outcome("Ada", "ab", quoted="a"), Cause.GOLD_NOT_QUOTED, ("b",)),
        (outcome(None, "ab", refused="Ada"), Cause.FALSE_REFUSAL, ()),
        (outcome(None, "ab", refused="Bob"), Cause.EXHAUSTED, ()),
        (outcome(None, "ab"), Cause.EXHAUSTED, ()),
    ],
)
def test_each_unproven_end_has_its_cause_and_the_gold_passages_it_is_about(
    end: Outcome, cause: Cause, passages: tuple[str, ...]
) -> None:
    assert cases(GOLD, end) == (Case("q", cause, passages),)


def test_what_went_well_is_no_case() -> None:
    unanswerable = Question("q", "Who?", answerable=False)
    assert cases(GOLD, outcome("Ada", "ab", quoted="ab")) == ()
    assert cases(unanswerable, outcome(None)) == ()
    assert cases(Question("q", "Who?", ("Ada",)), outcome("Ada")) == ()


def test_unanswerable_unlabelled_and_crashed_questions_have_causes_of_their_own() -> None:
    assert cases(Question("q", "Who?", answerable=False), outcome("Ada"))[0].cause is Cause.ANSWERED_UNANSWERABLE
    assert cases(Question("q", "Who?", ("Ada",)), outcome(None))[0].cause is Cause.NO_GOLD_LABELLED
    assert diagnose([Row.of(GOLD, Crash("q", "KeyError"))]) == (Case("q", Cause.CRASHED),)


def test_causes_come_most_frequent_first_and_each_has_a_meaning() -> None:
    found = by_cause([Case("1", Cause.EXHAUSTED), Case("2", Cause.WRONG_STOP), Case("3", Cause.EXHAUSTED)])
    assert {cause: [case.id for case in group] for cause, group in found.items()} == {
        Cause.EXHAUSTED: ["1", "3"],
        Cause.WRONG_STOP: ["2"],
    }
    assert list(found) == [Cause.EXHAUSTED, Cause.WRONG_STOP]
    assert set(MEANING) == set(Cause)
