from __future__ import annotations

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.links import build_links
from hopstop.program.records import Passage
from hopstop.program.units import LONG_HAN, terms_of, unit_of
from hopstop.program.untitled import MAX_HAN, repeated_han, subject

LOWER = dict.fromkeys(terms_of("the a in le die he this note yesterday incidents"), 0.0)


@pytest.mark.parametrize(
    ("sentence", "name"),
    [
        ("Tarn Voss was a pupil of Ilse Brandt.", "Tarn Voss"),
        ("The Orla Mill was built in 1802.", "Orla Mill"),
        ("Battle of the Orla was fought near Quelm.", "Battle of the Orla"),
        ("J. R. Hale (1870–1944) painted.", "J. R. Hale"),
        ("Jörg Käuffel stammt aus Überlingen.", "Jörg Käuffel"),
        ("Die Nordhalle entwarf Jörg Käuffel.", "Nordhalle"),
        ("Éloïse de Aubray a grandi à Lormont.", "Éloïse de Aubray"),
        ("Илья Громов вырос в Липовке.", "Илья Громов"),
        ("田中健二は長崎の出身だ。", "田中健二"),
        ("In a note of 1931 Tarn Voss is named.", ""),
        ("He left Quelm.", ""),
        ("Incidents of Quelm are rare.", ""),
        ("restarted payment-gw at noon", ""),
        ("Closing Note", ""),
        ("", ""),
    ],
)
def test_text_is_about_the_name_that_it_begins_with(sentence: str, name: str) -> None:
    assert subject(unit_of(sentence), LOWER).text == name


def test_passage_without_a_title_is_reached_as_if_its_subject_were_one() -> None:
    passages = [
        Passage("1", "The mill was built by Tarn Voss."),
        Passage("2", "Tarn Voss was a pupil of Ilse Brandt. He rowed on the river and the lake."),
        Passage("3", "on the lake nothing was built"),
        Passage("4", "Yesterday the lake froze.", "Lake"),
    ]
    index = build_links(passages)
    assert [index.names[name] if name >= 0 else "" for name in index.titled] == ["", "tarn voss", "", "lake"]


def han_runs(texts: list[str]) -> list[tuple[str, int]]:
    return [(run, at) for at, text in enumerate(texts) for run in LONG_HAN.findall(text)]


def test_han_names_are_the_longest_runs_that_passages_share() -> None:
    texts = ["青木桥由林健平设计。", "林健平出生于长沙。", "长沙的人口很多。", "他出生于上海，林大为也出生于上海。"]
    found = {"".join(key) for key in repeated_han(han_runs(texts))}
    assert {"林健平", "长沙", "出生于"} <= found
    assert not {"林健", "健平", "出生", "生于"} & found
    assert "上海" not in found  # in one passage only


def gram_by_gram(runs: list[tuple[str, int]]) -> set[str]:
    held: dict[str, set[int]] = defaultdict(set)
    for run, passage in runs:
        for start in range(len(run)):
            for end in range(start + 2, min(len(run), start + MAX_HAN) + 1):
                held[run[start:end]].add(passage)
    count = {gram: len(passages) for gram, passages in held.items() if len(passages) > 1}
    parts = {part for gram, many in count.items() for part in (gram[1:], gram[:-1]) if count.get(part) == many}
    return set(count) - parts


@given(st.lists(st.tuples(st.text(alphabet="青木桥𠀀", min_size=5, max_size=9), st.integers(0, 3)), max_size=6))
def test_han_names_of_a_corpus_are_those_found_run_by_run(runs: list[tuple[str, int]]) -> None:
    assert {"".join(key) for key in repeated_han(runs)} == gram_by_gram(runs)


def test_short_han_runs_are_names_as_they_stand() -> None:
    assert repeated_han(han_runs(["青木橋は田中健二が設計した。", "田中健二は長崎の出身だ。"])) == set()
