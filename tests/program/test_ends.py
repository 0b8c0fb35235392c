"""One test for each StopReason, and the limits under random policies."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes import ALIEN, BIRTH, DIRECTOR, FILMS, HALF, PROOF, QUESTION, SCOTT, ScriptedPolicy, WordRetriever
from hopstop.program.errors import BadQuestion, SearchFailed
from hopstop.program.lm import LMFailed
from hopstop.program.loop import IterativeQA
from hopstop.program.policy import Reply, State
from hopstop.program.records import NO_GROUPS, Claim, Decision, Hit, Limits, Outcome, Passage, StopReason, Usage
from hopstop.program.runtime import Runtime


def run(policy: ScriptedPolicy, passages: tuple[Passage, ...] = FILMS, **limits: object) -> Outcome:
    return IterativeQA(WordRetriever(passages), policy, Limits(**limits))(QUESTION)


def test_answered_with_every_fact_quoted() -> None:
    outcome = run(ScriptedPolicy([PROOF]))
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "South Shields")
    assert [fact.quote.text for fact in outcome.citations if fact.quote] == [DIRECTOR.quote, BIRTH.quote]
    assert outcome.missing == ()


def test_no_new_passages_after_patience_names_what_is_missing() -> None:
    outcome = run(
        ScriptedPolicy([HALF], queries=["Alien film", "film Alien 1979", "1979 film directed"]), (ALIEN,), patience=1
    )
    assert outcome.reason is StopReason.NO_NEW_PASSAGES
    assert outcome.answer is None
    assert outcome.missing == ("where Ridley Scott was born",)
    assert "where Ridley Scott was born" in outcome.explain()
    assert len(outcome.rounds) == 3


def test_round_limit_is_exact() -> None:
    outcome = run(
        ScriptedPolicy([HALF], queries=["Scott", "Cameron", "Weaver", "1986 Scott"]), max_rounds=2, first_k=1, next_k=1
    )
    assert outcome.reason is StopReason.ROUND_LIMIT
    assert len(outcome.rounds) == 2


def test_passage_limit() -> None:
    outcome = run(ScriptedPolicy([HALF]), max_read=2, first_k=2)
    assert outcome.reason is StopReason.PASSAGE_LIMIT
    assert len(outcome.evidence) == 2


def test_token_limit_allows_no_further_call() -> None:
    policy = ScriptedPolicy([HALF], usage=Usage(calls=1, input_tokens=900, output_tokens=100, billed_tokens=1000))
    outcome = run(policy, max_tokens=1000, first_k=1)
    assert outcome.reason is StopReason.TOKEN_LIMIT
    assert outcome.usage.tokens == 1000
    assert len(policy.states) == 1


def test_cost_limit() -> None:
    outcome = run(ScriptedPolicy([HALF], usage=Usage(calls=1, cost_usd=0.02)), max_cost_usd=0.01)
    assert outcome.reason is StopReason.COST_LIMIT


def test_time_limit() -> None:
    class Slow(ScriptedPolicy):
        async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
            time.sleep(0.05)
            return await super().decide(state, runtime)

    assert run(Slow([HALF]), max_seconds=0.01).reason is StopReason.TIME_LIMIT


def test_no_hits() -> None:
    outcome = run(ScriptedPolicy([PROOF]), (Passage("x", "zebra"),))
    assert outcome.reason is StopReason.NO_HITS
    assert outcome.evidence == ()


@pytest.mark.parametrize(("refused", "reason"), [(False, StopReason.LM_ERROR), (True, StopReason.LM_REFUSED)])
def test_lm_failure_is_a_named_end_and_keeps_what_it_used(refused: bool, reason: StopReason) -> None:
    class Failing(ScriptedPolicy):
        async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
            raise LMFailed("LMServerError", Usage(calls=1, input_tokens=7), refused=refused)

    outcome = run(Failing([HALF]))
    assert outcome.reason is reason
    assert outcome.usage.input_tokens == 7
    assert "LMServerError" in outcome.note


def test_cancelled_before_the_first_search_searches_nothing() -> None:
    cancel = threading.Event()
    cancel.set()
    retriever = WordRetriever(FILMS)
    outcome = IterativeQA(retriever, ScriptedPolicy([PROOF]))(QUESTION, cancel=cancel)
    assert outcome.reason is StopReason.CANCELLED
    assert retriever.searched == []


def test_cancelled_between_rounds_asks_nobody_again() -> None:
    cancel = threading.Event()

    class Cancelling(ScriptedPolicy):
        async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
            cancel.set()
            return await super().decide(state, runtime)

    policy = Cancelling([HALF])
    outcome = IterativeQA(WordRetriever(FILMS), policy)(QUESTION, cancel=cancel)
    assert outcome.reason is StopReason.CANCELLED
    assert policy.rewrites == []


@pytest.mark.parametrize("groups", ["her", None, 7])
def test_groups_that_are_no_set_of_names_are_refused(groups: object) -> None:
    program = IterativeQA(WordRetriever(FILMS), ScriptedPolicy([PROOF]))
    for ask in (program, program.stream, program.astream):
        with pytest.raises(BadQuestion, match="groups must be a set of names"):
            ask(QUESTION, groups=groups)  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["", "  \n", "?!", "x" * 50_000, None, b"who?"])
def test_unusable_questions_are_refused_before_anything_runs(question: object) -> None:
    with pytest.raises(BadQuestion):
        IterativeQA(WordRetriever(FILMS), ScriptedPolicy([PROOF]))(question)  # type: ignore[arg-type]


def test_a_question_of_stop_words_only_ends_with_a_name() -> None:
    outcome = IterativeQA(WordRetriever(FILMS), ScriptedPolicy([HALF]))("who are they?")
    assert outcome.reason in (StopReason.NO_HITS, StopReason.ROUND_LIMIT, StopReason.NO_NEW_PASSAGES)


CLAIMS = st.lists(
    st.builds(
        Claim,
        need=st.sampled_from(["the director of Alien", "where Ridley Scott was born", "F1", "F2 pay of Scott", ""]),
        passage=st.sampled_from(["P1", "P2", "P99", "alien", ""]),
        quote=st.sampled_from(
            [
                "directed by Ridley Scott",
                "P1.1",
                "P9.9",
                "was born in South Shields",
                "Scott was paid 4471 crowns",
                "made up",
            ]
        ),
        follows_from=st.sampled_from([(), ("F1",), ("nothing",)]),
    ),
    max_size=4,
)
DECISIONS = st.lists(
    st.builds(
        Decision,
        stop=st.booleans(),
        claims=CLAIMS.map(tuple),
        draft=st.sampled_from(["", "South Shields", "4471 crowns", "yes", "Kapuskasing"]),
    ),
    min_size=1,
    max_size=5,
)
LIMITS = st.builds(
    Limits,
    max_rounds=st.integers(1, 4),
    first_k=st.integers(1, 4),
    next_k=st.integers(1, 3),
    carry_k=st.integers(0, 3),
    max_passages=st.integers(1, 5),
    max_read=st.none() | st.integers(1, 5),
    max_tokens=st.integers(1, 400),
    width=st.integers(1, 3),
    patience=st.integers(0, 2),
    rewrite_tries=st.integers(1, 3),
    min_coverage=st.floats(0, 1),
    min_sufficiency=st.floats(0, 1),
    stop_by=st.sampled_from(["both", "evidence"]),
)
QUERIES = st.lists(st.sampled_from(["Scott born", "Cameron", "pay of Scott", "the", "", "4471"]), max_size=4)


@settings(max_examples=150, deadline=None)
@given(DECISIONS, QUERIES, LIMITS, st.sampled_from([frozenset(), frozenset({"finance"}), frozenset({"nobody"})]))
def test_no_run_exceeds_a_limit_or_shows_what_is_not_there(
    decisions: list[Decision], queries: list[str], limits: Limits, groups: frozenset[str]
) -> None:
    policy = ScriptedPolicy(decisions, queries, Usage(calls=1, input_tokens=90, output_tokens=10))
    outcome = IterativeQA(WordRetriever(FILMS), policy, limits)(QUESTION, groups=groups)
    assert len(outcome.rounds) <= limits.max_rounds
    assert outcome.usage.tokens - 100 < limits.max_tokens
    assert len(outcome.evidence) <= (limits.max_read or len(FILMS))
    assert len({passage.id for passage in outcome.evidence}) == len(outcome.evidence)
    assert set(outcome.ranking) == {passage.id for passage in outcome.evidence}
    texts = {passage.id: passage.text for passage in outcome.evidence}
    for fact in outcome.citations:
        assert fact.quote is not None
        assert texts[fact.quote.passage_id][fact.quote.start : fact.quote.end] == fact.quote.text
    assert (outcome.answer is not None) == (outcome.reason is StopReason.ANSWERED)
    if limits.min_coverage == 1 and outcome.answer is not None:
        assert outcome.missing == ()
    if "finance" not in groups:
        everything = repr(outcome) + repr(policy.states) + repr(policy.rewrites) + outcome.explain()
        assert "XYZZY" not in everything
        assert all(passage.id != "secret" for passage in outcome.evidence)


def test_a_quote_from_another_passage_is_found_there() -> None:
    wrong_label = Decision(stop=True, claims=(DIRECTOR, Claim(BIRTH.need, "alien", BIRTH.quote)), draft="South Shields")
    outcome = run(ScriptedPolicy([wrong_label]), (ALIEN, SCOTT))
    assert outcome.reason is StopReason.ANSWERED
    assert outcome.citations[1].quote is not None
    assert outcome.citations[1].quote.passage_id == "scott"


def test_an_answer_that_turns_into_a_look_alike_must_quote_both() -> None:
    twins = (
        Passage("p1", "Incident 4471 was fixed by Ana Ortiz.", "Incident 4471"),
        Passage("p2", "Incident 4471 was closed by Ina Ortiz.", "Closing of 4471"),
    )
    claim = Claim("who closed incident 4471", "p1", "fixed by Ana Ortiz")
    first = Decision(stop=False, claims=(Claim("who closed incident 4471"),), draft="Ana Ortiz")
    turned = Decision(
        stop=True, claims=(Claim("who closed incident 4471", "p2", "closed by Ina Ortiz"),), draft="Ina Ortiz"
    )
    both = Decision(stop=True, claims=(Claim("who fixed incident 4471", "p1", claim.quote),), draft="Ina Ortiz")
    policy = ScriptedPolicy([first, turned, both], queries=["fixed by Ana Ortiz", "closing team leads Ortiz"])
    retriever = WordRetriever((*twins, Passage("p3", "Ina Ortiz leads the closing team.", "Team")))
    outcome = IterativeQA(retriever, policy, Limits(first_k=1, next_k=1))("Who closed incident 4471?")
    (refusal,) = outcome.rounds[1].refused
    assert any("similar" in objection for objection in refusal.objections)
    assert (outcome.reason, len(outcome.rounds)) == (StopReason.ANSWERED, 2)


class OutOfOrder(WordRetriever):
    """Fails from its nth search on."""

    def __init__(self, passages: Sequence[Passage], nth: int, error: Exception) -> None:
        super().__init__(passages)
        self.nth, self.error = nth, error

    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> list[Hit]:
        found = super().search(query, k, groups)
        if len(self.searched) >= self.nth:
            raise self.error
        return found


@pytest.mark.parametrize("error", [ConnectionError("at 10.0.0.7"), TimeoutError(), SearchFailed("at 10.0.0.7")])
@pytest.mark.parametrize("nth", [1, 2])
def test_search_engine_out_of_order_is_a_named_end_that_keeps_what_was_found(nth: int, error: Exception) -> None:
    retriever = OutOfOrder((ALIEN,), nth, error)
    outcome = IterativeQA(retriever, ScriptedPolicy([HALF], usage=Usage(calls=1)))(QUESTION)
    assert (outcome.reason, outcome.answer) == (StopReason.SEARCH_ERROR, None)
    assert outcome.note == f"A search failed: {type(error).__name__}."
    assert outcome.explain().endswith(outcome.note)
    found = nth - 1
    assert (len(outcome.rounds), len(outcome.citations), outcome.usage.calls) == (found, found, found)
    assert outcome.missing == (("where Ridley Scott was born",) if found else ())


def test_the_fallback_is_asked_where_the_first_is_out_of_order() -> None:
    first, policy = OutOfOrder((ALIEN,), 2, SearchFailed()), ScriptedPolicy([HALF, PROOF])
    outcome = IterativeQA(first, policy, fallback=WordRetriever((SCOTT,)))(QUESTION)
    assert (outcome.reason, outcome.rounds[1].fallback) == (StopReason.ANSWERED, ("scott",))
    neither = OutOfOrder((), 1, OSError())
    assert IterativeQA(neither, ScriptedPolicy([HALF]), fallback=neither)(QUESTION).reason is StopReason.SEARCH_ERROR
    assert len(neither.searched) == 2


def test_what_the_first_query_of_a_round_finds_is_read_though_the_second_fails() -> None:
    first = OutOfOrder((ALIEN, SCOTT), 3, TimeoutError())
    policy = TwoNeeds([HALF, PROOF], queries=["Ridley Scott", "the born Scott"])
    outcome = IterativeQA(first, policy, Limits(first_k=1))("Who directed Alien?")
    assert (outcome.reason, len(first.searched)) == (StopReason.ANSWERED, 3)
    assert outcome.note == "A search failed: TimeoutError."


class TwoNeeds(ScriptedPolicy):
    def needs(self, state: State, width: int) -> tuple[str, ...]:
        return ("where Ridley Scott was born", "what Ridley Scott directs")


@pytest.mark.parametrize("error", [TypeError, KeyError, ValueError])
def test_bug_of_a_retriever_is_raised(error: type[Exception]) -> None:
    with pytest.raises(error):
        IterativeQA(OutOfOrder((ALIEN,), 1, error()), ScriptedPolicy([HALF]), fallback=WordRetriever(FILMS))(QUESTION)


def test_the_fallback_is_asked_once_when_nothing_is_new_and_its_passages_are_marked() -> None:
    second = WordRetriever((SCOTT,))
    policy = ScriptedPolicy([HALF, PROOF], queries=["Ridley Scott born"])
    outcome = IterativeQA(WordRetriever((ALIEN,)), policy, Limits(), fallback=second)(QUESTION)
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "South Shields")
    assert [item.fallback for item in outcome.rounds] == [(), ("scott",)]
    assert len(second.searched) == 1


def test_a_retriever_that_leaks_does_not_get_a_passage_past_the_loop() -> None:
    class Leaky(WordRetriever):
        def search(self, query: str, k: int, groups: frozenset[str] = frozenset()) -> list[Hit]:
            return super().search(query, k, groups | {"finance"})

    policy = ScriptedPolicy([HALF])
    outcome = IterativeQA(Leaky(FILMS), policy)("What was Ridley Scott paid?", groups=frozenset({"staff"}))
    assert "XYZZY" not in repr(outcome) + repr(policy.states)
    assert all(passage.id != "secret" for passage in outcome.evidence)
