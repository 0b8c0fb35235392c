"""A BM25 index over passages: built once, saved to a folder, loaded by memory map, searched with a permission mask."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

import bm25s
import numpy as np
import numpy.typing as npt

from hopstop.program.analyzer import DEFAULT_ANALYZER, Analyzer, numbered
from hopstop.program.errors import AnalyzerMismatch, BadCorpus, BadIndex, BadInput
from hopstop.program.groups import check_groups
from hopstop.program.index_folder import AGAIN, IndexInfo, read_manifest, replacing, write_manifest
from hopstop.program.links import LinkIndex, build_links
from hopstop.program.passage_file import PassageFile, passage_line, write_passages
from hopstop.program.records import NO_GROUPS, Hit, Passage
from hopstop.program.token_weights import TokenWeights

GROUPS = "groups.json"
NUMBA_FROM = 200_000  # passages; below, numba's compilation (1 to 2 s) costs more than its 0.2 ms a query wins back
MASKS_KEPT = 64

Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class BM25Index:
    """Passages that can be searched. Never changes, so one index serves any number of threads.

    Made by `build` or `load`. The weights of tokens are counted over all passages, readable or not, as in any engine
    with document permissions; what is ranked, returned or counted for a user is only what the user may read.

    Attributes:
        analyzer: Turns text into tokens.
        info: What the index was built with and from.
        links: The terms and names that lead from passage to passage.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        weights: TokenWeights,
        links: LinkIndex,
        groups: Mapping[str, npt.ArrayLike],
        info: IndexInfo,
    ) -> None:
        self.info = info
        self.links = links
        self.analyzer = Analyzer.from_settings(info.analyzer)
        self._passages = passages
        self._weights = weights
        self._groups = {name: np.asarray(positions, dtype=np.int64) for name, positions in groups.items()}
        self._public = np.ones(len(passages), dtype=np.bool_)
        for positions in self._groups.values():
            self._public[positions] = False
        self._mask_of = lru_cache(maxsize=MASKS_KEPT)(self._make_mask)
        if len(passages) >= NUMBA_FROM and bm25s.NUMBA_AVAILABLE:
            weights.compiled()

    @classmethod
    def build(
        cls,
        passages: Iterable[Passage],
        *,
        analyzer: Analyzer = DEFAULT_ANALYZER,
        title_weight: int = 3,
        k1: float = 0.9,
        b: float = 0.4,
    ) -> BM25Index:
        """Index passages in memory.

        The defaults of k1 and b are those of Anserini (Yang, Fang and Lin, JDIQ 2018). A title counted three times
        finds more than once: on HotpotQA, 2WikiMultihopQA and MuSiQue it lifts recall@5 of questions by 1 to 3 points,
        and the share of names whose passage is the first hit by 3 to 5.

        Raises:
            BadCorpus: No passages, none with a token, or two of one id.
            BadInput: A number lies outside its range.
        """
        _check_numbers(title_weight, k1, b)
        ordered = _ordered(passages)
        corpus_hash = _corpus_hash(ordered, analyzer)
        documents, tokens = numbered(ordered, analyzer, title_weight)
        if not tokens:
            raise BadCorpus(f"none of the {len(ordered)} passages has a word to search for; check the field 'text'")
        weights = TokenWeights.of(documents, tokens, k1=k1, b=b)
        del documents, tokens  # the links need the room
        info = IndexInfo(
            analyzer=analyzer.settings(),
            title_weight=title_weight,
            k1=k1,
            b=b,
            passages=len(ordered),
            restricted=sum(bool(passage.groups) for passage in ordered),
            tokens=len(weights),
            corpus_hash=corpus_hash,
        )
        return cls(ordered, weights, build_links(ordered), _group_positions(ordered), info)

    def save(self, folder: Path) -> None:
        """Write the index to a folder, in place of an older index there.

        Raises:
            BadIndex: The folder holds something else, or cannot be written.
        """
        with replacing(Path(folder)) as new:
            write_passages(self._passages, new)
            groups = {name: positions.tolist() for name, positions in sorted(self._groups.items())}
            (new / GROUPS).write_text(json.dumps(groups, ensure_ascii=False), encoding="utf-8")
            self._weights.save(new)
            self.links.save(new)
            write_manifest(new, self.info)

    @classmethod
    def load(cls, folder: Path, *, mmap: bool = True, analyzer: Analyzer | None = None) -> BM25Index:
        """Open a saved index.

        Args:
            folder: Where `save` has written.
            mmap: Map the files instead of reading them: opens at once, and processes share the memory.
            analyzer: Refuse an index that was made with another one; None takes the index's own.

        Raises:
            BadIndex: The folder is missing, half written, damaged, of another schema, or not an index of ours.
            AnalyzerMismatch: The index was made with another analyzer or another version of it.
        """
        folder = Path(folder)
        info = read_manifest(folder)
        try:
            _check_analyzer(info.analyzer, analyzer or Analyzer.from_settings(info.analyzer))
            passages = PassageFile(folder, in_memory=not mmap)
            weights = TokenWeights.load(folder, mmap=mmap)
            links = LinkIndex.load(folder, mmap=mmap)
            groups = json.loads((folder / GROUPS).read_bytes())
            if not len(passages) == info.passages == weights.passages == links.size:
                raise ValueError("its files count different numbers of passages")
            return cls(passages, weights, links, groups, info)
        except AnalyzerMismatch as error:
            raise AnalyzerMismatch(f"index {folder}: {error}; {AGAIN}") from error
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            raise BadIndex(f"index {folder} is damaged ({type(error).__name__}: {error}); {AGAIN}") from error

    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> list[Hit]:
        """See Retriever.search. Groups that the index does not know read public passages only."""
        numbers = self._weights.numbers(self.analyzer.content_tokens(query))
        if k < 1 or not numbers:
            return []
        scores = self._weights.scores(numbers, self._mask(groups))
        return [Hit(self._passages[at], float(scores[at])) for at in best_positions(scores, k).tolist()]

    def passage(self, passage_id: str) -> Passage:
        """The passage of an id, whoever may read it: check `readable_by` before a user sees it.

        Raises:
            KeyError: There is none.
        """
        place = self.place(passage_id)
        if place is None:
            raise KeyError(passage_id)
        return self._passages[place]

    def at(self, position: int) -> Passage:
        """The passage at a place of the index, in [0, len(index)); `place` is its inverse."""
        return self._passages[position]

    def place(self, passage_id: str) -> int | None:
        """Where a passage stands in the index, None if it does not."""
        at = bisect_left(self._passages, passage_id, key=lambda passage: passage.id)
        return at if at < len(self._passages) and self._passages[at].id == passage_id else None

    def readable(self, groups: frozenset[str]) -> Mask | None:
        """Which places a user of these groups may read; None means all of them. Not to be written to."""
        return self._mask(groups)

    def relinked(self, links: LinkIndex) -> BM25Index:
        """The same index with other links between its passages."""
        return BM25Index(self._passages, self._weights, links, self._groups, self.info)

    def __len__(self) -> int:
        return len(self._passages)

    def document_frequency(self, term: str, groups: frozenset[str] = NO_GROUPS) -> int:
        """How many passages that a user of these groups may read hold every token of a term (a word, a name)."""
        tokens = set(self.analyzer.tokens(term))
        numbers = self._weights.numbers(tokens)
        if not numbers or len(numbers) < len(tokens):
            return 0
        found = reduce(_common, sorted(map(self._weights.holding, numbers), key=len))
        mask = self._mask(groups)
        return len(found) if mask is None else int(np.count_nonzero(mask[found]))

    def idf(self, term: str, groups: frozenset[str] = NO_GROUPS) -> float:
        """Rarity of a term among the passages that a user may read: ln(1 + (n - df + 0.5) / (df + 0.5)), always > 0.

        The form of Robertson and Zaragoza (2009) with Lucene's 1 inside; highest for a term that no passage holds.
        """
        mask = self._mask(groups)
        readable = len(self) if mask is None else int(np.count_nonzero(mask))
        frequency = self.document_frequency(term, groups)
        return log(1 + (readable - frequency + 0.5) / (frequency + 0.5))

    @property
    def corpus_hash(self) -> str:
        """SHA-256 over passages and analyzer settings; the same on every machine and in any order of the passages."""
        return self.info.corpus_hash

    def __copy__(self) -> BM25Index:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> BM25Index:
        return self  # optimisers copy programs deeply; an index never changes and may be large

    def _mask(self, groups: frozenset[str]) -> Mask | None:
        return self._mask_of(check_groups(groups).intersection(self._groups)) if self._groups else None

    def _make_mask(self, groups: frozenset[str]) -> Mask:
        mask = self._public.copy()
        for name in groups:
            mask[self._groups[name]] = True
        mask.setflags(write=False)
        return mask


