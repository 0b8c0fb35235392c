from __future__ import annotations

from hopstop.program.policy import State
from hopstop.program.precheck import precheck
from hopstop.program.reading import Reading
from hopstop.program.records import Passage

OLDER = "Who was born first, Ada Roe or Ben Low?"
ADA = Passage("ada", "Ada Roe (born 5 May 1901 in Graz) was a poet.", "Ada Roe")
BEN = Passage("ben", "Ben Low (born 7 June 1903) was a painter.", "Ben Low")


def test_what_code_can_compare_is_decided() -> None:
    found = precheck(State(OLDER, Reading((ADA, BEN))))
    assert found is not None
    assert (found.stop, found.draft) == (True, "Ada Roe")


def test_what_is_not_shown_on_both_sides_is_left_to_the_model() -> None:
    assert precheck(State(OLDER, Reading((ADA,)))) is None


def test_what_is_only_likely_is_left_to_the_model() -> None:
    assert precheck(State("Which poem made Ada Roe known?", Reading((ADA, BEN)))) is None
