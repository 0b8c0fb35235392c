"""Find quoted words in a passage, whatever marks, dashes, spaces or Unicode form they were copied with."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hopstop.program.nations import countries
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Passage, Quote
from hopstop.program.text import content_words, has_content, normalise, same_marks, shares_word, unspaced, words
from hopstop.program.wordforms import missing

_LABELLED = re.compile(r"^\W*P\d{1,4}\.\d{1,4}\W+(?=\w)")


def find_quote(words: str, passage: Passage) -> Quote | None:
    """The first place in a passage where these words stand, after one normalisation of both sides.

    Args:
        words: The quoted words; marks around them are ignored. Case counts.
        passage: Where to look; its title is not searched.

    Returns:
        The stored words with their offsets, or None if they do not stand there as whole words or nothing but function
        words is left of them.
    """
    wanted = normalise(words).strip("' ")
    if not has_content(wanted):
        return None
    plain, starts, ends = _normal_form(passage.text)
    at = _find_whole(wanted, plain)
    if at < 0:
        return None
    start, end = starts[at], ends[at + len(wanted) - 1]
    return Quote(passage.id, passage.text[start:end], start, end)


def resolve(claim: Claim, reading: Reading) -> Quote | None:
    """The verified quote of a claim: the sentence that its label names, or the words in the passage it names.

    Words are looked for in the named passage first, then in the others that were read: a wrong label on right words
    still shows the fact. A quote that does not speak of its fact shows nothing and does not count.
    """
    quote = reading.sentence(claim.quote) or _find_words(claim, reading)
    if quote is None:
        return None
    passage = reading.by_id(quote.passage_id)
    title = passage.title if passage else ""
    return quote if speaks_of(f"{title} {quote.text}", claim.need, title) else None


def speaks_of(context: str, need: str, title: str = "") -> bool:
    """Whether a quote, with the title of its passage before it, speaks of a fact.

    It has a content word of the fact in some form of it, or names the same country ("American", "United States"), or
    the fact names the title, be it one of function words alone ("You Are What I Am").
    """
    wanted = content_words(need, fold=False)
    if shares_word(wanted, content_words(title, fold=False)):  # sooner read than the quote, and mostly enough
        return True
    said = content_words(context, fold=False)
    if shares_word(wanted, said) or len(missing(wanted, said)) < len(wanted):
        return True
    named = {country for country, *_ in countries(need)}
    plain_title = " ".join(words(title)).casefold()
    return bool(
        not named.isdisjoint(country for country, *_ in countries(context))
        or (len(plain_title.split()) > 1 and f" {plain_title} " in f" {' '.join(words(need)).casefold()} ")
    )


def _find_words(claim: Claim, reading: Reading) -> Quote | None:
    named = reading.passage(claim.passage)
    others = [passage for passage in reading.passages if passage is not named]
    for said in dict.fromkeys((claim.quote, _LABELLED.sub("", claim.quote))):
        for passage in ([named] if named else []) + others:
            quote = find_quote(said, passage)
            if quote is not None:
                return quote
    return None


def _find_whole(wanted: str, text: str) -> int:
    """Where the words first stand as whole words, -1 if nowhere."""
    at = text.find(wanted)
    while at >= 0 and not (_is_border(text, at) and _is_border(text, at + len(wanted))):
        following = (place for place in range(at + 1, len(text)) if _is_border(text, place))
        at = text.find(wanted, next(following, len(text)))
    return at


def _is_border(text: str, at: int) -> bool:
    """Whether no word goes on across this place."""
    if at in (0, len(text)):
        return True
    before, after = text[at - 1], text[at]
    if _is_mark(after):
        return False
    return not (before.isalnum() or _is_mark(before)) or not after.isalnum() or unspaced(before) or unspaced(after)


def _is_mark(char: str) -> bool:
    return not char.isascii() and unicodedata.category(char).startswith("M")


@lru_cache(maxsize=256)
def _normal_form(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """`normalise(text)` with, for each of its characters, where it starts and ends in the text."""
    plain = normalise(text)
    composed = unicodedata.is_normalized("NFC", text)
    if composed and len(plain) == len(text):
        return plain, range(len(text)), range(1, len(text) + 1)
    chars: list[str] = []
    starts, ends = array("L"), array("L")
    for start, end, form in _same_clusters(text) if composed else _clusters(text):
        for char in form:
            space = char.isspace()
            if space and (not chars or chars[-1] == " "):
                continue
            chars.append(" " if space else char)
            starts.append(start)
            ends.append(end)
    return "".join(chars), starts, ends


def _same_clusters(text: str) -> Iterator[tuple[int, int, str]]:
    return ((at, at + 1, char) for at, char in enumerate(same_marks(text)))


def _clusters(text: str) -> Iterator[tuple[int, int, str]]:
    """The pieces that Unicode composition never joins, a character with all that may compose onto it, normalised."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not _composes(text[at]):
            yield start, at, same_marks(text[start:at])
            start = at


def _composes(char: str) -> bool:
    """Combining marks, the vowels and finals of Hangul, and one vowel of Kirat Rai, the only other such letter."""
    return _is_mark(char) or "\u1160" <= char <= "\u11ff" or char == "\U00016d67"
