"""Traces and the shared budget of the command line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from chat_server import ChatServer
from click.testing import CliRunner, Result

from fakes import FILMS, QUESTION
from hopstop.eval.datasets import Dataset, Question, Support, write_dataset
from hopstop.optimize.cli import main


class FakeTracer:
    """Keeps the names of the spans that were begun and ended."""

    content = False
    made: list[FakeTracer] = []  # noqa: RUF012 - emptied by the fixture

    def __init__(self, store: str) -> None:
        self.store = store
        self.begun: list[str] = []
        self.ended = self.flushed = 0
        self.made.append(self)

    def start(self, name: str, parent: object) -> FakeTracer:
        self.begun.append(name)
        return self

    def note(self, values: Mapping[str, object]) -> None:
        pass

    def end(self, at: float, *, failed: bool = False) -> None:
        self.ended += 1

    def flush(self) -> None:
        self.flushed = self.ended


@pytest.fixture
def tracers(monkeypatch: pytest.MonkeyPatch) -> list[FakeTracer]:
    FakeTracer.made.clear()
    monkeypatch.setattr("hopstop.eval.tracing.MlflowTracer", FakeTracer)
    return FakeTracer.made


def hopstop(*words: object) -> Result:
    return CliRunner().invoke(main, [*map(str, words)])


def test_ask_sends_one_trace_where_it_is_told_and_none_otherwise(films: Path, tracers: list[FakeTracer]) -> None:
    assert hopstop("ask", QUESTION, "--index", films).exit_code == 0
    assert tracers == []
    result = hopstop("ask", QUESTION, "--index", films, "--trace-to", "sqlite:///here.db")
    assert result.exit_code == 0, result.output
    (tracer,) = tracers
    assert tracer.store == "sqlite:///here.db"
    assert tracer.begun[:3] == ["question", "round", "search"]
    assert tracer.flushed == len(tracer.begun)


def test_a_store_that_mlflow_does_not_know_is_an_error_without_its_password(films: Path) -> None:
    result = hopstop("ask", QUESTION, "--index", films, "--trace-to", "nope://me:hunter2@host/x")
    assert result.exit_code == 1
    assert "--trace-to nope://host/x" in result.output
    assert "hunter2" not in result.output


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    asked = [
        Question(f"q{number}", QUESTION, answers=("South Shields",), supports=(Support("scott"),))
        for number in range(6)
    ]
    write_dataset(Dataset.of("films", asked, FILMS), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_eval_traces_every_question(questions: Path, tracers: list[FakeTracer]) -> None:
    words = ("eval", "questions.jsonl", "--corpus", "corpus.jsonl", "--no-track", "--trace-to", "sqlite:///here.db")
    assert hopstop(*words).exit_code == 0
    assert tracers[0].begun.count("question") == 6


def test_eval_spends_no_more_than_its_budget(questions: Path, chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: '{"ok": true}' if "water" in prompt else "nothing that can be read"
    words = ("eval", "questions.jsonl", "--corpus", "corpus.jsonl", "--no-track", "--json", "--out", "run")
    model = ("--lm", "openai/local", "--api-base", chat_server.base, "--max-reply-tokens", 80)
    result = hopstop(*words, *model, "--budget-tokens", 4000)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["by_stop_reason"]["TOKEN_LIMIT"]["n"] > 0
    assert 0 < sum("Is water wet?" not in str(body) for body in chat_server.sent) * 110 <= 4000
