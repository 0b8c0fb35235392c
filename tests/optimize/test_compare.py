from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fakes import FILMS
from hopstop.eval import registry
from hopstop.eval.champion import judge_champion
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.eval.run import evaluate
from hopstop.eval.system import System
from hopstop.optimize import comparing
from hopstop.optimize.cli import main
from hopstop.program import save
from hopstop.program.artifact_folder import read_version
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.loop import IterativeQA
from hopstop.program.manifest import Manifest, Training
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits, Outcome, Passage, StopReason

DATA = Dataset.of("made", [Question(f"q{n}", f"Question {n}?", ("Ada",), supports=(Support("p"),)) for n in range(20)])


def report(folder: Path, right: range, version: str | Manifest, data: Dataset = DATA, wrong: range = range(0)) -> Path:
    """An evaluation of something of this version, or of an artifact."""

    def answers(question: str, *, groups: frozenset[str]) -> Outcome:
        number = int(question.split()[1].rstrip("?"))
        answer = "Ada" if number in right else "Bob" if number in wrong else None
        reason = StopReason.ROUND_LIMIT if answer is None else StopReason.ANSWERED
        return Outcome(question, reason, answer=answer, evidence=(Passage("p", "Ada."),), ranking=("p",))

    system = System(answers=answers, policy="fake", version=str(version))
    if isinstance(version, Manifest):
        place = f"{version.name}/{version.version}"
        system = replace(system, version=place, artifact=version.digest())
    evaluate(system, data, folder)
    return folder


def compare(*words: object) -> Result:
    return CliRunner().invoke(main, ["compare", *map(str, words)])


