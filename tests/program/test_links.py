from __future__ import annotations

import os
import subprocess
import sys
import unicodedata
from functools import partial
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program import link_names, links, lists, name_spans, unit_table
from hopstop.program.links import K1, PREFIX, B, LinkIndex, build_links
from hopstop.program.name_spans import spelled_spans
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.unit_table import read_units
from hopstop.program.units import fold, terms_of, title_words, unit_of

MILL = Passage("1", "The mill on the Orla was built by Tarn Voss. It burned in 1931.", "Orla Mill")
VOSS = Passage("2", "Tarn Voss was a pupil of Ilse Brandt.", "Tarn Voss (builder)")
BRANDT = Passage("3", "Ilse Brandt (1870–1944) was born in Quelm, where Tarn Voss died.", "Ilse Brandt")
NOTE = Passage("4", "restarted payment-gw after session_cache was full, see payment-gw log")
OTHER = Passage("5", "The owner of payment-gw is the platform team.")
PASSAGES = (MILL, VOSS, BRANDT, NOTE, OTHER)

words = st.sampled_from(
    ["Ada", "Roe", "Quelm", "mill", "river", "of", "the", "1931", "payment-gw", "Ünal", "Мост", "東京"]
)
sentences = st.lists(words, min_size=1, max_size=8).map(lambda found: " ".join(found) + ".")
texts = st.lists(sentences, min_size=1, max_size=3).map(" ".join)
corpora = st.lists(st.tuples(texts, sentences), min_size=1, max_size=6).map(
    lambda pairs: [Passage(str(number), text, title) for number, (text, title) in enumerate(pairs)]
)


def spelled(text: str, *others: str, identifiers: bool = True) -> set[str]:
    lower = " ".join(["so", *(term for other in others for term in terms_of(other))])
    table = read_units([Passage("1", text), Passage("2", lower)], identifiers=identifiers)
    spans = [*zip(*spelled_spans(table), strict=True), *zip(*table.marked, strict=True)]
    return {
        " ".join(table.words[term] for term in table.terms[start : start + size])
        for unit, start, size in spans
        if table.unit_passage[unit] == 0
    }


def units_of(passage: Passage) -> list[str]:
    return [passage.title, *(passage.text[start:end] for start, end in sentence_spans(passage.text))]


def leads(index: LinkIndex, name: str) -> set[tuple[int, int]]:
    """Passage and place in it of the units that a name leads to."""
    at, _ = index.name_units.take(np.array([index.names.number(name)]))
    found = index.name_units.values[at].tolist()
    return {(int(index.unit_passage[unit]), unit - int(index.unit_start[index.unit_passage[unit]])) for unit in found}


def exits(index: LinkIndex, passage: int) -> set[str]:
    units = np.arange(index.unit_start[passage], index.unit_start[passage + 1])
    at, _ = index.unit_names.take(units)
    return {index.names[name] for name in index.unit_names.values[at]}


def test_name_leads_to_every_sentence_and_title_that_has_it() -> None:
    index = build_links(PASSAGES)
    assert leads(index, "tarn voss") == {(0, 1), (1, 0), (1, 1), (2, 1)}
    assert index.name_df[index.names.number("tarn voss")] == 3


def test_passage_leads_on_by_the_names_that_stand_elsewhere_too() -> None:
    index = build_links(PASSAGES)
    assert {"tarn voss", "ilse brandt"} <= exits(index, 2)
    assert "quelm" not in exits(index, 2)  # no other passage has it
    assert "payment gw" in exits(index, 3)


@pytest.mark.parametrize(("most", "places"), [(3, {(0, 0), (1, 0), (2, 0)}), (2, {(0, 0)}), (0, set())])
def test_frequent_name_leads_to_titles_and_one_in_many_titles_to_those_that_it_makes_up(
    monkeypatch: pytest.MonkeyPatch, most: int, places: set[tuple[int, int]]
) -> None:
    monkeypatch.setattr(link_names, "NAME_DF", 3)
    monkeypatch.setattr(link_names, "NAME_TITLES", most)
    titles = ("Orla", "Orla Mill", "Orla Bridge", "Quelm")
    index = build_links([Passage(str(at), "It is near Orla and Quelm.", title) for at, title in enumerate(titles)])
    assert leads(index, "orla") == places
    assert leads(index, "quelm") == ({(3, 0)} if most else set())
    assert leads(index, "orla mill") == set()  # no other passage has it, so that nothing leads there
    assert "orla" in exits(index, 3)


