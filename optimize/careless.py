"""A made policy that plays a careless model, to show what code refuses: `hopstop ablate --careless HABIT`.

The offline policy is careful by itself, so that no guard has anything to refuse in its runs. Here it searches, reads
and drafts as it always does, and one habit of models is put on top. The habits are made up, and what the guards bring
under them is no estimate of what they bring to a model: it shows which failures code stops, and which it cannot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import StrEnum

from hopstop.optimize.careless_queries import CarelessWriter
from hopstop.program.errors import BadInput
from hopstop.program.generic import is_generic
from hopstop.program.lookalike import alike, is_year, single_names
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Policy, Reply, State
from hopstop.program.question_form import Asks, question_form
from hopstop.program.records import Decision, Hit, Passage, Query
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.text import content_words, numbers


class Habit(StrEnum):
    """What a careless model does."""

    EARLY = "early"
    HIDING = "hiding"
    CONCLUDING = "concluding"
    GUESSING = "guessing"
    MERGING = "merging"
    VAGUE = "vague"
    LOOK_ALIKE = "look-alike"
    QUERIES = "queries"


HABITS = {
    Habit.EARLY: "says STOP as soon as it has a draft, be it a guess, and a quote, whatever is open",
    Habit.HIDING: "like early, and does not list what is open",
    Habit.CONCLUDING: "like early, and calls what is open a conclusion from its first quote",
    Habit.GUESSING: "like hiding, and answers with a name that it does not quote",
    Habit.MERGING: "like early, and joins its answer from two names",
    Habit.VAGUE: 'like early, and answers with a kind that a quote names: "the film"',
    Habit.LOOK_ALIKE: "takes a look-alike in the passages for the name or number that the question asks for",
    Habit.QUERIES: "decides with care and searches words; each query has a fault, in turn, until it is told so",
}
"""Habit -> what it does, in words for a table."""


def careless(program: IterativeQA, habit: Habit) -> IterativeQA:
    """The program with a habit.

    Raises:
        BadInput: Its policy is not the offline one.
    """
    policy = program.policy
    if not isinstance(policy, OfflinePolicy):
        raise BadInput(f"--careless plays with the offline policy, not with {policy.name!r}; leave the model out")
    made: Policy = CarelessWriter(policy) if habit is Habit.QUERIES else CarelessReader(policy, habit)
    return program.like(policy=made)


class CarelessReader:
    """Decides carelessly; searches as the offline policy does.

    Args:
        careful: Searches, reads and drafts.
        habit: Any but QUERIES.
    """

    writes_freely = False

    def __init__(self, careful: OfflinePolicy, habit: Habit) -> None:
        self.name = f"{careful.name}, careless: {habit}"
        self._careful = careful
        self._habit = habit

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide."""
        if self._habit is Habit.LOOK_ALIKE:
            return Reply(await self._mistaken(state, runtime))
        found = (await self._careful.decide(state, runtime)).value
        draft = found.draft or _guess(state.question)
        stop = found.stop or (bool(draft) and any(claim.quote for claim in found.claims))
        decision = replace(found, stop=stop, draft=draft)
        return Reply(_STOPS[self._habit](decision, state) if stop and self._habit in _STOPS else decision)

    async def _mistaken(self, state: State, runtime: Runtime) -> Decision:
        """The decision on the question about the look-alike, in the words of the question that was asked."""
        wanted, twin = mistaken(state)
        asked = replace(state, question=state.question.replace(wanted, twin) if twin else state.question)
        found = (await self._careful.decide(asked, runtime)).value
        if not twin:
            return found
        claims = tuple(replace(claim, need=claim.need.replace(twin, wanted)) for claim in found.claims)
        return replace(found, claims=claims)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune."""
        return await self._careful.prune(state, new, runtime)

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """See Policy.rewrite."""
        return await self._careful.rewrite(state, need, faults, runtime)

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """See Policy.needs."""
        return self._careful.needs(state, width)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """See Policy.search."""
        return await self._careful.search(state, query, k, retriever, runtime)

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """See Policy.ranking."""
        return self._careful.ranking(state, seen)


def mistaken(state: State) -> tuple[str, str]:
    """A name or number of the question, and the look-alike in the passages it is taken for; ("", "") if there is none.

    Years are left alone: any text about people has some that look alike.
    """
    question = state.question
    wanted = [item for item in (*sorted(numbers(question)), *single_names(question)) if not is_year(item, question)]
    for passage in state.reading.passages:
        text = f"{passage.title}. {passage.text}"
        for name in (*sorted(numbers(text)), *single_names(text)):
            taken = next((item for item in wanted if alike(item, name)), None)
            if taken is not None:
                return taken, name
    return "", ""


def _guess(question: str) -> str:
    """What a question can be answered with by somebody who has read nothing; "" if nothing."""
    form = question_form(question)
    return "yes" if form.asks is Asks.YES_NO else next(iter(form.sides), "")


def _hiding(decision: Decision, state: State) -> Decision:
    shown = tuple(claim for claim in decision.claims if claim.quote or claim.follows_from)
    return replace(decision, claims=shown)


def _concluding(decision: Decision, state: State) -> Decision:
    first = next((claim.need for claim in decision.claims if claim.quote), "")
    claims = (
        claim if claim.quote or claim.follows_from else replace(claim, follows_from=(first,))
        for claim in decision.claims
    )
    return replace(decision, claims=tuple(claims))


def _guessing(decision: Decision, state: State) -> Decision:
    """The first name of what was read that is new and in no quote, if there is one, and nothing open."""
    said = " ".join((state.question, decision.draft, *(claim.quote for claim in decision.claims)))
    read = (name for passage in state.reading.passages for name in single_names(passage.text))
    other = next((name for name in read if not set(content_words(name)) & set(content_words(said))), None)
    return decision if other is None else _hiding(replace(decision, draft=other), state)


def _merging(decision: Decision, state: State) -> Decision:
    """The first word of the answer with the last one of another name read, if both have several words."""
    own = decision.draft.split()
    read = (name.split() for passage in state.reading.passages for name in single_names(passage.text))
    other = next((name for name in read if len(name) > 1 and not set(name) & set(own)), None)
    if other is None or single_names(decision.draft) != (decision.draft,) or len(own) < 2:
        return decision
    return replace(decision, draft=f"{own[0]} {other[-1]}")


def _vague(decision: Decision, state: State) -> Decision:
    """The first word of a quote that names a kind; without one the draft."""
    said = (word for claim in decision.claims for word in content_words(claim.quote, fold=False))
    kind = next((word for word in said if word.islower() and is_generic(word)), "")
    return replace(decision, draft=f"the {kind}" if kind else decision.draft)


_STOPS: dict[Habit, Callable[[Decision, State], Decision]] = {
    Habit.HIDING: _hiding,
    Habit.CONCLUDING: _concluding,
    Habit.GUESSING: _guessing,
    Habit.MERGING: _merging,
    Habit.VAGUE: _vague,
}
