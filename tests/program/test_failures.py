"""Models that fail in the four ways of iterative retrieval: no wrong cited answer with the guards, one without."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fakes import ScriptedPolicy, WordRetriever, chat, scripted_lm
from hopstop.program.guards import ALL_OFF, ALL_ON, DEFAULT, Guards
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Claim, Decision, Limits, Outcome, Passage, StopReason

GUARDED = [DEFAULT, ALL_ON]
REVIEW = Passage("now", "The payment fix was reviewed by Dana Ortiz.", "Payment fix")
EARLIER = Passage("then", "An earlier payment fix was reviewed by Ana Ortiz.", "Payment fix of May")
INCIDENT = Passage("inc", "Incident 4471 was fixed by change CH-7712.", "Incident 4471")
TWIN = Passage("twin", "Incident 4412 was fixed by change CH-7802.", "Incident 4412")
CHANGE = Passage("ch", "CH-7712 review: Dana Ortiz signed it.", "CH-7712")
OTHER = Passage("other", "CH-7721 review: Ana Ortiz signed it.", "CH-7721")
FIX = Claim("which change fixed incident 4471", "inc", "Incident 4471 was fixed by change CH-7712")


def run(
    question: str,
    passages: Sequence[Passage],
    decisions: Sequence[Decision],
    guards: Guards,
    *queries: str,
    **limits: int,
) -> Outcome:
    policy = ScriptedPolicy(decisions, queries=queries)
    return IterativeQA(WordRetriever(passages), policy, Limits(**limits), guards=guards)(question)  # type: ignore[arg-type]


def latching(guards: Guards) -> Outcome:
    """Has the right answer, reads of a person of the same surname, and takes that one for good."""
    need = "who reviewed the payment fix"
    first = Decision(stop=False, claims=(Claim(need),), draft="Dana Ortiz")
    latched = Decision(
        stop=True, claims=(Claim(need, quote="payment fix was reviewed by Ana Ortiz"),), draft="Ana Ortiz"
    )
    queries = ("Dana Ortiz earlier payment fix", "Ortiz May review", "Ortiz fix earlier")
    return run("Who reviewed the payment fix?", (REVIEW, EARLIER), (first, latched), guards, *queries, first_k=1)


def near_missing(guards: Guards) -> Outcome:
    """Takes the incident with a similar number in the first round."""
    claim = Claim("which change fixed it", quote="Incident 4412 was fixed by change CH-7802")
    decision = Decision(stop=True, claims=(claim,), draft="CH-7802")
    return run("Which change fixed incident 4471?", (TWIN,), (decision,), guards, max_rounds=2)


def twin_taking(guards: Guards) -> Outcome:
    """Takes the change with a similar number in the second step, of which the question says nothing."""
    review = Claim("who signed CH-7712", quote="CH-7721 review: Ana Ortiz signed it")
    decision = Decision(stop=True, claims=(FIX, review), draft="Ana Ortiz")
    question = "Who signed the change that fixed incident 4471?"
    return run(question, (INCIDENT, OTHER), (decision,), guards, max_rounds=2)


def early(guards: Guards) -> Outcome:
    """Stops when half is shown and fills in the rest of its sentence."""
    decision = Decision(stop=True, claims=(FIX,), draft="Change CH-7712, reviewed by Eve Stone.")
    return run("Who signed the change that fixed incident 4471?", (INCIDENT,), (decision,), guards, max_rounds=2)


def concluding(guards: Guards) -> Outcome:
    """Stops when half is shown and calls the rest a conclusion."""
    rest = Claim("who signed CH-7712", follows_from=("F1",))
    decision = Decision(stop=True, claims=(FIX, rest), draft="change management")
    passage = Passage("inc", f"{INCIDENT.text} Rules of change management hold.", "Incident 4471 and change management")
    return run("Who signed the change that fixed incident 4471?", (passage,), (decision,), guards, max_rounds=2)


def merging(guards: Guards) -> Outcome:
    """Joins two people into one."""
    one = Passage("a", "The report was written by Ann Lee.", "Report")
    two = Passage("b", "The report was checked by Bo Kim.", "Report check")
    claims = (Claim("who wrote the report", quote="by Ann Lee"), Claim("who checked the report", quote="by Bo Kim"))
    claims = tuple(Claim(item.need, quote=f"The report was {verb} {item.quote}") for item, verb in
                   zip(claims, ("written", "checked"), strict=True))  # fmt: skip
    decision = Decision(stop=True, claims=claims, draft="Ann Kim")
    return run("Who wrote the report that was checked?", (one, two), (decision,), guards, max_rounds=2)


def mumbling(guards: Guards) -> Outcome:
    """Answers with a kind."""
    passage = Passage("a", "The report was written by a person of the audit team.", "Report")
    claim = Claim("who wrote the report", quote="The report was written by a person of the audit team")
    decision = Decision(stop=True, claims=(claim,), draft="a person")
    return run("Who wrote the report?", (passage,), (decision,), guards, max_rounds=2)


def half_comparing(guards: Guards) -> Outcome:
    """Compares without having read of the other side."""
    passage = Passage("a", "Ada Roe was born in 1901.", "Ada Roe")
    born = Claim("when Ada Roe was born", quote="Ada Roe was born in 1901")
    result = Claim("who is older", follows_from=("F1",))
    decision = Decision(stop=True, claims=(born, result), draft="Ada Roe")
    return run("Who is older, Ada Roe or Ben Oak?", (passage,), (decision,), guards, max_rounds=2)


FAILURES = {
    latching: ["latch"],
    near_missing: ["near_miss"],
    twin_taking: ["fact_near_miss"],
    early: ["answer_read", "answer_quoted"],
    concluding: ["lone_derivation"],
    merging: ["merged_answer"],
    mumbling: ["vague_answer"],
    half_comparing: ["both_sides"],
}


@pytest.mark.parametrize("guards", GUARDED, ids=["default", "all"])
@pytest.mark.parametrize("fail", FAILURES, ids=lambda fail: fail.__name__)
def test_failing_model_gives_no_wrong_answer(fail: object, guards: Guards) -> None:
    outcome = fail(guards)  # type: ignore[operator]
    assert outcome.answer is None
    assert outcome.reason is not StopReason.ANSWERED
    assert any(item.objections for item in outcome.rounds)


@pytest.mark.parametrize(("fail", "names"), FAILURES.items(), ids=lambda part: getattr(part, "__name__", None))
def test_failure_gets_through_when_its_guard_is_off(fail: object, names: list[str]) -> None:
    assert fail(ALL_ON.without(*names)).reason is StopReason.ANSWERED  # type: ignore[operator]
    assert fail(ALL_OFF).reason is StopReason.ANSWERED  # type: ignore[operator]


def repeating(guards: Guards) -> Outcome:
    """Searches for the same words again and again."""
    question = "Who signed the change that fixed incident 4471?"
    half = Decision(stop=False, claims=(FIX, Claim("who signed CH-7712")), draft="")
    done = Decision(stop=True, claims=(Claim("F2", quote="Dana Ortiz signed it"),), draft="Dana Ortiz")
    again = ("incident 4471 fixed by a change that was signed",)
    passages = (INCIDENT, CHANGE, Passage("x", "Incident reports of the year.", "Reports"))
    return run(question, passages, (half, done), guards, *again, first_k=1, next_k=1, patience=0)


@pytest.mark.parametrize("guards", GUARDED, ids=["default", "all"])
def test_query_repeater_is_told_so_and_plain_words_find_the_rest(guards: Guards) -> None:
    outcome = repeating(guards)
    (query,) = outcome.rounds[1].queries
    assert query.fallback
    assert any("searched already" in fault for fault in query.faults)
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "Dana Ortiz")
    assert "plain words were searched" in outcome.explain()


def test_query_repeater_runs_dry_when_the_guard_is_off() -> None:
    outcome = repeating(ALL_ON.without("repeat"))
    assert not any(query.fallback for item in outcome.rounds for query in item.queries)
    assert (outcome.reason, outcome.answer) == (StopReason.NO_NEW_PASSAGES, None)


def merging_lm(asked: str, prompt: str) -> str:
    assert asked == "decide", prompt
    needed = [
        {"need": "who wrote the report", "quote": "P1.1", "follows_from": []},
        {"need": "who checked the report", "quote": "P2.1", "follows_from": []},
    ]
    mended = "joined from different names" in prompt
    return chat(needed=needed, answer="Ann Lee" if mended else "Ann Kim", verdict="STOP")


PEOPLE = (
    Passage("a", "The report was written by Ann Lee.", "Report"),
    Passage("b", "The report was checked by Bo Kim.", "Report check"),
)


def test_refused_answer_is_asked_again_once_with_the_objection() -> None:
    lm = scripted_lm(merging_lm)
    outcome = IterativeQA(WordRetriever(PEOPLE), LMPolicy(lm), Limits(max_rounds=1))("Who wrote the report checked?")
    assert (outcome.reason, outcome.answer, len(outcome.rounds)) == (StopReason.ANSWERED, "Ann Lee", 1)
    (refusal,) = outcome.rounds[0].refused
    assert refusal.draft == "Ann Kim"
    assert len(lm.engine.requests) == 2


def test_refused_answer_is_not_asked_again_when_that_guard_is_off_or_tokens_are_out() -> None:
    for change in ({"guards": DEFAULT.without("ask_again")}, {"limits": Limits(max_rounds=1, max_tokens=10)}):
        parts = {"limits": Limits(max_rounds=1), "guards": DEFAULT, **change}
        lm = scripted_lm(merging_lm)
        outcome = IterativeQA(WordRetriever(PEOPLE), LMPolicy(lm), **parts)("Who wrote the report checked?")  # type: ignore[arg-type]
        assert outcome.answer is None
        assert len(lm.engine.requests) <= 1
