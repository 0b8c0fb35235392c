from __future__ import annotations

from fakes import ALIEN, ALIENS, CAMERON, FILMS, QUESTION, SECRET
from hopstop.program.bm25 import BM25Index
from hopstop.program.hints import hints
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Passage

INDEX = BM25Index.build(FILMS)


def state(*passages: Passage, groups: frozenset[str] = frozenset()) -> State:
    return State(QUESTION, Reading(passages), read=tuple(item.id for item in passages), groups=groups)


def test_the_name_to_which_a_passage_leads_is_first() -> None:
    assert hints(state(ALIEN), INDEX)[0] == "Ridley Scott"


def test_what_was_read_is_no_hint() -> None:
    found = hints(state(ALIEN, ALIENS, CAMERON), INDEX)
    assert not {"Alien", "Aliens", "James Cameron"} & set(found)


def test_there_are_at_most_k_and_none_that_the_user_may_not_read() -> None:
    assert len(hints(state(ALIEN), INDEX, k=1)) == 1
    assert SECRET.title not in hints(state(ALIEN), INDEX, k=10)
    assert SECRET.title in hints(state(ALIEN, groups=frozenset({"finance"})), INDEX, k=10)


def test_passages_of_another_source_are_passed_over() -> None:
    elsewhere = Passage("elsewhere", "Alien is a film.", "Alien elsewhere")
    assert hints(state(elsewhere, ALIEN), INDEX)[0] == "Ridley Scott"
