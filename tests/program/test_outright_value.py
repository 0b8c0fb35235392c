from __future__ import annotations

import pytest

from hopstop.program.asked_value import asked_value
from hopstop.program.bm25 import BM25Index
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.outright_value import outright_value, says_behind
from hopstop.program.question_form import question_form
from hopstop.program.records import Passage


def said(question: str, sentence: str, answer: str, entry: str = "") -> bool:
    return outright_value(asked_value(question), question_form(question).asks, sentence, entry, answer)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("When was Moor founded?", "Moor was founded by Ada Roe in 1961.", "1961"),
        ("When was Moor founded?", "Moor, founded in 1961, sells boats.", "1961"),
        ("When did the Fen office open?", "The Fen office opened in 2016 and has 95 desks.", "2016"),
        ("When did the Fen office open?", "In March 2016 the Fen office opened.", "March 2016"),
        ("When did Moor buy Fen?", "Moor bought Fen in 2010.", "2010"),
        ("When did Moor buy Fen?", "In 2010 Moor bought Fen, and sold it later.", "2010"),
        ("Where is Moor based?", "Moor is a small company based in Graz.", "Graz"),
        ("Where was Ada Roe born?", "Ada Roe was born in 1968 in the fishing town of Brenn and left early.", "Brenn"),
        ("Where does Fen Hall stand?", "Fen Hall stands on Carrow Hill, 19 kilometres north.", "Carrow Hill"),
        ("How many seats does Fen Hall have?", "Fen Hall has about 620 seats.", "620"),
        ("How many scores does Moor own?", "Moor owns 52 old scores, most of them rare.", "52"),
        ("How much did Fen Hall cost?", "Fen Hall cost 3 million euros.", "3 million euros"),
        ("What language is Moor written in?", "Moor is written in Go and runs in Graz.", "Go"),
    ],
)
def test_thing_verb_and_value_in_a_row_are_outright(question: str, sentence: str, answer: str) -> None:
    assert said(question, sentence, answer)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        ("When was Moor founded?", "Moor was sold in 1961.", "1961"),
        ("When was Moor founded?", "Moor founded Fen in 1961.", "1961"),
        ("When did Acme open?", "Acme opened the Fen office in 2016.", "2016"),
        ("When did Acme open?", "In 2016 Acme opened the Fen office.", "2016"),
        ("When did Moor buy Fen?", "In 2010 Moor bought Bog.", "2010"),
        ("When did Moor buy Fen?", "Fen was part of Moor in 2010.", "2010"),
        ("When did the Fen office open?", "The Fen office opened between 2014 and 2016.", "2016"),
        ("When did the Fen office open?", "The Fen office opened in 2014 and again in 2016.", "2014"),
        ("When was Moor founded?", "Moor was once founded in 1961.", "1961"),
        ("Where is Moor based?", "Moor is based in Graz and Linz.", "Graz"),
        ("Where is Moor based?", "Fen, a supplier of Moor, is based in Graz.", "Graz"),
        ("Where is Moor based?", "Moor is a supplier of Fen based in Graz.", "Graz"),
        ("How many seats does Fen Hall have?", "Fen Hall has 620 windows.", "620"),
        ("How many seats does Fen Hall have?", "Fen Hall has up to 620 seats.", "620"),
        ("What language is Moor written in?", "Moor was written for Fen.", "Fen"),
        ("Why was Moor founded?", "Moor was founded in 1961.", "1961"),
    ],
)
def test_other_verb_other_thing_or_several_values_are_not(question: str, sentence: str, answer: str) -> None:
    assert not said(question, sentence, answer)


def test_long_sentences_are_not_plain() -> None:
    assert not said("When was Moor founded?", f"Moor was founded in 1961. {'Fen ' * 250}", "1961")


def test_of_a_thing_described_the_name_that_leads_there_is_meant() -> None:
    question = "When was the company that built Fen founded?"
    assert said(question, "Moor was founded in 1961.", "1961", "moor")
    assert not said(question, "Moor was founded in 1961.", "1961", "acme")
    assert not said(question, "Moor was founded in 1961.", "1961")
    assert not said("When was Moor founded?", "Moor was founded in 1961.", "1961", "moor")


def test_what_is_asked_for_behind_a_preposition_stands_there() -> None:
    ways = asked_value("What is Fen made of?")
    assert says_behind(ways, "Fen is made of silver.", "silver")
    assert not says_behind(ways, "Ada Roe won Fen, which is made of silver.", "Ada Roe")
    assert says_behind((), "Ada Roe won Fen.", "Ada Roe")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("When was Moor founded?", "1961"),
        ("Where is Moor based?", "Graz"),
        ("When was the company that built Fen Hall founded?", "1961"),
        ("Where is the company based that built Fen Hall?", "Graz"),
        ("When did Fen Hall open?", "2016"),
        ("When was Acme founded?", None),
        ("Where is Acme based?", None),
    ],
)
def test_values_of_prose_are_answered_and_those_of_a_neighbour_are_not(question: str, answer: str | None) -> None:
    index = BM25Index.build(
        [
            Passage("moor", "Moor is a builder based in Graz. It was founded in 1961 by Ada Roe.", "Moor"),
            Passage("hall", "Fen Hall was built by Moor. The hall opened in 2016.", "Fen Hall"),
            Passage("acme", "Acme sells boats. Its parent company, Brandt Holding, is based in Zug.", "Acme"),
            Passage("more", "Acme replaced Old Acre, which was founded in 1950.", "Acme and Acre"),
        ]
    )
    policy = OfflinePolicy(index)
    assert IterativeQA(index, policy, policy.limits)(question).answer == answer
