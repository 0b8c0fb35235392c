"""Labels of Rewrite: after each gold hop, the fact that comes next, and a query that finds its passage."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopstop.optimize.cases import Made, RewriteCase
from hopstop.optimize.ideal import LIMITS, Reader
from hopstop.optimize.negatives import Negatives
from hopstop.optimize.steps import wording
from hopstop.program.bm25 import BM25Index
from hopstop.program.faults import faults
from hopstop.program.lm_policy import rewrite_inputs
from hopstop.program.policy import State
from hopstop.program.queries import context
from hopstop.program.reading import Reading
from hopstop.program.records import Passage, open_needs
from hopstop.program.text import content_words, names, numbers

DEPTH = 10  # hits in which the wanted passage is looked for
MAX_WORDS = 8  # of a query, as the signature asks
KINDS = ("hop 1", "hop 2", "hop 1", "hop 3", "start")


def rank_of(query: str, case: RewriteCase, index: BM25Index) -> int | None:
    """Rank, from 1, of the wanted passage among the hits that were not read yet; None below DEPTH."""
    read = {passage.id for passage in case.state.reading.passages}
    hits = index.search(query, DEPTH + len(read), case.state.groups)
    fresh = [hit.passage.id for hit in hits if hit.passage.id not in read][:DEPTH]
    return fresh.index(case.target.id) + 1 if case.target.id in fresh else None


def grave_faults(query: str, case: RewriteCase, index: BM25Index) -> tuple[str, ...]:
    """The faults for which the loop would send a query back, in words."""
    return tuple(fault.message for fault in faults(query, context(case.state, index)) if not fault.warning)


@dataclass(frozen=True, slots=True)
class RewriteLabels:
    """Makes the labels of Rewrite for one question.

    Attributes:
        index: Where queries run.
        reader: The question with its answer sheet.
        gold: Its gold passages, each once, in the order of the steps.
    """

    index: BM25Index
    reader: Reader
    gold: tuple[Passage, ...]

    def make(self, rng: random.Random) -> Iterator[Made]:
        """One label for each gold passage that is still to be found: after the ones before it.

        The first gold passage is to be found only where the question itself, searched as it is, does not find it.
        """
        if not self.reader.question.answerable:
            return
        for done in range(len(self.gold)):
            target = self.gold[done]
            if done == 0 and target in self._first_hits():
                continue
            case = self._case(rng, self.gold[:done], target)
            if case is not None:
                yield self._made("start" if done == 0 else f"hop {min(done, 3)}", case)

    def _first_hits(self) -> list[Passage]:
        question = self.reader.question
        return [hit.passage for hit in self.index.search(question.question, LIMITS.first_k, question.groups)]

    def _case(self, rng: random.Random, found: Sequence[Passage], target: Passage) -> RewriteCase | None:
        question, steps = self.reader.question, self.reader.steps
        filling = Negatives(self.index, question, steps).like(question.question, LIMITS.first_k - len(found))
        reading = (*found, *filling)
        state = self.reader.start(Reading(tuple(rng.sample(reading, len(reading)))))
        shown = self.reader.shown(state.reading)
        judgement = self.reader.judged(state)
        place = next(place for place, step in enumerate(steps) if step.passage_id == target.id)
        if not self.reader.agrees(state, self.reader.decide(state)) or not set(steps[place].references) <= set(shown):
            return None
        need = wording(steps, place, shown)
        if need not in open_needs(judgement.facts):
            return None
        now = State(
            question.question,
            state.reading,
            judgement.facts,
            queries=state.queries,
            objections=judgement.objections,
            groups=question.groups,
        )
        return RewriteCase(now, need, target)

    def _made(self, kind: str, case: RewriteCase) -> Made:
        inputs = rewrite_inputs(case.state, case.need, ())
        return Made(self.reader.question.id, kind, inputs, {"query": best_query(case, self.index)}, case)


def best_query(case: RewriteCase, index: BM25Index) -> str:
    """Of the queries that the words of the need and of the question make, the one that finds the passage best.

    Without a fault before with one, then by rank, then one of at most eight words, then the words of the need.
    """
    return min(dict.fromkeys(_candidates(case)), key=lambda query: _cost(query, case, index))


def _cost(query: str, case: RewriteCase, index: BM25Index) -> tuple[bool, int, bool]:
    rank = rank_of(query, case, index)
    return bool(grave_faults(query, case, index)), rank or DEPTH + 1, len(query.split()) > MAX_WORDS


def _candidates(case: RewriteCase) -> Iterator[str]:
    said = content_words(case.need, fold=False)
    named = [word for name in (*names(case.need), *sorted(numbers(case.need))) for word in content_words(name)]
    named = [word for word in said if word.casefold() in named]
    read = {word for passage in case.state.reading.passages for word in content_words(passage.text)}
    asked = [word for word in content_words(case.state.question, fold=False) if word.casefold() not in read]
    for words in (said, [*named, *said[:1]], named, [*named, *asked], [*said, *asked], asked):
        query = " ".join(dict.fromkeys(words))
        if query:
            yield query
    yield case.need
