"""Names to which the links of the index lead from what was read, for a model that writes the next query."""

from __future__ import annotations

import numpy as np

from hopstop.program.bm25 import BM25Index
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import State
from hopstop.program.units import spoken
from hopstop.program.walk import Walk
from hopstop.program.ways import FEATURES

HINTS = 3


class Guide(Walk):
    """A walk whose passages another search chooses: it only says where it would go next."""

    def reach(self, place: int) -> None:
        """Take a passage as read; one to which no way leads is left out, as it leads nowhere that was asked for."""
        self.follow()
        rows = np.flatnonzero(self.places() == place)
        if len(rows):
            self._take(int(rows[np.argmax(self.scores()[rows])]), 1.0)

    def next_places(self, k: int) -> list[tuple[int, str]]:
        """The k passages that the walk would read next, best first, each with the name that leads there."""
        self.follow()
        found: dict[int, str] = {}
        for row in np.argsort(-self.scores(), kind="stable"):
            via = int(self._ways.via[row])
            found.setdefault(int(self._ways.passage[row]), spoken(self._index.names[via]) if via >= 0 else "")
            if len(found) == k:
                break
        return list(found.items())


def hints(state: State, index: BM25Index, *, k: int = HINTS) -> tuple[str, ...]:
    """Names that the offline policy would look up next: titles of those passages, else the name that leads there.

    Args:
        state: What was read, in order.
        index: Where it was found.
        k: At most this many.
    """
    named = (index.at(place).title.strip() or via for place, via in next_places(state, index, k=k))
    return tuple(dict.fromkeys(filter(None, named)))


def next_places(state: State, index: BM25Index, *, k: int = HINTS) -> list[tuple[int, str]]:
    """See Guide.next_places, for a state."""
    weights = np.array([OfflinePolicy(index).state()[name] for name in FEATURES])
    guide = Guide(index.links, state.question, weights, index.readable(state.groups))
    for name in state.read or tuple(passage.id for passage in state.reading.passages):
        place = index.place(name)
        if place is not None:
            guide.reach(place)
    return guide.next_places(k)
