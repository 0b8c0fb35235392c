from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fakes import ALIEN, ALIENS, CAMERON, QUESTION, SCOTT
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Fact, Passage, Quote
from hopstop.program.relevance import DIRECT, NONE, TANGENTIAL, relevance

OPEN = (Fact("the director of Alien"), Fact("where the director of Alien was born"))
SEWING = Passage("sewing", "A sewing machine joins cloth with thread.", "Sewing machine")
FOUND = (
    Fact("the director of Alien", Quote("alien", "Alien is a 1979 film directed by Ridley Scott.", 0, 46)),
    OPEN[1],
)


def grades(facts: tuple[Fact, ...], *new: Passage, read: tuple[Passage, ...] = ()) -> dict[str, float]:
    return relevance(State(QUESTION, Reading(read), facts), new)


def test_a_passage_with_a_verified_quote_is_direct() -> None:
    assert grades(FOUND, ALIEN, SEWING)["alien"] == DIRECT


def test_a_passage_about_something_else_is_dropped() -> None:
    found = grades(OPEN, SEWING, ALIEN)
    assert found["sewing"] == NONE
    assert found["alien"] > TANGENTIAL


def test_a_name_that_was_found_leads_on() -> None:
    found = grades(FOUND, CAMERON, SCOTT, SEWING, read=(ALIEN,))
    assert found["scott"] > found["cameron"]
    assert found["scott"] > found["sewing"] == NONE


def test_the_passage_that_the_question_names_is_before_a_look_alike() -> None:
    found = grades(OPEN, ALIENS, ALIEN)
    assert found["alien"] > found["aliens"]


def test_nothing_is_dropped_while_nobody_knows_what_is_needed() -> None:
    assert grades((), SEWING)["sewing"] >= TANGENTIAL


def test_rare_words_of_the_question_do_where_a_script_has_no_names() -> None:
    asked = "東京タワーの設計者の出身地はどこですか"
    tower = Passage("tower", "東京タワーの設計者は内藤多仲である。", "")
    tea = Passage("tea", "お茶は葉から作る。", "")
    found = relevance(State(asked, facts=(Fact("東京タワーの設計者"),)), (tea, tower))
    assert found["tower"] > found["tea"] == NONE


@given(st.lists(st.sampled_from([ALIEN, ALIENS, CAMERON, SCOTT, SEWING]), unique=True), st.sampled_from([(), OPEN]))
def test_every_passage_has_a_grade_within_the_four(new: list[Passage], facts: tuple[Fact, ...]) -> None:
    found = grades(facts, *new)
    assert found.keys() == {passage.id for passage in new}
    assert all(grade == NONE or TANGENTIAL <= grade <= DIRECT for grade in found.values())
