from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program import lists
from hopstop.program.lists import Lists, bounds, parts, small

many = st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=7)


def lists_of(contents: list[list[int]]) -> Lists:
    values = np.array([number for content in contents for number in content], dtype=np.int32)
    return Lists(bounds(np.array(list(map(len, contents)), dtype=np.int64)), values)


@given(many, st.integers(1, 9))
def test_inverted_lists_are_counted_the_same_in_parts_of_any_size(contents: list[list[int]], size: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lists, "parts", lambda start: parts(start, size))
        found, times = lists_of(contents).inverted(6)
    for value in range(6):
        part = slice(int(found.start[value]), int(found.start[value + 1]))
        holders = [(at, content.count(value)) for at, content in enumerate(contents) if value in content]
        assert list(zip(found.values[part].tolist(), times[part].tolist(), strict=True)) == holders


@given(many, st.integers(1, 9))
def test_parts_are_all_lists_once_and_larger_than_asked_only_for_one_list(contents: list[list[int]], size: int) -> None:
    found = list(parts(lists_of(contents).start, size))
    assert [at for first, last in found for at in range(first, last)] == list(range(len(contents)))
    assert all(last - first == 1 or sum(map(len, contents[first:last])) <= size for first, last in found)


@pytest.mark.parametrize(("numbers", "bits"), [([], 32), ([-1, 2**31 - 1], 32), ([2**31], 64), ([-(2**31) - 1], 64)])
def test_numbers_are_made_smaller_only_where_they_fit(numbers: list[int], bits: int) -> None:
    found = small(np.array(numbers, dtype=np.int64))
    assert found.dtype.itemsize * 8 == bits
    assert found.tolist() == numbers
