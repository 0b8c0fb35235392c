from __future__ import annotations

import pytest

from hopstop.program.candidates import measures
from hopstop.program.gaps import uncovered
from hopstop.program.question_form import question_form
from hopstop.program.question_words import MEASURES
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Passage


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It cost 3 million euros.", ["3 million euros"]),
        ("It paid 12,500 EUR.", ["12,500 EUR"]),
        ("It bought twelve Moor lamps.", []),
        ("It makes two low-budget films.", []),
    ],
)
def test_amounts_come_with_what_they_are_measured_in_and_a_name_is_no_unit(text: str, found: list[str]) -> None:
    assert [said for said, _ in measures(text, bare=False)] == found


def test_lengths_are_in_units_of_length_and_distances_are_none() -> None:
    text = "The 220-kilovolt line is 86 kilometres long and ends 2 kilometres north of Fen."
    assert [said for said, _ in measures(text, bare=False, units=MEASURES)] == ["86 kilometres"]


def test_bare_numbers_are_counted_whatever_they_count() -> None:
    assert [said for said, _ in measures("It bought twelve Moor lamps.", bare=True)] == ["twelve"]


def test_passage_is_found_by_its_id_where_that_looks_like_a_label() -> None:
    question = "Who is the director of Moor?"
    reading = Reading((Passage("p2", "Fen is old.", "Fen"), Passage("p1", "Ada Roe is its director.", "Moor")))
    claim = Claim("director of Moor", "p1", "Ada Roe is its director.")
    assert not uncovered(question, question_form(question), (claim,), reading)
