from __future__ import annotations

import pytest

from hopstop.program.other_subject import of_other_subject
from hopstop.program.question_form import question_form


def other(question: str, sentence: str, answer: str, entry: str = "") -> bool:
    return of_other_subject(question, question_form(question), sentence, answer, entry)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Where is Moor based?", "Its parent company, Brandt Holding, is based in Zug.", "Zug"),
        ("When did the captain of the Moor die?", "His brother Declan, a priest, died in 1930.", "1930"),
        ("Which office does Fen sit in?", "Its sister team, Birch, is led by Ada Roe and sits in Graz.", "Graz"),
        ("Where are the offices of Moor?", "Moor is a part of Acme Group, which has offices in Leeds.", "Leeds"),
        ("How many users does Moor have?", "It replaced Fen, which was written in Go and has 900 users.", "900"),
        ("How long is Fen Bridge?", "It replaced a wooden bridge that was 120 metres long.", "120 metres"),
        ("When did the author of Moor die?", "She lived with the poet Rui Matos, who died in 1998.", "1998"),
    ],
)
def test_value_of_another_is_told(question: str, sentence: str, answer: str) -> None:
    assert other(question, sentence, answer)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Where is Moor based?", "Its headquarters are in Zug.", "Zug"),
        ("Where is the parent company of Moor based?", "Its parent company, Brandt Holding, is based in Zug.", "Zug"),
        ("What is the parent company of Moor?", "Its parent company, Brandt Holding, is old.", "Brandt Holding"),
        ("Where was the founder of Moor born?", "Moor was founded by Ada Roe, who was born in Graz.", "Graz"),
        ("Where is Moor based?", "Moor is a company that is based in Graz.", "Graz"),
        ("Where is Moor based?", "The fleet of Moor, which is based in Graz, is old.", "Graz"),
        ("When was Moor founded?", "It was founded in 1961, and sold in 1970.", "1961"),
        ("Where is Moor based?", "Fen is old.", "Graz"),
    ],
)
def test_value_of_what_is_asked_for_is_not(question: str, sentence: str, answer: str) -> None:
    assert not other(question, sentence, answer)


def test_name_that_leads_to_the_sentence_is_no_other() -> None:
    question, sentence = "Where is the builder of Moor based?", "It was sold to Fen Yard, which is based in Graz."
    assert other(question, sentence, "Graz")
    assert not other(question, sentence, "Graz", entry="fen yard")
