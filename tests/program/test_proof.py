from __future__ import annotations

from dataclasses import replace

import pytest

from hopstop.program.answer_weights import DEFAULT
from hopstop.program.answering import decide
from hopstop.program.asked_role import AskedRole
from hopstop.program.direction import not_named_with
from hopstop.program.proof import Quoted, doubt
from hopstop.program.question_form import question_form
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
INSURED, MUTUAL = (
    ("Fen", "Fen is insured by Moor Mutual."),
    ("Moor Mutual", "Moor Mutual is a club. It is based in Graz."),
)
STUDIO = "Moor Films is a studio in the city of Linz,"
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
        ("Who chairs the club that insures Fen?", (INSURED, ("Moor Mutual", "Ada Roe chairs Moor Mutual.")), "Ada Roe"),
        (
            "Where is the club based that insures Fen?",
            (INSURED, MUTUAL),
            "Graz",
        ),
        ("Who is the lead of the Birch team?", (("Birch team", "The lead is since March 2023 Ada Roe."),), "Ada Roe"),
        (
            "Who founded Moor Films?",
            (("Moor Films", f"{STUDIO} founded in 1968 by Otto Brand."),),
            "Otto Brand",
        ),
        (
            "Who leads Moor College?",
            (("Moor College", "It is old and is led since 2019 by Ada Roe."),),
            "Ada Roe",
        ),
        ("What is the annual premium of HB-1?", (("HB-1", "The annual premium is 41,000 crowns."),), "41,000 crowns"),
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
        ("Where was Acme founded?", (("Acme", "Acme was founded by Ada Roe."),)),
        ("Where was Acme founded?", (("Ada", "Ada Roe founded Acme."),)),
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


def test_what_is_made_of_something_is_not_who_won_it() -> None:
    question = "What is the Fen Medal made of?"
    won = Quoted("Ada Roe won the Fen Medal.", "Ada Roe", "Ada Roe won the Fen Medal.")
    assert doubt(question, question_form(question), won, "Ada Roe")


def test_way_that_speaks_of_every_word_asked_for_needs_less_to_be_sure() -> None:
    question, passage = (
        "How much does Fen cost a year?",
        Passage("p", "Fen, which we rent, comes to 84,000 euros a year in cost.", "Fen"),
    )
    strict, lenient = replace(DEFAULT, whole_sure=1.0), replace(DEFAULT, whole_sure=0.0, right_sure=1.0)
    assert not decide(question, Reading((passage,)), weights=strict).stop
    assert decide(question, Reading((passage,)), weights=lenient).stop
    other = Passage("p", "Fen comes to 84,000 euros.", "Fen")
    assert not decide(question, Reading((other,)), weights=lenient).stop


def test_value_of_a_sentence_about_others_belongs_to_none_that_it_does_not_name() -> None:
    received = AskedRole("receive", doer=True)
    assert not_named_with(received, "Ben Oak received the medal in 1979.", "Ada Roe")
    assert not not_named_with(received, "Ada Roe received the medal in 1979.", "Ada Roe")
    assert not not_named_with(received, "The medal was received in 1979.", "Ada Roe")
    assert not not_named_with(received, "Ben Oak lost the medal in 1979.", "Ada Roe")
