import pytest

from hopstop.program.life import read_life
from hopstop.program.own_sentences import own_sentences
from hopstop.program.profile import profile
from hopstop.program.records import Passage


def born_in(title: str, text: str) -> str | None:
    shown = profile(Passage("p", text, title=title)).life.born_in
    return shown.text if shown else None


@pytest.mark.parametrize(
    "text",
    [
        "Vera Lund works with Carl Stern in the Oslo office. Stern was born in Linz.",
        "Vera Lund is the sister of Max Lund. He was born in Linz.",
        "Vera Lund was the wife of Carl Stern. He was born in Linz.",
        "Vera Lund joined in 2019. Her predecessor Carl Stern was born in Linz.",
        "Vera Lund leads the Oslo office. Carl Stern was born in Linz.",
        "Vera Lund is a daughter of Carl Stern. His father was a smith; Carl Stern was born in Linz.",
    ],
)
def test_a_sentence_about_another_is_not_credited_to_the_title(text: str) -> None:
    assert born_in("Vera Lund", text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Vera Lund is a smith. She was born in Linz.",
        "Vera Lund is the sister of Max Lund. She was born in Linz.",
        "Vera Lund works with Carl Stern. Lund was born in Linz.",
        "Vera Lund works with Carl Stern. Born in Linz, she came to Oslo in 2019.",
        "Vera Lund works with Carl Stern. Her health began to fail. She was born in Linz.",
        "Vera Lund works with Carl Stern. After school in Graz she came to Oslo. She was born in Linz.",
        "Vera Lund was born in Linz.",
    ],
)
def test_a_sentence_about_the_title_is(text: str) -> None:
    assert born_in("Vera Lund", text) == "Linz"


def test_without_a_title_every_sentence_counts() -> None:
    sentences = ["Vera Lund is the sister of Max Lund.", "He was born in Linz."]
    assert own_sentences("", sentences) == sentences
    assert read_life(own_sentences("", sentences)).born_in is not None
