from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import dspy
import pytest
from chat_server import ChatServer
from click.testing import CliRunner, Result

from fakes import FILMS, QUESTION
from hopstop.eval.datasets import Dataset, Question, Support, write_dataset
from hopstop.optimize.build import make_program, make_system, of_tier, resolve, servers
from hopstop.optimize.cli import main
from hopstop.optimize.options import Choice
from hopstop.program import BM25Index, IterativeQA, LMPolicy, save
from hopstop.program.guards import DEFAULT
from hopstop.program.offline import OfflinePolicy

HERE, THERE = "http://one.example.org/v1", "http://two.example.org/v1"
LOCAL = Choice(policy="lm", lm="openai/local", api_base=HERE)


@pytest.fixture
def tiered(tmp_path: Path) -> Path:
    """A program that was compiled with three models."""
    lms = {name: dspy.LM(f"openai/{name}") for name in ("small", "large", "reader")}
    policy = LMPolicy(lms["small"], decide_lm=lms["large"], answer_lm=lms["reader"])
    return save(IterativeQA(BM25Index.build(FILMS), policy), tmp_path / "artifacts", name="films")


@pytest.mark.parametrize(
    ("given", "models"),
    [
        ({}, ("openai/small", "openai/large", "openai/reader")),
        ({"lm": "openai/small"}, ("openai/small", "openai/large", "openai/reader")),
        ({"decide_lm": "openai/other"}, ("openai/small", "openai/other", "openai/reader")),
        ({"lm": "openai/mine"}, ("openai/mine", "", "")),
        ({"lm": "openai/mine", "answer_lm": "openai/other"}, ("openai/mine", "", "openai/other")),
    ],
)
def test_a_compiled_program_brings_its_models_along(
    given: dict[str, str], models: tuple[str, str, str], tiered: Path
) -> None:
    choice = resolve(Choice(policy="", artifact=tiered, **given))  # type: ignore[arg-type]
    assert (choice.lm, choice.decide_lm, choice.answer_lm) == models
    program = make_program(choice, BM25Index.build(FILMS))
    policy = program.policy
    assert isinstance(policy, LMPolicy)
    made = [policy.caller.lm, policy.decide_lm, policy.answer_lm]
    assert [lm and lm.model for lm in made] == [models[0], models[1] or models[0], models[2] or None]
    described = make_system(choice, program).describe()
    assert [described["limits"].get(name, "") for name in ("decide_lm", "answer_lm")] == list(models[1:])


def test_the_address_of_one_provider_gets_no_call_and_no_key_of_another() -> None:
    assert of_tier(LOCAL, "openai/large").api_base == HERE
    assert of_tier(LOCAL, "anthropic/claude-sonnet-4-6").api_base is None


def test_servers_are_told_apart_and_not_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_BASE", "OPENAI_BASE_URL", "ANTHROPIC_API_BASE", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    one, two = servers(LOCAL), servers(replace(LOCAL, api_base=THERE))
    assert len({one, two}) == 2
    assert all(len(found) == 8 and int(found, 16) >= 0 for found in (one, two))
    assert servers(replace(LOCAL, api_base=f"{HERE}/")) == one
    assert servers(replace(LOCAL, api_base=None)) == ""
    mixed = replace(LOCAL, decide_lm="anthropic/claude-sonnet-4-6")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", THERE)
    assert servers(LOCAL) == one
    assert servers(mixed) not in ("", one)
    monkeypatch.setenv("OPENAI_BASE_URL", HERE)
    assert servers(replace(LOCAL, api_base=None)) == one


