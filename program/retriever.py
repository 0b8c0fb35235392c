"""What the loop asks of a search engine, and how the rankings of several are fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from hopstop.program.records import NO_GROUPS, Hit

RRF_K = 60  # Cormack, Clarke and Buettcher, SIGIR 2009: "k = 60 was fixed during a pilot investigation"


class Retriever(Protocol):
    """A search engine over passages. Must be safe to call from several threads."""

    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> Sequence[Hit]:
        """The best passages for a query that a user of these groups may read.

        Args:
            query: Plain words.
            k: At most this many, >= 1; may be above the size of the corpus.
            groups: Groups of the user. A passage that they may not read is never ranked or returned.

        Returns:
            At most k hits with scores > 0, best first, ties by passage id. Empty if nothing matches.

        Raises:
            SearchFailed, OSError: The engine is out of order; ConnectionError and TimeoutError are such. A run asks
                its fallback then, or ends with SEARCH_ERROR. Any other error is a bug, and the run raises it.
        """
        ...


def reciprocal_rank_fusion(
    rankings: Sequence[Sequence[Hit]], k: int, *, weights: Sequence[float] | None = None
) -> list[Hit]:
    """Fuse rankings by reciprocal rank: score(p) = sum of weight / (60 + rank of p), rank from 1.

    Args:
        rankings: Best first, one for each search.
        k: At most this many hits come back.
        weights: One for each ranking, > 0; 1 for each if None.

    Returns:
        The fused hits, best first, ties by passage id. A passage keeps the source of the first ranking that has it.
    """
    scores: dict[str, float] = {}
    first: dict[str, Hit] = {}
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for rank, hit in enumerate(ranking, start=1):
            scores[hit.passage.id] = scores.get(hit.passage.id, 0.0) + weight / (RRF_K + rank)
            first.setdefault(hit.passage.id, hit)
    order = sorted(scores, key=lambda passage_id: (-scores[passage_id], passage_id))[:k]
    return [Hit(first[name].passage, scores[name], first[name].source) for name in order]


class FusedRetriever:
    """Several retrievers searched with the same query, fused by reciprocal rank.

    Args:
        retrievers: Searched in this order.
        weights: One for each, > 0; 1 for each if None.
        pool_k: How deep each is searched before fusion; at least the k that is asked for.
    """

    def __init__(
        self, retrievers: Sequence[Retriever], *, weights: Sequence[float] | None = None, pool_k: int = 50
    ) -> None:
        self._retrievers = tuple(retrievers)
        self._weights = weights
        self._pool_k = pool_k

    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> list[Hit]:
        """See Retriever.search."""
        depth = max(k, self._pool_k)
        rankings = [retriever.search(query, depth, groups) for retriever in self._retrievers]
        return reciprocal_rank_fusion(rankings, k, weights=self._weights)
