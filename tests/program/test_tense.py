from __future__ import annotations

import pytest

from hopstop.program.asked_role import asked_role
from hopstop.program.tense import is_past


def told(question: str, sentence: str) -> bool:
    asked = asked_role(question)
    assert asked is not None
    return is_past(asked, question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who owns Fen?", "Ann Lee owned Fen."),
        ("Who leads Fen?", "Ann Lee led Fen from 2015 to 2018."),
        ("Who leads Fen?", "Fen was led by Ann Lee."),
        ("Who leads Fen?", "Fen had been led by Ann Lee."),
        ("Who leads Fen?", "Fen is led by Bo Kim, formerly by Ann Lee."),
        ("What does Ann Lee own?", "Ann Lee owned Fen."),
        ("What does Fen call?", "Fen used to call Moor."),
    ],
)
def test_what_lasted_is_past_for_a_question_of_now(question: str, sentence: str) -> None:
    assert told(question, sentence)


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who owns Fen?", "Ann Lee owns Fen."),
        ("Who owns Fen?", "Fen is owned by Ann Lee."),
        ("Who owns Fen?", "Fen, a service owned by Ann Lee, is new."),
        ("Who leads Fen?", "Fen has been led by Ann Lee since 2015."),
        ("Who led Fen?", "Ann Lee led Fen until 2018."),
        ("Who owned Fen, which is in Graz?", "Ann Lee owned Fen."),
        ("Who writes Fen?", "Ann Lee wrote Fen."),
        ("Who owns Fen?", "Ann Lee likes Fen."),
    ],
)
def test_what_is_or_happened_or_was_asked_for_is_not(question: str, sentence: str) -> None:
    assert not told(question, sentence)
