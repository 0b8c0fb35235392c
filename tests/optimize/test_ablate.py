from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fakes import FILMS, chat, scripted_lm
from hopstop.eval.baselines import OnePass
from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.optimize.ablate import REPORT, Job, ablate
from hopstop.optimize.ablation_tables import MEASURES
from hopstop.optimize.build import make_program, make_system
from hopstop.optimize.cli import main
from hopstop.optimize.labelled_sets import desk_materials
from hopstop.optimize.material import Material, Selection, over
from hopstop.optimize.options import Choice
from hopstop.optimize.parts import CHECKS, GROUPS, PARTS, Part, choose_parts, walk_part
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.guards import ALL_OFF
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits, Outcome, Passage
from hopstop.program.ways import FEATURES

MOON = Passage("moon", "Blue Moon is a 1950 film directed by Ada Roe.", "Blue Moon")
ROE = Passage("roe", "Ada Roe was an Austrian director. She was born in Linz.", "Ada Roe")
OTHERS = tuple(
    Passage(f"x{n}", f"Where the director of the film {n} was born nobody knows.", f"Film {n}") for n in range(12)
)
QUESTION = Question(
    "q", "Where was the director of the film Blue Moon born?", ("Linz",), supports=(Support("moon"), Support("roe"))
)
BY_NAME = {part.name: part for part in PARTS}
NOTHING = Part("nothing", "does nothing", lambda program: program)


def films() -> Material:
    return over(Dataset.of("films", [QUESTION]), BM25Index.build([MOON, ROE, *OTHERS]), Selection())


def small_desk() -> Material:
    desk = make_desk(size=0.1)
    return over(Dataset.of("desk", desk.questions), BM25Index.build(desk.passages or ()), Selection())


def job(folder: Path, *materials: Material, parts: tuple[Part, ...], refit: bool = False) -> Job:
    choice = Choice()
    return Job(
        materials=materials,
        make=lambda index: make_program(choice, index),
        describe=lambda program: make_system(choice, program),
        folder=folder,
        parts=parts,
        refit=refit,
    )


def without(name: str, index: BM25Index) -> IterativeQA:
    program = BY_NAME[name].off(make_program(Choice(), index))
    assert program is not None
    return program


def read(outcome: Outcome) -> list[str]:
    return [passage.id for passage in outcome.evidence]


def test_part_that_does_nothing_brings_nothing(tmp_path: Path) -> None:
    document = ablate(job(tmp_path, small_desk(), parts=(NOTHING,)))
    (row,) = document["parts"]
    assert document["sets"]["desk"]["n"] > 10
    for measure, difference in row["difference"].items():
        if difference["n"]:
            assert [difference[end] for end in ("value", "low", "high")] == [0, 0, 0], measure
    assert set(row["difference"]) == set(MEASURES)
    assert document["earns"] == {"nothing": []}


def test_part_that_is_needed_brings_what_it_is_worth(tmp_path: Path) -> None:
    document = ablate(job(tmp_path, films(), parts=choose_parts(["links", "new words"])))
    links, words = (row["difference"] for row in document["parts"])
    assert (links["all_support"]["value"], links["em"]["value"]) == (1, 1)
    assert words["all_support"]["value"] == 0
    assert document["earns"] == {"links": ["films"], "new words": []}
    assert json.loads((tmp_path / REPORT).read_text(encoding="utf-8")) == document
    page = (tmp_path / "ablation.md").read_text(encoding="utf-8")
    assert "| links | 0.0 +100.0 [+100.0, +100.0] |" in page
    assert "Less than half a point on every set and measure: new words." in page


def test_without_links_only_hits_of_the_question_are_read() -> None:
    index = films().index
    outcome = without("links", index)(QUESTION.question)
    assert "roe" in read(make_program(Choice(), index)(QUESTION.question))
    assert {query.text for item in outcome.rounds for query in item.queries} == {QUESTION.question}
    hits = {hit.passage.id for hit in index.search(QUESTION.question, len(index))}
    assert set(read(outcome)) <= hits
    assert index.links.name_units.values.size  # the index at hand stays as it is


