from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from threading import Timer, main_thread
from threading import enumerate as enumerate_threads
from typing import Any

import pytest
from batch_server import Batch, BatchServer, live
from click.testing import CliRunner, Result

from hopstop.eval import stand_in
from hopstop.eval.batch_service import Pace
from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.eval.fault_server import Reply
from hopstop.eval.folder import BATCHES, LOCK, held
from hopstop.eval.prompt_meter import PromptMeter
from hopstop.optimize import batching
from hopstop.optimize.cli import main
from hopstop.program.records import Passage

MODEL = "anthropic/claude-haiku-4-5"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchServer]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-made-up")
    monkeypatch.setattr(batching, "DEFAULT_PACE", Pace(quiet=0.2, first=0.01, longest=0.05, tries=3))
    with BatchServer() as running:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", running.url)
        yield running


@pytest.fixture
def story(tmp_path: Path) -> None:
    lines = [{"id": f"q{n}", "question": stand_in.QUESTION, "answers": [stand_in.ANSWER]} for n in range(2)]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    others = [Passage(f"note-{number}", f"Incident 4471: note {number} on its fix.") for number in range(5)]
    passages = [{"id": item.id, "title": item.title, "text": item.text} for item in (*stand_in.PASSAGES, *others)]
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in passages))


def invoke(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


def evaluate(*words: str) -> Result:
    given = ("eval", "questions.jsonl", "--corpus", "corpus.jsonl", "--no-track", "--json", "--out", "out")
    return invoke(*given, *words)


@pytest.mark.usefixtures("story")
def test_eval_goes_through_batches_with_all_models_and_leaves_times_unmeasured(server: BatchServer) -> None:
    result = evaluate("--lm", MODEL, "--decide-lm", "anthropic/claude-opus-4-8", "--batch")
    assert result.exit_code == 0, result.output
    metrics = json.loads(result.stdout)["metrics"]
    assert (metrics["n"], metrics["crashed"], metrics["parse_failures"]) == (2, 0, 0)
    assert 2 * metrics["calls_mean"] == len(server.sent())
    assert metrics["ms_p50"] is None
    assert metrics["cost_usd_mean"] > 0
    assert live(server) == 0
    assert {item["params"]["model"] for batch in server.batches for item in batch.requests} == {
        "claude-haiku-4-5",
        "claude-opus-4-8",
    }
    made = len(server.batches)
    assert evaluate("--lm", MODEL, "--decide-lm", "anthropic/claude-opus-4-8", "--batch").stdout == result.stdout
    assert len(server.batches) == made
    header = json.loads(Path("out/run.json").read_text())
    assert header["system"]["limits"]["batch"] is True
    assert header["system"]["limits"]["max_seconds"] < 1000


@pytest.mark.usefixtures("story")
def test_fresh_asks_again(server: BatchServer) -> None:
    for _ in range(2):
        assert evaluate("--lm", MODEL, "--batch", "--fresh", "--max-rounds", "1").exit_code == 0
    assert [len(batch.requests) for batch in server.batches] == [2, 2]


@pytest.mark.usefixtures("story")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [((), 2, "--batch needs a model"), (("--lm", "openai/gpt-4o-mini"), 1, "name --lm anthropic/")],
)
def test_batches_need_models_of_anthropic(
    monkeypatch: pytest.MonkeyPatch, server: BatchServer, words: tuple[str, ...], code: int, said: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    result = evaluate("--batch", *words)
    assert result.exit_code == code
    assert said in " ".join(result.stderr.split())
    assert server.batches == []


def searching(body: dict[str, Any], meter: PromptMeter) -> Reply:
    """Repeats the fact as a query, which finds it; without examples it knows no better."""
    said = body["messages"][-1]["content"][0]["text"]
    missing = said.split("[[ ## missing ## ]]\n")[-1].splitlines()[0]
    query = missing if len(body["messages"]) > 1 else "nobody knows"
    text = json.dumps({"query": query})
    return Reply(body=json.dumps(stand_in.message(text, meter.usage(body, text))).encode())


def compile_with(*words: str) -> Result:
    sizes = ("--recipe", "labeled", "--predictors", "rewrite", "--train", "9", "--dev", "5", "--budget", "30")
    places = ("compile", "questions.jsonl", "--corpus", "corpus.jsonl", "--work", "work", "--yes", "--no-track")
    return invoke(*places, *sizes, "--json", *words)


def test_compile_marks_labels_in_batches_and_pays_for_none_twice(server: BatchServer, tmp_path: Path) -> None:
    write_dataset(make_desk(size=0.2), tmp_path)
    server._answer = searching
    result = compile_with("--lm", MODEL, "--batch")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    change = report["scores"]["rewrite"]["dev"]["hit_at_3"]
    assert change["before"] < change["after"]
    sizes = [len(batch.requests) for batch in server.batches]
    assert sum(sizes) == report["cost"]["paid"]["calls"]
    assert max(sizes) >= 5
    assert live(server) == 0
    (tmp_path / "work" / "replies.jsonl").unlink()  # as if killed before any reply was handed on
    (tmp_path / "work" / "predictor-rewrite.json").unlink()
    again = compile_with("--lm", MODEL, "--batch")
    assert again.exit_code == 0, again.output
    assert [len(batch.requests) for batch in server.batches] == sizes
    assert json.loads(again.stdout)["cost"]["paid"] == report["cost"]["paid"]
    assert (tmp_path / "work" / BATCHES).exists()


@pytest.mark.parametrize("lock", [LOCK, batching.JOURNAL_LOCK])
def test_compile_in_a_folder_in_use_sends_nothing(server: BatchServer, tmp_path: Path, lock: str) -> None:
    write_dataset(make_desk(size=0.2), tmp_path)
    with held(tmp_path / "work", lock):
        result = compile_with("--lm", MODEL, "--batch")
    assert result.exit_code == 1
    assert "in use by another run" in " ".join(result.stderr.split())
    assert server.batches == []


@pytest.mark.usefixtures("story")
def test_eval_in_a_folder_in_use_sends_nothing(server: BatchServer) -> None:
    with held(Path("out")):
        result = evaluate("--lm", MODEL, "--batch")
    assert result.exit_code == 1
    assert "in use by another run" in " ".join(result.stderr.split())
    assert server.batches == []


def looping(body: dict[str, Any], meter: PromptMeter) -> Reply:
    """Searches as above and never stops."""
    if "verdict" not in stand_in.text_of(body):
        return searching(body, meter) if "missing" in str(body["system"]) else stand_in.reply(body, meter)
    fact = {"need": "who it was", "quote": "", "follows_from": []}
    text = json.dumps({"needed": [fact], "answer": "", "verdict": "SEARCH"})
    return Reply(body=json.dumps(stand_in.message(text, meter.usage(body, text))).encode())


def test_whole_loops_of_a_compile_share_batches_and_ask_every_tier(server: BatchServer, tmp_path: Path) -> None:
    write_dataset(make_desk(size=0.2), tmp_path)
    server._answer = looping
    tiers = ("--decide-lm", "anthropic/claude-opus-4-8")
    result = compile_with("--lm", MODEL, *tiers, "--batch", "--joint", "--max-rounds", "2")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["models"] == {"decide": tiers[1], "rewrite": MODEL, "prune": MODEL}
    assert report["scores"]["joint"]["n"] >= 3
    assert live(server) == 0
    asked = [
        (item["params"]["model"], server.batches.index(batch)) for batch in server.batches for item in batch.requests
    ]
    deciding = [place for model, place in asked if model == "claude-opus-4-8"]
    assert len(deciding) >= 2 * len(set(deciding)) > 0  # questions advance together
    assert len(asked) == report["cost"]["paid"]["calls"]
    manifest = json.loads((tmp_path / report["artifact"] / "manifest.json").read_text())
    assert (manifest["lm"], manifest["decide_lm"]) == (MODEL, tiers[1])


def test_every_model_of_a_compile_in_batches_must_be_of_anthropic(
    server: BatchServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up")
    write_dataset(make_desk(size=0.2), tmp_path)
    result = compile_with("--lm", MODEL, "--decide-lm", "openai/gpt-4o-mini", "--batch")
    assert result.exit_code == 1
    assert "'openai/gpt-4o-mini' is no part of" in " ".join(result.stderr.split())
    assert (live(server), server.batches) == (0, [])


def test_ctrl_c_ends_a_compile_that_waits_and_the_same_command_goes_on(server: BatchServer, tmp_path: Path) -> None:
    write_dataset(make_desk(size=0.2), tmp_path)
    server._answer = searching
    server.looks = 1_000_000

    def interrupt(batch: Batch) -> None:
        Timer(0.3, signal.pthread_kill, (main_thread().ident, signal.SIGINT)).start()

    server.on_create = interrupt  # type: ignore[assignment]
    assert compile_with("--lm", MODEL, "--batch").exit_code == 130
    waiting = [thread for thread in enumerate_threads() if "hopstop-compile" in thread.name]
    for thread in waiting:
        thread.join(5.0)
    assert not any(thread.is_alive() for thread in waiting)
    server.on_create, server.looks, server.batches[0].looks = lambda batch: None, 1, 1
    result = compile_with("--lm", MODEL, "--batch")
    assert result.exit_code == 0, result.output
    sent = [json.dumps(item["params"]) for batch in server.batches for item in batch.requests]
    assert len(set(sent)) == len(sent)
    assert live(server) == 0


def test_compile_stops_where_the_service_takes_no_batches(server: BatchServer, tmp_path: Path) -> None:
    write_dataset(make_desk(size=0.2), tmp_path)
    server.on_create = lambda batch: Reply(status=403, body=b'{"error": {"type": "x", "message": "not for you"}}')
    result = compile_with("--lm", MODEL, "--batch")
    assert result.exit_code == 1
    assert "takes no batches (HTTP 403: not for you" in " ".join(result.stderr.split())
    assert live(server) == 0