def best_positions(scores: npt.NDArray[np.float32], k: int) -> Positions:
    """Positions of the k highest scores above 0, best first, ties by position.

    Looks only at scores above a bar that falls until k are found: fast, and exact, as none below can be among the k.
    """
    best = float(scores.max(initial=0.0))
    if best <= 0:
        return np.empty(0, dtype=np.int64)
    for bar in (best / 2, best / 4, best / 8, best / 16):
        found = np.flatnonzero(scores >= bar)
        if len(found) >= k:
            break
    else:
        found = np.flatnonzero(scores > 0)
    if len(found) > k:  # sort only what is as high as the k-th: hundreds of thousands may share a frequent word
        found = found[scores[found] >= np.partition(scores[found], -k)[-k]]
    return found[np.argsort(-scores[found], kind="stable")[:k]]


def _common(few: Positions, many: Positions) -> Positions:
    """Positions that are in both lists, which ascend, in time of the shorter one."""
    at = np.searchsorted(many, few)
    at[at == len(many)] = 0
    common: Positions = few[many[at] == few]
    return common


def _check_numbers(title_weight: int, k1: float, b: float) -> None:
    if title_weight < 0:
        raise BadInput(f"title_weight must be >= 0, not {title_weight!r}")
    if not k1 >= 0:
        raise BadInput(f"k1 must be >= 0, not {k1!r}")
    if not 0 <= b <= 1:
        raise BadInput(f"b must lie in [0, 1], not {b!r}")


