"""Labels of Decide: stop when every fact stands there, search on when one does not, however much it looks like it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopstop.optimize.cases import DecideCase, Made
from hopstop.optimize.ideal import LIMITS, Reader
from hopstop.optimize.negatives import Negatives
from hopstop.optimize.steps import showing, wording
from hopstop.program.bm25 import BM25Index
from hopstop.program.lm_policy import decide_inputs
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Decision, Passage
from hopstop.signatures import FactClaim

KINDS = ("whole", "taken", "whole", "look-alike", "whole", "twin")
"""Kinds in the order in which a set takes them in turn: as many to stop at as to search on from."""

ROOM = 2  # distractors beside many gold passages; with few ones the reading is filled up to `first_k`


@dataclass(frozen=True, slots=True)
class DecideLabels:
    """Makes the labels of Decide for one question.

    Attributes:
        index: Where distractors come from.
        reader: The question with its answer sheet.
        gold: Its gold passages, each once, in the order of the steps.
        by_label: Quotes as labels of sentences, or as words.
    """

    index: BM25Index
    reader: Reader
    gold: tuple[Passage, ...]
    by_label: bool = True

    def make(self, rng: random.Random) -> Iterator[Made]:
        """All labels that code agrees with: one for each kind that the question allows."""
        if not self.reader.question.answerable:
            yield from self._made("twin", self._state(rng, self.gold, self._filling(self.gold)))
            return
        yield from self._made("whole", self._state(rng, self.gold, self._filling(self.gold)))
        removed = rng.choice(self.gold)
        rest = tuple(passage for passage in self.gold if passage is not removed)
        yield from self._made("taken", self._state(rng, rest, self._filling(rest)))
        twin = self._negatives().look_alike(removed)
        if twin is not None:
            filling = (twin, *self._filling((*rest, twin)))
            yield from self._made("look-alike", self._state(rng, rest, filling))

    def _negatives(self) -> Negatives:
        return Negatives(self.index, self.reader.question, self.reader.steps)

    def _filling(self, read: Sequence[Passage]) -> tuple[Passage, ...]:
        n = max(LIMITS.first_k - len(read), ROOM)
        return self._negatives().like(self.reader.question.question, n, but={passage.id for passage in read})

    def _state(self, rng: random.Random, gold: Sequence[Passage], filling: Sequence[Passage]) -> State:
        """Round 1 with all passages at once, or round 2 in which the last gold passage, or nothing, was found."""
        if len(gold) < 2 or rng.random() < 0.5:
            return self.reader.start(Reading(_shuffled(rng, (*gold, *filling))))
        late = (gold[-1], *filling[:1])
        first = self.reader.start(Reading(_shuffled(rng, (*gold[:-1], *filling[1:]))))
        shown = self.reader.shown(first.reading)
        still = [place for place in range(len(self.reader.steps)) if place not in shown]
        return self.reader.next(first, wording(self.reader.steps, still[0], shown), _shuffled(rng, late))

    def _made(self, kind: str, state: State) -> Iterator[Made]:
        decision = self.reader.decide(state, by_label=self.by_label)
        shown = self.reader.shown(state.reading)
        if not state.reading.passages or not self.reader.agrees(state, decision):
            return
        yield Made(
            self.reader.question.id, kind, decide_inputs(state), _outputs(decision), self._case(state, decision, shown)
        )

    def _case(self, state: State, decision: Decision, shown: Sequence[int]) -> DecideCase:
        steps, question = self.reader.steps, self.reader.question
        proven = {place for place, fact in enumerate(state.facts) if fact.quote is not None}
        gold = []
        for place in shown:
            passage = state.reading.by_id(steps[place].passage_id or "")
            if passage is not None and place not in proven:
                gold.append(frozenset((passage.id, number) for number in showing(steps[place], passage)))
        read = {passage.id for passage in state.reading.passages}
        return DecideCase(
            state,
            decision.stop,
            question.answers if decision.stop else (),
            tuple(gold),
            missing=tuple(wording(steps, place, shown) for place in range(len(steps)) if place not in shown),
            absent=tuple(passage.title or passage.id for passage in self.gold if passage.id not in read),
        )


def _shuffled(rng: random.Random, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    return tuple(rng.sample(list(passages), len(passages)))


def _outputs(decision: Decision) -> dict[str, object]:
    needed = [FactClaim(need=c.need, quote=c.quote, follows_from=list(c.follows_from)) for c in decision.claims]
    return {"needed": needed, "answer": decision.draft, "verdict": "STOP" if decision.stop else "SEARCH"}
