from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from skilled import desk, desk_labels, every

from hopstop.eval.datasets import read_questions
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.optimize.cases import DecideCase, Label, PruneCase, RewriteCase
from hopstop.optimize.ideal import LIMITS
from hopstop.optimize.label_rewrite import rank_of
from hopstop.optimize.labels import Amount, make_labels, refuse_overlap
from hopstop.optimize.predictor_metrics import mark, own_answer, teachable
from hopstop.optimize.steps import showing, steps_of, wording
from hopstop.program.bm25 import BM25Index
from hopstop.program.corpus import read_corpus
from hopstop.program.errors import BadDataset, BadInput
from hopstop.program.judge import judge
from hopstop.program.lm_policy import decide_inputs, decision_of, prune_inputs, rewrite_inputs
from hopstop.program.records import Passage
from hopstop.signatures import Decide, Prune, Rewrite

PASSAGES = {
    "alien": Passage("alien", "Alien is a 1979 film directed by Ridley Scott.", "Alien"),
    "scott": Passage("scott", "He directs films. Scott was born in South Shields.", "Ridley Scott"),
}
CHAIN = Question(
    "q",
    "Where was the director of Alien born?",
    ("South Shields",),
    supports=(Support("alien"), Support("scott", ("Scott was born in South Shields.",))),
    meta={
        "decomposition": [
            {"question": "Alien >> director", "answer": "Ridley Scott", "passage_id": "alien"},
            {"question": "#1 >> place of birth", "answer": "South Shields", "passage_id": "scott"},
        ]
    },
)


def of(predictor: str, kind: str | None = None) -> list[Label]:
    return [item for item in every(desk_labels()) if f"/{predictor}/" in item.id and kind in (None, item.kind)]


def decide_case(label: Label) -> DecideCase:
    assert isinstance(label.case, DecideCase)
    return label.case


def test_steps_follow_the_decomposition() -> None:
    steps = steps_of(CHAIN, PASSAGES)
    assert [wording(steps, place, ()) for place in (0, 1)] == [
        "director of Alien",
        "place of birth of the director of Alien",
    ]
    assert wording(steps, 1, (0,)) == "place of birth of Ridley Scott"
    assert [showing(step, PASSAGES[step.passage_id or ""]) for step in steps] == [(1,), (2,)]


def test_steps_follow_triples_and_mark_what_no_passage_states() -> None:
    triples = [["Alien", "director", "Ridley Scott"], ["Ridley Scott", "place of birth", "South Shields"]]
    question = replace(CHAIN, meta={"evidences": triples})
    assert steps_of(question, PASSAGES)[1].references == (0,)
    twin = replace(question, answerable=False, answers=(), supports=(Support("alien"),))
    assert [step.passage_id for step in steps_of(twin, PASSAGES)] == ["alien", None]


def test_steps_without_either_take_names_and_shared_words() -> None:
    steps = steps_of(replace(CHAIN, meta={}), PASSAGES)
    assert [step.passage_id for step in steps] == ["alien", "scott"]
    assert steps[1].references == (0,)
    assert wording(steps, 1, (0,)) == "Ridley Scott born"


@pytest.mark.parametrize(("name", "signature"), [("decide", Decide), ("rewrite", Rewrite), ("prune", Prune)])
def test_labels_hold_exactly_the_fields_of_the_signature(name: str, signature: type) -> None:
    for label in of(name):
        assert list(label.fields) == list(signature.fields)  # type: ignore[attr-defined]
        assert label.inputs == tuple(signature.input_fields)  # type: ignore[attr-defined]
        assert dict(label.example().inputs()) == {key: label.fields[key] for key in label.inputs}


def test_inputs_are_those_that_the_policy_fills() -> None:
    for label in every(desk_labels()):
        given = {name: label.fields[name] for name in label.inputs}
        if isinstance(label.case, DecideCase):
            assert given == decide_inputs(label.case.state)
        elif isinstance(label.case, RewriteCase):
            assert given == rewrite_inputs(label.case.state, label.case.need, ())
        else:
            assert given["passages"] == prune_inputs(decide_case(of("decide")[0]).state, label.case.new)["passages"]


def test_right_answers_score_one() -> None:
    index = desk()[1]
    marks = [mark(label.case, own_answer(label), index) for label in every(desk_labels())]
    assert sum(found.score == 1 for found in marks) > 0.9 * len(marks)
    assert all(mark(label.case, own_answer(label), index).score == 1 for label in (*of("decide"), *of("prune")))
    assert sum(teachable(label, index) for label in of("rewrite")) > 0.9 * len(of("rewrite"))


def test_judge_accepts_a_stop_exactly_where_all_gold_passages_are_read() -> None:
    assert {label.kind for label in of("decide")} == {"whole", "taken", "look-alike", "twin"}
    for label in of("decide"):
        case = decide_case(label)
        found = judge(case.state.question, decision_of(own_answer(label)), case.state.facts, case.state.reading, LIMITS)
        assert found.accepted is case.stop is (label.kind == "whole")
        assert bool(case.missing) is not case.stop


def test_taken_passages_are_gone_and_nothing_else_states_their_fact() -> None:
    questions = {item.id: item for item in desk()[0].questions}
    for label in (*of("decide", "taken"), *of("decide", "look-alike")):
        read = {passage.id for passage in decide_case(label).state.reading.passages}
        assert len(set(questions[label.question_id].gold_ids) - read) == 1


