from __future__ import annotations

from dataclasses import replace

import dspy
import pytest
from skilled import desk, desk_labels, every

from fakes import ALIEN, CAMERON, FILMS, QUESTION, SCOTT
from hopstop.optimize.cases import KEY, DecideCase, PruneCase, RewriteCase
from hopstop.optimize.predictor_metrics import UNREAD, Marker, mark, mark_decision, mark_grades, mark_query, own_answer
from hopstop.program.bm25 import BM25Index
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Fact

INDEX = BM25Index.build(FILMS)
GOLD = (frozenset({("alien", 1)}), frozenset({("scott", 1)}))
WHOLE = DecideCase(State(QUESTION, Reading((ALIEN, CAMERON, SCOTT))), stop=True, answers=("South Shields",), gold=GOLD)
HALF = DecideCase(
    State(QUESTION, Reading((ALIEN, CAMERON))),
    stop=False,
    answers=(),
    gold=GOLD[:1],
    missing=("where Ridley Scott was born",),
    absent=("Ridley Scott",),
)
DIRECTOR = Claim("the director of Alien", quote="P1.1")
BIRTH = Claim("where Ridley Scott was born", quote="P3.1")
QUERY = RewriteCase(
    State(QUESTION, Reading((ALIEN,)), (Fact("director of Alien"),), queries=(QUESTION,)), "Ridley Scott born", SCOTT
)
GRADES = PruneCase((ALIEN, CAMERON, SCOTT), frozenset({"alien", "scott"}))


def test_right_decision_scores_one() -> None:
    found = mark_decision(WHOLE, Decision(True, (DIRECTOR, BIRTH), "South Shields"))
    assert found.score == 1
    assert found.measures == {"verdict": 1, "quote_f1": 1, "answer_em": 1}
    assert found.feedback == "Right: verdict, quotes and answer."


def test_stop_that_comes_early_names_the_missing_passage() -> None:
    found = mark_decision(HALF, Decision(True, (DIRECTOR,), "South Shields"))
    assert found.measures == {"verdict": 0, "quote_f1": 1}
    assert found.score == 0.5
    assert 'Stopped early: no passage read states "where Ridley Scott was born"' in found.feedback
    assert '"Ridley Scott"' in found.feedback


def test_stop_that_comes_late_is_told() -> None:
    found = mark_decision(WHOLE, Decision(False, (DIRECTOR, BIRTH), "South Shields"))
    assert "Stopped late" in found.feedback
    assert found.score == pytest.approx(0.6)


def test_quote_that_is_not_found_costs_precision_and_is_told() -> None:
    lost = Claim("where Ridley Scott was born", quote="Scott comes from South Shields")
    found = mark_decision(WHOLE, Decision(True, (DIRECTOR, lost), "South Shields"))
    assert found.measures["quote_f1"] == 0.5  # one of two quotes, one of two facts
    assert "Scott comes from South Shields" in found.feedback
    assert "P3.1 states a fact and was not quoted" in found.feedback


def test_quote_of_a_sentence_that_shows_nothing_is_told() -> None:
    found = mark_decision(HALF, Decision(False, (DIRECTOR, Claim("where James Cameron was born", quote="P2.1"))))
    assert found.measures["quote_f1"] == pytest.approx(2 * 0.5 / 1.5)
    assert "P2.1 was quoted and shows no fact" in found.feedback


def test_answer_of_another_form_is_told() -> None:
    found = mark_decision(WHOLE, Decision(True, (DIRECTOR, BIRTH), "in South Shields"))
    assert found.measures["answer_em"] == 0
    assert 'right is "South Shields"' in found.feedback


def test_nothing_to_quote_and_nothing_quoted_is_right() -> None:
    bare = replace(HALF, gold=())
    assert mark_decision(bare, Decision(False, (Claim("the director of Alien"),))).score == 1
    assert mark_decision(bare, Decision(False, (DIRECTOR,))).measures["quote_f1"] == 0


