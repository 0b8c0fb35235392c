"""What was seen, kept and dropped in one run, and the passages that the next decision reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain

from hopstop.program.reading import Reading
from hopstop.program.records import Hit, Limits, Passage


@dataclass(frozen=True, slots=True)
class Evidence:
    """The passages of a run. Never changes: each step gives a new one.

    Attributes:
        rounds: The passages admitted in each round, in the order read.
        dropped: Ids that Prune dropped; they stay seen and never return.
        pinned: Ids in which a verified quote stands; neither pruned nor lost to a cap.
        grades: How useful a passage is: 3 states a needed fact, 2 leads on, 1 mentions what is asked about; 0 where
            nobody graded.
    """

    rounds: tuple[tuple[Passage, ...], ...] = ()
    dropped: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    grades: Mapping[str, float] | None = None

    @property
    def seen(self) -> tuple[Passage, ...]:
        """Every passage that was read, in the order read."""
        return tuple(chain.from_iterable(self.rounds))

    def unseen(self, hits: Iterable[Hit]) -> tuple[Hit, ...]:
        """The hits whose passages were not read yet, each once, in their order."""
        known = {passage.id for passage in self.seen}
        fresh: list[Hit] = []
        for hit in hits:
            if hit.passage.id not in known:
                known.add(hit.passage.id)
                fresh.append(hit)
        return tuple(fresh)

    def admit(self, passages: Iterable[Passage]) -> Evidence:
        """Open a round with these passages, which must be unseen."""
        return replace(self, rounds=(*self.rounds, tuple(passages)))

    def drop(self, ids: Iterable[str]) -> Evidence:
        """Drop passages; pinned ones stay."""
        more = frozenset(ids) - self.pinned - self.dropped
        return replace(self, dropped=self.dropped | more) if more else self

    def pin(self, ids: Iterable[str]) -> Evidence:
        """Keep passages whatever Prune says; what was dropped before stays dropped."""
        more = frozenset(ids) - self.dropped - self.pinned
        return replace(self, pinned=self.pinned | more) if more else self

    def grade(self, grades: Mapping[str, float]) -> Evidence:
        """Add grades, which decide what is carried to later rounds."""
        return replace(self, grades={**(self.grades or {}), **grades})

    def reading(self, limits: Limits) -> Reading:
        """What the next decision reads: pinned passages, the best of earlier rounds, all of this round.

        The best `carry_k` of each earlier round by grade (then order read) and all of the newest round, at most
        `max_passages`; what exceeds the cap is lost from the oldest round first, the worst of it first. Pinned passages
        do not count against `carry_k` and are never lost.

        The order is the order read, the oldest first: prompt caches read what one prompt begins with like the one
        before it. On 100 dev questions each of HotpotQA, 2WikiMultihopQA and MuSiQue that are 25, 18 and 22 % of the
        tokens from the second decision on (63, 57 and 63 % where everything is kept), against 0.3 % with the newest
        first (`python -m hopstop.eval.context_cost`).
        """
        seen = self.seen
        earlier = len(seen) - len(self.rounds[-1]) if self.rounds else 0
        if not self.dropped and len(seen) <= limits.max_passages and earlier <= limits.carry_k:
            return Reading(seen, earlier)
        parts = [self._best(part)[: limits.carry_k] for part in self.rounds[:-1]]
        parts += [self._best(part) for part in self.rounds[-1:]]
        loose = [passage.id for part in reversed(parts) for passage in part]
        room = max(0, limits.max_passages - len(self.pinned & {passage.id for passage in seen}))
        chosen = self.pinned.union(loose[:room])
        read = tuple(passage for passage in seen if passage.id in chosen)
        newest = {passage.id for part in self.rounds[-1:] for passage in part}
        return Reading(read, sum(passage.id not in newest for passage in read))

    def _best(self, part: tuple[Passage, ...]) -> list[Passage]:
        """What is neither dropped nor pinned, the best first."""
        grades = self.grades or {}
        loose = [item for item in part if item.id not in self.dropped and item.id not in self.pinned]
        return sorted(loose, key=lambda item: -grades.get(item.id, 0.0))
