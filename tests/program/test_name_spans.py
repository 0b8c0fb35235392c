from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.name_spans import spelled_spans
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.unit_table import read_units
from hopstop.program.units import MAX_NAME, Unit, glued, mark_named, run_end, unit_of, upper_share

words = st.sampled_from(
    ["Ada", "ada", "Roe", "J", "mill", "of", "the", "van", "1st", "22nd", "1931", "x", "Ünal", "東京", "Мост", "ROE"]
)
gaps = st.sampled_from([" ", " ", " ", "-", "'", ". ", ", ", " (", "&"])
texts = st.lists(st.tuples(words, gaps), min_size=1, max_size=14).map(lambda pairs: "".join(map("".join, pairs)) + ".")
corpora = st.lists(texts, min_size=1, max_size=4).map(
    lambda texts: [Passage(str(number), text, "Title Of It") for number, text in enumerate(texts)]
)


def joined(unit: Unit, end: int) -> int:
    """Where a name goes on after one or two short lower-case words; -1 if it does not."""
    place = end
    while place < len(unit.forms) and place - end < 2 and glued(unit.gaps[place]):
        word = unit.forms[place].word
        if len(word) > 3 or not word.islower():
            break
        place += 1
    goes_on = end < place < len(unit.forms) and unit.looks_named[place] and glued(unit.gaps[place])
    return place if goes_on else -1


def word_by_word(unit: Unit) -> set[tuple[int, int]]:
    found, named, place = set(), unit.looks_named, 0
    while True in named[place:]:
        start = part = named.index(True, place)
        while part >= 0:
            place = run_end(unit, part)
            found |= {(part, place), (start, place)}
            part = joined(unit, place)
    return {(start, end) for start, end in found if end - start <= MAX_NAME}


@given(corpora)
@settings(max_examples=200, deadline=None)
def test_names_of_a_corpus_are_those_found_word_by_word(passages: list[Passage]) -> None:
    table = read_units(passages)
    found = [
        (int(unit), int(start) - int(table.start[unit]), int(start) + int(size) - int(table.start[unit]))
        for unit, start, size in zip(*spelled_spans(table), strict=True)
    ]
    assert len(found) == len(set(found))
    texts = [[item.text[start:end] for start, end in sentence_spans(item.text)] for item in passages]
    units = [[unit_of(text) for text in part] for part in texts]
    share = upper_share(unit for part in units for unit in part)
    expected = set()
    for passage, part in enumerate(units):
        for number, unit in enumerate(part, start=int(table.unit_start[passage]) + 1):
            mark_named(unit, share)
            expected |= {(number, start, end) for start, end in word_by_word(unit)}
    assert set(found) == expected
