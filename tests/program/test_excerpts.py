from __future__ import annotations

from fakes import ALIEN, CAMERON, QUESTION, SCOTT
from hopstop.program.excerpts import LINES, context, excerpts
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Fact, Passage, Quote

LONG = Passage(
    "long",
    "It rains a lot. Alien was shot in 1978. The director was Scott. Tea is served. The crew was small. It was late.",
    "Shooting of a film",
)
OPEN = (Fact("the director of Alien"),)


def test_a_passage_of_this_round_is_read_whole_while_no_fact_is_listed() -> None:
    state = State(QUESTION, Reading((LONG, SCOTT)))
    assert excerpts(state) == {}
    assert context(state) == state.reading.text()


def test_of_an_earlier_passage_the_sentences_are_read_that_speak_of_what_is_asked() -> None:
    state = State(QUESTION, Reading((LONG, ALIEN), earlier=1), OPEN)
    assert excerpts(state)["long"] == {2, 3}
    text = context(state)
    assert "P1.2 Alien was shot in 1978." in text
    assert "Tea is served" not in text
    assert "P2.2 It stars Sigourney Weaver." in text


def test_quoted_sentences_are_always_read() -> None:
    start = LONG.text.index("Tea")
    quote = Quote("long", "Tea is served", start, start + 13)
    state = State(QUESTION, Reading((LONG,), earlier=1), (Fact("what is served", quote), *OPEN))
    assert 4 in excerpts(state)["long"]
    assert len(excerpts(state)["long"]) == LINES + 1


def test_of_a_new_passage_that_code_takes_for_unrelated_an_excerpt_is_read_once_facts_are_known() -> None:
    other = Passage("tea", "Tea is a drink. It is hot. Leaves are dried. They are rolled. Cups are small.", "Tea")
    state = State(QUESTION, Reading((ALIEN, other), earlier=1), OPEN)
    assert len(excerpts(state)["tea"]) == LINES


def test_labels_are_those_of_the_whole_passages() -> None:
    reading = Reading((LONG, CAMERON), earlier=1)
    quote = reading.sentence("P1.3")
    assert quote is not None
    assert f"P1.3 {quote.text}" in context(State(QUESTION, reading, OPEN))
