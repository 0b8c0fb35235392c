"""What one passage says of its subject: its sentences, their words and names, dates of life, country."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.life import Life, Shown, read_life
from hopstop.program.nations import nations
from hopstop.program.own_sentences import own_sentences
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import content_words, names, stem
from hopstop.program.values import dates

_LEAD = 3  # sentences: where encyclopedias, notes and letters alike say who or what they are about
_BRACKET = re.compile(r"[(（]([^()（）]{0,160})[)）]")
STEM = len(stem("abcdefghijklmnop"))
_RUN = re.compile(r"[^\W_]+")
_NOT_LATIN = re.compile(r"[^\u0000-\u02ff\u2000-\u206f]")
# Thousands, decimals and initials: what is joined by a mark, which is looked for first, as that is fastest.
_JOINED = re.compile(r"[.,\u00a0\u2009\u202f](?:(?<=\d[^.])\d{3}|(?<=\d\.)\d|(?<=[A-Z]\.)(?<!\w..) ?[A-Z]\b)")
_MARK = re.compile("[\u0300-\u036f]")
_IS = re.compile(r"\b(?:is|was|are|were|ist|war|est|était|es|era)\b")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a passage, as it stands."""

    text: str

    @property
    def stems(self) -> frozenset[str]:
        """Stems of all words in it; see `word_stems`."""
        return word_stems(self.text)

    def held(self, keys: Iterable[str]) -> list[str]:
        """Those of these stems that it holds: sooner known than all of its stems."""
        if not _is_plain(self.text):
            return [key for key in keys if key in self.stems]
        low = self.text.casefold()
        return [key for key in keys if key in low and _begins_word(low, key)]

    @property
    def names(self) -> tuple[str, ...]:
        """The names in it."""
        return names(self.text)


@dataclass(frozen=True, slots=True)
class Profile:
    """A passage as the offline policy reads it. What takes time to read is read when it is asked for, and kept.

    Attributes:
        text: The passage.
        title: Its title without what follows in brackets.
        title_stems: Stems of the title's content words.
        sentences: In order.
    """

    text: str
    title: str
    title_stems: frozenset[str]
    sentences: tuple[Sentence, ...]

    @property
    def life(self) -> Life:
        """Where and when the subject was born and died."""
        return _life(self.title, self.text)

    def is_own(self, number: int) -> bool:
        """Whether a sentence speaks of the subject, and not of another whom the passage names."""
        return bool(_own(self.title, self.text)[number])

    @property
    def dated(self) -> Shown | None:
        """The first date, for things: a release, a founding, an opening."""
        return _first_date(self.text)

    @property
    def nation(self) -> tuple[str, Shown] | None:
        """The country of the subject, and how the passage says it ("Iran", "Iranian")."""
        return _nation(self.text)


def profile(passage: Passage) -> Profile:
    """The profile of a passage; kept for the passages read last."""
    return _profile(passage.title, passage.text)


@lru_cache(maxsize=1024)
def _profile(title: str, text: str) -> Profile:
    base = _BRACKET.sub("", title).strip() or title
    return Profile(text, base, stems(base), tuple(map(Sentence, _sentences(text))))


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@lru_cache(maxsize=16384)
def stems(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    return frozenset(map(stem, content_words(text)))


@lru_cache(maxsize=4096)
def word_stems(text: str) -> frozenset[str]:
    """Stems of all words of a text: those of its content words, and of function words, which nobody asks for.

    The quick way is for words that are runs of Latin letters and digits; where more is in the text (initials,
    thousands, other scripts) content words are read and function words left out.
    """
    if not _is_plain(text):
        return stems(text)
    words = _RUN.findall(text.casefold())
    return frozenset([word[:STEM] if word.isalpha() else word for word in words])


def _is_plain(text: str) -> bool:
    return (text.isascii() or not _NOT_LATIN.search(text)) and not _JOINED.search(text)


def _begins_word(text: str, key: str) -> bool:
    """Whether some word of a case-folded text has this stem."""
    at = text.find(key)
    while at >= 0:
        if not text[at - 1 : at].isalnum() and (word := _RUN.match(text, at)) and stem(word[0]) == key:
            return True
        at = text.find(key, at + 1)
    return False


@lru_cache(maxsize=4096)
def fold(text: str) -> str:
    """Case and accents taken away."""
    if text.isascii():
        return text.lower()
    return _MARK.sub("", unicodedata.normalize("NFD", text.casefold()))


def written(text: str, folded: str) -> str:
    """A folded name as a text writes it; as it is if the text does not hold it."""
    low = fold(text)
    at = low.find(folded)
    return text[at : at + len(folded)] if at >= 0 and len(low) == len(text) else folded


@lru_cache(maxsize=1024)
def _life(title: str, text: str) -> Life:
    return read_life(_own(title, text))


@lru_cache(maxsize=1024)
def _own(title: str, text: str) -> list[str]:
    return own_sentences(title, _sentences(text))


@lru_cache(maxsize=1024)
def _first_date(text: str) -> Shown | None:
    for number, sentence in enumerate(_sentences(text)):
        for date in dates(sentence):
            return Shown(sentence[date.start : date.end], number, date)
    return None


@lru_cache(maxsize=1024)
def _nation(text: str) -> tuple[str, Shown] | None:
    """The first country after "is a ..." in the lead, brackets left aside; else the first one of all."""
    lead = [_BRACKET.sub(lambda match: " " * len(match.group()), item) for item in _sentences(text)[:_LEAD]]
    for strict in (True, False):
        for number, sentence in enumerate(lead):
            verb = _IS.search(sentence)
            start = verb.end() if verb and strict else 0
            found = [item for item in nations(sentence) if item[1] >= start]
            if found and (verb or not strict):
                country, begin, end = found[0]
                return country, Shown(sentence[begin:end], number)
    return None