def _ordered(passages: Iterable[Passage]) -> list[Passage]:
    """Sorted by id: equal scores then tie by position, and an id is found by bisection, without a list of ids."""
    ordered = sorted(passages, key=lambda passage: passage.id)
    if not ordered:
        raise BadCorpus("there is no passage to index; give at least one")
    for left, right in pairwise(ordered):
        if left.id == right.id:
            raise BadCorpus(f"two passages have the id {left.id!r}; give each its own")
    return ordered


def _group_positions(passages: Sequence[Passage]) -> dict[str, list[int]]:
    positions: dict[str, list[int]] = {}
    for at, passage in enumerate(passages):
        for name in passage.groups:
            positions.setdefault(name, []).append(at)
    return positions


def _corpus_hash(passages: Iterable[Passage], analyzer: Analyzer) -> str:
    digest = hashlib.sha256(json.dumps(analyzer.settings(), sort_keys=True).encode())
    for passage in passages:
        digest.update(passage_line(passage))
    return digest.hexdigest()


def _check_analyzer(stored: Mapping[str, object], wanted: Analyzer) -> None:
    for name, value in wanted.settings().items():
        if stored.get(name) != value:
            raise AnalyzerMismatch(f"analyzer field {name!r} is {stored.get(name)!r} in the index, {value!r} here")