@pytest.mark.parametrize(
    "change",
    [
        {"lm": "openai/other"},
        {"decide_lm": "openai/other"},
        {"answer_lm": "openai/other"},
        {"api_base": THERE},
        {"max_reply_tokens": 7},
        {"options": {"prune": "code"}},
        {"options": {"search": "walk"}},
        {"options": {"precheck": True}},
        {"options": {"hints": True}},
        {"limits": {"max_read": 3}},
        {"limits": {"max_cost_usd": 0.5}},
    ],
)
def test_a_choice_that_changes_answers_changes_the_description(
    change: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hopstop.optimize.build.takes_schema", lambda lm: False)
    index = BM25Index.build(FILMS)
    told = [
        make_system(choice, make_program(choice, index)).describe()
        for choice in (LOCAL, replace(LOCAL, **change))  # type: ignore[arg-type]
    ]
    assert told[0] != told[1]
    assert "example.org" not in json.dumps(told)


def test_guards_that_differ_from_the_usual_ones_are_described() -> None:
    index = BM25Index.build(FILMS)
    program = IterativeQA(index, OfflinePolicy(index))
    assert "guards" not in make_system(Choice(), program).limits
    program.guards = replace(DEFAULT, latch=False, fusion=True)
    assert make_system(Choice(), program).limits["guards"] == "fusion on, latch off"


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    asked = Question("q", QUESTION, answers=("South Shields",), supports=(Support("scott"),))
    write_dataset(Dataset.of("films", [asked], FILMS), tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def evaluate(*words: object) -> Result:
    given = ("eval", "questions.jsonl", "--corpus", "corpus.jsonl", "--no-track", "--json", "--lm", "openai/local")
    return CliRunner().invoke(main, [*given, *map(str, words)])


def test_two_servers_of_one_model_share_no_folder(questions: Path, chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: "nothing that can be read"
    other = chat_server.base.replace("127.0.0.1", "localhost")
    found = [evaluate("--api-base", base, "--max-rounds", 1) for base in (chat_server.base, other, chat_server.base)]
    assert [result.exit_code for result in found] == [0, 0, 0], found[0].output
    reports = [json.loads(result.stdout) for result in found]
    assert reports[0] == reports[2] != reports[1]
    assert len({report["report"] for report in reports}) == 2
    refused = evaluate("--api-base", other, "--max-rounds", 1, "--out", Path(reports[0]["report"]).parent)
    assert refused.exit_code == 1
    assert "differs in system.server" in refused.stderr
    texts = [path.read_bytes() for path in questions.rglob("*") if path.is_file()]
    assert not [text for text in texts if str(chat_server.server_port).encode() in text]


def test_a_larger_budget_goes_on_where_a_smaller_one_was_used_up(questions: Path, chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: "nothing that can be read"
    words = ("--api-base", chat_server.base, "--max-rounds", 1)
    small, large = (evaluate(*words, "--budget-tokens", n) for n in (200, 20000))
    assert "1 questions were cut short" in small.stderr
    assert "cut short" not in large.stderr
    reports = [json.loads(result.stdout) for result in (small, large)]
    assert reports[0]["report"] == reports[1]["report"]
    assert [list(report["by_stop_reason"]) for report in reports] == [["TOKEN_LIMIT"], ["ROUND_LIMIT"]]


def test_what_an_earlier_run_has_used_counts_for_the_budget_in_all(questions: Path, chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: "nothing that can be read"
    asked = [Question(name, f"{QUESTION} {name}", answers=("South Shields",)) for name in ("q", "r")]
    write_dataset(Dataset.of("films", asked, FILMS), questions)
    words = ("--api-base", chat_server.base, "--max-rounds", 1, "--out", "run")
    assert evaluate(*words).exit_code == 0
    rows = (questions / "run/outcomes.jsonl").read_bytes().splitlines(keepends=True)
    (questions / "run/outcomes.jsonl").write_bytes(rows[0])  # as a kill after the first question leaves it
    used = json.loads(rows[0])["outcome"]["usage"]["billed_tokens"]
    assert used > 0
    found = [json.loads(evaluate(*words, "--budget-tokens", n).stdout) for n in (used + 1, 100 * used)]
    assert [sorted(report["by_stop_reason"]) for report in found] == [["ROUND_LIMIT", "TOKEN_LIMIT"], ["ROUND_LIMIT"]]
