from __future__ import annotations

import asyncio
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import anthropic
import pytest
from batch_server import Batch, BatchServer, live
from forked import Forked

from hopstop.eval import stand_in
from hopstop.eval.batch_run import WAITING_SECONDS, InBatches, evaluate_in_batches
from hopstop.eval.batch_service import BatchService, Pace
from hopstop.eval.batched import batched
from hopstop.eval.batches import Batches
from hopstop.eval.fault_server import Reply
from hopstop.eval.folder import BATCHES, OUTCOMES
from hopstop.eval.outcomes import read_rows
from hopstop.eval.prompt_meter import PromptMeter
from hopstop.eval.questions import Dataset, Question
from hopstop.eval.run import Interrupted, Listener, Progress, evaluate
from hopstop.eval.score import Score
from hopstop.eval.system import System
from hopstop.program.claude import ClaudeLM, claude
from hopstop.program.errors import BadInput
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits, Outcome, StopReason

PACE = Pace(quiet=0.15, first=0.01, longest=0.05, tries=3)
MODEL = "claude-haiku-4-5"
CALLS = 4  # of a question of the story: Decide, Prune, Rewrite, Decide


@pytest.fixture
def server() -> Iterator[BatchServer]:
    with BatchServer() as running:
        yield running


def questions(n: int) -> Dataset:
    made = [Question(f"q{i}", f"{stand_in.QUESTION} Case {i}.", (stand_in.ANSWER,)) for i in range(n)]
    return Dataset.of("story", made)


def batches_of(lm: ClaudeLM) -> Batches:
    return Batches(BatchService(lm.engine.clients, PACE), PACE)


def run(
    url: str,
    out: Path,
    n: int = 3,
    *,
    live_seconds: float = 10.0,
    progress: Listener | None = None,
    bounds: Limits = stand_in.LIMITS,
) -> list[Any]:
    lm = claude(MODEL, client=anthropic.Anthropic(api_key="made-up", base_url=url), schema=True)
    batches = batches_of(lm)
    bounds = replace(bounds, max_seconds=WAITING_SECONDS)
    program = IterativeQA(stand_in.index(), LMPolicy(batched(lm, batches)), bounds)
    how = InBatches(answers=program.acall, batches=batches, live_seconds=live_seconds)
    try:
        system = System(answers=program, policy="lm", lm=lm.model)
        return evaluate_in_batches(system, questions(n), out, how, progress=progress)
    finally:
        lm.close()


def rows(out: Path) -> dict[str, Any]:
    found = {name: row.outcome for name, row in read_rows(out / OUTCOMES).items()}
    return {name: outcome for name, outcome in found.items() if outcome is not None}


def cost(out: Path) -> float:
    return float(sum(outcome["usage"]["cost_usd"] for outcome in rows(out).values()))


def live_cost(n: int, out: Path) -> float:
    """What the same questions cost live."""
    with BatchServer() as server:
        lm = claude(MODEL, client=anthropic.Anthropic(api_key="made-up", base_url=server.url), schema=True, cache=False)
        program = IterativeQA(stand_in.index(), LMPolicy(lm), stand_in.LIMITS)
        evaluate(System(answers=program, policy="lm", lm=lm.model), questions(n), out)
        lm.close()
    return cost(out)


def test_rounds_of_all_questions_advance_together_at_half_the_price(server: BatchServer, tmp_path: Path) -> None:
    server.looks = 3
    results = run(server.url, tmp_path / "batch", 4)
    assert [(item.reason, item.correct, item.ms) for item in results] == [(StopReason.ANSWERED, True, None)] * 4
    assert [len(batch.requests) for batch in server.batches] == [4, 8, 4]
    assert live(server) == 0
    assert all(outcome["usage"]["calls"] == CALLS for outcome in rows(tmp_path / "batch").values())
    assert len(set(server.sent())) == len(server.sent())
    assert cost(tmp_path / "batch") == pytest.approx(live_cost(4, tmp_path / "live") / 2)


@pytest.mark.parametrize("fate", ["expired", "canceled", "errored", "left out"])
def test_what_a_batch_does_not_bring_is_asked_for_live_at_the_full_price(
    server: BatchServer, tmp_path: Path, fate: str
) -> None:
    server.fate = lambda number, params: fate if number == 0 else "succeeded"
    results = run(server.url, tmp_path, 2)
    assert all(item.correct for item in results)
    assert live(server) == len(server.batches) == 3
    kept = [json.loads(line) for line in (tmp_path / BATCHES).read_text().splitlines()]
    assert [item["share"] for item in kept if item.get("message")].count(1.0) == 3


