"""Passages on disk: one JSON object a line, and the offset of each line, so that only what is read is parsed."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import overload

import numpy as np
import numpy.typing as npt

from hopstop.program.errors import BadCorpus
from hopstop.program.records import NO_GROUPS, Passage

PASSAGES = "passages.jsonl"
OFFSETS = "offsets.npy"


def passage_line(passage: Passage) -> bytes:
    """The canonical line of a passage: JSON in UTF-8 with sorted keys and groups, and a line feed.

    Raises:
        BadCorpus: The text is no valid Unicode (half of a surrogate pair), so that it cannot be stored.
    """
    record = {
        "groups": sorted(passage.groups),
        "id": passage.id,
        "text": passage.text,
        "title": passage.title,
    }
    try:
        return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:
        raise BadCorpus(f"passage {passage.id!r} holds half of a surrogate pair; write its text as UTF-8") from None


def write_passages(passages: Iterable[Passage], folder: Path) -> None:
    """Write the two files into a folder; passages keep their order."""
    offsets = [0]
    with (folder / PASSAGES).open("wb") as file:
        for passage in passages:
            offsets.append(offsets[-1] + file.write(passage_line(passage)))
    np.save(folder / OFFSETS, np.array(offsets, dtype=np.int64), allow_pickle=False)


class PassageFile(Sequence[Passage]):
    """The passages of a folder; each is parsed when it is asked for. Safe in many threads.

    Args:
        folder: Where `write_passages` has written.
        in_memory: Read the whole file now, instead of mapping it.

    Raises:
        OSError: A file is missing or cannot be read.
        ValueError: The files do not fit each other.
    """

    def __init__(self, folder: Path, *, in_memory: bool = False) -> None:
        self._offsets: npt.NDArray[np.int64] = np.load(folder / OFFSETS, allow_pickle=False)
        with (folder / PASSAGES).open("rb") as file:
            self._data = file.read() if in_memory else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self._offsets.ndim != 1 or not len(self._offsets) or int(self._offsets[-1]) != len(self._data):
            raise ValueError(f"{OFFSETS} does not fit {PASSAGES}")

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @overload
    def __getitem__(self, index: int) -> Passage: ...
    @overload
    def __getitem__(self, index: slice) -> list[Passage]: ...
    def __getitem__(self, index: int | slice) -> Passage | list[Passage]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        position = range(len(self))[index]
        record = json.loads(self._data[int(self._offsets[position]) : int(self._offsets[position + 1])])
        groups = frozenset(record["groups"]) or NO_GROUPS
        return Passage(id=record["id"], text=record["text"], title=record["title"], groups=groups)
