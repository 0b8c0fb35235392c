"""What the loop is measured against: one search, no second thought."""

from __future__ import annotations

import time

from hopstop.program.errors import BadLimits
from hopstop.program.records import NO_GROUPS, Outcome, Query, Round, StopReason
from hopstop.program.retriever import Retriever


class OnePass:
    """One search with the question as it was asked; reads the hits and answers nothing.

    Called like the loop. Only its passages can be compared with the loop's, not its answers.

    Args:
        retriever: Searched once for each question.
        k: Passages to read, >= 1.

    Raises:
        BadLimits: k is below 1.
    """

    def __init__(self, retriever: Retriever, k: int) -> None:
        if k < 1:
            raise BadLimits(f"the baseline must read at least 1 passage, not {k}")
        self._retriever = retriever
        self._k = k

    def __call__(self, question: str, *, groups: frozenset[str] = NO_GROUPS) -> Outcome:
        """Search once.

        Args:
            question: The query.
            groups: Groups of the user who asks.

        Returns:
            An outcome without an answer, of one round, whose evidence and ranking are the hits, best first.
        """
        start = time.perf_counter()
        hits = self._retriever.search(question, self._k, groups)
        seconds = time.perf_counter() - start
        ids = tuple(hit.passage.id for hit in hits)
        query = Query(text=question, need=question)
        return Outcome(
            question=question,
            reason=StopReason.NO_NEW_PASSAGES if ids else StopReason.NO_HITS,
            evidence=tuple(hit.passage for hit in hits),
            rounds=(Round(number=1, queries=(query,), hits=ids, new=ids, kept=ids, seconds=seconds),),
            seconds=seconds,
            policy="one-pass",
            ranking=ids,
        )
