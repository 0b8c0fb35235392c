from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import dspy
import pytest
from chat_server import ChatServer, lm_class
from click.testing import CliRunner, Result

from fakes import HALF, PROOF, QUESTION, ScriptedPolicy
from hopstop.optimize.cli import main
from hopstop.program import artifact
from hopstop.program.bm25 import BM25Index
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.policy import Reply, State
from hopstop.program.records import Decision, Limits
from hopstop.program.runtime import Runtime


class Scripted(ScriptedPolicy):
    """Stands in for the offline policy, so that what is shown is known."""

    limits = Limits(first_k=1, next_k=1)


@pytest.fixture
def policy(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    played = Scripted([HALF, PROOF], queries=["Ridley Scott born"])
    monkeypatch.setattr("hopstop.optimize.build.OfflinePolicy", lambda index: played)
    return played


def ask(*words: object, question: str = QUESTION) -> Result:
    return CliRunner().invoke(main, ["ask", question, *map(str, words)])


def test_answer_comes_with_quotes_and_their_sources(films: Path, policy: Scripted) -> None:
    result = ask("--index", films)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith("Answer: South Shields\n")
    for words in ('"directed by Ridley Scott"', "alien: Alien", "scott: Ridley Scott", "2 searches in 2 rounds"):
        assert words in result.stdout


def test_without_proof_it_says_what_was_found_and_what_is_missing(films: Path, policy: Scripted) -> None:
    result = ask("--index", films, "--max-rounds", 1)
    assert result.exit_code == 0
    assert "Not answered (ROUND_LIMIT)" in result.stdout
    assert "- where Ridley Scott was born" in result.stdout
    assert '"directed by Ridley Scott"' in result.stdout
    assert "Draft, not proven: Ridley Scott" in result.stdout


def test_trace_shows_every_round(films: Path, policy: Scripted) -> None:
    text = ask("--index", films, "--trace").stdout
    first, second = text.partition("Round 2")[::2]
    assert "Round 1" in first
    assert f"search   {QUESTION}" in first
    assert "SEARCH on" in first
    assert "alien" in first
    assert "search   ridley scott born" in second.lower()
    assert "to find: where Ridley Scott was born" in second
    assert "STOP, accepted" in second
    assert text.index("STOP, accepted") < text.index("Answer: South Shields")


def test_json_is_one_document_with_titles_and_rounds(films: Path, policy: Scripted) -> None:
    document = json.loads(ask("--index", films, "--json", "--trace").stdout)
    assert (document["question"], document["answer"], document["reason"]) == (QUESTION, "South Shields", "ANSWERED")
    assert [(item["passage_id"], item["title"]) for item in document["citations"]] == [
        ("alien", "Alien"),
        ("scott", "Ridley Scott"),
    ]
    queries = [item["queries"][0] for item in document["rounds"]]
    assert [query["need"] for query in queries] == [QUESTION, "where Ridley Scott was born"]
    assert "South Shields" in document["explanation"]


@pytest.mark.parametrize(("groups", "seen"), [("finance", True), ("hr, finance,", True), ("hr", False), ("", False)])
def test_groups_decide_what_is_read(films: Path, policy: Scripted, groups: str, seen: bool) -> None:
    result = ask(
        "--index", films, "--groups", groups, "--json", question="Who was paid 4471 crowns with voucher XYZZY?"
    )
    assert ("secret" in json.loads(result.stdout)["passages"]) is seen


def test_limits_of_the_policy_hold_unless_overridden(films: Path, policy: Scripted) -> None:
    policy.decisions = [HALF]
    usual = json.loads(ask("--index", films, "--json").stdout)
    fewer = json.loads(ask("--index", films, "--json", "--max-passages", 1).stdout)
    assert len(usual["rounds"]) > 1
    assert (fewer["reason"], len(fewer["passages"])) == ("PASSAGE_LIMIT", 1)


class Interrupting(Scripted):
    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        signal.raise_signal(signal.SIGINT)
        return await super().decide(state, runtime)


def test_first_ctrl_c_ends_the_run_with_what_was_found(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hopstop.optimize.build.OfflinePolicy", lambda index: Interrupting([HALF]))
    before = signal.getsignal(signal.SIGINT)
    result = ask("--index", films)
    assert result.exit_code == 130
    assert "Not answered (CANCELLED)" in result.stdout
    assert "Ctrl-C again" in result.stderr
    assert signal.getsignal(signal.SIGINT) is before


def replies(prompt: str) -> str:
    """Of a model that finds both facts in what it is shown, under a JSON schema."""
    if "Is water wet?" in prompt:
        return json.dumps({"ok": True, "label": "P1"})
    if "`verdict`" in prompt:
        found = [
            {"need": claim.need, "quote": claim.quote, "follows_from": []}
            for claim in PROOF.claims
            if claim.quote in prompt
        ]
        return json.dumps({"needed": found, "answer": "South Shields", "verdict": "STOP"})
    if "`related`" in prompt:
        return json.dumps({"direct": ["P1"], "related": [], "tangential": []})
    return json.dumps({"query": "Ridley Scott born"})


def ask_model(films: Path, server: ChatServer, *words: object) -> dict[str, Any]:
    result = ask("--index", films, "--lm", "openai/local", "--api-base", server.base, "--json", *words)
    assert result.exit_code == 0, result.stderr
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_model_behind_an_address_gets_a_schema_and_no_key(
    films: Path, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    chat_server.reply = replies
    document = ask_model(films, chat_server, "--max-reply-tokens", 77)
    assert (document["answer"], document["policy"]) == ("South Shields", "lm:openai/local")
    assert chat_server.sent[0]["messages"][-1]["content"] == "Is water wet?"
    asked = chat_server.sent[1:]
    assert all(body["response_format"]["type"] == "json_schema" for body in asked)
    assert all(77 in (body.get("max_tokens"), body.get("max_completion_tokens")) for body in asked)
    assert set(chat_server.keys) == {"Bearer none"}


def test_key_of_the_environment_is_sent_and_never_shown(
    films: Path, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    chat_server.reply = replies
    document = ask_model(films, chat_server, "--max-reply-tokens", 78)
    assert set(chat_server.keys) == {"Bearer sk-secret"}
    assert "sk-secret" not in json.dumps(document)


def test_model_that_is_not_there_is_a_named_end(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dspy, "LM", lm_class(num_retries=0))  # the retries wait for seconds
    result = ask("--index", films, "--lm", "openai/local", "--api-base", "http://127.0.0.1:9/v1")
    assert result.exit_code == 1
    assert "Not answered (LM_ERROR)" in result.stdout
    assert "its server could not be reached" in result.stderr
    assert "Traceback" not in result.stderr


def test_model_without_a_key_or_a_provider_is_told_so(films: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    result = ask("--index", films, "--lm", "openai/gpt-4o-mini")
    assert result.exit_code == 1
    assert "there is no key for it" in result.stderr
    result = ask("--index", films, "--lm", "nonsense")
    assert result.exit_code == 1
    assert "name a model as provider/model, e.g. openai/nonsense" in result.stderr


@pytest.mark.parametrize(("question", "named"), [(" ?! ", "is empty"), ("why " * 12_500, "at most 10,000")])
def test_question_that_cannot_be_asked_costs_no_call(films: Path, question: str, named: str) -> None:
    result = ask("--index", films, "--lm", "openai/local", "--api-base", "http://127.0.0.1:9/v1", question=question)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert named in result.stderr


def test_name_that_is_no_model_is_an_error(films: Path) -> None:
    result = ask("--index", films, "--lm", "openai/")
    assert result.exit_code == 1
    assert "openai/" in result.stderr


def test_model_of_the_environment_is_used_when_asked_for(
    films: Path, policy: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLM_MODEL", "openai/")
    assert ask("--index", films, "--policy", "lm").exit_code == 1
    assert ask("--index", films).exit_code == 0


def test_passage_cannot_write_to_the_terminal(tmp_path: Path, policy: Scripted) -> None:
    rows: Sequence[dict[str, str]] = [
        {"id": "alien", "title": "Alien\x1b[2J", "text": "It was\x1b]0;owned\x07 directed by Ridley Scott."},
        {"id": "scott", "text": "Ridley Scott was born in South Shields\u202e."},
    ]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    CliRunner().invoke(main, ["index", str(tmp_path / "c.jsonl"), "--out", str(tmp_path / "x")])
    text = ask("--index", tmp_path / "x", "--trace").stdout
    assert "directed by Ridley Scott" in text
    assert not set(text) & {"\x1b", "\x07", "\u202e"}


@pytest.fixture
def compiled(films: Path, tmp_path: Path) -> Path:
    """A program as an optimiser leaves it, with limits of its own."""
    policy = LMPolicy(dspy.LM("openai/local"))
    policy.decider.signature = policy.decider.signature.with_instructions("Decide as the compiled one does.")
    program = IterativeQA(BM25Index.load(films), policy, Limits(max_rounds=3))
    return artifact.save(program, tmp_path, name="films")


def test_compiled_program_decides_with_its_own_model_and_limits(
    films: Path, compiled: Path, chat_server: ChatServer
) -> None:
    chat_server.reply = replies
    words = ("--index", films, "--artifact", compiled, "--api-base", chat_server.base, "--json")
    document = json.loads(ask(*words).stdout)
    assert (document["answer"], document["policy"]) == ("South Shields", "lm:openai/local")
    assert "Decide as the compiled one does." in json.dumps(chat_server.sent[1])
    fewer = json.loads(ask(*words, "--max-passages", 1).stdout)
    assert len(fewer["passages"]) == 1


def test_damaged_program_is_refused(films: Path, compiled: Path) -> None:
    (compiled / "state.json").write_text("{}", encoding="utf-8")
    result = ask("--index", films, "--artifact", compiled)
    assert result.exit_code == 1
    assert "state.json" in result.stderr