def test_identifiers_are_names_unless_turned_off() -> None:
    assert "session cache" not in exits(build_links(PASSAGES), 3)  # in one passage only
    assert "payment gw" not in exits(build_links(PASSAGES, identifiers=False), 3)


def test_title_counts_without_what_stands_in_brackets() -> None:
    index = build_links(PASSAGES)
    assert [index.names[name] if name >= 0 else "" for name in index.titled] == [
        "orla mill", "tarn voss", "ilse brandt", "", "",
    ]  # fmt: skip
    assert title_words("(Untitled)") == ["Untitled"]


def test_words_on_both_sides_of_a_bracket_stay_apart() -> None:
    index = build_links([Passage("1", "It burned.", "Mill(old)House")])
    assert list(index.names) == ["mill house"]
    assert index.name_mass[0] == pytest.approx(index.idf[index.term("mill")] + index.idf[index.term("house")])


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("It was built by Tarn Voss.", {"tarn voss"}),
        ("He met Vincent van der Berg.", {"vincent", "berg", "vincent van der berg"}),
        ("She read 'x' and “the long way home”.", {"the long way home"}),
        ("Der Turm steht in Bad Tölz.", {"turm", "bad tolz"}),
        ("Le film « La nuit claire » est sorti.", {"la nuit claire", "la"}),
        ("Его построил Илья Громов.", {"илья громов"}),
        ("青木橋は田中健二が設計した。", {"青 木 橋", "田 中 健 二", "設 計"}),
        ("東京タワーの近く", {"東 京 タワー", "近"}),
        ("see core.retry and fooBar", {"core retry", "foobar"}),
        ("ticket 4471, by J. R. Hale", {"4471", "j r hale"}),
    ],
)
def test_names_are_found_as_they_are_spelled(text: str, names: set[str]) -> None:
    assert spelled(text, text.split()[0]) == names


def test_first_word_is_a_name_only_if_it_has_its_capital_elsewhere_too() -> None:
    assert "voss" in spelled("Voss left.")  # it stands nowhere else
    assert "then" not in spelled("Then Voss left.", "then")


@pytest.mark.parametrize(
    ("word", "folded"), [("Tekezé", "tekeze"), ("Straße", "strasse"), ("Ёлка", "елка"), ("が", "が"), ("한국", "한국")]
)
def test_case_and_latin_accents_do_not_count(word: str, folded: str) -> None:
    for form in ("NFC", "NFD"):
        assert terms_of(unicodedata.normalize(form, word)) == [folded]


@given(st.text(max_size=20))
def test_folding_twice_changes_nothing(word: str) -> None:
    assert fold(fold(word)) == fold(word)


@given(st.text(max_size=60))
def test_words_and_gaps_make_up_the_text(text: str) -> None:
    unit = unit_of(text)
    pieces = [piece for pair in zip(unit.gaps, [*unit.words, ""], strict=True) for piece in pair]
    assert "".join(pieces) == unit.text == unicodedata.normalize("NFC", text)
    assert unit.terms == terms_of(text)


@given(corpora)
@settings(max_examples=60, deadline=None)
def test_index_says_what_the_texts_say(passages: list[Passage]) -> None:
    index = build_links(passages)
    units = [terms_of(text) for passage in passages for text in units_of(passage)]
    for number, terms in enumerate(units):
        at, _ = index.unit_terms.take(np.array([number]))
        assert index.unit_terms.values[at].tolist() == [index.term(term) for term in terms]
    for unit, name, at in _entries(index):
        assert units[unit][at : at + len(name)] == name
    for number, name in enumerate(index.names):
        at, _ = index.name_units.take(np.array([number]))
        for unit in index.name_units.values[at]:
            assert f" {name} " in f" {' '.join(units[unit])} "


def _entries(index: LinkIndex) -> list[tuple[int, list[str], int]]:
    at, owner = index.unit_names.take(np.arange(len(index.unit_passage)))
    found = zip(owner, index.unit_names.values[at], index.unit_name_at[at], strict=True)
    return [(int(unit), index.names[name].split(" "), int(place)) for unit, name, place in found]


@given(corpora)
@settings(max_examples=30, deadline=None)
def test_impact_is_bm25_as_its_formula_says(passages: list[Passage]) -> None:
    index = build_links(passages)
    stems = [[term[:PREFIX] for text in units_of(item) for term in terms_of(text)] for item in passages]
    mean = sum(map(len, stems)) / len(stems)
    for number, term in enumerate(index.vocabulary):
        df = sum(term in found for found in stems)
        idf = log(1 + (len(stems) - df + 0.5) / (df + 0.5))
        where = slice(index.postings.start[number], index.postings.start[number + 1])
        expected = {}
        for place, found in enumerate(stems):
            if count := found.count(term):
                expected[place] = idf * count * (K1 + 1) / (count + K1 * (1 - B + B * len(found) / mean))
        places, impacts = index.postings.values[where].tolist(), index.impact[where].tolist()
        assert dict(zip(places, impacts, strict=True)) == pytest.approx(expected, rel=1e-5)


