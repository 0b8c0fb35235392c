"""An app that ends a run: no search and no LM call follows, and nothing is left behind."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable

import dspy
import pytest
from dspy import lm15

from compiled import searching
from fakes import (
    FILMS,
    HALF,
    QUESTION,
    AsyncScriptedEngine,
    ScriptedEngine,
    ScriptedPolicy,
    WordRetriever,
    chat,
    scripted_lm,
)
from hopstop.program import Hit, IterativeQA, Limits, LMPolicy, Outcome, StopReason

SEARCH = Limits(first_k=1, next_k=1, max_rounds=4)
UNREADABLE = "no field of ours"


def cancelling(at: str, replies: Callable[[str, str], str]) -> tuple[Outcome, list[str], WordRetriever]:
    """A program whose app cancels while one predictor is asked; the outcome and who was asked."""
    cancel = threading.Event()
    asked_of: list[str] = []

    def answer(asked: str, prompt: str) -> str:
        asked_of.append(asked)
        if asked == at:
            cancel.set()
        return replies(asked, prompt)

    retriever = WordRetriever(FILMS)
    qa = IterativeQA(retriever, LMPolicy(scripted_lm(answer)), SEARCH)
    with dspy.context(trace=[]):
        outcome = qa(QUESTION, cancel=cancel)
    return outcome, asked_of, retriever


def test_after_a_cancelled_decision_nobody_is_asked() -> None:
    outcome, asked, retriever = cancelling("decide", searching)
    assert (outcome.reason, asked, len(retriever.searched)) == (StopReason.CANCELLED, ["decide"], 1)
    assert len(outcome.rounds) == 1


def test_after_a_cancelled_pruning_no_query_is_searched_and_only_one_may_be_under_way() -> None:
    outcome, asked, retriever = cancelling("prune", searching)
    assert (outcome.reason, len(retriever.searched)) == (StopReason.CANCELLED, 1)
    assert sorted(asked) in (["decide", "prune"], ["decide", "prune", "rewrite"])  # both are asked side by side
    assert [query.text for item in outcome.rounds for query in item.queries] == [QUESTION]


def test_a_cancelled_rewrite_is_not_tried_again() -> None:
    outcome, asked, retriever = cancelling(
        "rewrite", lambda asked, prompt: chat(query=QUESTION) if asked == "rewrite" else searching(asked, prompt)
    )
    assert (outcome.reason, asked.count("rewrite"), len(retriever.searched)) == (StopReason.CANCELLED, 1, 1)


def test_a_reply_that_cannot_be_read_is_not_asked_for_again_once_cancelled_and_is_counted() -> None:
    outcome, asked, _ = cancelling("decide", lambda asked, prompt: UNREADABLE)
    assert (outcome.reason, asked) == (StopReason.CANCELLED, ["decide"])
    assert (outcome.usage.calls, outcome.usage.parse_failures) == (1, 1)


def test_cancelled_while_searching_no_other_search_and_no_decision_follows() -> None:
    cancel = threading.Event()

    class Cancelling(WordRetriever):
        def search(self, query: str, k: int, groups: frozenset[str] = frozenset()) -> list[Hit]:
            found = super().search(query, k, groups)
            if len(self.searched) == 2:
                cancel.set()
            return found

    class Wide(ScriptedPolicy):
        def needs(self, state: object, width: int) -> tuple[str, ...]:
            return ("Ridley Scott", "James Cameron")

    retriever, policy = Cancelling(FILMS), Wide([HALF])
    outcome = IterativeQA(retriever, policy, SEARCH)(QUESTION, cancel=cancel)
    assert (outcome.reason, len(retriever.searched), len(policy.states)) == (StopReason.CANCELLED, 2, 1)
    assert [len(item.queries) for item in outcome.rounds] == [1, 1]
    assert "2 times" in outcome.explain()


class Hanging(AsyncScriptedEngine):
    """Never replies to one predictor; says whether the call was cancelled."""

    def __init__(self, engine: ScriptedEngine, at: str) -> None:
        super().__init__(engine)
        self.engine, self.at, self.cancelled = engine, at, 0
        self.hangs = asyncio.Event()

    async def complete(self, request: lm15.Request) -> lm15.Response:
        response = await super().complete(request)
        if f"`{self.at}`" in str(request.system):
            self.hangs.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        return response


@pytest.mark.parametrize("at", ["verdict", "related", "query"], ids=["decide", "prune", "rewrite"])
def test_cancelling_the_task_ends_the_call_under_way_and_leaves_nothing(at: str) -> None:
    async def run() -> None:
        engine = ScriptedEngine(searching)
        hanging = Hanging(engine, at)
        lm = dspy.LM("scripted/test", engine=engine, async_engine=hanging, cache=False)
        qa = IterativeQA(WordRetriever(FILMS), LMPolicy(lm), SEARCH)
        task = asyncio.create_task(qa.acall(QUESTION))
        await asyncio.wait_for(hanging.hangs.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 5)
        assert (hanging.cancelled, len(asyncio.all_tasks())) == (1, 1)
        spent = len(engine.requests)
        await asyncio.sleep(0.05)
        assert len(engine.requests) == spent

    asyncio.run(run())


def test_leaving_an_awaited_stream_ends_the_call_under_way() -> None:
    async def run() -> None:
        engine = ScriptedEngine(searching)
        hanging = Hanging(engine, "verdict")
        lm = dspy.LM("scripted/test", engine=engine, async_engine=hanging, cache=False)
        events = IterativeQA(WordRetriever(FILMS), LMPolicy(lm), SEARCH).astream(QUESTION)
        reader = asyncio.create_task(anext(events))
        await asyncio.wait_for(hanging.hangs.wait(), 5)
        reader.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(reader, 5)
        assert (hanging.cancelled, len(asyncio.all_tasks())) == (1, 1)

    asyncio.run(run())
