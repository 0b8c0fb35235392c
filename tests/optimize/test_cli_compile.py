from __future__ import annotations

import json
from pathlib import Path

import dspy
import pytest
from chat_server import ChatServer, lm_class
from click.testing import CliRunner, Result

from hopstop.eval import tracking
from hopstop.eval.compilation import read_compilation
from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.eval.sender import NotSent
from hopstop.optimize.cli import main
from hopstop.optimize.commands import compile
from hopstop.optimize.evaluation import WAITING_THREADS
from hopstop.optimize.recipes import RECIPES
from hopstop.program.artifact import save
from hopstop.program.artifact_folder import read_version
from hopstop.program.bm25 import BM25Index
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy

KEY = "sk-secret-4711-abcdef"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folder with questions.jsonl and corpus.jsonl; also the working directory."""
    write_dataset(make_desk(size=0.2), tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    return tmp_path


def searching_for_what_is_missing(prompt: str) -> str:
    """Repeats the fact as a query, which finds it; without examples it knows no better than the first words."""
    if "Is water wet" in prompt:
        return "no"
    parts = prompt.split("[[ ## missing ## ]]\n")
    missing = parts[-1].splitlines()[0]
    return f"[[ ## query ## ]]\n{missing if len(parts) > 3 else 'nobody knows'}\n\n[[ ## completed ## ]]"


def compile_with(server: ChatServer, *words: object) -> Result:
    given = ["compile", "questions.jsonl", "--corpus", "corpus.jsonl", "--lm", "openai/fake", "--api-base", server.base]
    sizes = [
        "--recipe",
        "labeled",
        "--predictors",
        "rewrite",
        "--train",
        "9",
        "--dev",
        "5",
        "--budget",
        "30",
        "--no-track",
    ]
    return CliRunner().invoke(main, [*given, *sizes, *map(str, words)])


def test_compile_saves_a_better_artifact_and_tells_the_cost(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    result = compile_with(chat_server, "--out", "made", "--name", "desk", "--yes", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert report["artifact"] == str(Path("made/desk/v001"))
    assert report["labels"] == {"rewrite": {"train": 6, "val": 3, "dev": 5}}
    change = report["scores"]["rewrite"]["dev"]["hit_at_3"]
    assert change["before"] == 0 < change["after"]
    cost = report["cost"]
    assert cost["used"]["calls"] == cost["paid"]["calls"] == len(chat_server.sent) - 1  # less the question for a schema
    assert cost["used"]["calls"] <= cost["estimate"]["calls"]
    assert f"At most {cost['estimate']['calls']} calls, about " in result.stderr
    assert f"  openai/fake: {cost['estimate']['calls']} calls (rewrite), about " in result.stderr
    assert f"Replies are kept in {report['work']}." in result.stderr
    manifest = read_version(desk / report["artifact"]).manifest
    assert (manifest.lm, manifest.name) == ("openai/fake", "desk")


def test_same_command_again_makes_the_next_version_and_no_call(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    compile_with(chat_server, "--yes")
    before = len(chat_server.sent)
    result = compile_with(chat_server, "--yes")
    assert result.exit_code == 0, result.output
    assert len(chat_server.sent) == before + 1  # the question for a schema
    assert "in this run 0 calls" in result.stdout
    versions = [read_version(path).manifest.state_sha256 for path in sorted(desk.glob("artifacts/*/v*"))]
    assert len(versions) == 2
    assert len(set(versions)) == 1
    fresh = compile_with(chat_server, "--yes", "--fresh")
    assert "in this run 0 calls" not in fresh.stdout


def test_key_and_address_are_in_no_file_and_no_output(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    result = compile_with(
        chat_server, "--teacher-lm", "openai/teacher", "--teacher-api-base", chat_server.base, "--yes"
    )
    assert result.exit_code == 0, result.output
    assert f"Bearer {KEY}" in chat_server.keys
    files = [path for path in desk.rglob("*") if path.is_file()]
    assert {"manifest.json", "state.json", "replies.jsonl", "job.json", "log.txt"} <= {path.name for path in files}
    for secret in (KEY, chat_server.base):
        assert secret not in result.output
        assert [path for path in files if secret.encode() in path.read_bytes()] == []


def test_store_that_cannot_be_used_loses_no_compile(
    desk: Path, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object, **options: object) -> str:
        raise NotSent("it is full")

    monkeypatch.setattr(tracking, "run_apart", refuse)
    chat_server.reply = searching_for_what_is_missing
    result = compile_with(chat_server, "--track", "--work", "work", "--json", "--yes")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    made = read_compilation(desk / "work")
    assert made.artifact == desk / report["artifact"]
    assert read_version(made.artifact).manifest.scores == report["scores"]
    assert "it is full. Nothing is lost" in result.stderr
    assert "hopstop track work" in result.stderr


def test_what_a_program_was_compiled_on_before_is_kept_and_told(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    first = json.loads(compile_with(chat_server, "--yes", "--json").stdout)["artifact"]
    old = read_version(desk / first).manifest.training
    assert old is not None
    again = compile_with(chat_server, "--artifact", first, "--seed", 1, "--yes", "--json")
    assert again.exit_code == 0, again.output
    new = read_version(desk / json.loads(again.stdout)["artifact"]).manifest.training
    assert new is not None
    assert set(new.ids) > set(old.ids)
    assert "questions to measure on are among those that the program was compiled on before" in again.stderr
    same = compile_with(chat_server, "--artifact", first, "--yes", "--json")
    assert same.exit_code == 0, same.output
    assert "compiled on before" not in same.stderr


def test_a_compile_ends_with_what_it_cost_and_what_to_do_next(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    result = compile_with(chat_server, "--yes")
    assert result.exit_code == 0, result.output
    assert "rewrite: 6 labels to learn from, 3 to choose by, 5 to measure on." in result.stderr
    calls = len(chat_server.sent) - 1
    assert f"{calls} calls, {110 * calls:,} tokens; in this run {calls} calls, {110 * calls:,} tokens." in result.stdout
    shown = [line.rpartition("hopstop ")[2].split() for line in result.stderr.splitlines() if "hopstop " in line]
    assert shown[-1] == ["eval", "QUESTIONS", "--corpus", "corpus.jsonl", "--artifact", "artifacts/questions/v001"]
    assert CliRunner().invoke(main, shown[-2]).exit_code == 0
    measured = [*shown[-1], "--limit", "1", "--no-track", "--api-base", chat_server.base]
    assert CliRunner().invoke(main, [word.replace("QUESTIONS", "questions.jsonl") for word in measured]).exit_code == 0


def test_a_compile_that_brings_nothing_says_so(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: "nothing that can be read"
    result = compile_with(chat_server, "--yes", "--json")
    assert result.exit_code == 0, result.output
    assert not json.loads(result.stdout)["scores"]["rewrite"]["kept"]
    assert "nothing became better, so the artifact is the program as it was; try another --recipe" in result.stderr


def test_predictors_that_the_program_never_asks_are_left_out(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: "nothing that can be read"
    words = ("compile", "questions.jsonl", "--corpus", "corpus.jsonl", "--lm", "openai/fake", "--recipe", "labeled")
    model = ("--api-base", chat_server.base, "--train", "9", "--dev", "5", "--prune", "code")
    result = CliRunner().invoke(main, [*words, *model])
    assert "decide: " in result.stderr
    assert "rewrite: " in result.stderr
    assert "prune" not in result.stderr
    named = CliRunner().invoke(main, [*words, *model, "--predictors", "prune", "--yes"])
    assert named.exit_code == 1
    assert "'prune' is never asked by this program" in named.stderr


def test_price_of_a_known_model_is_estimated(desk: Path, chat_server: ChatServer) -> None:
    result = compile_with(chat_server, "--lm", "openai/gpt-4o-mini", "--decide-lm", "openai/nobody-knows", "--joint")
    assert "Go on? (--yes answers this)" in result.stderr
    lines = [line for line in result.stderr.splitlines() if line.startswith("  openai/")]
    assert [line.split(":")[0].strip() for line in lines] == ["openai/gpt-4o-mini", "openai/nobody-knows"]
    assert [line.endswith(" USD") for line in lines] == [True, False]


def test_program_of_the_offline_policy_is_told_what_fits_it(desk: Path) -> None:
    index = BM25Index.build(make_desk(size=0.2).passages or ())
    made = save(IterativeQA(index, OfflinePolicy(index)), "artifacts", name="walk")
    words = ("compile", "questions.jsonl", "--corpus", "corpus.jsonl", "--artifact", str(made), "--recipe", "labeled")
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "its policy is offline, which has no prompts to compile; hopstop calibrate fits it" in result.stderr


def test_the_help_has_the_defaults_of_the_recipes() -> None:
    assert {name: recipe.budget for name, recipe in RECIPES.items()} == compile.BUDGETS
    defaults = {(recipe.examples, recipe.max_instruction) for recipe in RECIPES.values()}
    assert defaults == {(compile.EXAMPLES, compile.INSTRUCTION)}
    assert compile.THREADS == WAITING_THREADS


def test_nothing_is_asked_before_the_user_agrees(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    result = compile_with(chat_server)
    assert result.exit_code == 1
    assert "Go on?" in result.stderr
    assert len(chat_server.sent) <= 1  # the question for a schema
    assert not (desk / "artifacts").exists()


def test_question_that_is_evaluated_on_is_refused_by_name(desk: Path, chat_server: ChatServer) -> None:
    result = compile_with(chat_server, "--hold-out", "questions.jsonl", "--yes")
    assert result.exit_code == 1
    assert "questions to compile on, or their twins, are also evaluated on: desk-" in result.stderr


def test_questions_of_several_files_are_compiled_on(desk: Path, chat_server: ChatServer) -> None:
    chat_server.reply = searching_for_what_is_missing
    lines = Path("questions.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    Path("more.jsonl").write_text("".join(lines[::2]), encoding="utf-8")
    twice = compile_with(chat_server, "more.jsonl", "--yes")
    assert twice.exit_code == 1
    assert "is also in another file" in twice.stderr
    Path("questions.jsonl").write_text("".join(lines[1::2]), encoding="utf-8")
    result = compile_with(chat_server, "more.jsonl", "--yes", "--json")
    assert result.exit_code == 0, result.output
    training = read_version(desk / json.loads(result.stdout)["artifact"]).manifest.training
    assert training is not None
    sides = [{json.loads(line)["id"] for line in part} for part in (lines[::2], lines[1::2])]
    assert all(side & set(training.ids) for side in sides)


def test_server_that_is_gone_ends_with_one_line(
    desk: Path, chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dspy, "LM", lm_class(num_retries=0))  # the retries wait for seconds

    def refuse(prompt: str) -> str:
        raise ConnectionError

    chat_server.reply = refuse
    chat_server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
    result = compile_with(chat_server, "--yes")
    assert result.exit_code == 1
    assert "the model cannot be asked" in result.stderr
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    "words",
    [
        ["compile"],
        ["compile", "q.jsonl", "--recipe", "labeled"],
        ["compile", "q.jsonl", "--lm", "openai/x"],
        ["compile", "q.jsonl", "--lm", "openai/x", "--recipe", "labeled", "--corpus", "c", "--index", "i"],
        ["compile", "q.jsonl", "--lm", "openai/x", "--recipe", "labeled", "--teacher-api-base", "http://x"],
    ],
)
def test_wrong_usage_exits_with_two(words: list[str]) -> None:
    assert CliRunner().invoke(main, words).exit_code == 2
