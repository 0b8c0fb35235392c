"""A made policy that writes queries with faults: see careless."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from zlib import crc32

from hopstop.program.bm25 import BM25Index
from hopstop.program.faults import FaultKind
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Reply, State
from hopstop.program.question_form import question_form
from hopstop.program.records import Decision, Hit, Passage, Query, open_needs
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.text import content_words

_INDEX = "careless: index"  # key in State.memory


class CarelessWriter:
    """Decides and plans as the offline policy does, but searches words, and writes each query with a fault at first.

    The faults take turns, from a place that the question sets. A query that is sent back is written anew without one:
    the name that leads on, and what the question asks that was not met; or what is open, where no name leads on.

    Args:
        careful: Plans and decides.
    """

    writes_freely = True

    def __init__(self, careful: OfflinePolicy) -> None:
        self.name = f"{careful.name}, careless: queries"
        self._careful = careful

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide."""
        return await self._careful.decide(state, runtime)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune."""
        return await self._careful.prune(state, new, runtime)

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """See Policy.rewrite."""
        planned = (await self._careful.rewrite(state, need, faults, runtime)).value
        still_open = (item for item in open_needs(state.facts) if item not in state.queries)
        good = next(still_open, planned) if planned == state.question else planned
        return Reply(good if faults else faulty(fault_of(state), good, state))

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """See Policy.needs."""
        return self._careful.needs(state, width)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """See Policy.search: the search engine's order stands."""
        if isinstance(retriever, BM25Index):
            state.memory[_INDEX] = retriever
        return list(await runtime.run(partial(retriever.search, query.text, k + len(state.read), state.groups)))

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """See Policy.ranking."""
        return self._careful.ranking(state, seen)


def fault_of(state: State) -> FaultKind:
    """Whose turn it is."""
    kinds = tuple(_FAULTY)
    return kinds[(crc32(state.question.encode()) + len(state.queries)) % len(kinds)]


def faulty(kind: FaultKind, query: str, state: State) -> str:
    """A query as somebody with this fault would write it.

    Args:
        kind: Of the fault.
        query: As it should be.
        state: What was asked and read.
    """
    return _FAULTY[kind](query, state)


def _vague(query: str, state: State) -> str:
    return "more information about this"


def _over_broad(query: str, state: State) -> str:
    """The word of what was read that most passages of the index hold."""
    index = state.memory.get(_INDEX)
    said = dict.fromkeys(word for item in state.reading.passages for word in content_words(item.text))
    if index is None or not said:
        return _vague(query, state)
    return max(said, key=lambda word: index.document_frequency(word, state.groups))


def _fusion(query: str, state: State) -> str:
    return f"{query}? {state.question}?"


def _off_topic(query: str, state: State) -> str:
    return "recipes for sourdough bread"


def _carry_drop(query: str, state: State) -> str:
    """What the question asks, without any name."""
    return " ".join(question_form(state.question).words) or _vague(query, state)


def _repeat(query: str, state: State) -> str:
    return state.queries[-1] if state.queries else state.question


_FAULTY: dict[FaultKind, Callable[[str, State], str]] = {
    FaultKind.VAGUE: _vague,
    FaultKind.OVER_BROAD: _over_broad,
    FaultKind.FUSION: _fusion,
    FaultKind.OFF_TOPIC: _off_topic,
    FaultKind.CARRY_DROP: _carry_drop,
    FaultKind.REPEAT: _repeat,
}
