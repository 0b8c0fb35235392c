from __future__ import annotations

import pytest

from hopstop.program.asked_role import asked_role, described_role
from hopstop.program.direction import against_direction, against_other, named_other, names_another
from hopstop.program.verb_places import says_verb


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Who acquired Beta AG?", "Alpha GmbH acquired Beta AG in 2019.", "Alpha GmbH"),
        ("Who acquired Beta AG?", "Beta AG was acquired by Alpha GmbH in 2019.", "Alpha GmbH"),
        ("Who acquired Beta AG?", "In 2019, Beta AG was acquired in cash by Alpha GmbH.", "Alpha GmbH"),
        ("Who did Alpha GmbH acquire?", "Alpha GmbH acquired Beta AG.", "Beta AG"),
        ("Who did Alpha GmbH acquire?", "Alpha GmbH has since acquired Beta AG and Gamma KG.", "Gamma KG"),
        ("Which company was acquired by Alpha GmbH?", "Alpha GmbH acquired Beta AG.", "Beta AG"),
        ("Who was Beta AG acquired by?", "Beta AG was acquired by Alpha GmbH.", "Alpha GmbH"),
        ("By whom was Beta AG acquired?", "Alpha GmbH acquired Beta AG.", "Alpha GmbH"),
        ("Who does Ida Brook report to?", "Ida Brook reports directly to Max Lund.", "Max Lund"),
        ("To whom does Ida Brook report?", "Ida Brook reports to Max Lund.", "Max Lund"),
        ("Who reports to Max Lund?", "Ida Brook, head of the Birch team, reports to Max Lund.", "Ida Brook"),
        ("Who reports to Max Lund?", "Ida Brook of the Birch team and Ola Stern report to Max Lund.", "Ida Brook"),
        ("Which service does Service Moor call?", "Service Moor calls Service Fen.", "Service Fen"),
        ("Who reviewed CHG-1?", "Ann Oak wrote CHG-1 and Bo Elm reviewed it.", "Bo Elm"),
        ("Who wrote CHG-1?", "CHG-1 was written by Ann Oak and reviewed by Bo Elm.", "Ann Oak"),
        (
            "Who directed Blue Moon?",
            "Blue Moon is a 1950 film directed by the late Jane Roe and starring Ann Lee.",
            "Jane Roe",
        ),
        ("Who directed Blue Moon?", "Jane Roe (born 1950) is a director who directed Blue Moon.", "Jane Roe"),
        ("Who founded Acme?", "Acme was founded in 1990 by the brothers Jan and Piet Vos.", "Jan"),
        ("Who founded Acme?", "Jan Vos founded Acme in 1990 with Piet Vos.", "Jan Vos"),
        ("Who painted the Red Room?", "The Red Room, painted by Jan Vos in 1890, hangs in Oslo.", "Jan Vos"),
        ("Who leads the Birch team?", "The Birch team is led by Ada Roe.", "Ada Roe"),
        ("Which team owns Atlas?", "The Birch team owns Atlas.", "Birch"),
        ("Which team owns Atlas?", "Atlas is owned by the Birch team.", "Birch"),
        ("What did Ferry replace?", "Ferry replaced Oldgate.", "Oldgate"),
        ("Which company supplies the pumps?", "The pumps are supplied by Hexal.", "Hexal"),
        ("Who hired Ann Lee?", "After leaving Acme, Bo Kim hired Ann Lee.", "Bo Kim"),
        ("Who hired Ann Lee?", "Bo Kim, who studied in Oslo, hired Ann Lee.", "Bo Kim"),
        ("Which band recorded Blue Sky?", "Blue Sky is a song recorded by the English band The Oaks.", "The Oaks"),
        ("Who sold Beta AG to Alpha GmbH?", "Gamma KG sold Beta AG to Alpha GmbH.", "Gamma KG"),
        ("Which film stars Ann Lee?", "Blue Moon is a film starring Ann Lee.", "Blue Moon"),
        ("Who coached the Bears?", "The Bears were coached by Al Fox in his first season.", "Al Fox"),
        ("Who taught Bo Kim?", "Bo Kim was a pupil of Cy Dunn, who taught him chess.", "Cy Dunn"),
        ("Who checked Fen?", "Fen was checked and approved by Ann Lee.", "Ann Lee"),
        ("Who chaired the review of Fen?", "The review was chaired by Ann Lee.", "Ann Lee"),
        ("Who reviewed the fix of incident 4471?", "The fix of incident 4471 was reviewed by Ann Lee.", "Ann Lee"),
        ("Who reviewed the fix of incident 4471?", "Ann Lee reviewed the fix of incident 4471.", "Ann Lee"),
        ("Who reviewed CHG-818?", "Written by Bo Kim, reviewed by Ann Lee.", "Ann Lee"),
        ("Who sells Fen?", "Fen was made by Bo Kim in 1997 and is sold by Ann Lee.", "Ann Lee"),
        ("Who runs Fen?", "Fen is run by Ann Lee.", "Ann Lee"),
        ("Who broke Fen?", "Fen was broken by Ann Lee.", "Ann Lee"),
        ("Who owns Fen?", "Ann Lee owns Fen alone.", "Ann Lee"),
        ("Who owns Fen?", "Ann Lee owns the service Fen.", "Ann Lee"),
        ("Who owns Fen?", "Fen is a 2019 service owned by Ann Lee.", "Ann Lee"),
        ("Who heads the Department of Water?", "The Department of Water is headed by Ada Roe.", "Ada Roe"),
        ("Who replaced Ben Oak?", "The drummer Ben Oak left in 2010 and was replaced by Ada Roe.", "Ada Roe"),
        ("Which hall houses the Fen Museum?", "The Fen Museum is housed in Moor Hall.", "Moor Hall"),
        ("Who maintains Fen Bridge?", "It was built by Acme and is maintained by Moor.", "Moor"),
        ("Who chairs the board of Moor?", "Ada Roe chairs the board.", "Ada Roe"),
        ("Who leads the Fen team?", "The Fen team is led by Ada Roe.", "Ada Roe"),
    ],
)
def test_answer_on_the_side_asked_for_stands(question: str, sentence: str, answer: str) -> None:
    asked = asked_role(question)
    assert asked is not None
    assert not against_direction(asked, sentence, answer)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("Who acquired Alpha GmbH?", "Alpha GmbH acquired Beta AG in 2019.", "Beta AG"),
        ("Who wrote Fen?", "Ann Lee wrote the tests of Fen.", "Ann Lee"),
        ("Who wrote Fen?", "Moor was written by Ann Lee.", "Ann Lee"),
        ("Who did Bo Kim succeed?", "Ann Lee succeeded Bo Kim.", "Ann Lee"),
        ("Who wrote Fen?", "Ann Lee wrote about Fen.", "Ann Lee"),
        ("Who wrote Fen?", "Ann Lee wrote that Fen is slow.", "Ann Lee"),
        ("Who found Fen?", "Ann Lee found a leak below Fen.", "Ann Lee"),
        ("Who drew Fen?", "Ann Lee drew the cartoon.", "Ann Lee"),
        ("Who owns Fen?", "Ann Lee owns Fen's sister.", "Ann Lee"),
        ("Who owns Fen?", "Ann Lee owns Fen dashboards.", "Ann Lee"),
        ("Who owns Fen?", "Ann Lee's brother owns Fen.", "Ann Lee"),
        ("Who owns Fen?", "Fen is owned by the brother of Ann Lee.", "Ann Lee"),
        ("Who owns Fen?", "Fen's sister is owned by Ann Lee.", "Ann Lee"),
        ("Who owns Fen?", "The logo for Fen is owned by Ann Lee.", "Ann Lee"),
        ("Who owns Fen?", "Fen calls Moor, which is owned by Ann Lee.", "Ann Lee"),
        ("Who left Fen?", "Ann Lee left Moor in 2011 for Fen.", "Ann Lee"),
        ("Who leads Fen?", "Ann Lee knows who leads Fen.", "Ann Lee"),
        ("Who leads Fen?", "The woman who hired Ann Lee leads Fen.", "Ann Lee"),
        ("Who sent Fen?", "Fen was sent to Oslo and read aloud by Ann Lee.", "Ann Lee"),
        ("Who acquired Alpha GmbH?", "Beta AG was acquired by Alpha GmbH.", "Beta AG"),
        ("Who did Beta AG acquire?", "Alpha GmbH acquired Beta AG.", "Alpha GmbH"),
        ("Which company was acquired by Beta AG?", "Alpha GmbH acquired Beta AG.", "Alpha GmbH"),
        ("Who does Max Lund report to?", "Ida Brook reports to Max Lund.", "Ida Brook"),
        ("Who reports to Ida Brook?", "Max Lund reports to Una Sands.", "Max Lund"),
        ("Who reports to Ida Brook?", "Ida Brook reports to Max Lund.", "Max Lund"),
        ("Which service calls Service Moor?", "Service Moor calls Service Fen.", "Service Fen"),
        ("Which service does Service Fen call?", "Service Moor calls Service Fen.", "Service Moor"),
        ("Who reviewed CHG-1?", "Ann Oak wrote CHG-1 and Bo Elm reviewed it.", "Ann Oak"),
        ("Who wrote CHG-1?", "CHG-1 was written by Ann Oak and reviewed by Bo Elm.", "Bo Elm"),
        ("Who reviewed CHG-1?", "CHG-1 was written by Ann Oak and reviewed by Bo Elm.", "Ann Oak"),
        ("Who directed Blue Moon?", "Blue Moon is a 1950 film directed by Jane Roe and starring Ann Lee.", "Ann Lee"),
        ("Who painted the Red Room?", "The Red Room, painted by Jan Vos in 1890, hangs in Oslo.", "Oslo"),
        ("Who leads the Birch team?", "Ada Roe leads the Birch team from Oslo.", "Oslo"),
        ("What replaced Oldgate?", "It was written in Go and replaced Oldgate in March 2022.", "Go"),
        ("Who hired Ann Lee?", "Ann Lee was hired by Bo Kim after Cy Dunn had left.", "Cy Dunn"),
        ("Who hired Ann Lee?", "On the advice of Cy Dunn, Bo Kim hired Ann Lee.", "Cy Dunn"),
        ("Who owns the service that Moor calls?", "The Birch team owns Moor.", "Birch"),
        ("Who sold Beta AG to Alpha GmbH?", "Gamma KG sold Beta AG to Alpha GmbH.", "Alpha GmbH"),
        ("Who leads the Edge team?", "The Birch team is led by Ada Roe, who left the Edge team.", "Ada Roe"),
        ("Who made Fen Vale?", "Its sequel, Fen Peak, was made by Ada Roe.", "Ada Roe"),
        ("Who owns Fen?", "Moor calls Fen and is owned by Ada Roe.", "Ada Roe"),
        ("Who hired Ada Roe?", "Ben Oak hired Cy Poe, whom Ada Roe had met.", "Ben Oak"),
        ("Who filled the cracks of Fen Hall?", "Ada Roe filled the books of Fen Hall.", "Ada Roe"),
    ],
)
def test_answer_on_the_wrong_side_is_told(question: str, sentence: str, answer: str) -> None:
    asked = asked_role(question)
    assert asked is not None
    assert against_direction(asked, sentence, answer)


