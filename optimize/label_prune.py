"""Labels of Prune: four grades, from what states a fact to what has nothing to do with the question.

Gold passages are direct, those about a name on the way are related, those that mention one are tangential; look-alikes
and what else the search brings up are none of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hopstop.optimize.cases import Made, PruneCase
from hopstop.optimize.ideal import LIMITS, Reader
from hopstop.optimize.negatives import Negatives
from hopstop.optimize.steps import names, wording
from hopstop.program.bm25 import BM25Index
from hopstop.program.lm_policy import prune_inputs
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.text import names as names_in

KINDS = ("next", "first")


@dataclass(frozen=True, slots=True)
class PruneLabels:
    """Makes the labels of Prune for one question.

    Attributes:
        index: Where the passages beside the gold ones come from.
        reader: The question with its answer sheet.
        gold: Its gold passages, each once, in the order of the steps.
    """

    index: BM25Index
    reader: Reader
    gold: tuple[Passage, ...]

    def make(self, rng: random.Random) -> Iterator[Made]:
        """One label for round 1, and one for a later round of a question with several gold passages."""
        if not self.reader.question.answerable:
            return
        yield from self._first(rng)
        if len(self.gold) > 1:
            yield from self._next(rng)

    def _negatives(self) -> Negatives:
        return Negatives(self.index, self.reader.question, self.reader.steps)

    def _first(self, rng: random.Random) -> Iterator[Made]:
        question = self.reader.question
        hits = [hit.passage for hit in self.index.search(question.question, LIMITS.first_k, question.groups)]
        gold = [passage for passage in self.gold if passage in hits] or [self.gold[0]]
        filling = self._negatives().like(question.question, LIMITS.first_k - len(gold))
        new = _shuffled(rng, (*gold, *filling))
        yield from self._made("first", self.reader.start(Reading(new)), new)

    def _next(self, rng: random.Random) -> Iterator[Made]:
        done = rng.randrange(1, len(self.gold))
        question, found, target = self.reader.question, self.gold[:done], self.gold[done]
        filling = self._negatives().like(question.question, LIMITS.first_k - done)
        before = self.reader.start(Reading(_shuffled(rng, (*found, *filling))))
        read = {passage.id for passage in before.reading.passages}
        twin = self._negatives().look_alike(target, but=read)
        shown = self.reader.shown(before.reading)
        place = next(place for place, step in enumerate(self.reader.steps) if step.passage_id == target.id)
        need = wording(self.reader.steps, place, shown)
        known = read | ({twin.id} if twin else set())
        more = self._negatives().like(need, LIMITS.next_k - 1, but=known)
        new = _shuffled(rng, (target, *([twin] if twin else []), *more))
        yield from self._made("next", self.reader.next(before, need, new), new)

    def _made(self, kind: str, state: State, new: tuple[Passage, ...]) -> Iterator[Made]:
        """Prune runs after Decide has read the same passages, so it is shown the facts as judged then."""
        decision = self.reader.decide(state)
        if not self.reader.agrees(state, decision):
            return
        judgement = self.reader.judged(state, decision)
        after = State(state.question, state.reading, judgement.facts, queries=state.queries, groups=state.groups)
        gold = frozenset(passage.id for passage in new if passage in self.gold)
        bridging = frozenset(passage.id for passage in new if self._is_about_a_name(passage)) - gold
        mentions = frozenset(passage.id for passage in new if self._mentions_a_name(passage)) - gold - bridging
        reading = Reading(new)
        grades = {"direct": gold, "related": bridging, "tangential": mentions}
        outputs = {name: _labels(reading, ids) for name, ids in grades.items()}
        case = PruneCase(new, gold, bridging, mentions, after)
        yield Made(self.reader.question.id, kind, prune_inputs(after, new), outputs, case)

    def _is_about_a_name(self, passage: Passage) -> bool:
        """Whether a passage is about a name of the question or one that a step finds."""
        title = passage.title.partition(" (")[0].strip()
        return bool(title) and any(names(text, title) for text in (self.reader.question.question, *self._found()))

    def _mentions_a_name(self, passage: Passage) -> bool:
        text = f"{passage.title} {passage.text}"
        return any(names(text, name) for name in (*names_in(self.reader.question.question), *self._found()))

    def _found(self) -> list[str]:
        return [step.result for step in self.reader.steps if step.result]


def _labels(reading: Reading, ids: frozenset[str]) -> list[str]:
    return [reading.label(passage.id) for passage in reading.passages if passage.id in ids]


def _shuffled(rng: random.Random, passages: Sequence[Passage]) -> tuple[Passage, ...]:
    return tuple(rng.sample(list(passages), len(passages)))
