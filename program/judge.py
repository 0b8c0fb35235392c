"""The last word on a STOP: code, not the model, says whether it counts."""

from __future__ import annotations

from collections.abc import Sequence

from hopstop.program.facts import merge, proven
from hopstop.program.lookalike import near_misses
from hopstop.program.reading import Reading, one_line
from hopstop.program.records import Decision, Fact, Judgement, Limits, sound_needs
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import FUNCTION_WORDS, content_words, names, numbers, stem, words

_YES_NO = frozenset({"yes", "no", "ja", "nein", "oui", "non", "sí", "はい", "いいえ"})


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
    shown = sound_needs(facts)
    coverage = sum(fact.need in shown for fact in facts) / len(facts) if facts else 0.0
    sufficiency = _sufficiency(question, decision.draft, facts, reading)
    objections: list[str] = []
    if coverage < limits.min_coverage:
        objections += [f"not shown by a quote: {fact.need}" for fact in facts if fact.need not in shown]
    if not facts:
        objections.append("no fact is listed: list each fact that the question needs, with its quote")
    if not words(decision.draft):
        objections.append("there is no draft answer")
    elif sufficiency < limits.min_sufficiency:
        objections.append(f'the quotes do not say the answer "{one_line(decision.draft[:200])}"')
    objections += _lone_derivations(question, decision.draft, facts)
    objections += _answer_gaps(question, decision.draft, facts, reading)
    objections += near_misses(question, _quoted_texts(facts, reading))
    # A quote that was not found matters only while its fact is open, and then coverage says so.
    told = () if not objections else tuple(dict.fromkeys([*lost, *objections]))
    return Judgement(not objections, facts, coverage, sufficiency, told)


def _lone_derivations(question: str, draft: str, facts: Sequence[Fact]) -> list[str]:
    """Facts said to follow from a single other one while the answer is a new name: those need a quote of their own.

    From one fact one can conclude yes, no, a number, a date, or one of the names that the question lets choose from.
    """
    plain = _is_yes_no(draft) or numbers(draft) == frozenset(map(str.casefold, words(draft)))
    if plain or set(content_words(question)).issuperset(content_words(draft)):
        return []
    lone = (fact.need for fact in facts if fact.quote is None and len(fact.follows_from) == 1)
    return [f"this does not follow from one fact alone, quote a sentence that shows it: {need}" for need in lone]


def _sufficiency(question: str, draft: str, facts: Sequence[Fact], reading: Reading) -> float:
    """Share of the draft's sentences of which at least half of the content words stand in quotes or quoted titles.

    A derived answer may also use the words of the question and of what is derived, and numbers of its own.
    """
    derived = _derived(facts)
    sources = [*_quote_contexts(facts, reading), *derived, *([question] if derived else [])]
    said = {stem(word) for text in sources for word in _answer_words(text)}
    pieces = [piece for start, end in sentence_spans(draft) if words(piece := draft[start:end])]
    if not pieces:
        return 0.0
    own = numbers(draft) if derived else frozenset()
    return sum(_stands(piece, said, own) for piece in pieces) / len(pieces)


def _stands(piece: str, said: set[str], own: frozenset[str]) -> bool:
    if _is_yes_no(piece):
        return True
    wanted = [stem(word) for word in content_words(piece) if word not in own]
    if not content_words(piece):
        return said.issuperset(map(stem, _answer_words(piece)))
    return sum(word in said for word in wanted) * 2 >= len(wanted)


def _answer_words(text: str) -> list[str]:
    """All words, so that an answer of function words alone ("The Who", "It") has something to stand on."""
    return content_words(text) + [word.casefold() for word in words(text)]


def _is_yes_no(text: str) -> bool:
    """Whether an answer is yes or no with nothing else in it: "No.", "Yes, both are"."""
    said = {word.casefold() for word in words(text)}
    return not _YES_NO.isdisjoint(said) and said <= _YES_NO | FUNCTION_WORDS


def _derived(facts: Sequence[Fact]) -> list[str]:
    shown = sound_needs(facts)
    return [fact.need for fact in facts if fact.follows_from and fact.need in shown]


def _answer_gaps(question: str, draft: str, facts: Sequence[Fact], reading: Reading) -> list[str]:
    """Names and numbers of the answer that no quoted passage holds.

    A derived answer may name what the question names (which of two is larger) and bring a number of its own (a sum).
    """
    if _is_yes_no(draft):
        return []
    derived = bool(_derived(facts))
    texts = [*_quoted_texts(facts, reading), *([question] if derived else [])]
    held = {word.removesuffix("s") for text in texts for word in content_words(text)}
    gaps = [] if derived else sorted(numbers(draft).difference(*map(numbers, texts)))
    gaps += [name for name in names(draft) if not held.issuperset(_name_words(name))]
    return [f'"{one_line(gap)}" of the answer stands in no quoted passage' for gap in dict.fromkeys(gaps)]


def _name_words(name: str) -> set[str]:
    """Words of a name but for its numbers, which are looked for apart; "Beatles" and "Beatle" are the same."""
    return {word.removesuffix("s") for word in content_words(name) if not any(char.isdigit() for char in word)}


def _quoted_texts(facts: Sequence[Fact], reading: Reading) -> list[str]:
    ids = {fact.quote.passage_id for fact in facts if fact.quote is not None}
    return [f"{passage.title}\n{passage.text}" for passage in reading.passages if passage.id in ids]


def _quote_contexts(facts: Sequence[Fact], reading: Reading) -> list[str]:
    texts = []
    for fact in proven(facts):
        passage = reading.by_id(fact.quote.passage_id) if fact.quote else None
        texts.append(f"{passage.title if passage else ''} {fact.quote.text if fact.quote else ''}")
    return texts
