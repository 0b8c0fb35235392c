from __future__ import annotations

import pytest

from hopstop.program.lines import lines_of
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.stands_for import said_of, with_title


def last(title: str, text: str, question: str = "Who leads it?", answer: str = "") -> str:
    line = lines_of(question, Reading((Passage("p", text, title),))).all[-1]
    return said_of(line, question, answer) if answer else with_title(line, question)


@pytest.mark.parametrize(
    ("title", "text", "said"),
    [
        ("Moor", "It is led by Ada Roe.", "Moor is led by Ada Roe."),
        ("Moor", "In 2017 it was sold to Fen.", "In 2017 Moor was sold to Fen."),
        ("Moor", "Moor is a ferry. The ferry holds 60 cars.", "Moor holds 60 cars."),
        ("Fen team", "The team was founded in 2010.", "Fen team was founded in 2010."),
        ("Moor", "Moor sells boats. Ada Roe leads it.", "Ada Roe leads Moor."),
        ("Moor", "Moor is a ship. Captain Ada Roe commands her.", "Captain Ada Roe commands Moor."),
    ],
)
def test_title_takes_the_place_of_what_stands_for_it(title: str, text: str, said: str) -> None:
    assert last(title, text) == said


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("", "It is led by Ada Roe."),
        ("Moor", "Moor is a ferry. The harbour holds 60 cars."),
        ("Moor", "Fen is a mill. Ada Roe leads it."),
        ("Moor", "Ada Roe leads it."),
        ("Moor", "The head of Fen is Ada Roe."),
        ("Moor", "Moor sells boats. Ada Roe bought a car and sold it."),
    ],
)
def test_what_may_mean_another_stays(title: str, text: str) -> None:
    assert last(title, text) == text.rpartition(". ")[2]


def test_short_name_of_the_question_is_taken() -> None:
    text = "MOOR is a trial. It is led by Ada Roe."
    assert last("MOOR Study", text, "Who leads MOOR?") == "MOOR is led by Ada Roe."
    assert last("MOOR Study", text, "Who leads the MOOR Study?") == "MOOR Study is led by Ada Roe."


def test_title_that_is_the_answer_is_not_put_in() -> None:
    assert last("Moor", "It sails to Fen.", "Which ship sails to Fen?", "Moor") == "It sails to Fen."
    assert last("Moor", "It sails to Fen.", "Where does Moor sail?", "Fen") == "Moor sails to Fen."
