import os
import re
import subprocess
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from hopstop.eval.datasets import check_supports, read_questions
from hopstop.eval.desk import make_desk, write_desk
from hopstop.eval.questions import Dataset, Question
from hopstop.program.corpus import read_corpus
from hopstop.program.errors import BadDataset
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans

DESK = make_desk()
PASSAGES = {item.id: item for item in DESK.passages or ()}
ANSWERABLE = [item for item in DESK.questions if item.answerable]
CHAINS = [item for item in DESK.questions if item.type != "comparison"]

# What a reader would look for, written without the generator's forms: subject {s}, value in the named group.
NAME = r"(?P<o>[A-Z]\w+ [A-Z]\w+)"
READERS = {
    "fix": [
        r"(?i:incident) {s} was resolved by change (?P<o>CHG-\d+)",
        r"fix for incident {s} shipped as (?P<o>CHG-\d+)",
        r"(?P<o>CHG-\d+) in production, incident {s} was",
    ],
    "reviewer": [
        rf"{NAME} reviewed {{s}}\b",
        rf"reviewer of {{s}} was {NAME}",
        rf"{{s}} was reviewed and approved by {NAME}",
    ],
    "team": [r"{s} (?:works in|is a member of) the (?P<o>\w+) team", r"The (?P<o>\w+) team counts {s} among"],
    "lead": [rf"{NAME} leads the {{s}} team", rf"{{s}} team is (?:led by )?{NAME}"],
    "penalty": [
        r"penalty in contract {s} is (?P<o>[\d,]+ EUR)",
        r"breach of contract {s} carries a penalty of (?P<o>[\d,]+ EUR)",
        r"(?i:contract) {s} sets the penalty at (?P<o>[\d,]+ EUR)",
    ],
    "contract": [
        r"{s} delivers under contract (?P<o>C-\d+)",
        r"(?i:contract) (?P<o>C-\d+) was signed with {s}",
        r"with {s} is filed as contract (?P<o>C-\d+)",
    ],
    "duration": [
        r"(?i:incident) {s} lasted (?P<o>\d+ minutes)",
        r"took (?P<o>\d+ minutes) to contain incident {s}",
        r"(?i:incident) {s} ran for (?P<o>\d+ minutes)",
    ],
}


def read_facts(relation: str, subject: str) -> set[tuple[str, str]]:
    patterns = [re.compile(form.replace("{s}", re.escape(subject))) for form in READERS[relation]]
    return {
        (match["o"], passage.id)
        for passage in PASSAGES.values()
        for pattern in patterns
        for match in pattern.finditer(passage.text)
    }


def steps(question: Question) -> list[tuple[str, str, str, str]]:
    found: list[dict[str, Any]] = question.meta["decomposition"]
    return [(*step["question"].split(" of ", 1), step["answer"], step["passage_id"]) for step in found]


