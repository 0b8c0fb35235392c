"""Words and their numbers in a few arrays, so that millions of them open at once and cost no object each."""

from __future__ import annotations

import mmap
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import overload
from zlib import crc32

import numpy as np
import numpy.typing as npt

from hopstop.program.lists import Ints, small

CACHED = 4096  # words of late whose numbers are kept: those of a question are asked for in each of its steps
_END = b"\n"


class Numbering(dict[str, int]):
    """Numbers words in the order met: `numbering[word]` is the number of a word, a new one for a new word."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class WordTable(Sequence[str]):
    """Word i is `text[start[i] : start[i + 1] - 1]` in UTF-8; a line feed ends each. Never changes; for any threads.

    Args:
        text: The words behind each other.
        start: n + 1, where each begins; the last is one behind the end of the last word and its line feed.
        hashes: n, CRC-32 of the words, ascending.
        order: n, the number of the word that each hash is of.
    """

    def __init__(
        self, text: bytes | bytearray | mmap.mmap, start: Ints, hashes: npt.NDArray[np.uint32], order: Ints
    ) -> None:
        self.text = text
        self.start = start
        self._hashes = hashes
        self._order = order
        self.number = lru_cache(maxsize=CACHED)(self._number)

    @classmethod
    def of(cls, words: Iterable[str]) -> WordTable:
        """The table of distinct words without line feeds, numbered in this order."""
        text, ends, hashes = bytearray(), array("q", [0]), array("I")
        for word in map(str.encode, words):
            text += word + _END
            ends.append(len(text))
            hashes.append(crc32(word))
        hashed = np.array(hashes, dtype=np.uint32)
        order = np.argsort(hashed, kind="stable")
        return cls(text, small(np.array(ends, dtype=np.int64)), hashed[order], small(order))

    def numbers(self, words: Sequence[str]) -> list[int]:
        """The number of each word, -1 for one that is not in the table: for many words, most of which are in none."""
        coded = [word.encode(errors="surrogatepass") for word in words]
        wanted = np.fromiter(map(crc32, coded), np.uint32, len(coded))
        first = np.searchsorted(self._hashes, wanted)
        found = np.full(len(coded), -1)
        for place in np.flatnonzero(self._hashes[np.minimum(first, len(self) - 1)] == wanted) if len(self) else ():
            found[place] = self._found(int(first[place]), coded[place])
        return found.tolist()

    def lines(self) -> bytes:
        """The words in UTF-8, a line feed behind each."""
        return bytes(self.text[int(self.start[0]) : int(self.start[-1]) - 1]) + _END if len(self) else b""

    def save(self, folder: Path, stem: str, *, offset: int = 0) -> None:
        """Write the arrays, but not the words: those are `lines()`, from this offset of some file."""
        start = self.start.astype(np.int64) - int(self.start[0]) + offset
        np.save(folder / f"{stem}_lines.npy", small(start), allow_pickle=False)
        np.save(folder / f"{stem}_hashes.npy", self._hashes, allow_pickle=False)
        np.save(folder / f"{stem}_order.npy", self._order, allow_pickle=False)

    @classmethod
    def load(cls, folder: Path, stem: str, text: bytes | mmap.mmap, *, mmapped: bool = True) -> WordTable:
        """Open what `save` has written.

        Raises:
            OSError: A file is missing.
            ValueError: The files do not fit each other.
        """
        names = ("lines", "hashes", "order")
        start, hashes, order = (load_array(folder / f"{stem}_{name}.npy", mmapped=mmapped) for name in names)
        if not len(start) - 1 == len(hashes) == len(order) or int(start[-1]) > len(text) + 1:
            raise ValueError(f"the arrays of {stem} do not fit each other or their words")
        table = cls(text, start, hashes.astype(np.uint32, copy=False), order)
        if any(table.number(table[place]) != place for place in {0, len(table) - 1} if len(table)):
            raise ValueError(f"the arrays of {stem} are those of other words")
        return table

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        return self._word(range(len(self))[index]).decode()

    def __len__(self) -> int:
        return len(self.start) - 1

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.number(word) >= 0

    def _word(self, place: int) -> bytes:
        return bytes(self.text[int(self.start[place]) : int(self.start[place + 1]) - 1])

    def _number(self, word: str) -> int:
        coded = word.encode(errors="surrogatepass")
        return self._found(int(np.searchsorted(self._hashes, np.uint32(crc32(coded)))), coded)

    def _found(self, first: int, coded: bytes) -> int:
        """The number of a word, given where its hash begins among the others; -1 if only another has it."""
        wanted = crc32(coded)
        for place in range(first, len(self._hashes)):
            if self._hashes[place] != wanted:
                break
            number = int(self._order[place])
            if self._word(number) == coded:
                return number
        return -1


def load_array(file: Path, *, mmapped: bool) -> Ints:
    """An array of a file, mapped or read."""
    mapped = np.load(file, mmap_mode="r" if mmapped else None, allow_pickle=False)
    plain: Ints = np.asarray(mapped)  # the same memory: indexing a np.memmap costs ten times as much
    return plain


def load_text(file: Path, *, mmapped: bool) -> bytes | mmap.mmap:
    """The bytes of a file, mapped or read."""
    if not mmapped or not file.stat().st_size:
        return file.read_bytes()
    with file.open("rb") as stream:
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
