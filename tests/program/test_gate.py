"""Limits true to the token and the second, through DSPy's own calls."""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import dspy
import pytest
from chat_server import ChatServer, serving
from dspy import lm15

from fakes import ALIEN, ALIENS, CAMERON, FILMS, QUESTION, SCOTT, WordRetriever, asked_by, chat
from hopstop.program import deadline
from hopstop.program.budget import Budget
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.prices import Price
from hopstop.program.records import Limits, Outcome, Passage, StopReason

OPEN = chat(needed=[{"need": "where Scott was born", "quote": "", "follows_from": []}], answer="", verdict="SEARCH")
REPLY = 100  # tokens
RANDOM_LIMITS = int(os.environ.get("HOPSTOP_RANDOM_LIMITS", "40"))


@dataclass
class MeteredEngine:
    """Bills a fixed number of tokens for each byte of a prompt, and replies as long as it may."""

    per_byte: float = 0.25
    seconds: float = 0.0
    fails: list[lm15.LM15Error] = field(default_factory=list)
    full_replies: bool = True
    prompts: int = 0
    billed: int = 0
    limits: list[int | None] = field(default_factory=list)
    counted: int = 0
    queries: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(self, request: lm15.Request) -> lm15.Response:
        time.sleep(self.seconds)
        return self.reply(request)

    def reply(self, request: lm15.Request) -> lm15.Response:
        with self.lock:
            if self.fails:
                raise self.fails.pop(0)
            self.prompts += 1
            self.limits.append(request.config.max_tokens)
            texts = [part.text for message in request.messages for part in message.parts]
            prompt = self.tokens("".join([*texts, str(request.system)]))
            reply = (
                (request.config.max_tokens or 50)
                if self.full_replies
                else random.randint(1, request.config.max_tokens or 50)
            )
            self.billed += prompt + reply
            self.queries += 1
            text = {
                "decide": OPEN,
                "prune": chat(useful=["P1"], leads_on=[]),
                "rewrite": chat(
                    query=f"{('Scott', 'Cameron', 'Aliens', 'Kapuskasing')[self.queries % 4]} {self.queries}"
                ),
            }[asked_by(request)]
        return lm15.Response(
            id="metered",
            model=request.model,
            message=lm15.Message(role="assistant", parts=(lm15.TextPart(text),)),
            finish_reason="stop",
            usage=lm15.Usage(input_tokens=prompt, output_tokens=reply, total_tokens=prompt + reply),
        )

    def tokens(self, text: str) -> int:
        return round(len(text.encode()) * self.per_byte)

    def close(self) -> None:
        pass


class AsyncMeteredEngine:
    def __init__(self, engine: MeteredEngine) -> None:
        self.engine = engine

    async def complete(self, request: lm15.Request) -> lm15.Response:
        await asyncio.sleep(self.engine.seconds)
        return self.engine.reply(request)

    async def aclose(self) -> None:
        pass


class CountingLM(dspy.LM):
    """Knows its tokenizer, as Claude does."""

    def count_tokens(self, messages: list[dict[str, str]]) -> int:
        self.engine.counted += 1
        return int(self.engine.tokens("".join(message["content"] for message in messages)))


def program(
    engine: MeteredEngine,
    *,
    kind: type[dspy.LM] = dspy.LM,
    budget: Budget | None = None,
    passages: tuple[Passage, ...] = FILMS,
    prices: dict[str, Price] | None = None,
    cache: bool = False,
    **limits: object,
) -> IterativeQA:
    lm = kind(
        "metered/test",
        engine=engine,
        async_engine=AsyncMeteredEngine(engine),
        cache=cache,
        max_tokens=REPLY,
        num_retries=2,
    )
    bounds = Limits(**{"first_k": 1, "next_k": 1, **limits})  # type: ignore[arg-type]
    return IterativeQA(WordRetriever(passages), LMPolicy(lm), bounds, budget=budget, prices=prices or {})


def awaited(qa: IterativeQA) -> Outcome:
    return asyncio.run(qa.acall(QUESTION))


def blocking(qa: IterativeQA) -> Outcome:
    return qa(QUESTION)


BOTH = pytest.mark.parametrize("run", [blocking, awaited])


@pytest.mark.parametrize(
    ("kind", "ratios"), [(dspy.LM, (0.1, 0.33)), (CountingLM, (0.05, 1.0))], ids=["estimate", "count"]
)
def test_random_limits_are_never_exceeded(kind: type[dspy.LM], ratios: tuple[float, float]) -> None:
    rng = random.Random(7)
    ends = set()
    for number in range(RANDOM_LIMITS):
        engine = MeteredEngine(rng.uniform(*ratios), full_replies=number % 2 == 0)
        words = tuple(
            Passage(item.id, f"{item.text} " + "Ridley Scott was there. " * rng.randint(0, 40), item.title)
            for item in (ALIEN, SCOTT, ALIENS, CAMERON)
        )
        limit = rng.randint(1, 8000)
        outcome = program(engine, kind=kind, passages=words, max_tokens=limit)(QUESTION)
        ends.add(outcome.reason)
        assert engine.billed == outcome.usage.billed_tokens == outcome.usage.tokens <= limit
    assert StopReason.TOKEN_LIMIT in ends