def mentions(passage: Passage, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\b", f"{passage.title} {passage.text}") is not None


def test_default_size_is_about_400_passages_and_150_questions_of_every_kind() -> None:
    assert 380 <= len(PASSAGES) <= 420
    assert 145 <= len(DESK.questions) <= 155
    kinds = Counter((item.type, item.hops) for item in ANSWERABLE)
    wanted = {("lookup", 1): 18, ("bridge", 2): 30, ("bridge", 3): 25, ("bridge", 4): 15, ("comparison", 2): 10}
    assert all(kinds[kind] >= least for kind, least in wanted.items())
    assert kinds["comparison", 4] >= 10
    assert sum(not item.answerable and "restricted_to" not in item.meta for item in DESK.questions) >= 12
    assert sum("restricted_to" in item.meta for item in DESK.questions) == 8


@pytest.mark.parametrize(("seed", "size"), [(0, 1.0), (1, 0.1), (2, 0.4), (3, 3.0)])
def test_gold_sentences_stand_in_passages_that_the_asker_may_read(seed: int, size: float) -> None:
    desk = make_desk(seed, size)
    passages = {item.id: item for item in desk.passages or ()}
    check_supports(desk, passages)
    assert len({item.id for item in desk.questions}) == len(desk.questions)
    assert len({item.text for item in passages.values()}) == len(passages)
    for question in desk.questions:
        for support in question.supports:
            passage = passages[support.passage_id]
            sentences = {passage.text[start:end] for start, end in sentence_spans(passage.text)}
            assert set(support.sentences) <= sentences
            assert support.sentences
            assert passage.readable_by(question.groups)


def test_each_step_is_stated_by_one_passage_only() -> None:
    checked = 0
    for question in DESK.questions:
        for relation, subject, answer, passage_id in steps(question):
            if relation in READERS:
                assert read_facts(relation, subject) == {(answer, passage_id)}, (relation, subject)
                checked += 1
    assert checked > 250


def test_steps_lead_from_the_question_to_the_answer() -> None:
    for question in CHAINS:
        found = steps(question)
        if found:
            assert found[0][1] in question.question
            assert all(one[2] == two[1] for one, two in pairwise(found))
        if question.answerable:
            assert found[-1][2] == question.answers[0]
            assert len(found) == question.hops == len(question.gold_ids)


def test_gold_sentence_of_each_step_states_subject_and_answer() -> None:
    for question in DESK.questions:
        sentences = {item.passage_id: " ".join(item.sentences) for item in question.supports}
        for _, subject, answer, passage_id in steps(question):
            assert subject in sentences[passage_id]
            assert answer in sentences[passage_id]


def test_question_never_names_what_only_a_search_can_tell() -> None:
    for question in ANSWERABLE:
        hidden = [answer for _, _, answer, _ in steps(question)] + [*question.answers][: question.type != "comparison"]
        assert not [name for name in hidden if re.search(rf"\b{re.escape(name)}\b", question.question)], question.id


def test_no_passage_takes_two_hops_at_once() -> None:
    # The note of a change names two people, its author and its reviewer, and says nothing of teams.
    others = [item for item in PASSAGES.values() if not item.title.startswith("Change ")]
    changes = [item for item in PASSAGES.values() if item.title.startswith("Change ")]
    for question in CHAINS:
        names = [found[1] for found in steps(question)] + list(question.answers[:1])
        for i, name in enumerate(names):
            people_only = re.fullmatch(NAME.replace("?P<o>", ""), name) is not None
            notes = others if people_only else others + changes
            for later in names[i + 2 :]:
                assert not [item.id for item in notes if mentions(item, name) and mentions(item, later)], question.id


def test_answers_of_look_alikes_differ() -> None:
    twins = [item for item in ANSWERABLE if "twin" in item.meta]
    assert len(twins) > 60
    assert sum(item.meta["twin_answer"] is not None for item in twins) > 40
    for question in twins:
        assert sorted(question.meta["twin"]) == sorted(steps(question)[0][1])
        assert question.meta["twin_answer"] != question.answers[0]


def test_what_is_missing_is_stated_nowhere() -> None:
    missing = [item.meta["missing"] for item in DESK.questions if not item.answerable and not item.meta.get("insider")]
    for what in missing:
        relation, subject = what.split(" of ", 1)
        if relation in READERS:
            assert not read_facts(relation, subject), what
        else:
            assert relation == "cause"
            assert not [
                item for item in PASSAGES.values() if item.title == f"Root cause analysis of incident {subject}"
            ]


def test_insider_may_read_what_the_outsider_may_not() -> None:
    by_id = {item.id: item for item in DESK.questions}
    outsiders = [item for item in DESK.questions if "insider" in item.meta]
    for outsider in outsiders:
        insider = by_id[outsider.meta["insider"]]
        assert insider.question == outsider.question
        assert (insider.answerable, outsider.answerable, outsider.answers) == (True, False, ())
        assert insider.groups == {outsider.meta["restricted_to"]}
        secret = set(insider.gold_ids) - set(outsider.gold_ids)
        assert secret
        for name in secret:
            assert not PASSAGES[name].readable_by(outsider.groups)
        subject, answer = steps(insider)[-1][1], insider.answers[0]
        readable = [item for item in PASSAGES.values() if item.readable_by(outsider.groups)]
        assert not [item for item in readable if mentions(item, subject) and answer in item.text]
    assert {item.groups for item in outsiders} >= {frozenset(), frozenset({"finance"}), frozenset({"security"})}


def number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


def test_comparisons_have_one_right_answer() -> None:
    kinds: Counter[str] = Counter()
    for question in DESK.questions:
        if question.type != "comparison":
            continue
        found = steps(question)
        half = len(found) // 2
        (first, one), (second, two) = ((found[i][1], found[i + half - 1][2]) for i in (0, half))
        if question.meta["kind"] == "same_reviewer":
            kinds["yes" if one == two else "no"] += 1
            assert question.answers == ("yes" if one == two else "no",)
        else:
            assert number(one) != number(two)
            kinds["first" if number(one) > number(two) else "second"] += 1
            assert question.answers[0] == (first if number(one) > number(two) else second)
        assert question.question.index(first) < question.question.index(second)
    assert set(kinds) == {"yes", "no", "first", "second"}


def test_same_seed_gives_the_same_data_set_in_every_process() -> None:
    code = "from hopstop.eval.desk import make_desk; print(make_desk(5, 0.3).hash)"
    command, environment = [sys.executable, "-c", code], {**os.environ, "PYTHONHASHSEED": "1"}
    other = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    assert other == make_desk(5, 0.3).hash
    assert other != make_desk(6, 0.3).hash


def test_written_desk_reads_back_the_same(tmp_path: Path) -> None:
    questions, corpus = write_desk(tmp_path, seed=4, size=0.2)
    assert corpus is not None
    desk = make_desk(seed=4, size=0.2)
    again = Dataset.of(desk.name, read_questions(questions).questions, read_corpus([corpus]))
    assert again == desk


@pytest.mark.parametrize("size", [0.0, 0.05, 8.1, float("nan")])
def test_size_outside_its_range_is_refused(size: float) -> None:
    with pytest.raises(BadDataset, match=r"must lie in \[0.1, 8\]"):
        make_desk(size=size)


def test_surnames_are_shared() -> None:
    people = [item.title for item in PASSAGES.values() if re.fullmatch(r"[A-Z]\w+ [A-Z]\w+", item.title)]
    surnames = Counter(name.split()[1] for name in people)
    assert max(surnames.values()) > 1
