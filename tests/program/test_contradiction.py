from __future__ import annotations

import pytest

from hopstop.program.contradiction import contradicting
from hopstop.program.profile import stems

LEAD = stems("Who is the lead of the Birch team?")


@pytest.mark.parametrize(
    ("sentence", "answer", "other", "rival"),
    [
        (
            "The lead of the Birch team is Nadia Frey.",
            "Nadia Frey",
            "The lead of the Birch team is Hugo Pell.",
            "Hugo Pell",
        ),
        ("Birch team lead: Nadia Frey.", "Nadia Frey", "Birch team lead: Hugo Pell", "Hugo Pell"),
        ("The Birch team is led by Ann from Graz.", "Ann", "The Birch team is led by Bo from Graz.", "Bo"),
        ("The lead of the  Birch team is Ann.", "Ann", "The lead of the Birch team is Bo.", "Bo"),
        ("The Birch team's lead joined in 2019.", "2019", "The Birch team's lead joined in 2021.", "2021"),
    ],
)
def test_same_words_with_another_value_contradict(sentence: str, answer: str, other: str, rival: str) -> None:
    assert contradicting(sentence, answer, [sentence, other], LEAD) == rival


@pytest.mark.parametrize(
    ("sentence", "answer", "other"),
    [
        ("The lead of the Birch team is Ann.", "Ann", "The lead of the Alder team is Bo."),
        ("The lead of the Birch team is Ann.", "Ann", "The lead of the Birch team is Ann."),
        ("The lead of the Birch team is Ann.", "Ann", "The lead of the Birch team is Ann Lee."),
        (
            "The lead of the Birch team is Ann.",
            "Ann",
            "The lead of the Birch team is often away in the spring and autumn.",
        ),
        ("Ann leads the Birch team.", "Ann", "Bo leads the Birch team."),
        ("Ann Lee is in the Birch team.", "Ann Lee", "Bo Kim is in the Birch team."),
        ("The lead is Ann.", "Ann", "The lead is Bo."),
        ("The lead of the Birch team is Ann.", "Bo", "The lead of the Birch team is Bo."),
    ],
)
def test_other_statements_do_not_contradict(sentence: str, answer: str, other: str) -> None:
    assert not contradicting(sentence, answer, [sentence, other], LEAD)