def test_look_alike_stands_in_for_the_gold_passage() -> None:
    questions, index = {item.id: item for item in desk()[0].questions}, desk()[1]
    alike = 0
    for label in of("decide", "look-alike"):
        read = {passage.id: passage for passage in decide_case(label).state.reading.passages}
        gold = set(questions[label.question_id].gold_ids)
        title = index.passage((gold - set(read)).pop()).title
        alike += any(name not in gold and _shape(item.title) == _shape(title) for name, item in read.items())
    assert alike == len(of("decide", "look-alike")) > 0


def _shape(title: str) -> str:
    return "".join("0" if char.isdigit() else char for char in title).partition(" ")[0]


def test_wanted_passage_of_a_rewrite_was_not_read_and_its_query_finds_it() -> None:
    index = desk()[1]
    ranks = []
    for label in of("rewrite"):
        assert isinstance(label.case, RewriteCase)
        assert label.case.target not in label.case.state.reading.passages
        ranks.append(rank_of(label.fields["query"], label.case, index))
    assert sum(rank == 1 for rank in ranks) > 0.9 * len(ranks)


def test_prune_keeps_gold_and_drops_look_alikes() -> None:
    for label in of("prune"):
        assert isinstance(label.case, PruneCase)
        assert len(label.fields["direct"]) == len(label.case.gold) > 0
        assert len(label.case.new) > len(label.case.gold)


def test_no_question_is_on_two_sides_and_twins_stay_together() -> None:
    labels = desk_labels()
    assert not set(labels.train_ids) & set(labels.dev_ids)
    for split in labels.splits.values():
        sides = [{item.question_id for item in side} for side in (split.train, split.val, split.dev)]
        assert sum(map(len, sides)) == len(set().union(*sides))
    insiders = {str(item.meta.get("insider")): item.id for item in desk()[0].questions}
    assert not {insiders.get(name) for name in labels.train_ids} & set(labels.dev_ids)


def test_same_seed_gives_the_same_labels_and_another_seed_others() -> None:
    data, index = desk()
    again = make_labels(data, index, Amount(train=24, dev=16))
    assert every(again) == every(desk_labels())
    other = make_labels(data, index, Amount(train=24, dev=16, seed=1))
    assert other.train_ids != again.train_ids


def test_quotes_may_be_words() -> None:
    data, index = desk()
    labels = make_labels(data, index, Amount(train=6, dev=3, by_label=False), predictors=("decide",))
    quoted = [(item, claim.quote) for item in every(labels) for claim in item.fields["needed"] if claim.quote]
    assert quoted
    for label, quote in quoted:
        assert any(quote in passage.text for passage in decide_case(label).state.reading.passages)
        assert mark(label.case, own_answer(label), index).score == 1


def test_passages_of_other_groups_are_in_no_label() -> None:
    groups = {item.id: item.groups for item in desk()[0].questions}
    for label in (*of("decide"), *of("rewrite")):
        assert isinstance(label.case, DecideCase | RewriteCase)
        for passage in label.case.state.reading.passages:
            assert passage.readable_by(groups[label.question_id])


def test_overlap_with_an_evaluation_is_refused_by_name() -> None:
    a, b, c, x = (Question(name, f"What is {name}?") for name in "abcx")
    refuse_overlap([a, b], [c])
    with pytest.raises(BadDataset, match=r"2 questions .* evaluated on: a, b; take them out"):
        refuse_overlap([a, b, c], [b, a, x])


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (Question("q__unans", "Who?", meta={"twin_of": "q"}), Question("q", "Which one?")),
        (Question("q-outsider", "Who?", meta={"insider": "q"}), Question("q", "Which one?")),
        (Question("q", "Who wrote it?"), Question("other", "Who  wrote IT?")),
    ],
)
def test_twins_and_same_texts_are_refused_on_both_sides(left: Question, right: Question) -> None:
    for learned, evaluated in ((left, right), (right, left)):
        with pytest.raises(BadDataset, match=f"1 questions .* evaluated on: {learned.id}; take"):
            refuse_overlap([learned], [evaluated])


def test_questions_without_gold_passages_make_no_labels() -> None:
    bare = Dataset.of("bare", [Question(f"q{n}", f"What is thing {n}?", ("x",)) for n in range(9)])
    with pytest.raises(BadDataset, match="make no train labels for decide"):
        make_labels(bare, desk()[1], Amount(train=3, dev=1))


@pytest.mark.parametrize(("amount", "predictors"), [((2, 1), ()), ((3, 0), ()), ((3, 1), ("judge",))])
def test_unusable_amounts_and_names_are_refused(amount: tuple[int, int], predictors: tuple[str, ...]) -> None:
    with pytest.raises(BadInput):
        make_labels(*desk(), Amount(train=amount[0], dev=amount[1]), predictors=predictors)


def test_gold_passage_that_the_corpus_lacks_is_named() -> None:
    question = replace(CHAIN, meta={})
    data = Dataset.of("x", [replace(question, id=f"q{n}", question=f"{n} {question.question}") for n in range(8)])
    with pytest.raises(BadDataset, match=r"'q\d' names gold passage 'alien'"):
        make_labels(data, desk()[1], Amount(train=3, dev=1))


def test_contrast_twins_read_their_own_passages_only(data: Path) -> None:
    twins = read_questions(data / "musique_contrast.jsonl.gz").sample(12)
    contexts = {name for item in twins.questions for name in item.context_ids or ()}
    corpus = read_corpus([data / "musique_corpus.jsonl.gz"])
    index = BM25Index.build(passage for passage in corpus if passage.id in contexts)
    labels = make_labels(twins, index, Amount(train=3, dev=2), predictors=("decide",))
    shown = {item.id: item.context_ids for item in twins.questions}
    for label in every(labels):
        assert label.kind == "twin"
        read = {passage.id for passage in decide_case(label).state.reading.passages}
        assert read <= set(shown[label.question_id] or ())