@pytest.mark.parametrize(
    "question",
    ["Who married Ann Lee?", "Which country borders Peru?", "Who is the manager of Ann Lee?", "When did Ann Lee join?"],
)
def test_what_goes_both_ways_or_asks_of_no_verb_has_no_direction(question: str) -> None:
    assert asked_role(question) is None


def test_sentence_that_does_not_say_the_verb_is_not_judged() -> None:
    asked = asked_role("Who wrote CHG-1?")
    assert asked is not None
    assert not against_direction(asked, "The author of CHG-1 is Ann Oak.", "Ann Oak")
    assert not says_verb(asked, "The author of CHG-1 is Ann Oak.")


def test_a_title_is_taken_for_the_subject() -> None:
    asked = asked_role("Who wrote CHG-1?")
    assert asked is not None
    assert against_direction(asked, "It was written in May.", "Ann Oak")
    assert not against_direction(asked, "She wrote it in May.", "Ann Oak")


@pytest.mark.parametrize(
    ("sentence", "wrong_way", "another"),
    [
        ("Moor calls Fen.", False, False),
        ("It calls Fen.", False, False),
        ("Fen is called by Moor.", False, False),
        ("Fen calls Moor.", True, True),
        ("Fen calls Bog.", False, True),
        ("Fen is owned by Birch.", False, False),
    ],
)
def test_description_must_be_said_of_the_one_it_names(sentence: str, *, wrong_way: bool, another: bool) -> None:
    described = described_role("Which team owns the service that Moor calls?")
    assert described is not None
    assert (against_other(described, sentence), names_another(described, sentence)) == (wrong_way, another)


@pytest.mark.parametrize(
    ("sentence", "other"),
    [("The Birch team owns Fen.", "Fen"), ("Fen is owned by the Birch team.", "Fen"), ("Birch owns it.", "")],
)
def test_name_in_the_place_of_the_other_one(sentence: str, other: str) -> None:
    asked = asked_role("Which team owns the service that Moor calls?")
    assert asked is not None
    assert named_other(asked, sentence, "Birch") == other


def test_clause_in_the_middle_of_a_question_is_no_description_at_its_end() -> None:
    assert described_role("Which team does the person who looks after Moor work in?") is None
