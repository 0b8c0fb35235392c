"""The distractor latch: the answer turns into a look-alike between rounds, and nobody compared the two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hopstop.program.judge import quote_contexts
from hopstop.program.lookalike import alike, is_year
from hopstop.program.reading import Reading, one_line
from hopstop.program.records import Fact, Judgement
from hopstop.program.text import content_words, names, numbers, words
from hopstop.program.values import dates

SHORTEST = 4  # letters of a common word whose kind its neighbours tell; shorter ones stand beside anything


def latched(before: Sequence[str], after: str, quotes: Sequence[str], texts: Sequence[str] = ()) -> str | None:
    """Objection to an answer that is a look-alike of an earlier one while the quotes do not speak of both.

    The distractor latch of "When Iterative RAG Beats Ideal Evidence" (arXiv 2601.19827), the costliest of its flags: 8
    to 13 points of accuracy. It holds, round after round, until both are quoted or the answer is another one.

    Args:
        before: The draft answers of the rounds before, in order.
        after: The draft answer now.
        quotes: The quotes, with the titles of their passages.
        texts: Of the passages read; they tell which common words are of a kind.
    """
    for draft in reversed(before):
        if not confusable(draft, after, texts):
            continue
        held = set(content_words(" ".join(quotes)))
        if held.issuperset(_telling(draft, after)) and held.issuperset(_telling(after, draft)):
            continue
        return (
            f'the answer changed from "{one_line(draft[:100])}" to the similar "{one_line(after[:100])}": quote for '
            "both the words that tell which of them is asked for"
        )
    return None


def unlatched(
    judgement: Judgement, before: Sequence[str], after: str, reading: Reading, known: Sequence[Fact] = ()
) -> Judgement:
    """A judgement, refused if the answer is a look-alike of an earlier one: see `latched`.

    Args:
        judgement: Of the judge.
        before: The drafts of earlier decisions.
        after: The draft.
        reading: The passages read.
        known: The facts of earlier rounds; their quotes tell answers apart even where they are no part of the proof.
    """
    texts = [f"{passage.title}. {passage.text}" for passage in reading.passages]
    objection = latched(before, after, quote_contexts((*judgement.facts, *known), reading), texts)
    if objection is None:
        return judgement
    return replace(judgement, accepted=False, objections=(*judgement.objections, objection))


def _telling(draft: str, other: str) -> set[str]:
    """Words that only one of the two has."""
    return set(content_words(draft)) - set(content_words(other))


def confusable(before: str, after: str, texts: Sequence[str] = ()) -> bool:
    """Whether two answers are different things that are easily taken for each other.

    They look alike (`lookalike.alike`; years if one digit is another one, or if they have the same digits), or are both
    names, numbers or dates and share at least half of the words of the shorter one (a surname, the head of a name, the
    month of a date), or are both one common word of the same kind: the texts have one and the same word right beside
    each ("benzylic radical", "phenoxyl radical"). A longer or shorter form of one answer, its initials, and another
    spelling of a date are the same thing.
    """
    one, two = content_words(before), content_words(after)
    if not one or not two or _same_thing(before, after):
        return False
    share = 2 * len({*one} & {*two}) >= min(len(one), len(two)) and _is_name(before) and _is_name(after)
    return (alike(before, after) and not _other_years(before, after)) or share or _of_a_kind(before, after, texts)


def _other_years(before: str, after: str) -> bool:
    """Whether both are years that nobody takes for each other; by its first half a year is like all of its century."""
    if not (is_year(before, before) and is_year(after, after)):
        return False
    return sum(a != b for a, b in zip(before, after, strict=False)) > 1 and sorted(before) != sorted(after)


def _is_name(text: str) -> bool:
    return bool(names(text) or numbers(text)) or any(not word.isalnum() for word in words(text))


def _same_thing(before: str, after: str) -> bool:
    one, two = set(content_words(before)), set(content_words(after))
    days, others = ([date.parts for date in dates(text)] for text in (before, after))
    if len(days) == len(others) == 1:
        shared = min(len(days[0]), len(others[0]))
        return days[0][:shared] == others[0][:shared]
    if one <= two or two <= one:
        return not numbers(before) ^ numbers(after) or not (numbers(before) and numbers(after))
    left, right = one - two, two - one
    return len(left) == len(right) and all(any(_short_for(a, b) or _short_for(b, a) for b in right) for a in left)


def _short_for(short: str, long: str) -> bool:
    """An initial, an abbreviation, or an inflection: its letters stand in order in the other, from the same start."""
    if short.isdigit() or short[0] != long[0] or len(short) >= len(long):
        return False
    if len(short) > 2:
        return long.startswith(short) and len(long) - len(short) <= 2
    rest = iter(long)
    return all(letter in rest for letter in short)


def _of_a_kind(before: str, after: str, texts: Sequence[str]) -> bool:
    plain = [text for text in (before, after) if not names(text) and not numbers(text)]
    one, two = (words(text) for text in (before, after))
    if len(plain) < 2 or len(one) != 1 or len(two) != 1 or min(len(one[0]), len(two[0])) < SHORTEST:
        return False
    left, right = _neighbours(one[0], texts), _neighbours(two[0], texts)
    return not left.isdisjoint(right)


def _neighbours(word: str, texts: Sequence[str]) -> set[tuple[int, str]]:
    """Content words right before (-1) and right after (1) a word in the texts."""
    found: set[tuple[int, str]] = set()
    for text in texts:
        said = content_words(text)
        for at, other in enumerate(said):
            if other == word.casefold():
                found |= {(step, said[at + step]) for step in (-1, 1) if 0 <= at + step < len(said)}
    return found
