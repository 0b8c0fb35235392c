"""What the loop asks of whoever decides: the offline policy, an LM, or one that an app brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

from hopstop.program.reading import Reading
from hopstop.program.records import NO_GROUPS, Decision, Fact, Hit, Passage, Query, Usage
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.usage import NO_USAGE

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class State:
    """What a policy may know when it is asked.

    Attributes:
        question: As it was asked.
        reading: The passages to read, labelled P1, P2, ...
        facts: What the question needs as listed so far, proven facts with quotes. Empty before the first decision.
        queries: The queries searched so far.
        read: Ids of all passages read so far, in the order read; those that Prune dropped included.
        draft: The last draft answer.
        objections: Why the last STOP was refused; empty if the last decision was to search.
        groups: Groups of the user.
        memory: Lives as long as the run: what a policy may keep to itself from one round to the next.
    """

    question: str
    reading: Reading = field(default_factory=Reading)
    facts: tuple[Fact, ...] = ()
    queries: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    draft: str = ""
    objections: tuple[str, ...] = ()
    groups: frozenset[str] = NO_GROUPS
    memory: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What a policy answers, and what that used."""

    value: T
    usage: Usage = NO_USAGE


class Policy(Protocol):
    """Decides, prunes and rewrites. Keeps nothing between questions; safe in many threads.

    The coroutines may wait for nothing but the runtime that they are given.
    """

    @property
    def name(self) -> str:
        """How outcomes name it, e.g. "offline"."""
        ...

    @property
    def writes_freely(self) -> bool:
        """Whether its queries are checked for faults: what a model writes is, what code takes from the index is not."""
        ...

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """Read the passages; list the facts with their quotes, a draft answer, and STOP or SEARCH."""
        ...

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """Grade the new passages by id: 3 states a needed fact, 2 leads on, 1 mentions what is asked about.

        Grades between these are allowed. 0 or no entry drops the passage; an empty reply drops none.
        """
        ...

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """The next query for one need, given the faults of the last try."""
        ...

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """At most `width` needs to search for next; independent of each other."""
        ...

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """The hits of one query, best first. The loop reads the first k of them that were not read yet.

        Hence more than k are welcome: `state.read` says how many of them may have been read.
        """
        ...

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """Ids of all passages read, the most useful first."""
        ...