KILLED = """
import importlib.util, sys
from pathlib import Path
spec = importlib.util.spec_from_file_location("made", sys.argv[1])
made = importlib.util.module_from_spec(spec)
spec.loader.exec_module(made)
made.run(sys.argv[2], Path(sys.argv[3]))
"""


def killed(server: BatchServer, out: Path, when: Callable[[], bool]) -> None:
    """Run in a process of its own, which is killed at a moment."""
    child = Forked("-c", KILLED, __file__, server.url, out)
    try:
        while not when():
            assert child.poll() is None, "the run ended before it could be killed"
            time.sleep(0.01)
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.finish(timeout=10)


def bodies(server: BatchServer) -> list[str]:
    return [json.dumps(item["params"]) for batch in server.batches for item in batch.requests]


@pytest.mark.parametrize("killed_in", ["round 2", "the answer that tells the id"])
def test_a_run_killed_with_sigkill_finds_its_batch_and_sends_nothing_twice(
    server: BatchServer, tmp_path: Path, killed_in: str
) -> None:
    last = 2 if killed_in == "round 2" else 1

    def create(batch: Batch) -> Reply | None:
        if len(server.batches) + 1 < last:
            return None
        batch.looks = 1_000_000
        return Reply(silence=60.0) if killed_in == "the answer that tells the id" else None

    def waits() -> bool:
        looked = any(path.endswith(f"msgbatch_{last}") for path in server.paths)
        return len(server.batches) == last and (looked or killed_in == "the answer that tells the id")

    server.on_create = create
    killed(server, tmp_path, waits)
    server.on_create = lambda batch: None
    for batch in server.batches:
        batch.looks = 2
    results = run(server.url, tmp_path)
    assert [item.correct for item in results] == [True] * 3
    assert [len(batch.requests) for batch in server.batches] == [3, 6, 3]
    assert len(set(bodies(server))) == len(bodies(server)) == 3 * CALLS
    assert live(server) == 0
    assert all(outcome["usage"]["calls"] == CALLS for outcome in rows(tmp_path).values())
    assert cost(tmp_path) == pytest.approx(live_cost(3, tmp_path / "live") / 2)
    before = len(server.paths)
    assert run(server.url, tmp_path) == results
    assert len(server.paths) == before


def test_a_batch_of_somebody_else_that_was_taken_for_ours_is_left_alone(server: BatchServer, tmp_path: Path) -> None:
    journal = {"sending": 1, "ids": ["ours-1", "ours-2"], "at": time.time()}
    (tmp_path / BATCHES).write_text(json.dumps(journal) + "\n")
    schema: dict[str, Any] = {"format": {"schema": {"properties": {"ok": {}}}}}
    said = {"role": "user", "content": [{"type": "text", "text": "theirs"}]}
    params = {"model": MODEL, "messages": [said], "output_config": schema}
    server._create({"requests": [{"custom_id": f"theirs-{number}", "params": params} for number in range(2)]})
    results = run(server.url, tmp_path, 2)
    assert [item.correct for item in results] == [True] * 2
    assert [len(batch.requests) for batch in server.batches] == [2, 2, 4, 2]
    assert "theirs" not in (tmp_path / OUTCOMES).read_text()


@pytest.mark.parametrize("made", [True, False], ids=["was made", "was not made"])
def test_a_batch_whose_answer_is_lost_is_sent_again_only_if_it_was_not_made(
    server: BatchServer, tmp_path: Path, made: bool
) -> None:
    def create(batch: Batch) -> Reply | None:
        server.on_create = lambda later: None
        return Reply(reset=True) if made else Reply(status=529, body=b"{}", headers={"retry-after": "0"})

    server.on_create = create
    assert [item.correct for item in run(server.url, tmp_path, 2)] == [True] * 2
    assert len(set(bodies(server))) == len(bodies(server)) == 2 * CALLS


def test_a_batch_that_the_service_has_forgotten_is_asked_live(server: BatchServer, tmp_path: Path) -> None:
    def forget(batch: Batch) -> Reply:
        del server._look
        server.batches.remove(batch)
        return server._reply(f"/v1/messages/batches/{batch.id}", {})

    server._look = forget  # type: ignore[method-assign]
    assert [item.correct for item in run(server.url, tmp_path)] == [True] * 3
    assert live(server) == 3


@pytest.mark.parametrize("status", [400, 401, 404])
def test_a_service_that_takes_no_batches_is_bad_input_and_nothing_is_asked_live(
    server: BatchServer, tmp_path: Path, status: int
) -> None:
    said = b'{"error": {"type": "x", "message": "no batches here"}}'
    server.on_create = lambda batch: Reply(status=status, body=said)
    with pytest.raises(BadInput, match=rf"HTTP {status}: no batches here.*the same command goes on"):
        run(server.url, tmp_path, 2)
    assert live(server) == 0
    assert rows(tmp_path) == {}


