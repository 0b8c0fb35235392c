"""How text becomes the tokens that BM25 counts: the same way for passages and for queries."""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache

import numpy as np
from bm25s.stopwords import STOPWORDS_EN

from hopstop.program.errors import AnalyzerMismatch, BadInput
from hopstop.program.lists import Lists, bounds, small
from hopstop.program.records import Passage
from hopstop.program.word_table import Numbering

ANALYZER_VERSION = 1  # raise it when equal settings give other tokens than before: old indexes must then be refused

# Combining marks, which `\w` leaves out: without them words of Hindi or Arabic fall apart at their vowel signs.
_MARKS = "".join(chr(point) for point in range(0x300, 0xAC00) if unicodedata.category(chr(point)) in ("Mn", "Mc"))
_WORD = re.compile(rf"([\w{_MARKS}]+)(?:['’ʼ]s(?![\w{_MARKS}]))?")
_ASCII_WORD = re.compile(r"([a-z0-9]+)(?:'s(?![a-z0-9]))?")

# Scripts without spaces between words, and Hangul, which glues endings on: Thai to Myanmar, Khmer, Hangul, kana, Han.
_RUN = "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
_RUN = f"{_RUN}\U00020000-\U0003ffff"
_HAS_RUN = re.compile(f"[{_RUN}]")
_RUNS = re.compile(f"([{_RUN}]+)|[^{_RUN}]+")

# Accents of Latin, Greek and Cyrillic letters; vowel points of Hebrew and Arabic, which most texts leave out.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u064b-\u065f\u0670]+")
# Latin letters that Unicode does not decompose into a base letter and a mark.
_BASE_LETTERS = {"æ": "ae", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "œ": "oe", "þ": "th"}
_UNDECOMPOSED = re.compile(f"[{''.join(_BASE_LETTERS)}]")
# Soft hyphens and joiners stand inside words; a trade mark would otherwise decompose to letters ("Windowstm").
_JOINERS = re.compile("[\u00ad\u200c\u200d\u2060\ufeff]")
_SEPARATORS = re.compile("[_\u200b\u2120\u2122]")

STEMMERS = (None, "plural")