def test_what_was_saved_is_loaded_the_same(tmp_path: Path) -> None:
    index = build_links(PASSAGES)
    index.save(tmp_path)
    for mmap in (True, False):
        loaded = LinkIndex.load(tmp_path, mmap=mmap)
        assert list(loaded.vocabulary) == list(index.vocabulary)
        assert list(loaded.names) == list(index.names)
        assert loaded.names_in(["then", "tarn", "voss"]) == [(1, 3, index.names.number("tarn voss"))]
        ours, theirs = index._arrays(), loaded._arrays()
        assert ours.keys() == theirs.keys()
        assert [name for name in ours if not np.array_equal(ours[name], theirs[name])] == []


def test_corpus_without_any_name_is_saved_and_loaded(tmp_path: Path) -> None:
    index = build_links([Passage("1", "nothing here"), Passage("2", "and nothing there")])
    assert list(index.names) == []
    index.save(tmp_path)
    assert list(LinkIndex.load(tmp_path).names) == []


@pytest.mark.parametrize("passages", [PASSAGES, (Passage("1", "nothing here"), Passage("2", "and nothing there"))])
def test_folder_from_before_there_were_tables_of_words_is_loaded(tmp_path: Path, passages: list[Passage]) -> None:
    index = build_links(passages)
    index.save(tmp_path)
    for file in tmp_path.glob("links_*_words_*.npy"):
        file.unlink()
    loaded = LinkIndex.load(tmp_path)
    assert (list(loaded.vocabulary), list(loaded.names)) == (list(index.vocabulary), list(index.names))
    assert list(map(loaded.names.number, index.names)) == list(range(len(index.names)))


@given(corpora)
@settings(max_examples=30, deadline=None)
def test_index_built_in_small_parts_is_the_same(passages: list[Passage]) -> None:
    whole = build_links(passages)._arrays()
    with pytest.MonkeyPatch.context() as patch:
        for module in (lists, links, link_names, name_spans):
            patch.setattr(module, "parts", partial(lists.parts, size=3))
        patch.setattr(links, "PART", 3)
        patch.setattr(unit_table, "_COUNTED", 3)
        parted = build_links(passages)._arrays()
    assert [name for name in whole if not np.array_equal(whole[name], parted[name])] == []


@pytest.mark.parametrize("missing", ["links_names.txt", "links_idf.npy", "links_unit_names_values.npy"])
def test_missing_file_is_an_error(tmp_path: Path, missing: str) -> None:
    build_links(PASSAGES).save(tmp_path)
    (tmp_path / missing).unlink()
    with pytest.raises(OSError, match=missing):
        LinkIndex.load(tmp_path)


def test_files_of_two_indexes_do_not_fit(tmp_path: Path) -> None:
    build_links(PASSAGES).save(tmp_path)
    words_of_another = (tmp_path / "links_names.txt").read_text(encoding="utf-8")
    build_links(PASSAGES[:2]).save(tmp_path)
    (tmp_path / "links_names.txt").write_text(words_of_another, encoding="utf-8")
    with pytest.raises(ValueError, match="those of other words"):
        LinkIndex.load(tmp_path)
    for file in tmp_path.glob("links_*_words_*.npy"):
        file.unlink()
    with pytest.raises(ValueError, match="does not fit"):
        LinkIndex.load(tmp_path)


SAVE = """
import sys
from pathlib import Path
from hopstop.program.links import build_links
from hopstop.program.records import Passage
names = ["Ada Roe", "Ben Oak", "the “Blue Moon”", "payment-gw", "Илья Громов", "J. R. Hale"]
texts = [f"{one} met {two}. {two} left {one} of Quelm." for one in names for two in names if one != two]
build_links([Passage(str(at), text, names[at % 6]) for at, text in enumerate(texts)]).save(Path(sys.argv[1]))
"""


def test_index_is_the_same_whatever_the_hash_seed(tmp_path: Path) -> None:
    folders = [tmp_path / seed for seed in ("0", "1")]
    for folder in folders:
        folder.mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": folder.name}
        subprocess.run([sys.executable, "-c", SAVE, str(folder)], env=environment, check=True, timeout=60)
    one, two = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders)
    assert one
    assert one == two