@BOTH
def test_a_call_that_would_break_the_limit_is_not_sent(run: Callable[[IterativeQA], Outcome]) -> None:
    engine = MeteredEngine()
    outcome = run(program(engine, max_tokens=200))
    assert (outcome.reason, engine.prompts, outcome.usage.calls) == (StopReason.TOKEN_LIMIT, 0, 0)
    assert len(outcome.evidence) == 1


def test_the_last_reply_is_as_long_as_there_is_room_for() -> None:
    whole = MeteredEngine()
    program(whole, max_rounds=1)(QUESTION)
    first = whole.billed - REPLY  # tokens of the first prompt
    engine = MeteredEngine()
    program(engine, kind=CountingLM, max_rounds=1, max_tokens=first + 80)(QUESTION)
    assert engine.limits == [80]
    assert engine.billed == first + 80


def test_tokens_are_counted_exactly_only_near_the_limit() -> None:
    far, near = MeteredEngine(), MeteredEngine()
    program(far, kind=CountingLM, max_rounds=1)(QUESTION)
    program(near, kind=CountingLM, max_rounds=1, max_tokens=far.billed)(QUESTION)
    assert (far.counted, near.counted) == (0, 1)
    assert near.billed == far.billed


@BOTH
def test_a_slow_model_ends_the_run_in_time_with_what_was_found(run: Callable[[IterativeQA], Outcome]) -> None:
    engine = MeteredEngine(seconds=0.0)
    qa = program(engine, max_seconds=0.5)
    run(qa)
    engine.seconds = 3.0
    started = time.monotonic()
    outcome = run(qa)
    assert time.monotonic() - started < 0.5 + 0.5
    assert (outcome.reason, outcome.note) == (StopReason.TIME_LIMIT, "")
    assert len(outcome.evidence) == 1


def test_an_engine_of_ones_own_is_told_the_seconds_that_are_left() -> None:
    left: list[float | None] = []

    class Asks(MeteredEngine):
        def complete(self, request: lm15.Request) -> lm15.Response:
            left.append(deadline.remaining())
            return super().complete(request)

    program(Asks(), max_seconds=20)(QUESTION)
    assert all(seconds is not None and 15 < seconds <= 20 for seconds in left)
    assert deadline.remaining() is None


@BOTH
def test_another_try_that_would_come_too_late_is_not_waited_for(run: Callable[[IterativeQA], Outcome]) -> None:
    engine = MeteredEngine(fails=[lm15.RateLimitError("slow down", retry_after=30.0)])
    started = time.monotonic()
    outcome = run(program(engine, max_seconds=5))
    assert time.monotonic() - started < 2
    assert outcome.reason is StopReason.TIME_LIMIT
    assert "LMRateLimitError" in outcome.note


@BOTH
def test_a_transient_error_is_tried_again_as_soon_as_the_server_says(run: Callable[[IterativeQA], Outcome]) -> None:
    engine = MeteredEngine(fails=[lm15.ServerError("overloaded", retry_after=0.01)] * 2)
    outcome = run(program(engine, max_rounds=1))
    assert (outcome.reason, outcome.usage.calls) == (StopReason.ROUND_LIMIT, 1)


def test_tries_end_with_a_named_error() -> None:
    engine = MeteredEngine(fails=[lm15.ServerError("overloaded", retry_after=0.01)] * 3)
    outcome = program(engine)(QUESTION)
    assert (outcome.reason, engine.prompts) == (StopReason.LM_ERROR, 0)
    assert outcome.note == "The LM call failed: LMServerError."


PRICE = {"metered/test": Price(input=1000.0, output=10_000.0)}


@BOTH
def test_cost_is_bounded_before_sending(run: Callable[[IterativeQA], Outcome]) -> None:
    free = MeteredEngine()
    whole = run(program(free, prices=PRICE, max_rounds=1))
    assert whole.priced_by == "given"
    assert whole.usage.cost_usd == pytest.approx((free.billed - REPLY) / 1000 + REPLY / 100)
    for share in (0.05, 0.5, 0.99, 1.5, 4.0):
        bound = whole.usage.cost_usd * share
        outcome = run(program(MeteredEngine(), prices=PRICE, max_cost_usd=bound, max_tokens=100_000))
        assert (outcome.usage.cost_usd or 0.0) <= bound
        assert outcome.reason is StopReason.COST_LIMIT


def test_a_cost_limit_without_a_price_is_said_not_to_hold() -> None:
    outcome = program(MeteredEngine(), max_cost_usd=0.01, max_rounds=1)(QUESTION)
    assert outcome.reason is StopReason.ROUND_LIMIT
    assert (outcome.priced_by, outcome.usage.cost_usd) == ("", None)
    assert "cost limit" in outcome.note


