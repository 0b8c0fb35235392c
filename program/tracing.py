"""Spans of a run: one for the question, one for each round, and in it search, decide, prune and rewrite.

Parents are handed on by hand and not through a context, so that steps side by side in threads or tasks find theirs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, Self

from hopstop.program.policy import Policy, Reply, State
from hopstop.program.records import Decision, Hit, Outcome, Passage, Query, Round, Usage
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime

QUESTION, ROUND, SEARCH, DECIDE, PRUNE, REWRITE = "question", "round", "search", "decide", "prune", "rewrite"
"""Names of spans."""


class Span(Protocol):
    """One span, as a tracer makes it. Never raises: a run does not end because its trace cannot be kept."""

    def note(self, values: Mapping[str, Any]) -> None:
        """Add attributes."""
        ...

    def show(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Set text of the question, the passages or the model; called only where the tracer asks for content."""
        ...

    def end(self, at: float, *, failed: bool = False) -> None:
        """End it at this time, in seconds since the epoch."""
        ...


class Tracer(Protocol):
    """Where spans go. Safe in many threads and event loops."""

    @property
    def content(self) -> bool:
        """Whether spans may hold text of question, passages and answers."""
        ...

    def start(self, name: str, parent: Any) -> Span:  # noqa: ANN401 - a span of the same tracer, or None
        """Begin a span now; without a parent it begins a trace."""
        ...


class Traced:
    """The policy of one run, with a span around each step. Leave it as a context manager to end all spans."""

    def __init__(self, policy: Policy, tracer: Tracer, question: str) -> None:
        self._policy = policy
        self._tracer = tracer
        self._question = question
        self._root = tracer.start(QUESTION, None)
        self._rounds: list[tuple[Span, list[float]]] = []  # each with the time at which it ended, once it has
        self._turned = True  # the next search begins a round
        self._outcome: Outcome | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        now, outcome = time.time(), self._outcome
        self._end_round(now)
        done = outcome.rounds if outcome is not None else ()
        for place, (span, ended) in enumerate(self._rounds):
            if place < len(done):
                span.note(_of_round(done[place]))
                queries = [query.text for query in done[place].queries]
                self._show(span, {"queries": queries}, {"draft": done[place].draft})
            span.end(ended[0], failed=outcome is None)
        if outcome is not None:
            self._root.note(_of_outcome(outcome))
            answer = {"answer": outcome.answer, "missing": list(outcome.missing)}
            self._show(self._root, {"question": self._question}, answer)
        self._root.end(now, failed=outcome is None)

    def ended(self, outcome: Outcome) -> Outcome:
        """Take in how the run ended, and hand it on."""
        self._outcome = outcome
        return outcome

    @property
    def name(self) -> str:
        """See Policy.name."""
        return self._policy.name

    @property
    def writes_freely(self) -> bool:
        """See Policy.writes_freely."""
        return self._policy.writes_freely

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide."""
        with self._step(DECIDE) as span:
            span.note({"passages": len(state.reading.passages), "objections": len(state.objections)})
            reply = await self._policy.decide(state, runtime)
            decision = reply.value
            span.note({**_of_usage(reply.usage), "stop": decision.stop, "claims": len(decision.claims)})
            claims = [claim.need for claim in decision.claims]
            self._show(span, {"passages": state.reading.text()}, {"draft": decision.draft, "claims": claims})
            return reply

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune."""
        with self._step(PRUNE) as span:
            reply = await self._policy.prune(state, new, runtime)
            kept = sum(bool(reply.value.get(passage.id)) for passage in new)
            span.note({**_of_usage(reply.usage), "new": len(new), "kept": kept})
            self._show(span, {"new": [passage.id for passage in new]}, {"grades": dict(reply.value)})
            return reply

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """See Policy.rewrite."""
        with self._step(REWRITE) as span:
            span.note({"faults": len(faults)})
            reply = await self._policy.rewrite(state, need, faults, runtime)
            span.note(_of_usage(reply.usage))
            self._show(span, {"need": need, "faults": list(faults)}, {"query": reply.value})
            return reply

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """See Policy.needs. It is asked for the queries of the next round."""
        self._turned = True
        return self._policy.needs(state, width)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """See Policy.search."""
        if self._turned:
            self._turned = False
            self._end_round(time.time())
            self._rounds.append((self._tracer.start(ROUND, self._root), []))
        with self._step(SEARCH) as span:
            hits = await self._policy.search(state, query, k, retriever, runtime)
            span.note({"k": k, "hits": len(hits)})
            self._show(span, {"query": query.text}, {"hits": [hit.passage.id for hit in hits]})
            return hits

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """See Policy.ranking."""
        return self._policy.ranking(state, seen)

    @contextmanager
    def _step(self, name: str) -> Iterator[Span]:
        span = self._tracer.start(name, self._rounds[-1][0])
        failed = True
        try:
            yield span
            failed = False
        finally:
            span.end(time.time(), failed=failed)

    def _end_round(self, now: float) -> None:
        if self._rounds:
            self._rounds[-1][1].append(now)

    def _show(self, span: Span, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        if self._tracer.content:
            span.show(inputs, outputs)


def _of_usage(usage: Usage) -> dict[str, Any]:
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "calls": usage.calls,
        "cached_calls": usage.cached_calls,
        "parse_failures": usage.parse_failures,
    }


def _of_round(item: Round) -> dict[str, Any]:
    faults = sum(len(query.faults) for query in item.queries)
    return {
        **_of_usage(item.usage),
        "number": item.number,
        "queries": len(item.queries),
        "faults": faults,
        "hits": len(item.hits),
        "new": len(item.new),
        "kept": len(item.kept),
        "dropped": len(item.dropped),
        "objections": len(item.objections),
    }


def _of_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        **_of_usage(outcome.usage),
        "reason": outcome.reason.value,
        "policy": outcome.policy,
        "rounds": len(outcome.rounds),
        "passages": len(outcome.evidence),
        "proven": len(outcome.citations),
        "missing": len(outcome.missing),
        "billed_tokens": outcome.usage.billed_tokens,
        "cost_usd": outcome.usage.cost_usd,
    }
