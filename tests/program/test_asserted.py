from __future__ import annotations

import pytest

from hopstop.program.asserted import is_question, negates, stated


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Petra Wolf left before and Jan Riedel signed it.", "Jan Riedel"),
        ("It was not reviewed by Ann Oak, but by Bo Elm.", "Bo Elm"),
        ("Not only Ann Oak but also Bo Elm signed.", "Ann Oak"),
        ("Although it was not a success, the film was directed by Jane Roe.", "Jane Roe"),
        ("Jane Roe, who was not credited, directed it.", "Jane Roe"),
        ("Nobody but Ann Oak signed it.", "Ann Oak"),
        ("Ann Oak signed it on 3 May 2020.", "Ann Oak"),
        ("Since 2024 it is owned by the Birch team.", "Birch"),
        ("Der Vertrag wurde von Jan Riedel unterschrieben.", "Jan Riedel"),
        ("Nicht Hexal, sondern Orlan lieferte die Pumpen.", "Orlan"),
        ("Ann Oak couldn't sign it; Bo Elm signed.", "Bo Elm"),
        ("Bo Elm reviewed it because Ann Oak was not there.", "Bo Elm"),
        ("The May release was signed by Ann Oak.", "Ann Oak"),
        ("It was signed in May.", "Ann Oak"),
        ("It was approved in May.", "Title that is in no sentence"),
    ],
)
def test_name_in_a_clause_that_states_a_fact(sentence: str, name: str) -> None:
    assert stated(sentence, name)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("The root cause was not the Redline router.", "Redline"),
        ("CHG-1 was not reviewed by Ann Oak.", "Ann Oak"),
        ("Petra Wolf would have signed it if she had not left.", "Petra Wolf"),
        ("It was not reviewed by Ann Oak, Bo Elm or Cy Fox.", "Cy Fox"),
        ("The contract was to be signed by Petra Wolf.", "Petra Wolf"),
        ("If Ann Oak agrees, Bo Elm signs.", "Ann Oak"),
        ("Orlan denied that it supplied the pumps.", "Orlan"),
        ("Ann Oak will own Fen.", "Ann Oak"),
        ("Fen should be owned by Ann Oak.", "Ann Oak"),
        ("Ann Oak plans to lead Fen.", "Ann Oak"),
        ("Ann Oak tried to fix Fen.", "Ann Oak"),
        ("Ann Oak stopped leading Fen.", "Ann Oak"),
        ("Fen was allegedly written by Ann Oak.", "Ann Oak"),
        ("Bo Elm claims that Ann Oak owns Fen.", "Ann Oak"),
        ("Some say Ann Oak owns Fen.", "Ann Oak"),
        ("The gauge has not been checked since 2020.", "Title that is in no sentence"),
        ("Ann Oak nearly broke Fen.", "Ann Oak"),
        ("Service Moor is no longer owned by the Alder team.", "Alder"),
        ("Die Ursache war nicht der Router von Hexal.", "Hexal"),
        ("Kein Fehler von Hexal war die Ursache.", "Hexal"),
        ("Nicht Hexal, sondern Orlan lieferte die Pumpen.", "Hexal"),
        ("Wäre Petra Wolf geblieben, hätte sie unterschrieben.", "Petra Wolf"),
        ("Ann Oak might have signed it.", "Ann Oak"),
        ("Ann Oak couldn't sign it; Bo Elm signed.", "Ann Oak"),
        ("Neither Ann Oak nor Bo Elm signed.", "Bo Elm"),
        ("Without Ann Oak the team was led by Bo Elm.", "Bo Elm"),
        ("Did Ann Oak sign it?", "Ann Oak"),
    ],
)
def test_what_is_denied_or_only_possible_or_asked_is_no_fact(sentence: str, name: str) -> None:
    assert not stated(sentence, name)


@pytest.mark.parametrize(
    ("sentence", "asks"),
    [
        ("Who owns the Mail key?", True),
        ("Is it open?", True),
        ("Wer leitet das Team?", True),
        ("“Where is it?”", True),
        ("Guess Again? is a film.", False),
        ("Bo Kim owns it.", False),
        ("The song Ready or Not?", False),
    ],
)
def test_question_begins_with_a_word_that_asks_and_ends_with_its_mark(sentence: str, *, asks: bool) -> None:
    assert is_question(sentence) is asks


def test_question_about_what_is_not() -> None:
    assert negates("Who did not sign the contract?")
    assert not negates("Who signed the contract?")