@pytest.mark.parametrize("groups", [frozenset(), frozenset({"finance"})])
def test_without_the_walk_it_reads_as_one_pass(groups: frozenset[str]) -> None:
    desk = small_desk()
    program = without("walk", desk.index)
    once = OnePass(desk.index, 10)
    for item in desk.data.questions:
        found = read(program(item.question, groups=groups))
        assert found == read(once(item.question, groups=groups))[: len(found)]
        assert found


def test_without_identifiers_they_lead_nowhere() -> None:
    passages = [Passage("1", "It lost payment-gw."), Passage("2", "The owner of payment-gw is Nora Quist.")]
    index = BM25Index.build(passages)
    assert "payment gw" in index.links.names
    changed = without("identifiers", index).retriever
    assert isinstance(changed, BM25Index)
    assert "payment gw" not in changed.links.names


@pytest.mark.parametrize("method", ["comparison", "chain", "reach", "ranked"])
def test_way_to_an_answer_is_turned_off_alone(method: str) -> None:
    policy = without(f"answer by {method}", films().index).policy
    assert isinstance(policy, OfflinePolicy)
    assert {item.value for item in policy.methods} == {"comparison", "chain", "reach", "ranked"} - {method}


def test_without_any_way_to_an_answer_there_is_none() -> None:
    program: IterativeQA | None = make_program(Choice(), films().index)
    assert program is not None
    assert program(QUESTION.question).answer == "Linz"
    for part in PARTS:
        if part.name.startswith("answer by"):
            assert program is not None
            program = part.off(program)
    assert program is not None
    assert program(QUESTION.question).answer is None


def test_every_feature_is_in_one_group_but_for_the_constant_of_links() -> None:
    counted = Counter(name for group in GROUPS.values() for name in group)
    assert counted == Counter(set(FEATURES) - {"l_one"})


def test_group_is_off_when_its_weights_are_0() -> None:
    program = make_program(Choice(), films().index)
    less = walk_part("mine", ["s_new", "l_gain"]).off(program)
    assert less is not None
    assert isinstance(less.policy, OfflinePolicy)
    assert isinstance(program.policy, OfflinePolicy)
    before = program.policy.state()
    assert less.policy.state() == {**before, "s_new": 0, "l_gain": 0}
    assert before["s_new"] != 0


def test_weights_are_learned_anew_on_the_other_half_without_the_part(tmp_path: Path) -> None:
    made: list[dict[str, float]] = []
    part = replace(NOTHING, features=frozenset({"l_gain", "s_new"}))  # learning alone keeps them at 0
    desk = small_desk()
    half = replace(desk, data=Dataset.of("desk", desk.data.questions[::2]))  # learning takes a quarter of the time
    seen = job(tmp_path, half, parts=(part,), refit=True)

    def describe(program: IterativeQA) -> object:
        assert isinstance(program.policy, OfflinePolicy)
        made.append(program.policy.state())
        return make_system(Choice(), program)

    document = ablate(replace(seen, describe=describe))  # type: ignore[arg-type]
    whole, less = made[:2], made[2:]
    assert whole[0] != whole[1]
    for weights in less:
        assert weights["l_gain"] == weights["s_new"] == 0
    assert all(weights["l_gain"] != 0 for weights in whole)
    assert less[0]["l_nidf"] != whole[0]["l_nidf"]
    assert document["sets"]["desk"]["metrics"]["n"] == document["sets"]["desk"]["n"]


def searching(signature: str, prompt: str) -> str:
    replies = {
        "decide": chat(needed=[{"need": "who", "quote": "", "follows_from": []}], answer="", verdict="SEARCH"),
        "prune": chat(direct=["P1"], related=[], tangential=[]),
        "rewrite": chat(query="who"),
    }
    return replies[signature]


def test_guards_of_a_model_are_turned_off() -> None:
    lm = scripted_lm(searching)
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(lm), Limits(max_rounds=3))
    question = "Who directed the film Alien?"
    whole = program(question)
    assert any(item.dropped for item in whole.rounds)
    assert any(query.faults for item in whole.rounds for query in item.queries)
    unpruned, unchecked = (BY_NAME[name].off(program) for name in ("prune", "query faults"))
    assert unpruned is not None
    assert unchecked is not None
    assert not any(item.dropped for item in unpruned(question).rounds)
    assert not any(query.faults for item in unchecked(question).rounds for query in item.queries)
    assert BY_NAME["walk"].off(program) is None


