"""The last word on a STOP: code, not the model, says whether it counts."""

from __future__ import annotations

from collections.abc import Sequence

from hopstop.program.facts import merge, proven, sound
from hopstop.program.lookalike import near_misses
from hopstop.program.reading import Reading
from hopstop.program.records import Decision, Fact, Judgement, Limits
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import content_words, names, normalise, numbers, stem

_YES_NO = frozenset({"yes", "no"})


def judge(question: str, decision: Decision, known: Sequence[Fact], reading: Reading, limits: Limits) -> Judgement:
    """Check a decision against the passages.

    A STOP counts at coverage >= `min_coverage` and sufficiency >= `min_sufficiency`, with the names and numbers of
    the answer in a quoted passage, and no near miss: a quoted passage that holds a look-alike of a name or number of
    the question while none holds that name itself.

    Args:
        question: As it was asked.
        decision: What the policy says.
        known: The facts of earlier rounds; proven ones keep their quotes.
        reading: The passages that the policy read.
        limits: Thresholds, and who may stop.

    Returns:
        The judgement; `accepted` does not ask whether the policy said STOP.
    """
    facts, lost = merge(known, decision.claims, reading)
    coverage = sum(sound(fact, facts) for fact in facts) / len(facts) if facts else 0.0
    sufficiency = _sufficiency(decision.draft, facts, reading)
    objections: list[str] = []
    if coverage < limits.min_coverage:
        objections += [f"not shown by a quote: {fact.need}" for fact in facts if not sound(fact, facts)]
    if not facts:
        objections.append("no fact is listed: list each fact that the question needs, with its quote")
    if not decision.draft.strip():
        objections.append("there is no draft answer")
    elif sufficiency < limits.min_sufficiency:
        objections.append(f'the quotes do not say the answer "{decision.draft}"')
    objections += _answer_gaps(decision.draft, facts, reading)
    objections += near_misses(question, _quoted_texts(facts, reading))
    # A quote that was not found matters only while its fact is open, and then coverage says so.
    told = () if not objections else tuple(dict.fromkeys([*lost, *objections]))
    return Judgement(not objections, facts, coverage, sufficiency, told)


def _sufficiency(draft: str, facts: Sequence[Fact], reading: Reading) -> float:
    """Share of the draft's sentences of which at least half of the content words stand in quotes or quoted titles."""
    said = {stem(word) for text in _quote_contexts(facts, reading) for word in content_words(text)}
    pieces = [draft[start:end] for start, end in sentence_spans(draft)]
    if not pieces:
        return 0.0
    return sum(_stands(piece, said) for piece in pieces) / len(pieces)


def _stands(piece: str, said: set[str]) -> bool:
    wanted = [stem(word) for word in content_words(piece)]
    return sum(word in said for word in wanted) * 2 >= len(wanted)


def _answer_gaps(draft: str, facts: Sequence[Fact], reading: Reading) -> list[str]:
    """Names and numbers of the answer that no quoted passage holds; derived answers are checked by their facts."""
    if normalise(draft).casefold().strip(" .") in _YES_NO or any(fact.follows_from for fact in facts):
        return []
    text = " ".join(_quoted_texts(facts, reading))
    held = {stem(word) for word in content_words(text)}
    gaps = [number for number in sorted(numbers(draft)) if number not in numbers(text)]
    gaps += [name for name in names(draft) if not held.issuperset(map(stem, content_words(name)))]
    return [f'"{gap}" of the answer stands in no quoted passage' for gap in dict.fromkeys(gaps)]


def _quoted_texts(facts: Sequence[Fact], reading: Reading) -> list[str]:
    ids = {fact.quote.passage_id for fact in facts if fact.quote is not None}
    return [f"{passage.title}. {passage.text}" for passage in reading.passages if passage.id in ids]


def _quote_contexts(facts: Sequence[Fact], reading: Reading) -> list[str]:
    texts = []
    for fact in proven(facts):
        passage = reading.passage(fact.quote.passage_id) if fact.quote else None
        texts.append(f"{passage.title if passage else ''} {fact.quote.text if fact.quote else ''}")
    return texts
