from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.answering import decide
from hopstop.program.lines import Lines, lines_of, ranked_lines
from hopstop.program.reading import Reading
from hopstop.program.records import Passage

QUESTION = "Who leads the team of the reviewer of the fix for incident 4471?"
PASSAGES = (
    Passage("fix", "The fix for incident 4471 shipped as CHG-8934.", "Closing note, incident 4471"),
    Passage("chg", "Ben Oak wrote CHG-8934. The reviewer of CHG-8934 was Ada Roe.", "Change CHG-8934"),
    Passage("roe", "Ada Roe is a member of the Harbour team. She joined in 2019.", "Ada Roe"),
    Passage("none", "Emil Fern leads the Harbour team. He knows Ada Roe."),
    Passage("team", "The Harbour team looks after CHG-8934.", "Harbour team"),
    Passage("empty", "", "Ben Oak"),
)


def what_is_known(lines: Lines) -> object:
    named = lines.named
    places = range(len(lines.all))
    linked = [(list(found[0]), list(found[1])) for found in map(named.linked, places)]
    leads = list(map(named.leads, places))
    shared = {name: named.shared(name) for found in leads for name in found}
    return lines.all, lines.weights, leads, shared, named.passages, linked, ranked_lines(lines, 4)


@settings(deadline=None)
@given(st.permutations(PASSAGES), st.lists(st.integers(0, len(PASSAGES)), max_size=4))
def test_lines_read_in_rounds_are_those_read_at_once(passages: list[Passage], sizes: list[int]) -> None:
    grown = None
    for size in sorted(sizes):
        grown = lines_of(QUESTION, Reading(tuple(passages[:size])), grown)
        ranked_lines(grown, 2)
    reading = Reading(tuple(passages))
    assert what_is_known(lines_of(QUESTION, reading, grown)) == what_is_known(lines_of(QUESTION, reading))
    assert decide(QUESTION, reading, lines=grown) == decide(QUESTION, reading)


def test_lines_start_again_where_a_passage_is_no_longer_read() -> None:
    before = lines_of(QUESTION, Reading(PASSAGES[:3]))
    lines = lines_of(QUESTION, Reading(PASSAGES[1:4]), before)
    assert [line.passage.id for line in lines.all if line.number == 0] == ["chg", "roe", "none"]


def test_word_that_few_passages_hold_weighs_more() -> None:
    weights = lines_of(QUESTION, Reading(PASSAGES)).weights
    assert weights["leads"] > weights["team"] > 0


def test_name_is_shared_by_the_lines_of_several_passages_that_hold_it_as_a_name() -> None:
    named = lines_of(QUESTION, Reading(PASSAGES)).named
    assert named.shared("harbour") == [3, 5, 7]
    assert named.shared("emil fern") == []


def test_name_is_found_however_its_marks_are_written() -> None:
    read = Reading((Passage("a", "He met Jean–Luc O‘Hara."), Passage("b", "Then Jean-Luc O'Hara left.")))
    assert lines_of(QUESTION, read).named.shared("jean-luc o'hara") == [0, 1]
