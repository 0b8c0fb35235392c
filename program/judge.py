"""The last word on a STOP: code, not the model, says whether it counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hopstop.program.composition import (
    is_yes_no,
    lone_derivations,
    merged,
    not_quoted,
    not_read,
    says_nothing,
    unquoted_sides,
)
from hopstop.program.facts import merge, proven
from hopstop.program.guards import DEFAULT, Guards
from hopstop.program.lookalike import in_code, near_misses
from hopstop.program.open_part import released
from hopstop.program.reading import Reading, one_line
from hopstop.program.records import Decision, Fact, Judgement, Limits, sound_needs
from hopstop.program.sentences import sentence_spans
from hopstop.program.spelling import without_said
from hopstop.program.text import content_words, numbers, stem, words
from hopstop.program.wordforms import plain, same_word


def judge(
    question: str,
    decision: Decision,
    known: Sequence[Fact],
    reading: Reading,
    limits: Limits,
    *,
    guards: Guards = DEFAULT,
) -> Judgement:
    """Check a decision against the passages.

    A STOP counts at coverage >= `min_coverage` and sufficiency >= `min_sufficiency`, with no objection of a guard.

    Args:
        question: As it was asked.
        decision: What the policy says.
        known: The facts of earlier rounds; proven ones keep their quotes.
        reading: The passages that the policy read.
        limits: Thresholds, and who may stop.
        guards: Which checks of the answer are on.

    Returns:
        The judgement; `accepted` does not ask whether the policy said STOP.
    """
    facts, lost, unshown = _stated(decision, known, reading)
    coverage = (len(facts) - len(unshown)) / len(facts) if facts else 0.0
    sufficiency = _sufficiency(question, decision.draft, facts, reading)
    objections = unshown if coverage < limits.min_coverage else []
    if not facts:
        objections.append("no fact is listed: list each fact that the question needs, with its quote")
    if not words(decision.draft):
        objections.append("there is no draft answer")
    elif sufficiency < limits.min_sufficiency:
        objections.append(f'the quotes do not say the answer "{one_line(decision.draft[:200])}"')
    objections += _guarded(question, decision.draft, facts, reading, guards)
    # A quote that was not found matters only while its fact is open, and then coverage says so.
    told = () if not objections else tuple(dict.fromkeys([*lost, *objections]))
    return Judgement(not objections, facts, coverage, sufficiency, told)


def open_facts(decision: Decision, known: Sequence[Fact], reading: Reading) -> Judgement:
    """What a decision to search on leaves, for those who tell no model what is wrong with its draft.

    Args:
        decision: What the policy says.
        known: The facts of earlier rounds.
        reading: The passages that the policy read.

    Returns:
        The facts, and an objection for each that is open. The draft is not looked at, so `sufficiency` is 0.
    """
    facts, lost, unshown = _stated(decision, known, reading)
    coverage = (len(facts) - len(unshown)) / len(facts) if facts else 0.0
    return Judgement(False, facts, coverage, 0.0, tuple(dict.fromkeys([*lost, *unshown])) if unshown else ())


def _stated(
    decision: Decision, known: Sequence[Fact], reading: Reading
) -> tuple[tuple[Fact, ...], tuple[str, ...], list[str]]:
    """The facts, what is wrong with quotes, and an objection for each fact that is open."""
    before = () if decision.stop and decision.whole else released(known, decision.claims)
    facts, lost = merge(before, decision.claims, reading)
    shown = sound_needs(facts)
    return facts, lost, [f"not shown by a quote: {fact.need}" for fact in facts if fact.need not in shown]


def _guarded(question: str, draft: str, facts: Sequence[Fact], reading: Reading, guards: Guards) -> Iterator[str]:
    """Objections of the guards that are on.

    A derived answer may name what the question names (which of two is larger) and bring numbers of its own (a sum).
    """
    passages, quotes = quoted_texts(facts, reading), quote_contexts(facts, reading)
    derived = bool(_derived(facts))
    own = [question, *(f"{number}." for number in _computed(draft))] if derived else []
    if guards.lone_derivation:
        yield from lone_derivations(question, draft, facts)
    if guards.vague_answer:
        yield from says_nothing(question, draft)
    if guards.both_sides:
        yield from unquoted_sides(question, draft, quotes)
    unread = [] if is_yes_no(draft) or not guards.answer_read else not_read(draft, [*passages, *own])
    yield from unread
    if guards.answer_quoted and not unread and not is_yes_no(draft):
        yield from not_quoted(draft, [*quotes, *own])
    if guards.merged_answer:
        yield from merged(draft, [*passages, *own])
    if guards.near_miss:
        yield from near_misses(question, passages)
    if guards.fact_near_miss:
        for fact in proven(facts):
            asker = f'the fact "{one_line(fact.need)}"'
            yield from near_misses(fact.need, quoted_texts([fact], reading), asker=asker, years=False)


def _sufficiency(question: str, draft: str, facts: Sequence[Fact], reading: Reading) -> float:
    """Share of the draft's sentences of which at least half of the content words stand in quotes or quoted titles.

    A derived answer may also use the words of the question, content words of what is derived, and numbers of its own.
    """
    derived = _derived(facts)
    sources = [*quote_contexts(facts, reading), *([question] if derived else [])]
    said = {stem(plain(word)) for text in sources for word in _answer_words(text)}
    said |= {stem(plain(word)) for need in derived for word in content_words(need)}
    pieces = [piece for start, end in sentence_spans(draft) if words(piece := draft[start:end])]
    if not pieces:
        return 0.0
    own = _computed(draft) if derived else frozenset()
    # What is left of a date or number that the sources spell otherwise is nothing, and stands.
    return sum(_stands(without_said(piece, [*sources, *derived]), said, own) for piece in pieces) / len(pieces)


def _computed(draft: str) -> frozenset[str]:
    """Numbers of a draft that may have been worked out: no part of a code such as "CH-78" or "B52"."""
    return frozenset(number for number in numbers(draft) if number[0].isdigit() and not in_code(number, draft))


def _stands(piece: str, said: set[str], own: frozenset[str]) -> bool:
    if is_yes_no(piece):
        return True
    wanted = [word for word in content_words(piece, fold=False) if word.casefold() not in own]
    if not content_words(piece):
        return said.issuperset(stem(plain(word)) for word in _answer_words(piece))
    return sum(_is_said(word, said) for word in wanted) * 2 >= len(wanted)


def _is_said(word: str, said: set[str]) -> bool:
    """Whether a word is among the stems; a common one ("actor", "north") also with an ending ("actors", "northern")."""
    key = stem(plain(word))
    return key in said or (word.islower() and any(key[0] == other[0] and same_word(word, other) for other in said))


def _answer_words(text: str) -> list[str]:
    """All words, so that an answer of function words alone ("The Who", "It") has something to stand on."""
    return content_words(text) + [word.casefold() for word in words(text)]


def _derived(facts: Sequence[Fact]) -> list[str]:
    shown = sound_needs(facts)
    return [fact.need for fact in facts if fact.follows_from and fact.need in shown]


def quoted_texts(facts: Sequence[Fact], reading: Reading) -> list[str]:
    """Title and text of each passage that a fact is quoted from."""
    ids = {fact.quote.passage_id for fact in facts if fact.quote is not None}
    return [f"{passage.title}\n{passage.text}" for passage in reading.passages if passage.id in ids]


def quote_contexts(facts: Sequence[Fact], reading: Reading) -> list[str]:
    """Each quote with the title of its passage before it."""
    texts = []
    for fact in proven(facts):
        passage = reading.by_id(fact.quote.passage_id) if fact.quote else None
        texts.append(f"{passage.title if passage else ''} {fact.quote.text if fact.quote else ''}")
    return texts
