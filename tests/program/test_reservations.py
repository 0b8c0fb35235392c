"""What calls that tell no bound, run side by side, or break off may spend of a question."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import Callable

import anthropic
import dspy
import pytest
from dspy import lm15

from fakes import ALIEN, QUESTION, SCOTT, AsyncScriptedEngine, ScriptedEngine, WordRetriever, asked_by, chat
from hopstop.eval.fault_server import FaultServer, Reply
from hopstop.program.allowance import UNDER_WAY, Allowance, NotSent, Reservation
from hopstop.program.budget import Budget
from hopstop.program.claude import claude
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.prices import Price
from hopstop.program.records import Limits, Outcome, StopReason, Usage

FACTS = (("the director of Alien", "P1.1"), ("where Ridley Scott was born", "P2.1"))


def answer(asked: str, prompt: str) -> str:
    if asked == "prune":
        return chat(direct=["P1"], related=[], tangential=[])
    if asked == "rewrite":
        return chat(query="Ridley Scott South Shields")
    found = "P2.1" in prompt
    needed = [{"need": need, "quote": label if label in prompt else "", "follows_from": []} for need, label in FACTS]
    return chat(needed=needed, answer="South Shields" if found else "", verdict="STOP" if found else "SEARCH")


class Talker(ScriptedEngine):
    """Bills as long a reply as it may write."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        reply = super().complete(request)
        tokens = request.config.max_tokens or 40_000
        return dataclasses.replace(reply, usage=lm15.Usage(input_tokens=500, output_tokens=tokens))


class Slow(ScriptedEngine):
    """Takes its time, so that calls side by side meet."""

    def complete(self, request: lm15.Request) -> lm15.Response:
        if asked_by(request) != "decide":
            time.sleep(0.15)
        return super().complete(request)


class SlowAwaited(AsyncScriptedEngine):
    async def complete(self, request: lm15.Request) -> lm15.Response:
        await asyncio.sleep(0.15)
        return await super().complete(request)


class Broken(ScriptedEngine):
    """The connection breaks before the reply is there."""

    sent = 0

    def complete(self, request: lm15.Request) -> lm15.Response:
        self.sent += 1
        raise lm15.TransportError("reset")


def blocking(qa: IterativeQA) -> Outcome:
    return qa(QUESTION)


def awaited(qa: IterativeQA) -> Outcome:
    return asyncio.run(qa.acall(QUESTION))


def program(lm: dspy.LM, *, budget: Budget | None = None, price: Price | None = None, **limits: object) -> IterativeQA:
    bounds = Limits(first_k=1, **limits)  # type: ignore[arg-type]
    prices = {} if price is None else {lm.model: price}
    return IterativeQA(WordRetriever((ALIEN, SCOTT)), LMPolicy(lm, schema=False), bounds, budget=budget, prices=prices)


@pytest.mark.parametrize(
    ("model", "longest"), [("scripted/x", 4096), ("openai/gpt-5", 16_000)], ids=["plain", "reasoning"]
)
def test_an_lm_without_a_bound_of_its_own_is_sent_one(model: str, longest: int) -> None:
    engine = Talker(answer)
    outcome = program(dspy.LM(model, engine=engine, cache=False), max_tokens=20_000)(QUESTION)
    assert engine.requests[0].config.max_tokens == longest
    assert outcome.usage.tokens <= 20_000 + longest


def test_the_cost_limit_holds_for_an_lm_without_a_bound_of_its_own() -> None:
    outcome = program(dspy.LM("scripted/x", engine=Talker(answer), cache=False), price=Price(3, 15), max_cost_usd=0.10)(
        QUESTION
    )
    assert outcome.reason is StopReason.COST_LIMIT
    assert (outcome.usage.cost_usd or 0.0) <= 0.10 + 4096 * 15e-6


