from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.lists import bounds
from hopstop.program.name_trie import NameTrie

WORDS = 4
names = st.lists(st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=5), max_size=8)


def trie_of(given_names: list[list[int]]) -> tuple[NameTrie, list[int]]:
    size = np.array(list(map(len, given_names)), dtype=np.int64)
    terms = np.array([word for name in given_names for word in name], dtype=np.int32)
    trie, number = NameTrie.of(terms, WORDS, bounds(size)[:-1], size)
    return trie, number.tolist()


@given(names)
def test_a_name_has_one_number_however_often_it_is_given(given_names: list[list[int]]) -> None:
    _, numbers = trie_of(given_names)
    pairs = {(tuple(name), number) for name, number in zip(given_names, numbers, strict=True)}
    assert len(pairs) == len({name for name, _ in pairs}) == len({number for _, number in pairs})
    assert set(numbers) == set(range(len(pairs)))


@given(names, st.lists(st.lists(st.integers(0, WORDS - 1), min_size=1, max_size=8), min_size=1, max_size=4))
def test_every_place_of_every_name_is_found_within_its_sentence(
    given_names: list[list[int]], sentences: list[list[int]]
) -> None:
    trie, numbers = trie_of(given_names)
    number_of = {tuple(name): number for name, number in zip(given_names, numbers, strict=True)}
    text = [word for sentence in sentences for word in sentence]
    left = [len(sentence) - at for sentence in sentences for at in range(len(sentence))]
    expected = [
        (start, size, number_of[tuple(text[start : start + size])])
        for start in range(len(text))
        for size in range(1, left[start] + 1)
        if tuple(text[start : start + size]) in number_of
    ]
    found = trie.matches(np.array(text, dtype=np.int32), np.array(left))
    assert [tuple(map(int, row)) for row in zip(*found, strict=True)] == expected


def test_names_can_be_numbered_anew() -> None:
    trie, numbers = trie_of([[0, 1], [2], [0]])
    new = np.empty(3, np.int32)
    new[numbers] = [7, 8, 9]
    _, _, found = trie.renumbered(new).matches(np.array([0, 1, 2], dtype=np.int32), np.array([3, 2, 1]))
    assert found.tolist() == [9, 7, 8]
