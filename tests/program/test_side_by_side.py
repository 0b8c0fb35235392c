from __future__ import annotations

import asyncio

import dspy
from dspy.clients.base_lm import GLOBAL_HISTORY

from fakes import FILMS, QUESTION, WordRetriever, chat, scripted_lm
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits

LIMITS = Limits(first_k=1, next_k=1, max_rounds=2)


def answer(asked: str, _prompt: str) -> str:
    if asked == "decide":
        return chat(needed=[{"need": "who", "quote": "", "follows_from": []}], answer="", verdict="SEARCH")
    return chat(query="Ridley Scott") if asked == "rewrite" else chat(direct=["P1"], related=[], tangential=[])


def test_questions_leave_nothing_in_the_lists_of_dspy_that_live_as_long_as_the_process() -> None:
    program = IterativeQA(WordRetriever(FILMS), LMPolicy(scripted_lm(answer)), LIMITS)
    lists = [dspy.settings.trace, GLOBAL_HISTORY, program.history, program.policy.decider.history]
    before = [len(kept) for kept in lists]
    calls = 0
    with dspy.context(disable_history=True):
        for _ in range(50):
            calls += program(QUESTION).usage.calls + asyncio.run(program.acall(QUESTION)).usage.calls
    assert calls >= 200
    assert [len(kept) for kept in lists] == before


def test_a_trace_that_is_asked_for_holds_every_call_in_threads_and_on_an_event_loop() -> None:
    program = IterativeQA(WordRetriever(FILMS), LMPolicy(scripted_lm(answer)), LIMITS)
    for ask in (lambda: program(QUESTION), lambda: asyncio.run(program.acall(QUESTION))):
        with dspy.context(trace=[]):
            calls = ask().usage.calls
            assert len(dspy.settings.trace) == calls
