from __future__ import annotations

import pytest

from hopstop.program.spoken_of import holds, is_of


@pytest.mark.parametrize("text", ["Fen's sister", "Fen’s logo", "Fen dashboards", "Fen North", "Fen-v2"])
def test_what_belongs_to_a_name_is_not_it(text: str) -> None:
    assert is_of(text, "Fen")


@pytest.mark.parametrize(
    "text", ["Fen.", "Fen today", "Fen team", "Fen and Moor", "Fen quickly", "Fen's sister and Fen.", "Moor"]
)
def test_a_name_that_stands_for_itself_is(text: str) -> None:
    assert not is_of(text, "Fen")


def test_most_words_of_a_name_hold_it() -> None:
    assert holds("the data centre in Graz", "Graz data centre")
    assert not holds("Service Fen", "Service Moor")
