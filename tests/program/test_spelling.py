from __future__ import annotations

import pytest

from hopstop.program.composition import not_read
from hopstop.program.judge import judge
from hopstop.program.nations import countries
from hopstop.program.numerals import numerals
from hopstop.program.quotes import speaks_of
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Limits, Passage

SAME = [
    ("third", "They came 3rd."),
    ("3rd", "They came third."),
    ("World War 2", "It sank in World War II."),
    ("World War II", "It sank in World War 2."),
    ("Henry VIII", "King Henry the Eighth wed again."),
    ("Louis 14", "Louis XIV built it."),
    ("5 kilometres", "The tunnel is 5 km long."),
    ("5 km", "The tunnel is 5 kilometres long."),
    ("1,200 dollars", "It cost $1,200."),
    ("48 percent", "Of them 48% agreed."),
    ("70 euros", "The fee is EUR 70."),
    ("12 feet", "It is 12 ft deep."),
    ("India", "She is an Indian actor."),
    ("American", "She was born in the United States."),
    ("USA", "an American boxer"),
    ("Scottish", "He comes from Scotland."),
    ("Sao Tome", "They sailed to São Tomé."),
    ("Lech Malysa", "Lech Małysa won."),
    ("actor", "Both were actors."),
    ("north", "It lies in the northern part."),
]
OTHER = [
    ("third", "They came 2nd."),
    ("World War 2", "It sank in the Boer War."),
    ("Henry VIII", "King Henry VII wed again."),
    ("Louis XIV", "Louis XV built it."),
    ("5 miles", "The tunnel is 7 km long."),
    ("1,200 dollars", "It cost $1,300."),
    ("48 percent", "Of them 84% agreed."),
    ("70 euros", "The fee is EUR 170."),
    ("India", "She is an Iranian actor."),
    ("Scottish", "He comes from England."),
    ("West Germany", "It was built in East Germany."),
    ("North Korea", "a South Korean boxer"),
    ("Sao Tome", "They sailed to Santo Domingo."),
    ("Lech Malysa", "Lech Walewski won."),
    ("actor", "Both were singers."),
    ("north", "It lies in the southern part."),
    ("film", "He wrote a play."),
    ("Karin Holm", "Karim Holm signed."),
    ("2 km", "The tunnel is 5 km long, and 3 m wide."),
    ("XII", "Chapter XIII is lost."),
]


def accepted(draft: str, text: str) -> bool:
    passage = Passage("p", text, "Note")
    decision = Decision(stop=True, claims=(Claim("what the note says", quote=text),), draft=draft)
    return judge("What does it say?", decision, (), Reading((passage,)), Limits()).accepted


def test_answer_in_another_spelling_is_accepted_and_another_answer_is_not() -> None:
    assert [len(SAME), len(OTHER)] == [20, 20]
    assert [case for case in SAME if not accepted(*case)] == []
    assert [case for case in OTHER if accepted(*case)] == []


@pytest.mark.parametrize("case", SAME[:2] + SAME[2:8], ids=str)
def test_names_and_numbers_in_another_spelling_are_read(case: tuple[str, str]) -> None:
    assert not_read(case[0], [case[1]]) == []


@pytest.mark.parametrize(
    ("need", "title", "quote"),
    [
        ("who played in it", "Note", "Its player was Mara Lind."),
        ("when he died", "Note", "He was ill and would die in May."),
        ("what an American earns", "Income in the United States", "It was 300 in 2016."),
        ("performer of What Is It", "What Is It", "The song is by Mara Lind."),
        ("area of Rio Verde", "Río Verde", "It covers 30 hectares."),
    ],
)
def test_quote_speaks_of_its_fact_in_other_forms(need: str, title: str, quote: str) -> None:
    assert speaks_of(f"{title} {quote}", need, title)


@pytest.mark.parametrize(
    ("need", "title", "quote"),
    [
        ("who reviewed it", "Note", "Lunch is at noon."),
        ("what a Scottish miner earned", "Income in England", "It was 300 in 1916."),
        ("performer of What Is It", "What It Is", "The song is by Mara Lind."),
    ],
)
def test_quote_of_something_else_does_not(need: str, title: str, quote: str) -> None:
    assert not speaks_of(f"{title} {quote}", need, title)


def test_numerals_say_where_they_stand() -> None:
    text = "Pope Pius XII gave $5 on the 2nd."
    assert {text[start:end] for (start, end), _ in numerals(text)} == {"XII", "$", "2nd"}
    assert [name for name, *_ in countries("an English and a West German film")] == ["England", "Germany"]
