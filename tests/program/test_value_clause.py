from __future__ import annotations

import pytest

from hopstop.program.question_form import question_form
from hopstop.program.value_clause import of_other_clause


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        (
            "What is the budget of the Birch team?",
            "The Alder team has a budget of 410,000 euros and the Birch team of 380,000 euros.",
            "410,000 euros",
        ),
        (
            "What is the budget of the Alder team?",
            "The Alder team has a budget of 410,000 euros and the Birch team of 380,000 euros.",
            "380,000 euros",
        ),
        (
            "How many units did line 3 produce in April 2024?",
            "Line 3 produced 410 units in March 2024 and 520 units in April 2024.",
            "410 units",
        ),
        (
            "When was release 4.2 shipped?",
            "Release 4.2 was planned for 3 March 2024 and was shipped on 19 April 2024.",
            "3 March 2024",
        ),
        ("When did Max Lund join?", "Ida Brook joined in 2019, and Max Lund joined in 2005.", "2019"),
        (
            "How long is the Birch bridge?",
            "The Alder bridge is 120 metres long, the Birch bridge 95 metres.",
            "120 metres",
        ),
        ("When did the Alder team move?", "The Birch team moved in 2019 while the Alder team moved in 2021.", "2019"),
        ("How many rooms has Plant B?", "Plant A has 12 rooms; Plant B has 15 rooms.", "12 rooms"),
        ("When did Max Lund retire?", "Max Lund joined in 2005 and retired in 2018.", "2005"),
        ("When was Press 7 repaired?", "Press 7 was bought in 2011 and repaired in 2015.", "2011"),
        ("How high is the fee of Plan B?", "The fee of Plan A is 10 euros, and that of Plan B 20 euros.", "10 euros"),
    ],
)
def test_value_of_another_clause_is_told(question: str, sentence: str, answer: str) -> None:
    assert of_other_clause(question, question_form(question).asks, sentence, answer)


@pytest.mark.parametrize(
    ("question", "sentence", "answer"),
    [
        (
            "What is the budget of the Birch team?",
            "The Alder team has a budget of 410,000 euros and the Birch team of 380,000 euros.",
            "380,000 euros",
        ),
        (
            "What is the budget of the Alder team?",
            "The Alder team has a budget of 410,000 euros and the Birch team of 380,000 euros.",
            "410,000 euros",
        ),
        (
            "How many units did line 3 produce in April 2024?",
            "Line 3 produced 410 units in March 2024 and 520 units in April 2024.",
            "520 units",
        ),
        (
            "How many units did line 3 produce in March 2024?",
            "Line 3 produced 410 units in March 2024 and 520 units in April 2024.",
            "410 units",
        ),
        (
            "When was release 4.2 shipped?",
            "Release 4.2 was planned for 3 March 2024 and was shipped on 19 April 2024.",
            "19 April 2024",
        ),
        ("When did Max Lund join?", "Ida Brook joined in 2019, and Max Lund joined in 2005.", "2005"),
        ("How long is the Birch bridge?", "The Birch bridge is 95 metres long and 12 metres wide.", "95 metres"),
        ("When did the Alder team move?", "The Birch team moved in 2019 while the Alder team moved in 2021.", "2021"),
        ("When did Max Lund join?", "Max Lund joined in 2005 and left in 2018.", "2005"),
        ("When was Ann Lee born?", "Ann Lee (4 May 1913 in Oslo, Norway – 28 June 1985) was a writer.", "4 May 1913"),
        ("How many rooms has Plant A?", "Plant A has 12 rooms.", "12 rooms"),
        ("Who leads the Birch team?", "Ann leads the Alder team and Bo the Birch team.", "Ann"),
    ],
)
def test_value_of_the_clause_asked_for_stands(question: str, sentence: str, answer: str) -> None:
    assert not of_other_clause(question, question_form(question).asks, sentence, answer)