def test_the_same_request_again_after_a_reply_that_cannot_be_read_gets_another_reply(
    server: BatchServer, tmp_path: Path
) -> None:
    answer, seen = server._answer, set()

    def unreadable_at_first(body: dict[str, Any], meter: PromptMeter) -> Reply:
        key = json.dumps(body["messages"])
        if key in seen:
            return answer(body, meter)
        seen.add(key)
        return Reply(body=json.dumps(stand_in.message("no JSON", meter.usage(body, "no JSON"))).encode())

    server._answer = unreadable_at_first
    (result,) = run(server.url, tmp_path, 1)
    assert result.correct
    assert result.parse_failures == CALLS
    assert result.calls == 2 * CALLS


def test_refusals_and_cut_replies_of_a_batch_end_as_live_ones_do(server: BatchServer, tmp_path: Path) -> None:
    def declines(body: dict[str, Any], meter: PromptMeter) -> Reply:
        return Reply(body=json.dumps(stand_in.message("", meter.usage(body, ""), stop="refusal")).encode())

    server._answer = declines
    (result,) = run(server.url, tmp_path, 1)
    assert result.reason is StopReason.LM_REFUSED
    assert result.tokens > 0


def test_limits_of_rounds_and_tokens_hold_and_seconds_count_live_calls_only(
    server: BatchServer, tmp_path: Path
) -> None:
    server.looks = 8
    few_tokens, one_round = replace(stand_in.LIMITS, max_tokens=2000), replace(stand_in.LIMITS, max_rounds=1)
    assert [item.reason for item in run(server.url, tmp_path / "a", 1, bounds=few_tokens)] == [StopReason.TOKEN_LIMIT]
    assert [item.reason for item in run(server.url, tmp_path / "b", 1, bounds=one_round)] == [StopReason.ROUND_LIMIT]
    assert [item.correct for item in run(server.url, tmp_path / "c", 1, live_seconds=0.01)] == [True]
    answer = server._answer
    server._answer = lambda body, meter: replace(answer(body, meter), silence=5.0)
    server.fate = lambda number, params: "expired"
    start = time.monotonic()
    assert [item.reason for item in run(server.url, tmp_path / "d", 1, live_seconds=0.3)] == [StopReason.TIME_LIMIT]
    assert time.monotonic() - start < 4.0


def test_ctrl_c_stops_at_once_and_the_batch_goes_on(server: BatchServer, tmp_path: Path) -> None:
    server.looks = 1_000_000

    def interrupt(state: Progress) -> None:
        if state.note == "batches: 1, replies: 0, waiting: 3":
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(Interrupted, match="stopped with 3 questions left; batches under way go on at the service"):
        run(server.url, tmp_path, progress=interrupt)
    server.batches[0].looks = server.looks = 0
    assert [item.correct for item in run(server.url, tmp_path)] == [True] * 3
    assert len(set(bodies(server))) == len(bodies(server)) == 3 * CALLS


def test_questions_under_way_are_bounded_and_the_same_question_twice_is_answered_twice(
    server: BatchServer, tmp_path: Path
) -> None:
    lm = claude(MODEL, client=anthropic.Anthropic(api_key="made-up", base_url=server.url), schema=True)
    batches = batches_of(lm)
    program = IterativeQA(stand_in.index(), LMPolicy(batched(lm, batches)), stand_in.LIMITS)
    data = Dataset.of("twins", [Question(f"q{i}", stand_in.QUESTION, (stand_in.ANSWER,)) for i in range(2)])
    how = InBatches(answers=program.acall, batches=batches, live_seconds=5.0, at_once=1)
    found = evaluate_in_batches(System(answers=program, policy="lm"), data, tmp_path, how)
    assert all(isinstance(item, Score) and item.correct for item in found)
    assert [len(batch.requests) for batch in server.batches] == [1, 2, 1, 1, 2, 1]
    lm.close()


def test_a_crash_is_a_crash(server: BatchServer, tmp_path: Path) -> None:
    lm = claude(MODEL, client=anthropic.Anthropic(api_key="made-up", base_url=server.url), schema=True)

    async def breaks(question: str, *, groups: frozenset[str]) -> Outcome:
        await asyncio.sleep(0)
        raise KeyError(question)

    how = InBatches(answers=breaks, batches=batches_of(lm), live_seconds=1.0)
    system = System(answers=lambda *given, **groups: pytest.fail("asked live"), policy="lm")
    assert {type(item).__name__ for item in evaluate_in_batches(system, questions(2), tmp_path, how)} == {"Crash"}
    lm.close()
