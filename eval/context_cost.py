"""What pruning saves of what a model would read: `python -m hopstop.eval.context_cost QUESTIONS --index INDEX`.

The loop runs twice over the same questions, with the same retrieval (the walk of the offline policy), the same rule to
decide (code) and the limits of the LM policy: once with passages graded by code and read in excerpts, the best of each
earlier round carried on, and once keeping everything, so that round n reads rounds 1 to n again, whole. No model is
asked; what is counted is the text of the passages that a model would have been given to decide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path

import click

from hopstop.eval.datasets import read_questions
from hopstop.eval.questions import Question
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadDataset, HopstopError
from hopstop.program.excerpts import context, excerpts
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Reply, State
from hopstop.program.reading import Reading, one_line
from hopstop.program.records import Decision, Limits, Passage
from hopstop.program.relevance import RELATED, relevance
from hopstop.program.runtime import Runtime

ALL = 1_000_000  # a carry_k and max_passages that lose nothing
_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class ContextCost:
    """Means over the questions of one way to keep passages.

    Attributes:
        tokens: Words and marks of all contexts of a question. A model's own tokens are more; ratios hardly differ.
        all_support: Share of questions of which every gold passage was read.
        held: Share of which the last context still has every gold passage.
        shown: Share of which each gold sentence stood in one of the contexts at least, of the questions whose gold
            sentences are known.
        rounds: Rounds that decided.
        passages: Passages read, each once.
        prefix_oldest_first: Share of the tokens, from the second context on, that a prompt cache has read before: the
            longest common prefix with the context before it.
        prefix_newest_first: The same with the passages of the newest round first.
    """

    tokens: float
    all_support: float
    held: float
    shown: float | None
    rounds: float
    passages: float
    prefix_oldest_first: float
    prefix_newest_first: float


def tokens(text: str) -> list[str]:
    """Words and marks.

    >>> tokens("P1.1 Alien is")
    ['P1', '.', '1', 'Alien', 'is']
    """
    return _TOKEN.findall(text)


class Reader(OfflinePolicy):
    """The offline policy, which remembers the contexts that it decides on. For one question at a time.

    Args:
        index: Where to search.
        prune: Whether passages are graded and read in excerpts; else all are kept alike and read whole.
    """

    def __init__(self, index: BM25Index, *, prune: bool) -> None:
        super().__init__(index)
        self.states: list[State] = []
        self._prunes = prune

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide."""
        self.states.append(state)
        return await super().decide(state, runtime)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune."""
        return Reply(relevance(state, new) if self._prunes else {passage.id: RELATED for passage in new})

    def contexts(self) -> list[str]:
        """What a model would have read."""
        return [context(state) if self._prunes else state.reading.text() for state in self.states]

    def reversed_contexts(self) -> list[str]:
        """The same with the newest round first."""
        return [self._reversed(state) for state in self.states]

    def _reversed(self, state: State) -> str:
        passages, earlier = state.reading.passages, state.reading.earlier
        reading = Reading((*passages[earlier:], *passages[:earlier]))
        return reading.text(excerpts(state)) if self._prunes else reading.text()


@dataclass(frozen=True, slots=True)
class _Row:
    """One question: `again` are the tokens from the second context on, `oldest` and `newest` the prefixes in them."""

    tokens: int
    support: bool
    held: bool
    shown: bool | None
    rounds: int
    passages: int
    again: int
    oldest: int
    newest: int


def measure(index: BM25Index, questions: Sequence[Question], limits: Limits, *, prune: bool) -> ContextCost:
    """Run answerable questions and count.

    Args:
        index: Where to search.
        questions: With gold passages; at least one.
        limits: Of the loop.
        prune: See Reader.
    """
    bounds = limits if prune else replace(limits, carry_k=ALL, max_passages=ALL)
    rows = [_run(index, question, bounds, prune=prune) for question in questions]
    shown = [row.shown for row in rows if row.shown is not None]
    again = sum(row.again for row in rows) or 1
    return ContextCost(
        tokens=_mean([row.tokens for row in rows]),
        all_support=_mean([row.support for row in rows]),
        held=_mean([row.held for row in rows]),
        shown=_mean(shown) if shown else None,
        rounds=_mean([row.rounds for row in rows]),
        passages=_mean([row.passages for row in rows]),
        prefix_oldest_first=sum(row.oldest for row in rows) / again,
        prefix_newest_first=sum(row.newest for row in rows) / again,
    )


def _run(index: BM25Index, question: Question, limits: Limits, *, prune: bool) -> _Row:
    reader = Reader(index, prune=prune)
    outcome = IterativeQA(index, reader, limits)(question.question, groups=question.groups)
    contexts = [tokens(text) for text in reader.contexts()]
    gold, last = set(question.gold_ids), reader.states[-1].reading.passages if reader.states else ()
    return _Row(
        tokens=sum(map(len, contexts)),
        support=gold <= {passage.id for passage in outcome.evidence},
        held=gold <= {passage.id for passage in last},
        shown=_shown(question, reader.contexts()),
        rounds=len(contexts),
        passages=len(outcome.evidence),
        again=sum(map(len, contexts[1:])),
        oldest=_repeated(contexts),
        newest=_repeated([tokens(text) for text in reader.reversed_contexts()]),
    )


def _shown(question: Question, contexts: Sequence[str]) -> bool | None:
    """Whether each gold sentence stood in a context; None if they are not known."""
    sentences = [one_line(text) for support in question.supports for text in support.sentences]
    return all(any(text in context for context in contexts) for text in sentences) if sentences else None


def _repeated(contexts: Sequence[list[str]]) -> int:
    """Tokens of the common prefixes of neighbours."""
    pairs = (zip(before, after, strict=False) for before, after in pairwise(contexts))
    return sum(1 for pair in pairs for _ in takewhile(lambda both: both[0] == both[1], pair))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@click.command()
@click.argument("questions", type=click.Path(path_type=Path))
@click.option("--index", required=True, type=click.Path(path_type=Path), help="Made by hopstop index.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Questions; all by default.")
@click.option("--carry", type=click.IntRange(min=0), default=Limits().carry_k, show_default=True, metavar="N")
def main(questions: Path, index: Path, limit: int | None, carry: int) -> None:
    """Count the tokens that a model would read to decide, pruned against keeping everything; print JSON."""
    try:
        found = BM25Index.load(index)
        data = read_questions(questions)
        asked = [item for item in data.questions if item.answerable and item.gold_ids]
        if not asked:
            raise BadDataset(f"{questions}: no answerable question with gold passages; give a labelled set")
        asked = asked if limit is None else asked[:: max(1, len(asked) // limit)][:limit]
        limits = Limits(carry_k=carry)
        costs = {name: measure(found, asked, limits, prune=name == "pruned") for name in ("all", "pruned")}
    except HopstopError as error:
        raise click.ClickException(str(error)) from error
    ratio = costs["pruned"].tokens / (costs["all"].tokens or 1)
    told = {name: asdict(cost) for name, cost in costs.items()}
    click.echo(json.dumps({"data": data.name, "questions": len(asked), "ratio": ratio, **told}, indent=2))


if __name__ == "__main__":
    main()
