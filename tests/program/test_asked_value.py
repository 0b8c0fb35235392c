from __future__ import annotations

import pytest

from hopstop.program.asked_role import asked_role, described_role, kinds_described, name_in
from hopstop.program.asked_value import AskedValue, asked_value


@pytest.mark.parametrize(
    ("question", "way"),
    [
        ("When was Moor founded?", AskedValue("Moor", "founded", passive=True)),
        ("When did the Fen office open?", AskedValue("Fen office", "open")),
        ("When did Ada Roe join Team Fen?", AskedValue("Ada Roe", "join", "Team Fen")),
        ("Where did the Silver Tern run aground?", AskedValue("Silver Tern", "run", "aground")),
        ("How many seats does Fen Hall have?", AskedValue("Fen Hall", "have", noun="seats")),
        ("What language is Moor written in?", AskedValue("Moor", "written", "in", passive=True)),
        ("Where is the company based that built Fen?", AskedValue("", "based", passive=True)),
        ("When was the company that built Fen founded?", AskedValue("", "founded", passive=True)),
    ],
)
def test_one_way_to_read_a_question_is_the_right_one(question: str, way: AskedValue) -> None:
    assert way in asked_value(question)


@pytest.mark.parametrize("question", ["Who founded Moor?", "Is Moor older than Fen?", "Moor", "Why was Moor founded?"])
def test_other_questions_have_none(question: str) -> None:
    assert asked_value(question) == ()


def test_long_questions_are_not_read() -> None:
    assert asked_value("When was Moor founded?")
    assert asked_value(f"When was Moor {'of Fen ' * 60}founded?") == ()


def test_a_lone_preposition_at_the_end_is_stranded() -> None:
    assert [way.stranded for way in asked_value("What is Fen made of?")] == [True]
    assert not any(way.stranded for way in asked_value("When did Ada Roe join Team Fen?"))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("the Department of Water", "Department of Water"),
        ("the Fen office", "Fen office"),
        ("Moor in cinemas", "Moor"),
        ("the owner of Moor", ""),
        ("the team owning Moor", ""),
    ],
)
def test_words_that_are_no_more_than_a_name(words: str, name: str) -> None:
    assert name_in(words) == name


def test_kind_of_a_thing_described_stands_before_its_clause() -> None:
    assert kinds_described("Where is the broker based that placed policy HB-1?") == {"broker"}
    assert kinds_described("Who leads Moor?") == frozenset()


def test_verb_of_the_question_at_its_end_is_no_part_of_the_clause() -> None:
    role = described_role("When was the company that built Fen Hall founded?")
    assert role is not None
    assert (role.verb, role.other) == ("built", "Fen Hall")
    last = described_role("Who leads the team that Ada Roe founded?")
    assert last is not None
    assert (last.verb, last.other) == ("founded", "Ada Roe")


def test_tail_of_a_question_that_ends_in_its_verb_is_no_time() -> None:
    role = asked_role("In which team does our account manager for Fen work?")
    assert role is not None
    assert (role.verb, role.preposition) == ("work", "in")