def test_query_is_scored_by_the_rank_of_the_wanted_passage() -> None:
    found = mark_query(QUERY, "Ridley Scott born", INDEX)
    assert found.score == 1
    assert found.measures == {"hit_at_3": 1, "reciprocal_rank": 1, "faultless": 1}
    assert 'finds the passage "Ridley Scott" at rank 1' in found.feedback


def test_passages_that_were_read_take_no_rank() -> None:
    assert mark_query(QUERY, "Alien directed Ridley Scott", INDEX).measures["reciprocal_rank"] == 1


def test_query_that_misses_is_told_what_it_should_find() -> None:
    found = mark_query(QUERY, "Alien 1979", INDEX)
    assert found.score == 0
    assert 'does not find the passage "Ridley Scott"' in found.feedback


def test_query_with_a_fault_scores_nothing_and_names_it() -> None:
    found = mark_query(QUERY, QUESTION, INDEX)
    assert found.score == 0
    assert "searched already" in found.feedback


@pytest.mark.parametrize(
    ("kept", "f2"),
    [({"alien", "scott"}, 1.0), ({"alien", "scott", "cameron"}, 10 / 11), ({"alien"}, 5 / 9), ({"cameron"}, 0.0)],
)
def test_f2_weighs_recall_twice(kept: set[str], f2: float) -> None:
    assert mark_grades(GRADES, dict.fromkeys(kept, 1.0)).measures["f2"] == pytest.approx(f2)


def test_dropped_and_kept_passages_are_named() -> None:
    told = mark_grades(GRADES, {"alien": 2.0, "cameron": 1.0, "scott": 0.0}).feedback
    assert told == 'Dropped "Ridley Scott", which states a needed fact. Kept "James Cameron", which states none.'


@pytest.mark.parametrize("kind", ["bridging", "mentions"])
def test_passages_about_a_name_or_that_mention_one_count_neither_way(kind: str) -> None:
    case = replace(GRADES, **{kind: frozenset({"cameron"})})  # type: ignore[arg-type]
    assert mark_grades(case, {"alien": 3.0, "scott": 3.0, "cameron": 2.0}).score == 1
    assert mark_grades(case, {"alien": 3.0, "scott": 3.0}).score == 1


def test_a_gold_passage_that_others_crowd_out_is_told() -> None:
    found = mark_grades(replace(GRADES, bridging=frozenset({"cameron"})), {"alien": 3.0, "cameron": 2.0, "scott": 1.0})
    assert found.measures == {"f2": 1, "recall": 1, "precision": 1, "carried": 0.5}
    assert found.score == 0.75
    assert found.feedback == '"Ridley Scott" states a needed fact and must be direct.'


def test_passages_of_one_grade_are_carried_in_the_order_read() -> None:
    case = replace(GRADES, gold=frozenset({"scott"}))
    assert mark_grades(case, dict.fromkeys(("alien", "cameron", "scott"), 2.0)).measures["carried"] == 0
    assert mark_grades(case, {"alien": 2.0, "cameron": 2.0, "scott": 3.0}).measures["carried"] == 1


@pytest.mark.parametrize("case", [WHOLE, QUERY, GRADES])
def test_unread_reply_scores_nothing_and_is_told(case: DecideCase | RewriteCase | PruneCase) -> None:
    for reply in (None, dspy.Prediction(**{UNREAD: True})):
        found = mark(case, reply, INDEX)
        assert found.score == 0
        assert "could not be read" in found.feedback


def test_marker_counts_scores_and_not_the_feedback_to_them() -> None:
    label = every(desk_labels())[0]
    marker = Marker({label.id: label}, desk()[1])
    reply, example = own_answer(label), label.example()
    found = marker(example, reply)
    again = marker(example, reply, [], "predictor", [])
    assert (found.score, found.feedback) == (again.score, again.feedback)
    assert marker.score(example, reply) == found.score == 1
    assert marker.calls.count == 2
    assert example[KEY] == label.id
