"""What one passage says of its subject: its sentences, their words and names, dates of life, country."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.nations import nations
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import content_words, names, normalise, stem
from hopstop.program.values import Date, dates

_LEAD = 3  # sentences: where encyclopedias, notes and letters alike say who or what they are about
_BRACKET = re.compile(r"[(（]([^()（）]{0,160})[)）]")
_SPAN = re.compile(r"\s*(?:[-–—;]|to|until|bis)\s*(?:[^\d]{0,40}?)$")
_BORN = re.compile(r"\b(?:born|b\.|birth|geboren|geb\.|née?|nacid[oa])|\*", re.IGNORECASE)
_DIED = re.compile(r"\b(?:died|death|d\.|passed away|killed|gestorben|mort|murió|executed)|†", re.IGNORECASE)
_IS = re.compile(r"\b(?:is|was|are|were|ist|war|est|était|es|era)\b")
_PLACE = re.compile(
    r"\b(?:born|died|birth|death)\b[^.;]{0,60}?\b(?:in|at)\s+((?:the )?[^\W\d_a-z][\w.'’\-]*(?:,? (?:of |the |de |la |am |upon )?[^\W\d_a-z][\w.'’\-]*){0,5})"
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a passage: its words as they stand, their stems, and the names in it."""

    text: str
    stems: frozenset[str]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that one sentence shows.

    Attributes:
        text: The words that say it.
        sentence: Number of the sentence, from 0.
        date: The date, if it is one.
    """

    text: str
    sentence: int
    date: Date | None = None


@dataclass(frozen=True, slots=True)
class Profile:
    """A passage as the offline policy reads it.

    Attributes:
        title: Without what follows in brackets.
        title_stems: Stems of the title's content words.
        sentences: In order.
        born: Date of birth of the subject.
        died: Date of death of the subject.
        dated: The first date of the lead, for things: release, founding, opening.
        nation: The country of the subject, by its name in English.
        nation_said: The country as the passage says it.
    """

    title: str
    title_stems: frozenset[str]
    sentences: tuple[Sentence, ...]
    born: Shown | None
    died: Shown | None
    dated: Shown | None
    nation: Shown | None
    nation_said: Shown | None


def profile(passage: Passage) -> Profile:
    """The profile of a passage; kept for the passages read last."""
    return _profile(passage.title, passage.text)


@lru_cache(maxsize=4096)
def _profile(title: str, text: str) -> Profile:
    base = _BRACKET.sub("", title).strip() or title
    sentences = tuple(_sentence(text[start:end]) for start, end in sentence_spans(text))
    born, died = _life(sentences)
    nation = _nation(sentences[:_LEAD])
    return Profile(
        base,
        stems(base),
        sentences,
        born,
        died,
        _first_date(sentences),
        nation[0] if nation else None,
        nation[1] if nation else None,
    )


def stems(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    return frozenset(map(stem, content_words(text)))


def _sentence(text: str) -> Sentence:
    return Sentence(text, stems(text), names(text))


def _life(sentences: tuple[Sentence, ...]) -> tuple[Shown | None, Shown | None]:
    """Dates of birth and death: from the first bracket that holds them, else from "born on ..." and "died ..."."""
    born = died = None
    for number, sentence in enumerate(sentences[:_LEAD]):
        for match in _BRACKET.finditer(sentence.text):
            left, right = _bracketed(match.group(1))
            born = born or (Shown(match.group(1), number, left) if left else None)
            died = died or (Shown(match.group(1), number, right) if right else None)
        if born:
            break
    for number, sentence in enumerate(sentences):
        born = born or _after(_BORN, sentence.text, number)
        died = died or _after(_DIED, sentence.text, number)
    return born, died


def _bracketed(text: str) -> tuple[Date | None, Date | None]:
    found = dates(text)
    if not found:
        return None, None
    first = found[0]
    if len(found) > 1 and _SPAN.search(text[first.end : found[1].start]):
        return first, found[1]
    head = text[: first.start]
    if _DIED.search(head) and not _BORN.search(head):
        return None, first
    if _BORN.search(head):
        return first, (found[1] if len(found) > 1 and _DIED.search(text[first.end : found[1].start]) else None)
    return None, None


def _after(cue: re.Pattern[str], text: str, number: int) -> Shown | None:
    match = cue.search(text)
    if match is None:
        return None
    date = next((date for date in dates(text) if 0 <= date.start - match.end() <= 80), None)
    return Shown(text[date.start : date.end], number, date) if date else None


def _first_date(sentences: tuple[Sentence, ...]) -> Shown | None:
    for number, sentence in enumerate(sentences):
        for date in dates(sentence.text):
            return Shown(sentence.text[date.start : date.end], number, date)
    return None


def _nation(lead: tuple[Sentence, ...]) -> tuple[Shown, Shown] | None:
    """The first country after "is a ..." in the lead, brackets left aside; else the first one of all."""
    for strict in (True, False):
        for number, sentence in enumerate(lead):
            text = _BRACKET.sub(lambda match: " " * len(match.group()), sentence.text)
            verb = _IS.search(text)
            start = verb.end() if verb and strict else 0
            found = [item for item in nations(text) if item[1] >= start]
            if found and (verb or not strict):
                country, begin, end = found[0]
                return Shown(country, number), Shown(text[begin:end], number)
    return None


def place_after(text: str, cue: str) -> str:
    """The place that a sentence names after "born ... in" or "died ... at"; "" if there is none."""
    for match in _PLACE.finditer(normalise(text)):
        if match.group().startswith(cue):
            return match.group(1).rstrip(" .,")
    return ""
