"""The BM25 weights of tokens in passages, in the form of bm25s: counted in arrays, saved, and opened by memory map."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from math import log
from pathlib import Path

import bm25s
import numpy as np
import numpy.typing as npt

from hopstop.program.lists import Floats, Ints, Lists, parts
from hopstop.program.word_table import WordTable, load_text

TOKENS = "tokens.txt"
_STEM = "tokens"


class TokenWeights:
    """What each token weighs in each passage that holds it. Never changes, so any number of threads may use it.

    Args:
        engine: Its weights; its own vocabulary stays empty.
        tokens: All tokens, in alphabetical order.
    """

    def __init__(self, engine: bm25s.BM25, tokens: WordTable) -> None:
        self._engine = engine
        self._tokens = tokens

    @classmethod
    def of(cls, documents: Lists, tokens: Sequence[str], *, k1: float, b: float) -> TokenWeights:
        """Weigh the tokens of passages.

        The weights are those of `bm25s.BM25(method="lucene").index`, to the bit, which holds an object for each token.

        Args:
            documents: The tokens of each passage.
            tokens: The words that the numbers stand for.
            k1: Saturation of repeated tokens.
            b: Penalty of long passages.
        """
        engine = bm25s.BM25(k1=k1, b=b, method="lucene")
        holders, times = documents.inverted(len(tokens))
        length = np.diff(documents.start)
        norm = k1 * ((1 - b) + b * length / length.mean())
        df, idf = np.diff(holders.start), _idf(np.diff(holders.start), len(length))
        data = np.empty(len(times), np.float32)
        for first, last in parts(holders.start):
            part = slice(int(holders.start[first]), int(holders.start[last]))
            rarity = idf[first:last].repeat(df[first:last])
            data[part] = rarity * (times[part] / (norm[holders.values[part]] + times[part]))
        start = holders.start.astype(np.int64)
        engine.scores = {"data": data, "indices": holders.values, "indptr": start, "num_docs": len(length)}
        engine.nonoccurrence_array = None
        return cls(engine, WordTable.of(tokens))

    def save(self, folder: Path) -> None:
        """Write the weights and tokens into a folder."""
        writer = copy(self._engine)
        writer.vocab_dict = {token: number for number, token in enumerate(self._tokens)}
        writer.save(folder, show_progress=False)
        (folder / TOKENS).write_bytes(self._tokens.lines())
        self._tokens.save(folder, _STEM)

    @classmethod
    def load(cls, folder: Path, *, mmap: bool = True) -> TokenWeights:
        """Open what `save` has written, also before it wrote a table of tokens.

        Raises:
            OSError: A file is missing.
            ValueError: The files do not fit each other.
        """
        has_table = (folder / TOKENS).exists()
        engine = bm25s.BM25.load(folder, mmap=mmap, show_progress=False, backend="numpy", load_vocab=not has_table)
        if has_table:
            tokens = WordTable.load(folder, _STEM, load_text(folder / TOKENS, mmapped=mmap), mmapped=mmap)
        else:
            tokens = WordTable.of(sorted(engine.vocab_dict, key=engine.vocab_dict.__getitem__))
        engine.vocab_dict, engine.unique_token_ids_set = {}, set()
        if len(tokens) != len(engine.scores["indptr"]) - 1:
            raise ValueError(f"{TOKENS} does not fit the weights")
        return cls(engine, tokens)

    @property
    def passages(self) -> int:
        """How many passages are weighed."""
        return int(self._engine.scores["num_docs"])

    def __len__(self) -> int:
        return len(self._tokens)

    def compiled(self) -> None:
        """Let numba compile the scoring."""
        self._engine.activate_numba_scorer()

    def numbers(self, tokens: Iterable[str]) -> list[int]:
        """Of those tokens that a passage holds."""
        return [number for number in map(self._tokens.number, tokens) if number >= 0]

    def scores(self, numbers: Sequence[int], mask: npt.NDArray[np.bool_] | None) -> npt.NDArray[np.float32]:
        """P, the BM25 score of each passage for some tokens; 0 where the mask is False."""
        found: npt.NDArray[np.float32] = self._engine.get_scores_from_ids(numbers, weight_mask=mask)
        return found

    def holding(self, number: int) -> Ints:
        """The passages that hold a token, ascending."""
        scores = self._engine.scores
        held: Ints = scores["indices"][scores["indptr"][number] : scores["indptr"][number + 1]]
        return held


def _idf(df: Ints, passages: int) -> Floats:
    """Lucene's, in 32 bits as bm25s keeps it."""
    different, which = np.unique(df, return_inverse=True)
    idf = [log(1 + (passages - held + 0.5) / (held + 0.5)) for held in different.tolist()]
    return np.array(idf, dtype=np.float32)[which]  # type: ignore[return-value]