@dataclass(frozen=True, slots=True)
class Analyzer:
    """Turns text into tokens; equal settings give equal tokens on every machine.

    Words are runs of letters and digits of any script, case-folded under Unicode NFKC, without a possessive 's; hyphens
    and underscores split. Words of one letter stay ("Vitamin C"). Runs of Chinese, Japanese, Korean, Thai and the like
    become their characters and overlapping pairs of characters, as there are no spaces to split at.

    Attributes:
        fold_accents: Whether "Gábor" and "Gabor" are the same token.
        stemmer: None, or "plural" for Harman's S stemmer (three rules for English plurals; "How effective is
            suffixing?", JASIS 1991). Off by default: it lifts recall of questions, and blurs names (Williams, William).
        stopwords: "en" for the 33 words of Lucene's English list, or the words themselves. Passages keep them; queries
            lose them unless they have no other words.

    Raises:
        BadInput: A stemmer or list of stop words of an unknown name.
    """

    fold_accents: bool = True
    stemmer: str | None = None
    stopwords: str | tuple[str, ...] = "en"

    def __post_init__(self) -> None:
        if self.stemmer not in STEMMERS:
            raise BadInput(f"analyzer stemmer must be one of {STEMMERS}, not {self.stemmer!r}")
        if isinstance(self.stopwords, str) and self.stopwords != "en":
            raise BadInput(f'analyzer stopwords must be "en" or a tuple of words, not {self.stopwords!r}')

    @classmethod
    def from_settings(cls, settings: Mapping[str, object]) -> Analyzer:
        """The analyzer that `settings()` described.

        Raises:
            AnalyzerMismatch: A field is missing, unknown, of a bad value, or of another version of the analyzer.
        """
        known = {item.name for item in fields(cls)}
        for name in sorted(known ^ (settings.keys() - {"version"})):
            raise AnalyzerMismatch(f"analyzer field {name!r} is {'missing' if name in known else 'unknown'} here")
        if settings.get("version") != ANALYZER_VERSION:
            raise AnalyzerMismatch(
                f"analyzer field 'version' is {settings.get('version')!r}, this Hopstop has {ANALYZER_VERSION}"
            )
        stopwords = settings["stopwords"]
        try:
            return cls(
                fold_accents=bool(settings["fold_accents"]),
                stemmer=settings["stemmer"],  # type: ignore[arg-type]  # checked by __post_init__
                stopwords=tuple(stopwords) if isinstance(stopwords, list) else stopwords,  # type: ignore[arg-type]
            )
        except BadInput as error:
            raise AnalyzerMismatch(str(error)) from error

    def settings(self) -> dict[str, object]:
        """What an index keeps and compares; JSON-able, and equal for analyzers that give equal tokens."""
        stopwords = self.stopwords if isinstance(self.stopwords, str) else list(self.stopwords)
        return {
            "fold_accents": self.fold_accents,
            "stemmer": self.stemmer,
            "stopwords": stopwords,
            "version": ANALYZER_VERSION,
        }

    def tokens(self, text: str) -> list[str]:
        """All tokens of a text in order, stop words included."""
        folded = self._fold(text)
        if folded.isascii():
            found = _ASCII_WORD.findall(folded)
        else:
            found = _WORD.findall(folded)
            if _HAS_RUN.search(folded):
                found = [token for word in found for token in _split_runs(word)]
        return [_singular(token) for token in found] if self.stemmer == "plural" else found

    def content_tokens(self, text: str) -> list[str]:
        """Tokens of a query in order without stop words; all of them if it has no others ("To be or not to be")."""
        tokens = self.tokens(text)
        stops = _stop_tokens(self)
        return [token for token in tokens if token not in stops] or tokens

    def is_stopword(self, word: str) -> bool:
        """Whether a word, as written or as a token, carries no content in a query."""
        tokens = self.tokens(word)
        return bool(tokens) and _stop_tokens(self).issuperset(tokens)

    def _fold(self, text: str) -> str:
        if text.isascii():
            return text.lower().replace("_", " ")
        text = _SEPARATORS.sub(" ", _JOINERS.sub("", text))
        text = unicodedata.normalize("NFKD", text).casefold()
        if self.fold_accents:
            text = _ACCENTS.sub("", text)
            text = _UNDECOMPOSED.sub(lambda match: _BASE_LETTERS[match.group()], text)
        return unicodedata.normalize("NFKC", text)


DEFAULT_ANALYZER = Analyzer()


def numbered(passages: Iterable[Passage], analyzer: Analyzer, title_weight: int) -> tuple[Lists, list[str]]:
    """The tokens of each passage as numbers, and the tokens, which are numbered in alphabetical order.

    Args:
        passages: What is indexed.
        analyzer: Turns their titles and texts into tokens.
        title_weight: How often the tokens of a title are counted.
    """
    number, met, length = Numbering(), array("i"), array("i")
    for passage in passages:
        tokens = (*analyzer.tokens(passage.title) * title_weight, *analyzer.tokens(passage.text))
        met.extend(map(number.__getitem__, tokens))
        length.append(len(tokens))
    words = list(number)
    order = sorted(range(len(words)), key=words.__getitem__)
    rank = np.empty(len(words), np.int32)
    rank[order] = np.arange(len(words))
    return Lists(small(bounds(np.array(length))), rank[np.array(met, np.int32)]), [words[place] for place in order]


@lru_cache(maxsize=16)
def _stop_tokens(analyzer: Analyzer) -> frozenset[str]:
    words = STOPWORDS_EN if isinstance(analyzer.stopwords, str) else analyzer.stopwords
    return frozenset(token for word in words for token in analyzer.tokens(word))


def _split_runs(word: str) -> list[str]:
    tokens: list[str] = []
    for match in _RUNS.finditer(word):
        part = match.group()
        if match.group(1):
            tokens.extend(part)
            tokens.extend(part[at : at + 2] for at in range(len(part) - 1))
        else:
            tokens.append(part)
    return tokens


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s"):
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1]
    return word if word.endswith(("us", "ss")) else word[:-1]
