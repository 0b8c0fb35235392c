"""The ledger of one run: what was searched, read, said and spent. Only the loop writes in it."""

from __future__ import annotations

import threading
import time
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any, TypeVar

from hopstop.program.errors import BadQuestion
from hopstop.program.evidence import Evidence
from hopstop.program.faults import Statistics
from hopstop.program.guards import DEFAULT, Guards
from hopstop.program.lm import LMFailed
from hopstop.program.open_part import released
from hopstop.program.policy import Policy, Reply, State
from hopstop.program.reading import Reading
from hopstop.program.records import (
    Decision,
    Fact,
    Hit,
    Judgement,
    Limits,
    Outcome,
    Passage,
    Query,
    Refusal,
    Round,
    StopBy,
    StopReason,
    Usage,
    open_needs,
)
from hopstop.program.run_checks import RunChecks
from hopstop.program.stopping import why_stop
from hopstop.program.usage import NO_USAGE
from hopstop.program.watch import Watch

T = TypeVar("T")
NOT_WATCHED = Watch()
FALLBACK = "fallback"  # source of the hits of the fallback retriever
MAX_QUESTION = 10_000  # characters; more is a document, not a question, and would fill an LM's prompt by itself


def check_question(question: str) -> str:
    """The question without surrounding space.

    Raises:
        BadQuestion: It is no text, is empty, has no letter or digit, or is longer than MAX_QUESTION characters.
    """
    if not isinstance(question, str):
        raise BadQuestion(f"the question must be a string, not {type(question).__name__}")
    text = question.strip()
    if not any(char.isalnum() for char in text):
        raise BadQuestion("the question is empty: give at least one word")
    if len(text) > MAX_QUESTION:
        raise BadQuestion(
            f"the question has {len(text):,} characters, at most {MAX_QUESTION:,} are allowed: "
            "put long text into the corpus and ask about it"
        )
    return text


