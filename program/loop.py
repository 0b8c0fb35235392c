"""The bounded loop: search, read, decide, and let code have the last word."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from copy import copy
from dataclasses import replace
from typing import Any

import dspy

from hopstop.program.allowance import Allowance
from hopstop.program.blend import blended, depth
from hopstop.program.budget import Budget
from hopstop.program.errors import SearchFailed
from hopstop.program.faults import Statistics
from hopstop.program.groups import check_groups
from hopstop.program.guards import DEFAULT, Guards
from hopstop.program.judge import judge, open_facts
from hopstop.program.lm import LMFailed
from hopstop.program.policy import Policy
from hopstop.program.prices import NO_PRICES, Prices
from hopstop.program.queries import next_queries
from hopstop.program.records import NO_GROUPS, Decision, Judgement, Limits, Outcome, Round, StopBy, StopReason
from hopstop.program.retriever import Retriever
from hopstop.program.run import FALLBACK, Run, check_question
from hopstop.program.runtime import Awaiting, Blocking, Runtime, run_blocking
from hopstop.program.stream import Event, awaited_events, blocking_events
from hopstop.program.tracing import Traced, Tracer
from hopstop.program.watch import Watch


class IterativeQA(dspy.Module):
    """Answers a question that needs several dependent searches, or says what is missing.

    One program may be used by many threads and event loops at once; it keeps nothing between questions and never
    changes global DSPy state.

    Args:
        retriever: Where to search.
        policy: Who decides.
        limits: Bounds of each question.
        fallback: Another source, asked once when the first has nothing new or is out of order.
        guards: Which checks of queries and answers are on.
        budget: What all questions share, of this program and of others that are given the same one.
        prices: Of models by name, where they differ from DSPy's price map or are not in it.
        tracer: Where spans of each question go; None: nowhere, at no cost.
    """

    def __init__(
        self,
        retriever: Retriever,
        policy: Policy,
        limits: Limits | None = None,
        *,
        fallback: Retriever | None = None,
        guards: Guards = DEFAULT,
        budget: Budget | None = None,
        prices: Prices = NO_PRICES,
        tracer: Tracer | None = None,
    ) -> None:
        super().__init__()
        self.retriever = retriever
        self.policy = policy
        self.limits = limits or Limits()
        self.fallback = fallback
        self.guards = guards
        self.budget = budget
        self.prices = dict(prices)
        self.tracer = tracer

    @property
    def statistics(self) -> Statistics | None:
        """Of the retriever, if it has any."""
        return self.retriever if isinstance(self.retriever, Statistics) else None

    def like(
        self,
        *,
        policy: Policy | None = None,
        retriever: Retriever | None = None,
        limits: Limits | None = None,
        guards: Guards | None = None,
    ) -> IterativeQA:
        """The same program with what is given changed; this one stays as it is."""
        made = copy(self)
        made.callbacks, made.history = [*self.callbacks], []
        given = {"policy": policy, "retriever": retriever, "limits": limits, "guards": guards}
        for name, value in given.items():
            if value is not None:
                setattr(made, name, value)
        return made

    def forward(
        self,
        question: str,
        *,
        groups: frozenset[str] = NO_GROUPS,
        cancel: threading.Event | None = None,
        on_round: Callable[[Round], None] | None = None,
    ) -> Outcome:
        """Answer one question.

        Args:
            question: In plain words.
            groups: Groups of the user; passages that they may not read are never seen.
            cancel: Set it to end the run before its next search or LM call.
            on_round: Called with each round as it is closed.

        Returns:
            The outcome; every run that starts ends with a named reason.

        Raises:
            BadQuestion: The question is empty or too long, or the groups are no set of names.
        """
        run = self._run(question, groups, Watch(cancel, on_round))
        return run_blocking(self._answer(run, Blocking(**self._world(run))))

    async def aforward(
        self,
        question: str,
        *,
        groups: frozenset[str] = NO_GROUPS,
        cancel: threading.Event | None = None,
        on_round: Callable[[Round], None] | None = None,
    ) -> Outcome:
        """See forward; awaits searches and LM calls. Cancelling the task ends the run where it is."""
        run = self._run(question, groups, Watch(cancel, on_round))
        return await self._answer(run, Awaiting(**self._world(run)))

    def stream(self, question: str, *, groups: frozenset[str] = NO_GROUPS) -> Iterator[Event]:
        """Answer one question; hand out each round as it is closed, then the outcome.

        The run starts with the first `next`. Leaving the iterator (break, `close()`) ends the run before its next
        search or LM call.

        Raises:
            BadQuestion: The question is empty or too long, or the groups are no set of names; raised at once.
        """
        text, groups = check_question(question), check_groups(groups)
        return blocking_events(lambda watch: self(text, groups=groups, cancel=watch.cancel, on_round=watch.on_round))

    def astream(self, question: str, *, groups: frozenset[str] = NO_GROUPS) -> AsyncIterator[Event]:
        """See stream; leaving the iterator (`aclose()`) cancels the call that is under way."""
        text, groups = check_question(question), check_groups(groups)
        return awaited_events(
            lambda watch: self.acall(text, groups=groups, cancel=watch.cancel, on_round=watch.on_round)
        )

    def _run(self, question: str, groups: frozenset[str], watch: Watch) -> Run:
        asked, readable = check_question(question), check_groups(groups)
        return Run(asked, readable, self.limits, watch=watch, statistics=self.statistics, guards=self.guards)

    def _world(self, run: Run) -> dict[str, Any]:
        """What a runtime is made with; a policy that does not write waits for nothing that could run side by side."""
        allowance = Allowance(self.limits, self.budget, self.prices)
        return {"parallel": self.policy.writes_freely, "cancelled": lambda: run.cancelled, "allowance": allowance}

    async def _answer(self, run: Run, runtime: Runtime) -> Outcome:
        if self.tracer is None:
            return await self._run_out(run, runtime)
        with Traced(self.policy, self.tracer, run.question) as policy:
            program = copy(self)
            program.policy = policy
            return policy.ended(await program._run_out(run, runtime))

    async def _run_out(self, run: Run, runtime: Runtime) -> Outcome:
        note = ""
        try:
            reason = await self._rounds(run, runtime)
        except LMFailed as error:
            reason, note = error.reason, error.note
        except SearchFailed:
            reason = StopReason.SEARCH_ERROR
        told = " ".join(filter(None, (note, run.outage, runtime.allowance.note)))
        return replace(run.outcome(reason, self.policy), note=told, priced_by=runtime.allowance.priced_by)

    async def _rounds(self, run: Run, runtime: Runtime) -> StopReason:
        while True:
            await self._search(run, runtime)
            if run.cancelled:
                return StopReason.CANCELLED
            if not run.evidence.seen:
                return StopReason.NO_HITS
            if run.new:
                if await self._answers(run, runtime):
                    return StopReason.ANSWERED
            elif run.dry > self.limits.patience:
                return StopReason.NO_NEW_PASSAGES
            if (reason := run.why_stop()) is not None:
                return reason
            grades, queries = await runtime.both(self._prune(run, runtime), next_queries(run, self.policy, runtime))
            run.close(grades, queries)

    async def _answers(self, run: Run, runtime: Runtime) -> bool:
        """Whether the decision is a STOP that counts; if only its answer is refused, it is asked once more."""
        for last in (not (self.guards.ask_again and self.policy.writes_freely), True):
            decision = await run.ask(self.policy.decide(run.state(), runtime))
            judgement = run.judged(decision, self._judge(run, decision))
            if self._ends(run, judgement, stop=decision.stop):
                return True
            if last or judgement.accepted or not decision.stop or not run.may_ask_again:
                return False
            run.refuse()
        return False

    def _judge(self, run: Run, decision: Decision) -> Judgement:
        """The last word on an answer. Code that goes on searching has given none, and reads no objection."""
        if not decision.stop and not self.policy.writes_freely and self.limits.stop_by is StopBy.BOTH:
            return open_facts(decision, run.facts, run.reading)
        return judge(run.question, decision, run.facts, run.reading, self.limits, guards=self.guards)

    def _ends(self, run: Run, judgement: Judgement, *, stop: bool) -> bool:
        willing = stop or self.limits.stop_by is StopBy.EVIDENCE
        return judgement.accepted and willing and run.number >= self.limits.min_rounds

    async def _search(self, run: Run, runtime: Runtime) -> None:
        """Search every query of the round and read what is new, at most k passages for each.

        Raises:
            SearchFailed: A search engine is out of order, and nothing new was found elsewhere.
        """
        failed = await self._tried(run, self.retriever, runtime)
        if not run.new and self.fallback is not None and not run.fell_back:
            run.fell_back = True
            failed = await self._tried(run, self.fallback, runtime, source=FALLBACK) or failed
        if failed is not None and not run.new:
            raise failed

    async def _tried(
        self, run: Run, retriever: Retriever, runtime: Runtime, *, source: str = ""
    ) -> SearchFailed | None:
        """Search; an engine that is out of order is booked and handed back."""
        try:
            await self._search_in(run, retriever, runtime, source=source)
        except (SearchFailed, OSError) as error:
            run.outage = f"A search failed: {type(error.__cause__ or error).__name__}."
            return SearchFailed(run.outage)
        return None

    async def _search_in(self, run: Run, retriever: Retriever, runtime: Runtime, *, source: str = "") -> None:
        for query in run.queries:
            if run.cancelled:
                return
            k = depth(run, self.policy)
            found = await self.policy.search(run.state(), query, k, retriever, runtime)
            hits = await blended(found, run, self.policy, retriever, runtime)
            run.admit(query, [replace(hit, source=source) for hit in hits] if source else hits)

    async def _prune(self, run: Run, runtime: Runtime) -> dict[str, float]:
        if not run.new:
            return {}
        return await run.ask(self.policy.prune(run.state(), run.new, runtime))
