from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.question_form import Asks, Property, question_form


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Who reviewed the fix of incident 4471?", Asks.PERSON),
        ("The play was written by whom?", Asks.PERSON),
        ("Where was the founder of Roe Mills born?", Asks.PLACE),
        ("In which city is the Blue Tower?", Asks.PLACE),
        ("When was the Blue Tower opened?", Asks.DATE),
        ("What is the date of birth of Ada Roe?", Asks.DATE),
        ("How many acts has the Blue Opera?", Asks.NUMBER),
        ("What is the population of the state where Roe Mills stands?", Asks.NUMBER),
        ("Is Ada Roe a painter?", Asks.YES_NO),
        ("Which band recorded the song Blue Moon?", Asks.THING),
        ("Who is older, Ada Roe or Ben Oak?", Asks.CHOICE),
        ("Was Ada Roe or Ben Oak born first?", Asks.CHOICE),
    ],
)
def test_the_kind_of_answer(question: str, asks: Asks) -> None:
    assert question_form(question).asks is asks


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("Which film came out first, Blue Moon or Red Sun?", ("Blue Moon", "Red Sun")),
        ("Who was born first Ada Roe or Ben Oak?", ("Ada Roe", "Ben Oak")),
        ("Between Ada Roe and Ben Oak who was born earlier?", ("Ada Roe", "Ben Oak")),
        ("Which band, The Oaks or A Silent Roe, has more members?", ("The Oaks", "A Silent Roe")),
        ("Are both Upper Roe, Graz and Lower Roe located in the same country?", ("Upper Roe, Graz", "Lower Roe")),
        ("Does Ada Roe (painter) have the same nationality as Ben Oak?", ("Ada Roe (painter)", "Ben Oak")),
        (
            "Are director of film Blue Moon and director of film Red Sun from the same country?",
            ("Blue Moon", "Red Sun"),
        ),
        ("Which lasted longer, incident 6114 or incident 6141?", ("incident 6114", "incident 6141")),
        ('Which is older, "Blue Moon" or "Red Sun"?', ("Blue Moon", "Red Sun")),
    ],
)
def test_the_two_sides_of_a_comparison(question: str, sides: tuple[str, ...]) -> None:
    assert question_form(question).sides == sides


@pytest.mark.parametrize("question", ["Who wrote War and Peace?", "Who directed Blue Moon?", "Wer war älter?"])
def test_other_questions_have_no_sides(question: str) -> None:
    assert question_form(question).sides == ()


@pytest.mark.parametrize(
    ("question", "wanted", "most"),
    [
        ("Who is older, Ada Roe or Ben Oak?", Property.BIRTH, False),
        ("Who is younger, Ada Roe or Ben Oak?", Property.BIRTH, True),
        ("Who died later, Ada Roe or Ben Oak?", Property.DEATH, True),
        ("Who lived longer, Ada Roe or Ben Oak?", Property.LIFESPAN, True),
        ("Which film was released first, Blue Moon or Red Sun?", Property.DATE, False),
        ("Which opera has more acts, Blue Moon or Red Sun?", Property.NUMBER, True),
        ("Which opera has fewer acts, Blue Moon or Red Sun?", Property.NUMBER, False),
        ("Are Ada Roe and Ben Oak of the same nationality?", Property.NATION, False),
    ],
)
def test_what_is_compared_and_which_end_is_wanted(question: str, wanted: Property, most: bool) -> None:
    form = question_form(question)
    assert (form.property, form.most) == (wanted, most)


@pytest.mark.parametrize(
    ("question", "relations"),
    [
        ("Where was the director of Blue Moon born?", ("director",)),
        ("Who is the spouse of the director of Blue Moon?", ("director", "spouse")),
        ("Where did Ada Roe's husband die?", ("husband",)),
        ("Where did Ada Roe (painter)'s husband die?", ("husband",)),
        ("Who is the paternal grandfather of Ada Roe?", ("paternal grandfather",)),
        ("Which film whose director is younger, Blue Moon or Red Sun?", ("director",)),
        ("When did the City Of Roe open?", ()),
    ],
)
def test_relations_run_from_the_named_thing_outwards(question: str, relations: tuple[str, ...]) -> None:
    assert question_form(question).relations == relations


def test_words_of_titles_say_nothing_of_the_kind_of_answer() -> None:
    assert question_form("What nationality is the singer of When The Birds Died?").asks is Asks.PLACE


@given(st.text(max_size=200))
def test_any_text_has_a_form(text: str) -> None:
    assert len(question_form(text).sides) in (0, 2)
