from __future__ import annotations

import pytest

from hopstop.program.answering import decide
from hopstop.program.reading import Reading
from hopstop.program.records import Decision, Passage

Texts = tuple[tuple[str, str], ...]

ACQUIRED = (("Alpha GmbH", "Alpha GmbH acquired Beta AG in 2019."),)
REPORTS = (("Ida Brook", "Ida Brook reports to Max Lund. Max Lund reports to Una Sands."),)
CALLS = (("Moor", "Moor calls Fen."), ("Fen", "Fen calls Bog."), ("Bog", "Bog is owned by the Birch team."))
BUDGETS = (("Budget", "The Alder team has a budget of 410,000 euros and the Birch team of 380,000 euros."),)
ATLAS = (("Atlas Pro", "Atlas Pro is owned by the Birch team."), ("Atlas", "Atlas was written in Rust."))
FAQ = (("FAQ", "Who approves leave of the Birch team? Ask your manager. Bo Kim approves travel."),)
LED = (
    ("Fen", "Fen is owned by the Birch team."),
    ("Birch team", "The Birch team was set up in May. Ada Roe leads it."),
)
PLACED = (
    ("Policy HB-1", "It was placed by the brokers Loxley & Dane with Acme."),
    ("Loxley & Dane", "Loxley & Dane is a broker based in Graz."),
)
ONE, TWO = ("Wiki", "The lead of the Birch team is Nadia Frey."), ("Notes", "The lead of the Birch team is Hugo Pell.")


def decided(question: str, texts: Texts) -> Decision:
    return decide(question, Reading(tuple(Passage(f"p{at}", text, title) for at, (title, text) in enumerate(texts))))


@pytest.mark.parametrize(
    ("question", "texts", "answer"),
    [
        ("Who acquired Beta AG?", ACQUIRED, "Alpha GmbH"),
        ("Who does Max Lund report to?", REPORTS, "Una Sands"),
        ("Who reports to Max Lund?", REPORTS, "Ida Brook"),
        ("Which team owns the service that Fen calls?", CALLS, "Birch"),
        ("What is the budget of the Birch team?", BUDGETS, "380,000 euros"),
        ("What is the budget of the Alder team?", BUDGETS, "410,000 euros"),
        ("Which team owns Atlas Pro?", ATLAS, "Birch"),
        ("Who approves travel?", FAQ, "Bo Kim"),
        ("Who is the lead of the Birch team?", (ONE,), "Nadia Frey"),
        (
            "Who founded Moor Line?",
            (("Moor Line", "It was founded in 1958 by Aksel Moor, once a pilot."),),
            "Aksel Moor",
        ),
        (
            "Who bought Fen?",
            (("Fen", "In 2017 it was bought by Acme Trust for 7 million euros."),),
            "Acme Trust",
        ),
        ("Who leads the team that owns Fen?", LED, "Ada Roe"),
        ("Where is the broker based that placed policy HB-1?", PLACED, "Graz"),
    ],
)
def test_answer_that_its_sentence_shows_is_given(question: str, texts: Texts, answer: str) -> None:
    found = decided(question, texts)
    assert (found.stop, found.draft) == (True, answer)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Who acquired Alpha GmbH?", ACQUIRED),
        ("Who did Beta AG acquire?", ACQUIRED),
        ("Who reports to Ida Brook?", REPORTS),
        ("Which team owns the service that Moor calls?", CALLS),
        ("Which team owns Atlas?", ATLAS),
        ("Who approves leave of the Birch team?", FAQ),
        ("Who is the lead of the Birch team?", (ONE, TWO)),
        ("Who is the manager of Bo Kim?", (("Bo Kim", "Bo Kim is the manager of Ann Lee."),)),
        ("Who is the manager of Bo Kim?", (("Bo Kim", "The manager of Ann Lee is Bo Kim."),)),
        ("Who reviewed CHG-881?", (("CHG-881", "CHG-881 was not reviewed by Ann Lee."),)),
        ("Who signed contract K-88?", (("K-88", "Ann Lee would have signed contract K-88 if she had not left."),)),
        (
            "Which team does the reviewer of CHG-881 belong to?",
            (("CHG-881", "CHG-881 was not reviewed by Ann Lee."), ("Ann Lee", "Ann Lee belongs to the Birch team.")),
        ),
        ("Where is the insurer based that placed policy HB-1?", (*PLACED[:1], ("Acme", "Acme is based in Zug."))),
        ("Which yard built the Fen?", (("Moor", "It was built by the Lorrimer yard, replacing the smaller Fen."),)),
        ("Who leads the team that owns Fen?", (LED[0], ("Birch", "Ada Roe leads Birch's sister Alder."))),
        (
            "Who maintains the service that Fen calls?",
            (("Fen", "Fen used to call Bog."), ("Bog", "Ada maintains Bog.")),
        ),
        ("When did Ada Roe receive the Hollis Medal?", (("Ben Oak", "Ben Oak received the Hollis Medal in 1979."),)),
        ("When did Moor buy Fen?", (("Fen", "Acme bought Fen from Moor in 2021."),)),
        ("What is the Fen Medal made of?", (("Ada", "Ada Roe won the Fen Medal. The medal is made of silver."),)),
        ("What was the budget of Fen?", (("Fen", "Moor makes two low-budget films a year, among them Fen."),)),
        (
            "Who started Fen?",
            (("Moor service", "Moor reads from Fen."), ("Fen", "It was forked from Bog, started by Ada.")),
        ),
        ("Who is the chief of Fen?", (("Fen", "Ada Roe is chief since May; she followed Ben Oak, who left."),)),
        (
            "What did Acme sell in 2015?",
            (("Moor", "Moor is a lamp made by Acme."), ("Acme", "In 2015 it sold its mill.")),
        ),
        ("How much did Acme pay for the Moor lamps?", (("Acme", "In 2021 it bought twelve Moor lamps for Fen."),)),
        ("How long is Section 12?", (("Section 12", "Section 12 is the 220-kilovolt section of the grid."),)),
        ("How long is Fen Bridge?", (("Fen Bridge", "Fen Bridge lies 2 kilometres downstream of Moor."),)),
        (
            "Were Moor and Fen built at the same yard?",
            (("Moor", "Moor was built at Acre Yard."), ("Fen", "Fen sank near Bog Yard.")),
        ),
        (
            "How many calls does the fen gate take?",
            (("Fen gate", "It replaced Bog, which was old and took 900 calls."),),
        ),
    ],
)
def test_answer_that_its_sentence_does_not_show_is_not_given(question: str, texts: Texts) -> None:
    assert not decided(question, texts).stop


def test_two_values_in_the_same_words_are_told() -> None:
    found = decided("Who is the lead of the Birch team?", (ONE, TWO))
    assert found.claims[-1].need == 'whether it is "Nadia Frey" or "Hugo Pell"'
    assert not found.claims[-1].quote


def test_longer_name_is_told() -> None:
    assert decided("Which team owns Atlas?", ATLAS).claims[-1].need == 'that it is said of "Atlas", not of "Atlas Pro"'
