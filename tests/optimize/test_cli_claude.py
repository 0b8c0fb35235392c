from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import dspy
import pytest
from click.testing import CliRunner, Result

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer
from hopstop.optimize.cli import main
from hopstop.program.bm25 import BM25Index
from hopstop.program.records import Passage

KEY = "sk-made-up"


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return saved(tmp_path, stand_in.PASSAGES)


def saved(folder: Path, passages: Sequence[Passage]) -> Path:
    BM25Index.build(passages).save(folder / "story.index")
    return folder / "story.index"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultServer]:
    # A reply of another test would answer from DSPy's cache.
    monkeypatch.setattr(dspy, "cache", dspy.clients.cache.Cache(enable_disk_cache=False, enable_memory_cache=False,
                                                                disk_cache_dir=""))  # fmt: skip
    with FaultServer(stand_in.reply) as running:
        yield running


def ask(index: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["ask", stand_in.QUESTION, "--index", str(index), *words])


def test_model_and_key_of_the_environment_are_enough(
    story: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
    monkeypatch.setenv("LLM_MODEL", "anthropic/claude-sonnet-4-5")
    result = ask(story, "--policy", "lm")
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"Answer: {stand_in.ANSWER}\n")
    assert {body["model"] for body in server.requests} == {"claude-sonnet-4-5"}


def test_missing_key_is_an_error_with_the_next_step(story: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    result = ask(story, "--lm", "anthropic/claude-sonnet-4-5")
    assert result.exit_code == 1
    assert "set ANTHROPIC_API_KEY" in result.stderr


@pytest.mark.parametrize("suffix", ["", "/v1", "/v1/"])
def test_server_of_ones_own_needs_no_key_and_is_asked_once_whether_it_takes_a_schema(
    tmp_path: Path, server: FaultServer, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    others = [Passage(f"note-{number}", f"Incident 4471: note {number} on its fix.") for number in range(5)]
    story = saved(tmp_path, [*stand_in.PASSAGES, *others])  # so that the first search does not find all
    result = ask(story, "--lm", "anthropic/local", "--api-base", server.url + suffix, "--decide-lm", "anthropic/large")
    assert result.exit_code == 0, result.output
    probe, *rest = server.requests
    assert list(probe["output_config"]["format"]["schema"]["properties"]) == ["ok", "label"]
    by_model = {model: sum(body["model"] == model for body in rest) for model in ("local", "large")}
    assert by_model["large"] >= 1
    assert by_model["local"] >= 1


def test_models_of_tiers_need_the_lm_policy(story: Path) -> None:
    result = ask(story, "--policy", "offline", "--decide-lm", "anthropic/large")
    assert result.exit_code == 2
    assert "--decide-lm" in result.stderr


def test_what_is_left_to_code_costs_no_call(tmp_path: Path, server: FaultServer) -> None:
    others = [Passage(f"note-{number}", f"Incident 4471: note {number} on its fix.") for number in range(5)]
    story = saved(tmp_path, [*stand_in.PASSAGES, *others])
    result = ask(story, "--lm", "anthropic/local", "--api-base", server.url, "--prune", "code", "--search", "walk")
    assert result.exit_code == 0, result.output
    fields = [set(json.dumps(body).split('"')) for body in server.requests[1:]]
    assert fields
    assert not any({"tangential", "missing"} & names for names in fields)


def test_offline_policy_leaves_nothing_to_code(story: Path) -> None:
    result = ask(story, "--prune", "code")
    assert result.exit_code == 2
    assert "--prune" in result.stderr
