from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.word_table import Numbering, WordTable, load_text

words = st.lists(st.text(alphabet="ab éж東 ", min_size=1, max_size=6), unique=True, max_size=12)


def test_new_words_are_numbered_in_the_order_met() -> None:
    numbering = Numbering()
    assert [numbering[word] for word in ("b", "a", "b", "c")] == [0, 1, 0, 2]


@given(words, words, st.booleans())
@settings(deadline=None)
def test_words_are_found_and_others_are_not_also_after_loading(
    held: list[str], others: list[str], mmapped: bool
) -> None:
    made = WordTable.of(held)
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "words.txt").write_bytes(b"before\n" + made.lines().removesuffix(b"\n"))
        made.save(folder, "words", offset=7)
        loaded = WordTable.load(folder, "words", load_text(folder / "words.txt", mmapped=mmapped), mmapped=mmapped)
        for table in (made, loaded):
            expected = [held.index(word) if word in held else -1 for word in (*held, *others)]
            assert list(table) == held
            assert table.numbers([*held, *others]) == expected
            assert [table.number(word) for word in (*held, *others)] == expected
            assert [word in table for word in others] == [word in held for word in others]
            assert table.lines() == made.lines()


def test_words_of_one_hash_are_told_apart() -> None:
    assert crc32(b"plumless") == crc32(b"buckeroo")
    table = WordTable.of(["buckeroo", "plumless"])
    assert [table.number(word) for word in ("plumless", "buckeroo")] == [1, 0]
    assert table.numbers(["plumless", "buckeroo"]) == [1, 0]
    assert WordTable.of(["plumless"]).number("buckeroo") == -1


def test_half_of_a_surrogate_pair_is_in_no_table() -> None:
    assert WordTable.of(["a", "?"]).numbers(["\ud800", "a"]) == [-1, 0]
    assert WordTable.of(["a"]).number("\ud800") == -1


def test_the_words_of_another_table_are_refused(tmp_path: Path) -> None:
    WordTable.of(["one", "two"]).save(tmp_path, "words")
    for text in (b"six\nten\n", b"one", b""):
        with pytest.raises(ValueError, match="words"):
            WordTable.load(tmp_path, "words", text)