def test_a_reply_that_was_cut_off_gets_more_room_where_no_bound_is_set() -> None:
    engine = ScriptedEngine(answer, finish_reason="length")
    program(dspy.LM("scripted/x", engine=engine, cache=False), max_tokens=60_000)(QUESTION)
    assert [request.config.max_tokens for request in engine.requests[:2]] == [4096, 8192]


@pytest.mark.parametrize("run", [blocking, awaited])
@pytest.mark.parametrize("reply", [16_000, 20_000])
def test_calls_side_by_side_wait_for_what_the_other_gives_back(run: Callable[..., Outcome], reply: int) -> None:
    engine = Slow(answer)
    awaiting = SlowAwaited(ScriptedEngine(answer, requests=engine.requests))
    lm = dspy.LM("scripted/x", engine=engine, async_engine=awaiting, cache=False, max_tokens=reply)
    outcome = run(program(lm))
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "South Shields")
    assert {"prune", "rewrite"} <= {asked_by(request) for request in engine.requests}
    assert all((request.config.max_tokens or 0) > min(reply, 15_000) - 1 for request in engine.requests)


def test_a_wait_for_another_call_ends_with_the_time_of_the_question() -> None:
    class Stuck(ScriptedEngine):
        def complete(self, request: lm15.Request) -> lm15.Response:
            if asked_by(request) != "decide":
                time.sleep(2.0)
            return super().complete(request)

    begun = time.monotonic()
    lm = dspy.LM("scripted/x", engine=Stuck(answer), cache=False, max_tokens=20_000)
    outcome = program(lm, max_seconds=0.6)(QUESTION)
    assert (outcome.reason, outcome.note) == (StopReason.TIME_LIMIT, "")
    assert time.monotonic() - begun < 1.2


def test_a_call_waits_while_another_is_under_way_and_is_forbidden_after() -> None:
    ledger = Allowance(Limits(max_tokens=1000))
    first = ledger.reserve(100, 800, None)
    assert isinstance(first, Reservation)
    assert ledger.reserve(100, 800, None) is UNDER_WAY
    ledger.settle(first, Usage(input_tokens=100, output_tokens=870))
    with pytest.raises(NotSent) as limit:
        ledger.reserve(100, 800, None)
    assert limit.value.reason is StopReason.TOKEN_LIMIT


def test_calls_that_broke_off_count_with_all_that_they_may_have_used() -> None:
    engine = Broken(answer)
    lm = dspy.LM("scripted/x", engine=engine, cache=False, max_tokens=3000, num_retries=3)
    outcome = program(lm, max_tokens=5000)(QUESTION)
    assert (outcome.reason, engine.sent) == (StopReason.TOKEN_LIMIT, 1)
    assert "broke off" in outcome.note


@pytest.mark.parametrize("run", [blocking, awaited])
@pytest.mark.parametrize(("most", "requests"), [(5000, 1), (10_000, 2)])
def test_each_try_within_the_engine_needs_room_of_its_own(
    run: Callable[..., Outcome], most: int, requests: int
) -> None:
    budget = Budget(max_tokens=100_000)
    with FaultServer(lambda body, meter: Reply(reset=True)) as server:
        client = anthropic.Anthropic(api_key="made-up", base_url=server.url)
        lm = claude("claude-x", client=client, cache=False, max_tokens=3000)
        outcome = run(program(lm, budget=budget, max_tokens=most))
        sent = len(server.requests)
        client.close()
    assert (outcome.reason, sent) == (StopReason.LM_ERROR, requests)
    assert 3000 * requests < budget.tokens <= most


def test_a_server_that_is_not_there_uses_nothing() -> None:
    with FaultServer(lambda body, meter: Reply()) as server:
        gone = server.url
    client = anthropic.Anthropic(api_key="made-up", base_url=gone)
    budget = Budget(max_tokens=100_000)
    outcome = program(
        claude("claude-x", client=client, cache=False, max_tokens=3000, num_retries=1), budget=budget, max_tokens=5000
    )(QUESTION)
    client.close()
    assert (outcome.reason, budget.tokens) == (StopReason.LM_ERROR, 0)