class Run:
    """The state of one question while it runs.

    Attributes:
        question: As it was asked.
        groups: Groups of the user.
        queries: The queries of the round that is open.
        new: Passages that this round has read for the first time.
        facts: The facts as judged last.
        dry: Rounds in a row that brought nothing new.
        fell_back: Whether the fallback retriever was asked.
        outage: What a user should know of the last search that failed; empty if none did.
        statistics: Of the index, if it has any.
        guards: Which checks are on.
    """

    def __init__(
        self,
        question: str,
        groups: frozenset[str],
        limits: Limits,
        *,
        watch: Watch = NOT_WATCHED,
        statistics: Statistics | None = None,
        guards: Guards = DEFAULT,
    ) -> None:
        self.question = question
        self.groups = groups
        self.queries: tuple[Query, ...] = (Query(question, question),)
        self.new: tuple[Passage, ...] = ()
        self.facts: tuple[Fact, ...] = ()
        self.evidence = Evidence(((),))
        self._shown = Evidence(), Reading()  # what was read last, of which evidence
        self.dry = 0
        self.fell_back = False
        self.outage = ""
        self.statistics = statistics
        self.guards = guards
        self._drafts: tuple[str, ...] = ()
        self._memory: dict[str, Any] = {}
        self._limits = limits
        self._watch = watch
        self._searched: tuple[Query, ...] = ()
        self._rounds: list[Round] = []
        self._hits: dict[str, Hit] = {}
        self._decision: Decision | None = None
        self._objections: tuple[str, ...] = ()
        self._kept: tuple[str, ...] = ()
        self._refused: tuple[Refusal, ...] = ()
        self._usage = self._spent_before = NO_USAGE
        self._lock = threading.Lock()  # Prune and Rewrite report what they used side by side
        self._started = self._round_started = time.monotonic()

    @property
    def number(self) -> int:
        """Number of the open round, from 1."""
        return len(self._rounds) + 1

    @property
    def k(self) -> int:
        """Passages that a query of this round asks for."""
        return self._limits.first_k if self.number == 1 else self._limits.next_k

    @property
    def cancelled(self) -> bool:
        """Whether the app has asked to end the run."""
        return self._watch.cancelled

    @property
    def reading(self) -> Reading:
        """What the next decision reads."""
        evidence, reading = self._shown
        if evidence is not self.evidence:
            reading = self.evidence.reading(self._limits)
            self._shown = self.evidence, reading
        return reading

    @property
    def tried(self) -> tuple[str, ...]:
        """Every query searched so far, those of the open round included."""
        return (*(query.text for item in self._rounds for query in item.queries), *(item.text for item in self.queries))

    @property
    def limits(self) -> Limits:
        """The bounds of the run."""
        return self._limits

    def state(self) -> State:
        """What a policy may know now."""
        draft = self._decision.draft if self._decision is not None else ""
        return State(
            self.question,
            self.reading,
            self.facts,
            queries=self.tried,
            read=tuple([passage.id for passage in self.evidence.seen]),
            draft=draft,
            objections=self._objections if self._decision is not None and self._decision.stop else (),
            groups=self.groups,
            memory=self._memory,
        )

    def admit(self, query: Query, hits: Sequence[Hit]) -> None:
        """Read the hits of one query that were not read yet, as many as the query asks for and the limits allow.

        What the user may not read is left out here once more, whatever the retriever does.
        """
        if query not in self._searched:  # the fallback searches it again
            self._searched += (query,)
        allowed = [hit for hit in hits if hit.passage.readable_by(self.groups)]
        self._hits |= {hit.passage.id: hit for hit in allowed}
        fresh = self.evidence.unseen(allowed)[: self._room()]
        self.new += tuple(hit.passage for hit in fresh)
        self.evidence = replace(self.evidence, rounds=(*self.evidence.rounds[:-1], self.new))
        self.dry = 0 if self.new else len(self._dry_rounds()) + 1

    def _room(self) -> int:
        bound = self._limits.max_read
        return self.k if bound is None else max(0, min(self.k, bound - len(self.evidence.seen)))

    def _dry_rounds(self) -> list[Round]:
        return list(takewhile(lambda item: not item.new, reversed(self._rounds)))

    async def ask(self, answer: Awaitable[Reply[T]]) -> T:
        """Wait for a reply of the policy, book what it used, failed calls included, and hand out its value."""
        try:
            reply = await answer
        except LMFailed as error:
            self._book(error.usage)
            raise
        self._book(reply.usage)
        return reply.value

    def _book(self, used: Usage) -> None:
        with self._lock:
            self._usage += used

    def judged(self, decision: Decision, judgement: Judgement) -> Judgement:
        """Take over what code made of a decision; passages with verified quotes are pinned.

        Returns:
            The judgement, with the objections of RunChecks.
        """
        checks = RunChecks(self.guards, self.statistics)
        ends = decision.stop or self._limits.stop_by is StopBy.EVIDENCE
        judgement = checks.applied(judgement, decision, self.state(), self._drafts, ends=ends)
        self._drafts += (decision.draft,)
        self._kept = tuple(passage.id for passage in self.reading.passages)
        self._decision = decision
        self._objections = judgement.objections
        self.facts = judgement.facts
        self.evidence = self.evidence.pin(fact.quote.passage_id for fact in self.facts if fact.quote is not None)
        return judgement

    @property
    def may_ask_again(self) -> bool:
        """Whether nothing but the answer is refused, and there is money, time and room for one more call."""
        shown = bool(self.facts) and not open_needs(released(self.facts))
        return shown and self.why_stop() in (None, StopReason.ROUND_LIMIT, StopReason.PASSAGE_LIMIT)

    def refuse(self) -> None:
        """Book the last decision as a refused STOP that is asked again in this round."""
        if self._decision is not None:
            self._refused += (Refusal(self._decision.draft, self._objections),)

    def why_stop(self) -> StopReason | None:
        """The limit that forbids another round."""
        if self.cancelled:
            return StopReason.CANCELLED
        return why_stop(
            self.number, len(self.evidence.seen), self._usage, time.monotonic() - self._started, self._limits
        )

    def close(self, grades: Mapping[str, float], queries: tuple[Query, ...]) -> None:
        """End the open round and open the next one with these queries."""
        dropped = tuple(passage.id for passage in self.new if grades and not grades.get(passage.id))
        self.evidence = self.evidence.grade(grades).drop(dropped)
        self._record(tuple(name for name in dropped if name in self.evidence.dropped))
        self.queries, self.new, self._hits, self._kept, self._searched, self._refused = queries, (), {}, (), (), ()
        self.evidence = self.evidence.admit(())
        self.dry = len(self._dry_rounds()) + 1  # until it brings something, even if there is nothing to search for

    def _record(self, dropped: tuple[str, ...] = ()) -> None:
        now = time.monotonic()
        decided = self._decision if self._kept else None
        self._rounds.append(
            Round(
                self.number,
                self._searched,
                hits=tuple(self._hits),
                new=tuple(passage.id for passage in self.new),
                kept=self._kept,
                stop=decided.stop if decided else None,
                draft=decided.draft if decided else "",
                objections=self._objections if decided else (),
                dropped=dropped,
                refused=self._refused,
                fallback=tuple(item.id for item in self.new if self._hits[item.id].source == FALLBACK),
                usage=self._since(),
                seconds=now - self._round_started,
            )
        )
        self._round_started = now
        self._watch.closed(self._rounds[-1])

    def _since(self) -> Usage:
        """What was used since the last round was recorded."""
        used = self._usage.minus(self._spent_before)
        self._spent_before = self._usage
        return used

    def outcome(self, reason: StopReason, policy: Policy) -> Outcome:
        """The end of the run."""
        seen = self.evidence.seen
        draft = self._decision.draft if self._decision is not None else ""
        ranking = policy.ranking(self.state(), seen)
        if self._searched:  # not when the app has ended the run before
            self._record()
        return Outcome(
            self.question,
            reason,
            answer=draft if reason is StopReason.ANSWERED else None,
            facts=self.facts,
            draft=draft,
            evidence=seen,
            rounds=tuple(self._rounds),
            usage=self._usage,
            seconds=time.monotonic() - self._started,
            policy=policy.name,
            ranking=ranking,
        )
