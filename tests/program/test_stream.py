"""Rounds as they happen, an app that leaves, and many runs at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import dspy
import pytest

from compiled import searching
from fakes import (
    FILMS,
    HALF,
    PROOF,
    QUESTION,
    ScriptedPolicy,
    WordRetriever,
    chat,
    scripted_lm,
)
from hopstop.program import BM25Index, IterativeQA, Limits, LMPolicy, Outcome, Round, StopReason
from hopstop.program.errors import BadQuestion

SEARCH = Limits(first_k=1, next_k=1, max_rounds=4)


def program(answer: Callable[[str, str], str] = searching) -> tuple[IterativeQA, dspy.LM]:
    lm = scripted_lm(answer)
    return IterativeQA(WordRetriever(FILMS), LMPolicy(lm), SEARCH), lm


def seconds_passed(until: Callable[[], bool], limit: float = 5.0) -> bool:
    end = time.monotonic() + limit
    while not until() and time.monotonic() < end:
        time.sleep(0.005)
    return until()


def streams() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("hopstop")]


async def collected(qa: IterativeQA, groups: frozenset[str] = frozenset()) -> list[Round | Outcome]:
    return [event async for event in qa.astream(QUESTION, groups=groups)]


@pytest.mark.parametrize("awaited", [False, True])
def test_a_stream_hands_out_every_round_and_then_the_outcome(awaited: bool) -> None:
    qa = IterativeQA(WordRetriever(FILMS), ScriptedPolicy([HALF, PROOF]), SEARCH)
    *rounds, outcome = asyncio.run(collected(qa)) if awaited else list(qa.stream(QUESTION))
    assert isinstance(outcome, Outcome)
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "South Shields")
    assert tuple(rounds) == outcome.rounds
    assert len(rounds) == 2


def test_a_round_is_handed_out_before_the_next_one_is_searched() -> None:
    retriever = WordRetriever(FILMS)
    seen, searched = [], []

    def listen(item: Round) -> None:
        seen.append(item.number)
        searched.append(len(retriever.searched))

    IterativeQA(retriever, ScriptedPolicy([HALF, PROOF]), SEARCH)(QUESTION, on_round=listen)
    assert (seen, searched) == ([1, 2], [1, 2])


@pytest.mark.parametrize("awaited", [False, True])
def test_a_stream_reads_for_the_groups_of_its_user(awaited: bool) -> None:
    qa = IterativeQA(WordRetriever(FILMS), ScriptedPolicy([HALF], queries=["Scott paid crowns"]), SEARCH)
    for groups in (frozenset[str](), frozenset({"finance"})):
        events = asyncio.run(collected(qa, groups)) if awaited else list(qa.stream(QUESTION, groups=groups))
        assert ("XYZZY" in repr(events)) == bool(groups)


@pytest.mark.parametrize("name", ["stream", "astream"])
def test_an_unusable_question_is_refused_before_the_stream_begins(name: str) -> None:
    qa, lm = program()
    with pytest.raises(BadQuestion):
        getattr(qa, name)("?")
    assert lm.engine.requests == []


def test_a_stream_that_nobody_reads_spends_nothing() -> None:
    qa, lm = program()
    qa.stream(QUESTION)
    assert (lm.engine.requests, qa.retriever.searched, streams()) == ([], [], [])


def test_leaving_a_stream_stops_spending_and_leaves_no_thread() -> None:
    gate = threading.Event()

    def slow(asked: str, prompt: str) -> str:
        if lm.engine.requests[3:]:
            gate.wait(5)  # a call under way when the app leaves
        return searching(asked, prompt)

    qa, lm = program(slow)
    events = qa.stream(QUESTION)
    assert isinstance(next(events), Round)
    events.close()  # type: ignore[attr-defined]
    gate.set()
    assert seconds_passed(lambda: not streams())
    spent = len(lm.engine.requests)
    assert spent < 10  # four rounds make 10 calls
    assert next(events, None) is None
    assert len(lm.engine.requests) == spent


def test_leaving_does_not_wait_for_the_call_under_way() -> None:
    gate = threading.Event()

    def slow(asked: str, prompt: str) -> str:
        if len(lm.engine.requests) > 3:
            gate.wait(5)
        return searching(asked, prompt)

    qa, lm = program(slow)
    start = time.monotonic()
    for _ in qa.stream(QUESTION):
        break
    assert time.monotonic() - start < 2
    gate.set()
    assert seconds_passed(lambda: not streams())


def test_an_error_inside_a_run_reaches_the_reader() -> None:
    class Broken(ScriptedPolicy):
        def needs(self, state: object, width: int) -> tuple[str, ...]:
            raise ZeroDivisionError("a fault of the policy")

    qa = IterativeQA(WordRetriever(FILMS), Broken([HALF]), SEARCH)
    with pytest.raises(ZeroDivisionError, match="a fault of the policy"):
        list(qa.stream(QUESTION))
    with pytest.raises(ZeroDivisionError, match="a fault of the policy"):
        asyncio.run(collected(qa))


def test_the_settings_of_the_reader_hold_within_the_stream() -> None:
    lm = scripted_lm(searching)
    with dspy.context(lm=lm):
        *_, outcome = IterativeQA(WordRetriever(FILMS), LMPolicy(), SEARCH).stream(QUESTION)
    assert isinstance(outcome, Outcome)
    assert outcome.usage.calls == len(lm.engine.requests) > 2


@pytest.mark.parametrize("cache", [False, True], ids=["no cache", "warm cache"])
def test_two_programs_in_eight_threads_and_eight_loops_do_not_mix(cache: bool) -> None:
    places = ("South Shields", "Ridley Scott")
    index = BM25Index.build(FILMS)

    def answers(place: str) -> Callable[[str, str], str]:
        claim = {"need": "the director of Alien", "quote": "directed by Ridley Scott", "follows_from": []}
        return lambda asked, prompt: (
            chat(needed=[claim], answer=place, verdict="SEARCH") if asked == "decide" else searching(asked, prompt)
        )

    lms = {place: scripted_lm(answers(place), cache=cache, model=f"scripted/{place}-{cache}") for place in places}
    programs = {place: IterativeQA(index, LMPolicy(lm), SEARCH) for place, lm in lms.items()}
    dspy.cache.reset_memory_cache()
    single = {place: (qa(QUESTION), asyncio.run(qa.acall(QUESTION)))[0] for place, qa in programs.items()}  # warm both
    before = {place: len(lm.engine.requests) for place, lm in lms.items()}

    def work(number: int) -> tuple[str, Outcome]:
        place = places[number % 2]
        if number % 3 == 0:
            return place, programs[place](QUESTION)
        *_, last = (
            list(programs[place].stream(QUESTION)) if number % 3 == 1 else asyncio.run(collected(programs[place]))
        )
        assert isinstance(last, Outcome)
        return place, last

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(48)))
    for place, outcome in results:
        assert (outcome.draft, outcome.policy) == (place, f"lm:scripted/{place}-{cache}")
        assert outcome.usage.tokens == single[place].usage.tokens > 0
        assert outcome.usage.tokens == sum(item.usage.tokens for item in outcome.rounds)
        assert outcome.usage.cached_calls == (outcome.usage.calls if cache else 0)
    for place, lm in lms.items():
        calls = sum(outcome.usage.calls for owner, outcome in results if owner == place)
        assert len(lm.engine.requests) - before[place] == (0 if cache else calls)
