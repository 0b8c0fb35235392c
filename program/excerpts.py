"""What a decision reads of each passage: the whole, or the sentences that may matter.

Whole are the passages of this round that are worth it. Of earlier rounds, which were read whole then, and of those of
this round that code takes for less than related, a decision reads an excerpt, under the same labels. On dev questions
(`python -m hopstop.eval.context_cost`) that halves the tokens of a loop that keeps everything.
"""

from __future__ import annotations

from collections.abc import Mapping

from hopstop.program.policy import State
from hopstop.program.profile import profile, stems
from hopstop.program.records import Passage, open_needs
from hopstop.program.relevance import RELATED, idf, relevance
from hopstop.program.sentences import sentence_spans

LINES = 2  # sentences of an excerpt besides the quoted ones; with 3 the tokens are no longer halved


def context(state: State) -> str:
    """The passages as Decide reads them."""
    return state.reading.text(excerpts(state))


def excerpts(state: State) -> dict[str, frozenset[int]]:
    """Numbers, from 1, of the sentences that are read, by id of the passages that are not read whole.

    Those in which a verified quote stands, and the LINES that hold most of the words of the question and of the open
    facts, weighted by idf over what is read; of equal ones the first.
    """
    wanted = stems(" ".join((state.question, *open_needs(state.facts))))
    weights = idf(wanted, state.reading.passages)
    return {item.id: _quoted(item, state) | _best(item, weights) for item in _in_part(state)}


def _in_part(state: State) -> tuple[Passage, ...]:
    """The passages that are not read whole; in round 1, while nobody knows what is needed, there are none."""
    earlier, new = state.reading.passages[: state.reading.earlier], state.reading.passages[state.reading.earlier :]
    if not state.facts:
        return earlier
    grades = relevance(state, new)
    return (*earlier, *(passage for passage in new if grades[passage.id] < RELATED))


def _quoted(passage: Passage, state: State) -> frozenset[int]:
    quotes = [fact.quote for fact in state.facts if fact.quote is not None and fact.quote.passage_id == passage.id]
    spans = enumerate(sentence_spans(passage.text), start=1)
    return frozenset(n for n, (start, end) in spans if any(start < quote.end and quote.start < end for quote in quotes))


def _best(passage: Passage, weights: Mapping[str, float]) -> frozenset[int]:
    sentences = profile(passage).sentences
    scores = [sum(weights[word] for word in weights.keys() & sentence.stems) for sentence in sentences]
    order = sorted(range(len(scores)), key=lambda place: -scores[place])
    return frozenset(place + 1 for place in order[:LINES])
