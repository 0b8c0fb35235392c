from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.lookalike import alike, near_misses


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("4471", "4412"),
        ("4471", "4417"),
        ("INC4471", "INC4412"),
        ("1990", "1991"),
        ("Ana Ortiz", "Dana Ortiz"),
        ("Ana Ortiz", "Ana Ortis"),
        ("Johnson", "Johnston"),
        ("Smith", "Smyth"),
        ("Ana", "Dana"),
        ("Jürgen Müller", "Jörgen Müller"),
        ("Иван Петров", "Иван Петрова"),
    ],
)
def test_look_alikes(left: str, right: str) -> None:
    assert alike(left, right)
    assert alike(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("4471", "4471"),
        ("4471", "9856"),
        ("4471", "44712"),
        ("47", "48"),
        ("INC4471", "FIX4471"),
        ("Dana Ortiz", "dana ortiz"),
        ("Beyonce", "Beyoncé"),
        ("Germany", "German"),
        ("Spain", "Spanish"),
        ("France", "French"),
        ("Italy", "Italian"),
        ("Chicago Bear", "Chicago Bears"),
        ("Dana Ortiz", "Dana"),
        ("Dana Ortiz", "Lee Wong"),
        ("U.S.", "US"),
        ("", "x"),
        ("the", "then"),
    ],
)
def test_forms_of_one_name_and_strangers_are_no_look_alikes(left: str, right: str) -> None:
    assert not alike(left, right)
    assert not alike(right, left)


@settings(deadline=None)
@given(st.text(max_size=12), st.text(max_size=12))
def test_alike_is_symmetric_and_nothing_is_like_itself(left: str, right: str) -> None:
    assert alike(left, right) == alike(right, left)
    assert not alike(left, left)


@pytest.mark.parametrize(
    ("question", "text", "wanted", "twin"),
    [
        ("Who reviewed the fix of incident 4471?", "The fix of incident 4412 was reviewed by Dana.", "4471", "4412"),
        ("Who reviewed the fix of INC-4471?", "INC-4412 was fixed.", "4471", "4412"),
        ("Where was Dana Ortiz born?", "Ana Ortiz was born in Lyon.", "Dana Ortiz", "Ana Ortiz"),
        ("In 2003, where did Dana Ortiz work?", "In 2003 Ana Ortiz worked there.", "Dana Ortiz", "Ana Ortiz"),
        ("Are Lee Wong and Dana Ortiz related?", "Lee Wong and Ana Ortiz met.", "Dana Ortiz", "Ana Ortiz"),
        ("Who won the 1990 World Cup?", "The 1991 World Cup was won by Norway.", "1990", "1991"),
        ("Where was Johnson born?", "Johnston\nHe was born in Lyon.", "Johnson", "Johnston"),
        ("Wer prüfte Vorfall 4471?", "Vorfall 4412 prüfte Jana.", "4471", "4412"),
        ("障害4471を直した人は誰か", "障害4412は佐藤が直した。", "4471", "4412"),
    ],
)
def test_a_look_alike_in_place_of_what_was_asked_for_is_named(question: str, text: str, wanted: str, twin: str) -> None:
    (objection,) = near_misses(question, [text])
    assert f'"{wanted}"' in objection
    assert f'"{twin}"' in objection


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who fixed incident 4471?", "Incident 4471, like 4412, was fixed by Dana."),
        ("Who directed the 1979 film Alien?", "Alien was directed by Ridley Scott (born 1937)."),
        ("Who was president in 1990?", "He was president from 1988 to 1996."),
        ("Who leads the World Health Organization?", "The WHO is led by Dr. Lee."),
        ("Which city in Germany is it?", "It is a German city."),
        ("Did Beyonce sing it?", "Beyoncé sang it."),
        ("Where is the U.S. Capitol?", "The US Capitol is in Washington."),
        ("How many of the 1,200 seats are sold?", "All 1200 seats are sold."),
        ("Name the film.", "Naked is a film."),
        ("Where was Dana Ortiz born?", "She was born in Lyon."),
        ("Where was J. R. R. Tolkien born?", "J.R.R. Tolkien was born in Bloemfontein."),
        ("Who fixed it?", ""),
    ],
)
def test_abbreviations_descriptions_and_other_years_are_not_objected_to(question: str, text: str) -> None:
    assert near_misses(question, [text]) == []


def test_the_name_itself_in_another_quoted_passage_settles_it() -> None:
    question = "Who fixed incident 4471?"
    assert near_misses(question, ["Incident 4412 is closed.", "Incident 4471 was fixed."]) == []