def test_reports_are_compared_question_by_question(tmp_path: Path) -> None:
    old = report(tmp_path / "old", range(8), "x/v001")
    new = report(tmp_path / "new", range(2, 18), "x/v002")
    result = compare(old, new, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert found["won"] == [f"q{n}" for n in range(8, 18)]
    assert found["lost"] == ["q0", "q1"]
    assert found["difference"]["em"]["value"] == pytest.approx(8 / 20)
    assert found["difference"]["em"]["p"] == pytest.approx(0.0386, abs=1e-3)
    assert found["before"]["by_stop_reason"]["ANSWERED"]["n"] == 8
    assert found["after"]["metrics"]["passages_mean"] == 1
    shown = compare(old, new)
    for words in ("only B right: 10 questions: q8", "only A right: 2 questions: q0, q1", "McNemar's p", "StopReason"):
        assert words in shown.stdout


def test_reports_on_other_questions_are_refused(tmp_path: Path) -> None:
    old = report(tmp_path / "old", range(8), "x/v001")
    new = report(tmp_path / "new", range(8), "x/v002", DATA.sample(5))
    result = compare(old, new)
    assert result.exit_code == 1
    assert "over different data (made, 20 questions" in result.stderr


@pytest.fixture
def films(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two programs: one reads a single passage, one reads enough."""
    monkeypatch.chdir(tmp_path)
    index = BM25Index.build(FILMS)
    index.save(Path("films.index"))
    row = {"id": "q", "question": "Where was the director of Alien born?", "answers": ["South Shields"], "hops": 2}
    supports = [{"passage_id": name} for name in ("alien", "scott")]
    Path("q.jsonl").write_text(json.dumps({**row, "supports": supports}), encoding="utf-8")
    policy = OfflinePolicy(index)
    return [
        str(save(IterativeQA(index, policy, Limits(max_read=n, first_k=n, patience=0)), "artifacts", name="films"))
        for n in (1, 4)
    ]


def test_artifacts_are_run_on_the_questions_and_not_again(films: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    words = (*films, "--questions", "q.jsonl", "--index", "films.index", "--json")
    result = compare(*words)
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["won"], found["lost"]) == (["q"], [])
    assert found["difference"]["all_support"]["value"] == 1
    monkeypatch.setattr(IterativeQA, "forward", None)
    assert json.loads(compare(*words).stdout) == found


def test_artifact_without_questions_and_other_names_say_what_to_give(films: list[str]) -> None:
    assert "give --questions" in compare(*films).stderr
    assert (
        "neither the folder of an artifact"
        in compare(films[0], "nowhere", "--questions", "q.jsonl", "--index", "films.index").stderr
    )


def test_a_run_of_mlflow_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = report(tmp_path / "old", range(8), "x/v001")

    def fetched(run_id: str, folder: Path) -> None:
        report(folder, range(9), run_id)

    monkeypatch.setattr(comparing, "fetch_evaluation", fetched)
    found = json.loads(compare(old, "0" * 32, "--json").stdout)
    assert (found["won"], found["lost"]) == (["q8"], [])


@pytest.fixture
def champion(tmp_path: Path) -> Manifest:
    index = BM25Index.build(FILMS)
    program = IterativeQA(index, OfflinePolicy(index), Limits())
    training = Training("made", "h", ("seen",))
    return read_version(save(program, tmp_path / "artifacts", name="x", training=training)).manifest


@pytest.mark.parametrize(
    ("ours", "wrong", "better"),
    [(range(2, 18), range(0), True), (range(9), range(0), False), (range(2, 18), range(18, 20), True)],
)
def test_a_champion_has_more_right_answers_beyond_chance(
    ours: range, wrong: range, better: bool, tmp_path: Path, champion: Manifest
) -> None:
    new = report(tmp_path / "new", ours, champion, wrong=wrong)
    before = replace(champion, version="v000")
    old = report(tmp_path / "old", range(8), before)
    found = judge_champion(champion, [new], [old])
    assert (found.better, found.beaten) == (better, (before.digest(),))
    assert "McNemar's p" in found.words


def test_a_champion_does_not_pay_with_wrong_answers(tmp_path: Path, champion: Manifest) -> None:
    data = Dataset.of("made", [Question(f"q{n}", f"Question {n}?", ("Ada",)) for n in range(60)])
    new = report(tmp_path / "new", range(20), champion, data, wrong=range(20, 60))
    old = report(tmp_path / "old", range(8), "x/v000", data)
    assert not judge_champion(champion, [new], [old]).better


@pytest.mark.parametrize(
    ("version", "ids", "told"),
    [("v009", ["a"], "an evaluation of x/v009, not of x/v001"), ("v001", ["seen", "a"], "1 of its questions")],
)
def test_evidence_that_does_not_count_is_refused(
    version: str, ids: list[str], told: str, tmp_path: Path, champion: Manifest
) -> None:
    data = Dataset.of("made", [Question(name, f"Question {n}?", ("Ada",)) for n, name in enumerate(ids)])
    new = report(tmp_path / "new", range(1), replace(champion, version=version), data)
    with pytest.raises(BadInput, match=told):
        judge_champion(champion, [new], [report(tmp_path / "old", range(1), "0.1.0", data)])


def test_an_evaluation_of_another_artifact_of_the_same_name_does_not_count(tmp_path: Path, champion: Manifest) -> None:
    old = report(tmp_path / "old", range(8), "0.1.0")
    for number, other in enumerate((replace(champion, state_sha256="f" * 64), "x/v001")):
        new = report(tmp_path / f"new{number}", range(8), other)
        with pytest.raises(BadInput, match="another artifact that is called x/v001 too"):
            judge_champion(champion, [new], [old])


def test_an_artifact_does_not_beat_itself_but_may_beat_another_of_its_name(tmp_path: Path, champion: Manifest) -> None:
    new = report(tmp_path / "new", range(2, 18), champion)
    itself = report(tmp_path / "itself", range(8), champion)
    with pytest.raises(BadInput, match=r"itself: an evaluation of x/v001 itself; name one of what it is to beat"):
        judge_champion(champion, [new], [itself])
    changed = replace(champion, state_sha256="f" * 64)
    found = judge_champion(champion, [new], [report(tmp_path / "changed", range(8), changed)])
    assert (found.better, found.beaten) == (True, (changed.digest(),))


def test_a_twin_of_a_question_that_was_compiled_on_counts_as_seen(tmp_path: Path, champion: Manifest) -> None:
    data = Dataset.of("made", [Question("twin", "Question 1?", answerable=False, meta={"twin_of": "seen"})])
    seen = System(
        answers=unanswered,
        policy="fake",
        version="x/v001",
        artifact=champion.digest(),
        trained_on=frozenset({"seen"}),
    )
    evaluate(seen, data, tmp_path / "new")
    evaluate(System(answers=unanswered, policy="fake", version="x/v000"), data, tmp_path / "old")
    with pytest.raises(BadInput, match="1 of its questions"):
        judge_champion(champion, [tmp_path / "new"], [tmp_path / "old"])


def unanswered(question: str, *, groups: frozenset[str]) -> Outcome:
    return Outcome(question, StopReason.NO_HITS)


def register(*words: object) -> Result:
    return CliRunner().invoke(main, ["register", *map(str, words)])


@pytest.mark.parametrize("force", [False, True])
def test_only_the_user_makes_a_champion_that_is_not_better(
    force: bool, films: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        registry,
        "register",
        lambda wanted: (
            asked.append(wanted) or {"name": "n", "version": "1", "alias": "champion", "uri": "u", "message": "m"}
        ),
    )
    versions = {"new": films[1], "old": films[0]}
    sides = [report(tmp_path / name, range(8), read_version(Path(path)).manifest) for name, path in versions.items()]
    words = (films[1], "--index", "films.index", "--name", "n", "--alias", "champion", "--report", sides[0])
    result = register(*words, "--against", sides[1], *(["--force"] if force else []))
    assert (result.exit_code, len(asked)) == ((0, 1) if force else (1, 0))
    assert force or "not better beyond chance" in result.stderr


def test_champion_without_evidence_is_wrong_usage(films: list[str]) -> None:
    result = register(films[0], "--index", "films.index", "--name", "n", "--alias", "champion")
    assert (result.exit_code, "needs --report and --against, or --force" in result.stderr) == (2, True)
