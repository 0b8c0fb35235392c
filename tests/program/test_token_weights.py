from __future__ import annotations

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.lists import Lists, bounds
from hopstop.program.token_weights import TokenWeights

documents = st.lists(st.lists(st.integers(0, 7), max_size=12), min_size=1, max_size=9).filter(any)


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.5, 0.75), (0.0, 0.0)])
@given(found=documents)
@settings(deadline=None)
def test_weights_are_those_of_bm25s_to_the_bit(found: list[list[int]], k1: float, b: float) -> None:
    tokens = [f"t{number}" for number in range(8)]
    values = np.array([number for document in found for number in document], dtype=np.int32)
    ours = TokenWeights.of(Lists(bounds(np.array(list(map(len, found)))), values), tokens, k1=k1, b=b)
    theirs = bm25s.BM25(k1=k1, b=b, method="lucene")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    theirs.index((found, vocabulary), create_empty_token=False, show_progress=False)
    for number in range(8):
        scores = theirs.get_scores_from_ids([number])
        assert np.array_equal(ours.scores([number], None), scores)
        assert ours.holding(number).tolist() == [at for at, document in enumerate(found) if number in document]
    assert (ours.passages, len(ours)) == (len(found), 8)
    assert ours.numbers(["t3", "other", "t0"]) == [3, 0]
