"""What a run would have come to under other limits, told from a recorded run instead of paying for another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from hopstop.program.judge import judge
from hopstop.program.loop import IterativeQA
from hopstop.program.policy import Policy, Reply, State
from hopstop.program.records import Decision, Hit, Limits, Outcome, Passage, Query, Round, StopBy, StopReason
from hopstop.program.retriever import Retriever
from hopstop.program.run_checks import RunChecks
from hopstop.program.runtime import Runtime

DRY_ROUNDS = 2  # a recorded run goes on through so many rounds that bring nothing new


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One round of a recorded run, as far as limits depend on it.

    Attributes:
        new: Ids of the passages read for the first time.
        stop: Whether the policy said STOP.
        free: Whether code had nothing against it but coverage and sufficiency.
        coverage: See Judgement.
        sufficiency: See Judgement.
        draft: The draft answer.
        quoted: Ids of the passages with a verified quote.
        decide_tokens: Tokens of the decision, before which no limit is looked at.
        tokens: Tokens of the whole round.
        seconds: Wall clock of the round.
    """

    new: tuple[str, ...]
    stop: bool = False
    free: bool = False
    coverage: float = 0.0
    sufficiency: float = 0.0
    draft: str = ""
    quoted: tuple[str, ...] = ()
    decide_tokens: int = 0
    tokens: int = 0
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded run: its rounds, and how it ended."""

    steps: tuple[Step, ...]
    reason: StopReason

    def to_json(self) -> dict[str, Any]:
        """The trace as a JSON object."""
        return {"steps": [asdict(step) for step in self.steps], "reason": self.reason.value}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Trace:
        """The trace of such an object.

        Raises:
            KeyError, TypeError, ValueError: It is none.
        """
        steps = (
            Step(**{**item, "new": tuple(item["new"]), "quoted": tuple(item["quoted"])}) for item in value["steps"]
        )
        return cls(tuple(steps), StopReason(value["reason"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """The end that a recorded run comes to under some limits.

    Attributes:
        reason: Why it ends.
        answer: None unless answered.
        read: Ids of the passages read.
        quoted: Ids of the passages quoted.
        rounds: Rounds run.
        tokens: Input and output tokens.
        seconds: Wall clock.
    """

    reason: StopReason
    answer: str | None
    read: tuple[str, ...]
    quoted: tuple[str, ...]
    rounds: int
    tokens: int
    seconds: float


def record(program: IterativeQA, question: str, groups: frozenset[str]) -> Trace:
    """Run a question under the strictest thresholds, so that any looser setting is a beginning of this run."""
    strict = replace(
        program.limits, min_coverage=1.0, min_sufficiency=1.0, patience=max(DRY_ROUNDS, program.limits.patience)
    )
    policy = _Recorder(program.policy)
    guards = program.guards.without("ask_again")  # under strict thresholds it would ask where the program does not
    loop = program.like(policy=policy, limits=strict, guards=guards)
    outcome: Outcome = loop(question, groups=groups)
    checks = RunChecks(guards, program.statistics)
    decided = iter(policy.decided)
    steps = [_step(item, None if item.stop is None else next(decided), strict, checks) for item in outcome.rounds]
    return Trace(tuple(steps), outcome.reason)


def replay(trace: Trace, limits: Limits) -> Replayed:
    """Let a recorded run go until these limits end it.

    Exact for `max_rounds`, `max_tokens`, `max_seconds`, `patience` and `min_rounds`. For the thresholds, a model is
    taken to decide the same whichever of its gaps the objection to a refused STOP named. A round that `max_read` would
    have cut short is taken to show nothing new that could be answered from.

    Args:
        trace: Recorded under caps that are not below these.
        limits: `first_k`, `next_k`, `width` and `carry_k` must be those of the recorded run.
    """
    run = _Replay(limits)
    for step in trace.steps:
        reason = run.take(step)
        if reason is not None:
            return run.end(reason)
    return run.end(StopReason.ROUND_LIMIT if trace.reason is StopReason.ANSWERED else trace.reason)


class _Replay:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._read: tuple[str, ...] = ()
        self._last = Step(new=())
        self._rounds = self._tokens = self._dry = 0
        self._seconds = 0.0

    def take(self, step: Step) -> StopReason | None:
        limits, bound = self._limits, self._limits.max_read
        fits = bound is None or len(self._read) + len(step.new) <= bound
        self._read = (*self._read, *step.new)[:bound]
        self._rounds += 1
        self._dry = 0 if step.new else self._dry + 1
        self._seconds += step.seconds
        self._tokens += step.decide_tokens
        self._last = step
        if step.new and fits and self._rounds >= limits.min_rounds and _accepted(step, limits):
            return StopReason.ANSWERED
        if self._dry > limits.patience:
            return StopReason.NO_NEW_PASSAGES
        reason = self._capped()
        self._tokens += 0 if reason else step.tokens - step.decide_tokens
        return reason

    def _capped(self) -> StopReason | None:
        limits = self._limits
        if self._tokens >= limits.max_tokens:
            return StopReason.TOKEN_LIMIT
        if self._seconds >= limits.max_seconds:
            return StopReason.TIME_LIMIT
        if limits.max_read is not None and len(self._read) >= limits.max_read:
            return StopReason.PASSAGE_LIMIT
        return StopReason.ROUND_LIMIT if self._rounds >= limits.max_rounds else None

    def end(self, reason: StopReason) -> Replayed:
        return Replayed(
            reason=reason,
            answer=self._last.draft if reason is StopReason.ANSWERED else None,
            read=self._read,
            quoted=self._last.quoted,
            rounds=self._rounds,
            tokens=self._tokens,
            seconds=self._seconds,
        )


def _accepted(step: Step, limits: Limits) -> bool:
    willing = step.stop or limits.stop_by is StopBy.EVIDENCE
    shown = step.coverage >= limits.min_coverage and step.sufficiency >= limits.min_sufficiency
    return step.free and willing and shown


@dataclass(frozen=True, slots=True)
class _Decided:
    state: State
    decision: Decision
    before: tuple[str, ...]
    tokens: int


class _Recorder:
    """The policy of one question, which keeps what was decided on what."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy
        self.decided: list[_Decided] = []

    @property
    def name(self) -> str:
        return self._policy.name

    @property
    def writes_freely(self) -> bool:
        return self._policy.writes_freely

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        reply = await self._policy.decide(state, runtime)
        before = tuple(item.decision.draft for item in self.decided)
        self.decided.append(_Decided(state, reply.value, before, reply.usage.tokens))
        return reply

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        return await self._policy.prune(state, new, runtime)

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        return await self._policy.rewrite(state, need, faults, runtime)

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        return self._policy.needs(state, width)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        return await self._policy.search(state, query, k, retriever, runtime)

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        return self._policy.ranking(state, seen)


def _step(item: Round, decided: _Decided | None, strict: Limits, checks: RunChecks) -> Step:
    if decided is None:
        return Step(new=item.new, tokens=item.usage.tokens, seconds=item.seconds)
    state, decision = decided.state, decided.decision
    lenient = replace(strict, min_coverage=0.0, min_sufficiency=0.0)
    judged = judge(state.question, decision, state.facts, state.reading, lenient, guards=checks.guards)
    return Step(
        new=item.new,
        stop=decision.stop,
        free=checks.applied(judged, decision, state, decided.before, ends=True).accepted,
        coverage=judged.coverage,
        sufficiency=judged.sufficiency,
        draft=decision.draft,
        quoted=tuple(dict.fromkeys(fact.quote.passage_id for fact in judged.facts if fact.quote is not None)),
        decide_tokens=decided.tokens,
        tokens=item.usage.tokens,
        seconds=item.seconds,
    )
