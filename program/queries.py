"""The queries of the next round: rewritten until code finds no fault, else plain words."""

from __future__ import annotations

from dataclasses import replace

from hopstop.program.facts import proven
from hopstop.program.faults import QueryContext, Statistics, faults
from hopstop.program.policy import Policy, State
from hopstop.program.records import Query, open_needs
from hopstop.program.run import Run
from hopstop.program.runtime import Runtime
from hopstop.program.text import content_words, names, numbers

MAX_ANCHORS = 3  # names added to a plain query; its length then stays within the eight words that Rewrite is asked for


async def next_queries(run: Run, policy: Policy, runtime: Runtime) -> tuple[Query, ...]:
    """One query for each need that the policy wants searched, at most `width`, no two the same."""
    state = run.state()
    queries: list[Query] = []
    for need in policy.needs(state, run.limits.width):
        query = await _rewrite(run, policy, runtime, state, need)
        state = replace(state, queries=(*state.queries, query.text))
        queries.append(query)
    return tuple(queries)


def context(state: State, statistics: Statistics | None) -> QueryContext:
    """What the next query is checked against."""
    read = tuple(f"{passage.title}. {passage.text}" for passage in state.reading.passages)
    return QueryContext(
        state.question,
        needs=open_needs(state.facts),
        known=(*(fact.need for fact in state.facts), state.draft, *read),
        anchors=anchors(state),
        tried=state.queries,
        statistics=statistics,
        groups=state.groups,
    )


def anchors(state: State) -> tuple[str, ...]:
    """Names and numbers that the draft and the quotes brought up and that the question does not hold."""
    asked = set(content_words(state.question))
    quotes = [fact.quote.text for fact in proven(state.facts) if fact.quote is not None]
    found = [name for text in (state.draft, *quotes) for name in (*names(text), *sorted(numbers(text)))]
    return tuple(dict.fromkeys(name for name in found if not asked.issuperset(content_words(name))))


async def _rewrite(run: Run, policy: Policy, runtime: Runtime, state: State, need: str) -> Query:
    if not policy.writes_freely:
        return Query(await run.ask(policy.rewrite(state, need, (), runtime)), need)
    where = context(state, run.statistics)
    told: list[str] = []
    for _ in range(run.limits.rewrite_tries):
        if run.cancelled:
            break
        text = await run.ask(policy.rewrite(state, need, told, runtime))
        found = faults(text, where, run.guards)
        grave = [fault.message for fault in found if not fault.warning]
        if not grave:
            return Query(text, need, tuple(told), warnings=tuple(fault.message for fault in found))
        told.extend(grave)
    return Query(plain_query(need, where.anchors), need, tuple(dict.fromkeys(told)), fallback=True)


def plain_query(need: str, anchors: tuple[str, ...]) -> str:
    """The content words of a need and the first anchors: what runs when every rewrite had a fault."""
    parts = [*content_words(need), *(word for anchor in anchors[:MAX_ANCHORS] for word in content_words(anchor))]
    return " ".join(dict.fromkeys(parts)) or need
