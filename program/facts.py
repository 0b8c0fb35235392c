"""The list of facts that a question needs, carried from round to round."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hopstop.program.profile import stems
from hopstop.program.quotes import resolve
from hopstop.program.reading import Reading, one_line
from hopstop.program.records import Claim, Fact, sound_needs
from hopstop.program.text import content_words, normalise, stem
from hopstop.program.wordforms import missing

_LABEL = re.compile(r"^\W*F(\d{1,3})(?:(\s*[:.)\]]+\s*|\s+[-–—]\s+|\s+)(.*))?$", re.DOTALL)


def proven(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts with a verified quote."""
    return tuple(fact for fact in facts if fact.quote is not None)


def sound(fact: Fact, facts: Sequence[Fact]) -> bool:
    """Whether a fact is proven, or derived from facts that are all sound; facts derived in a circle are not."""
    return fact.need in sound_needs(facts)


def listing(facts: Sequence[Fact]) -> str:
    """The facts as a policy with an LM reads them: F1, F2, ... each proven with its words, derived, or open."""
    lines = []
    for number, fact in enumerate(facts, start=1):
        if fact.quote is not None:
            state = f'proven: "{one_line(fact.quote.text)}"'
        else:
            state = f"follows from {_labels(fact.follows_from, facts)}" if fact.follows_from else "open"
        lines.append(f"F{number} {one_line(fact.need)} - {state}")
    return "\n".join(lines)


def _labels(needs: Sequence[str], facts: Sequence[Fact]) -> str:
    labels = {fact.need: f"F{number}" for number, fact in enumerate(facts, start=1)}
    return ", ".join(labels.get(need) or one_line(need) for need in needs)


def merge(known: Sequence[Fact], claims: Sequence[Claim], reading: Reading) -> tuple[tuple[Fact, ...], tuple[str, ...]]:
    """Bring the claims of a decision into the list of facts; nothing known is dropped.

    A claim that starts with a label ("F2 ...") or repeats a need speaks of that fact; any other claim adds a fact. The
    words after a label reword an open fact if they speak of it; if not, a proof is one of the words, which become a
    fact of their own. A proven fact loses its quote only to a newer verified one. A quote wins over a derivation.

    Args:
        known: The facts of earlier rounds.
        claims: What the policy states now.
        reading: The passages in which quotes are looked for.

    Returns:
        The facts, and one objection for each quote that was not found or does not speak of its fact.
    """
    facts = list(known)
    objections: list[str] = []
    derivations: dict[int, Claim] = {}
    for claim in claims:
        place, need = _claimed(claim, facts)
        if not need:
            continue
        quote = resolve(claim if claim.need == need else replace(claim, need=need), reading)
        if quote is None and claim.quote.strip():
            objections.append(
                f'this quote stands in no passage read or does not speak of its fact: "{one_line(claim.quote[:200])}"'
            )
        if place is None:
            place = len(facts)
            facts.append(Fact(need))
        if quote is not None or facts[place].quote is None:
            if facts[place].need != need:
                facts = _reworded(facts, place, need)
            facts[place] = Fact(need, quote, facts[place].follows_from)
            derivations[place] = claim
    for place, claim in derivations.items():
        fact = facts[place]
        sources = () if fact.quote else _sources(claim, facts) or fact.follows_from
        if sources != fact.follows_from:
            facts[place] = replace(fact, follows_from=sources)
    return tuple(facts), tuple(objections)


def _reworded(facts: Sequence[Fact], place: int, need: str) -> list[Fact]:
    """The facts, those that follow from the one in this place now naming it by its new words."""
    old = facts[place].need
    return [
        replace(fact, follows_from=tuple(need if source == old else source for source in fact.follows_from))
        if old in fact.follows_from
        else fact
        for fact in facts
    ]


def _claimed(claim: Claim, facts: Sequence[Fact]) -> tuple[int | None, str]:
    """See _place."""
    for place, fact in enumerate(facts):
        if fact.need == claim.replaces and fact.quote is None:
            return place, " ".join(claim.need.split())
    return _place(claim.need, facts, proves=bool(claim.quote.strip() or claim.follows_from))


def _place(need: str, facts: Sequence[Fact], *, proves: bool = False) -> tuple[int | None, str]:
    """Where in the list a claim belongs (None: a new fact), and its need in words; "" if it says nothing."""
    need = " ".join(need.split())
    match = _LABEL.match(need)
    if match:
        number, said = int(match[1]), (match[3] or "").strip()
        # "F1 champion of 1999" need not speak of the first fact, nor "F16 pilot" of any.
        labelled = not said or bool(match[2].strip())
        if 1 <= number <= len(facts):
            worded = _worded(said, number - 1, facts, trusted=labelled and not proves)
            if worded:
                return number - 1, worded
        if labelled or number == len(facts) + 1 or any(_same_need(fact.need, said) for fact in facts):
            need = said
    for place, fact in enumerate(facts):
        if _same_need(fact.need, need):
            return place, fact.need
    return None, need


def _worded(said: str, place: int, facts: Sequence[Fact], *, trusted: bool) -> str:
    """The need of a fact, given the words after its label; "" if they are not about it.

    Words that are not about it leave it as it is where the label is trusted.
    """
    fact, others = facts[place], [*facts[:place], *facts[place + 1 :]]
    if not content_words(said):
        return fact.need
    if fact.quote is not None:
        held = {stem(word) for word in content_words(f"{fact.need} {fact.quote.text}")}
        return fact.need if held.issuperset(map(stem, content_words(said))) else ""
    if any(_same_need(other.need, said) for other in others):
        return ""
    if _speaks_of(said, fact, others):
        return said
    return fact.need if trusted else ""


def _speaks_of(said: str, fact: Fact, others: Sequence[Fact]) -> bool:
    """Whether words share one with an open fact, and another fact does not have these and more of them."""
    shared = _shared(said, fact.need)
    return (bool(shared) or not content_words(fact.need)) and not any(
        shared < _shared(said, other.need) for other in others
    )


def _shared(said: str, need: str) -> set[str]:
    """The words of what is said of which the need has some form."""
    wanted = content_words(said, fold=False)
    return set(wanted).difference(missing(wanted, content_words(need, fold=False)))


def _same_need(left: str, right: str) -> bool:
    """Whether two needs have the same content words in any order; only words without a capital may be inflected."""
    if left == right:
        return True
    if (mine := stems(left)) and (other := stems(right)) and mine != other:  # kept, so sooner known than the words
        return False
    one, two = _by_stem(left), _by_stem(right)
    if not one or not two:
        return normalise(left).casefold() == normalise(right).casefold()
    return one.keys() == two.keys() and all(
        one[key].casefold() == two[key].casefold() or one[key].islower() or two[key].islower() for key in one
    )


def _by_stem(text: str) -> dict[str, str]:
    return {stem(word): word for word in content_words(text, fold=False)}


def _sources(claim: Claim, facts: Sequence[Fact]) -> tuple[str, ...]:
    """Needs of the facts that a derived claim names by label or in words; unknown ones stay as they are said."""
    sources = []
    for name in claim.follows_from:
        place, need = _place(name, facts)
        sources.append(facts[place].need if place is not None else need or name.strip())
    return tuple(dict.fromkeys(source for source in sources if source))
