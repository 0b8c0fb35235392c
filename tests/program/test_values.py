from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.values import amounts, before, dates


@pytest.mark.parametrize(
    "text",
    [
        "5 May 1999",
        "May 5, 1999",
        "5th of May 1999",
        "1999-05-05",
        "5. Mai 1999",
        "le 5 mai 1999",
        "5 de mayo de 1999",
        "5 de mayo del 1999",
    ],
)
def test_one_day_in_several_spellings_and_languages(text: str) -> None:
    assert [found.parts for found in dates(f"It was {text}.")] == [(1999, 5, 5)]


@given(st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_every_day_is_read_as_it_was_written(day: date) -> None:
    for text in (day.isoformat(), f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}"):
        assert [found.parts for found in dates(text)] == [(day.year, day.month, day.day)]


def test_a_date_knows_where_it_stands() -> None:
    text = "born August 20, 1971 in Graz"
    (found,) = dates(text)
    assert text[found.start : found.end] == "August 20, 1971"


@pytest.mark.parametrize(
    ("text", "parts"),
    [("in May 1850", (1850, 5)), ("in 1850", (1850,)), ("in 44 BC", (-44,)), ("on 13 April 837", (837, 4, 13))],
)
def test_a_date_has_only_the_parts_that_are_said(text: str, parts: tuple[int, ...]) -> None:
    assert [found.parts for found in dates(text)] == [parts]


@pytest.mark.parametrize("text", ["1,850 people", "$1850", "1850 km", "room 18503", "45 May 1999x", "no date at all"])
def test_what_is_no_date(text: str) -> None:
    assert dates(text) == ()


def test_dates_are_compared_as_far_as_both_are_said() -> None:
    (early,), (late,), (year,) = dates("3 May 1999"), dates("4 May 1999"), dates("1999")
    assert before(early, late) is True
    assert before(late, early) is False
    assert before(early, year) is None
    assert before(dates("44 BC")[0], dates("44 AD in 1044")[0]) is True


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("1,000 acts", 1000.0, "acts"),
        ("12 million people", 12e6, "people"),
        ("three seas", 3.0, "seas"),
        ("8,126 m high", 8126.0, "m"),
        ("4.5 percent", 4.5, "percent"),
        ("a score of 7", 7.0, ""),
    ],
)
def test_amounts_in_digits_and_words(text: str, value: float, unit: str) -> None:
    assert [(found.value, found.unit) for found in amounts(text)] == [(value, unit)]


def test_parts_of_dates_are_no_amounts() -> None:
    assert amounts("on 5 May 1999 and in 1850") == ()