def test_cached_calls_are_read_and_not_billed_and_cost_the_budget_nothing() -> None:
    engine = MeteredEngine()
    cold = program(engine, cache=True, max_rounds=1)(QUESTION)
    budget = Budget(max_tokens=100_000)
    warm = program(engine, cache=True, max_rounds=1, budget=budget, max_seconds=33)(QUESTION)
    assert engine.prompts == cold.usage.calls == warm.usage.cached_calls == 1
    assert (warm.usage.tokens, warm.usage.billed_tokens, budget.tokens) == (cold.usage.tokens, 0, 0)
    assert cold.usage.billed_tokens == cold.usage.tokens


@BOTH
def test_a_used_up_budget_ends_runs_by_name(run: Callable[[IterativeQA], Outcome]) -> None:
    budget = Budget(max_tokens=3000)
    engine = MeteredEngine()
    outcomes = [run(program(engine, budget=budget)) for _ in range(4)]
    assert engine.billed == budget.tokens <= 3000
    assert outcomes[-1].reason is StopReason.TOKEN_LIMIT
    assert outcomes[-1].note == "The shared budget is used up."


def test_a_budget_in_dollars_makes_no_call_without_a_price() -> None:
    engine = MeteredEngine()
    outcome = program(engine, budget=Budget(max_usd=1.0))(QUESTION)
    assert (outcome.reason, engine.prompts) == (StopReason.COST_LIMIT, 0)
    assert "price" in outcome.note


@BOTH
def test_a_full_minute_is_waited_for_no_longer_than_the_question_has(run: Callable[[IterativeQA], Outcome]) -> None:
    budget = Budget(tokens_per_minute=3000)
    engine = MeteredEngine()
    started = time.monotonic()
    outcome = run(program(engine, budget=budget, max_seconds=5))
    assert time.monotonic() - started < 4  # it is known that the minute does not end in time
    assert outcome.reason is StopReason.TOKEN_LIMIT
    assert "in time" in outcome.note
    assert 0 < engine.billed <= 3000


def test_a_question_goes_on_when_the_minute_has_room_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopstop.program.budget.MINUTE", 0.6)
    budget = Budget(tokens_per_minute=3000)
    engine = MeteredEngine()
    started = time.monotonic()
    budget.settle(budget.take(2900, 0.0), 2900, 0.0)  # type: ignore[arg-type]
    outcome = program(engine, budget=budget, max_rounds=1, max_seconds=100)(QUESTION)
    assert (outcome.reason, engine.prompts) == (StopReason.ROUND_LIMIT, 1)
    assert 0.6 <= time.monotonic() - started < 30


def test_a_spike_of_threads_and_tasks_spends_no_more_than_the_budget() -> None:
    budget = Budget(max_tokens=20_000)
    engine = MeteredEngine(seconds=0.005)
    qa = program(engine, budget=budget)
    with ThreadPoolExecutor(64) as pool:
        threads = list(pool.map(lambda _: qa(QUESTION), range(64)))
    assert engine.billed == budget.tokens <= 20_000
    assert sum(outcome.usage.billed_tokens for outcome in threads) == engine.billed

    async def spike() -> list[Outcome]:
        return await asyncio.gather(*(qa.acall(QUESTION) for _ in range(64)))

    qa.budget = Budget(max_tokens=20_000)
    before = engine.billed
    tasks = asyncio.run(spike())
    assert engine.billed - before == qa.budget.tokens <= 20_000
    for outcomes in (threads, tasks):
        assert {outcome.reason for outcome in outcomes} <= {StopReason.TOKEN_LIMIT, StopReason.ROUND_LIMIT}


def test_cancelling_ends_a_wait_for_another_try() -> None:
    engine = MeteredEngine(fails=[lm15.ServerError("overloaded", retry_after=20.0)])
    cancel = threading.Event()
    threading.Timer(0.3, cancel.set).start()
    started = time.monotonic()
    outcome = program(engine)(QUESTION, cancel=cancel)
    assert outcome.reason is StopReason.CANCELLED
    assert time.monotonic() - started < 3


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as made:
        yield made


@BOTH
def test_a_silent_server_ends_the_run_in_time_and_leaves_no_thread(
    server: ChatServer, run: Callable[[IterativeQA], Outcome]
) -> None:
    go = threading.Event()

    def silent(prompt: str) -> str:
        go.wait(20)
        return "late"

    server.reply = silent
    lm = dspy.LM("openai/local", api_base=server.base, api_key="none", cache=False, max_tokens=REPLY, engine="lm15")
    qa = IterativeQA(WordRetriever(FILMS), LMPolicy(lm, schema=False), Limits(max_seconds=1.0))
    started = time.monotonic()
    outcome = run(qa)
    assert time.monotonic() - started < 1.0 + 0.5
    assert outcome.reason is StopReason.TIME_LIMIT
    time.sleep(0.2)
    assert not [thread for thread in threading.enumerate() if thread.name == "hopstop-call"]
    go.set()
