"""Hard negatives: passages that the project's own search takes for the right ones."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import islice

from hopstop.eval.questions import Question
from hopstop.optimize.steps import Step, names
from hopstop.program.bm25 import BM25Index
from hopstop.program.lookalike import alike
from hopstop.program.records import Passage
from hopstop.program.text import names as names_in
from hopstop.program.text import numbers

DEPTH = 30  # hits looked through; what ranks lower is no hard negative
ALIKE_DEPTH = 10  # of them, the ones whose names are compared


@dataclass(frozen=True, slots=True)
class Negatives:
    """Finds passages that are read beside the gold ones of one question.

    Attributes:
        index: Where to search.
        question: Whose user reads; a question that is unanswerable only against its own passages reads those only.
        steps: What it needs. A passage that states the result of a step beside its gold one is no negative.
    """

    index: BM25Index
    question: Question
    steps: Sequence[Step]

    def like(self, query: str, n: int, *, but: Collection[str] = ()) -> tuple[Passage, ...]:
        """The first n hits of a query that state nothing that the question needs.

        Args:
            query: What is searched.
            n: How many, >= 0; fewer if there are no more.
            but: Ids that are left out besides.
        """
        hits = (hit.passage for hit in self.index.search(query, DEPTH, self.question.groups))
        return tuple(islice((item for item in hits if item.id not in but and self._is_negative(item)), max(0, n)))

    def look_alike(self, gold: Passage, *, but: Collection[str] = ()) -> Passage | None:
        """The passage that is taken for a gold one most easily.

        The first hit of its own title and text whose names look like those of the gold one; without such a hit the
        first of all.
        """
        hits = self.like(f"{gold.title} {gold.text[:200]}", ALIKE_DEPTH, but=but)
        return next((item for item in hits if _alike(item, gold)), hits[0] if hits else None)

    def _is_negative(self, passage: Passage) -> bool:
        shown = self.question.context_ids
        if self.question.context_only and shown is not None and passage.id not in shown:
            return False
        text = f"{passage.title} {passage.text}"
        gold = {step.passage_id for step in self.steps}
        results = [step.result for step in self.steps if not names(self.question.question, step.result)]
        return passage.id not in gold and not any(names(text, result) for result in results)


def _alike(left: Passage, right: Passage) -> bool:
    return look_alike_names(left, right) is not None


def look_alike_names(left: Passage, right: Passage) -> tuple[str, str] | None:
    """A name or number of one title and one of the other that are look-alikes; None if there are none."""
    ours, theirs = (_keys(item.title or item.text[:100]) for item in (left, right))
    pairs = ((one, two) for one in sorted(ours - theirs) for two in sorted(theirs - ours))
    return next((pair for pair in pairs if alike(*pair)), None)


def _keys(text: str) -> frozenset[str]:
    return numbers(text).union(names_in(text))