def test_without_the_judge_a_stop_counts_because_it_was_said() -> None:
    program = make_program(Choice(), films().index)
    plain = without("judge", films().index)
    assert plain.guards == ALL_OFF
    assert plain.limits == replace(program.limits, min_coverage=0.0, min_sufficiency=0.0)


def test_model_without_prune_keeps_its_other_models() -> None:
    policy = LMPolicy(scripted_lm(searching), decide_lm=scripted_lm(searching, model="scripted/decides"))
    unpruned = BY_NAME["prune"].off(IterativeQA(BM25Index.build(FILMS), policy))
    assert unpruned is not None
    assert type(unpruned.policy) is not LMPolicy
    assert vars(unpruned.policy) == vars(policy)


def test_contrast_questions_read_their_own_passages(tmp_path: Path) -> None:
    twin = replace(
        QUESTION, id="t", answerable=False, answers=(), supports=(), context_ids=("moon",), meta={"twin_of": "q"}
    )
    file, corpus = write_dataset(Dataset.of("twins", [twin], [MOON, ROE]), tmp_path)
    words = (file, "--corpus", corpus, "--contexts", "--careless", "early", "--part", "judge", "--json")
    done = command(*words, "--limit", 1, "--out", tmp_path / "runs")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    (row,) = document["parts"]
    assert document["policy"] == "offline, early"
    assert row["set"].endswith("-contexts")
    assert row["metrics"]["wrong_stop"] == 1
    assert document["sets"][row["set"]]["metrics"]["wrong_stop"] == 0
    assert document["sets"][row["set"]]["metrics"]["passages_mean"] == 1


def test_careless_runs_ablate_what_checks_them(tmp_path: Path) -> None:
    done = command("--desk", "--limit", 2, "--careless", "hiding", "--out", tmp_path, "--json")
    document = json.loads(done.stdout)
    assert {*document["earns"], *document["absent"]} == set(CHECKS)
    assert "judge" in document["earns"]


def test_parts_that_the_program_has_not_are_named(tmp_path: Path) -> None:
    document = ablate(job(tmp_path, films(), parts=choose_parts(["prune"])))
    assert document["absent"] == ["prune"]
    assert document["parts"] == []


def test_two_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="same name"):
        ablate(job(tmp_path, films(), films(), parts=(NOTHING,)))


def command(*words: object) -> Result:
    return CliRunner().invoke(main, ["ablate", *map(str, words)])


def test_command_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--desk", "--limit", 5, "--part", "links", "--part", "new words")
    first, again = command(*words, "--json"), command(*words)
    assert first.exit_code == again.exit_code == 0, first.output + again.output
    document = json.loads(first.stdout)
    assert [row["part"] for row in document["parts"]] == ["links", "new words"]
    assert document["sets"]["desk"]["n"] == 5
    assert len(list(Path("runs").iterdir())) == 1
    for text in ("what each part brings", "links", "Report: runs"):
        assert text in again.stdout


def test_desk_is_drawn_from_all_kinds_of_questions(tmp_path: Path) -> None:
    result = command("--desk", "--limit", 12, "--part", "links", "--out", tmp_path, "--json")
    rows = [json.loads(line) for line in (tmp_path / "desk/whole-0/outcomes.jsonl").read_text("utf-8").splitlines()]
    kinds = {item.id: item.type for material in desk_materials(1, 0) for item in material.data.questions}
    assert result.exit_code == 0
    assert len({kinds[row["id"]] for row in rows}) > 1


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([], 2, "name a file of questions, or --desk"),
        (["q.jsonl", "--corpus", "a", "--corpus", "b"], 2, "give one for each"),
        (["q.jsonl", "--corpus", "a", "--index", "b"], 2, "not both"),
        (["--desk", "--part", "magic"], 1, "there is no part 'magic'"),
        (["--desk", "--careless", "early", "--refit"], 2, "--careless plays with the offline policy"),
        (["--desk", "--careless", "early", "--lm", "a/b"], 2, "--careless plays with the offline policy"),
        (["--desk", "--careless", "lazy"], 2, "lazy"),
    ],
)
def test_wrong_use_is_told(words: list[str], code: int, message: str) -> None:
    result = command(*words)
    assert result.exit_code == code
    assert message in result.output
