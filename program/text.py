"""Words, names and numbers of a text, in any script and without word lists of any data set."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_ONE_MARK = dict.fromkeys('‘’‚‛′`´ʼ＇“”„‟″«»＂"', "'") | dict.fromkeys("‐‑‒–—―−－", "-")
_HAS_OTHER_FORM = re.compile(f"[{''.join(_ONE_MARK)}]")  # ten times as fast as str.translate: few characters have

# Combining marks, which `\w` leaves out: without them words of Hindi or Arabic fall apart at their vowel signs.
_MARKS = "".join(chr(point) for point in range(0x300, 0xAC00) if unicodedata.category(chr(point)).startswith("M"))
_WORD = re.compile(rf"[^\W_][\w{_MARKS}]*(?:['.\-][^\W_][\w{_MARKS}]*)*")
# The same words where no character lies behind U+02FF (no marks) and underscores are spaces: five times as fast.
_PLAIN_WORD = re.compile(r"[^\W_]+(?:['.\-][^\W_]+)*")
_NOT_PLAIN = re.compile("[\u0300-\U0010ffff]")
_MAY_SPLIT_NUMBER = re.compile(r"\d[,\u00a0\u2009\u202f]\d\d\d")
_MAY_BE_INITIALS = re.compile(r"[A-Z]\.(?: ?[A-Z]\.|[A-Z])")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?!\d)|(?<![\d.,])\d{1,3}(?:[\u00a0\u2009\u202f]\d{3})+(?!\d)")
_INITIALS = re.compile(r"\b[A-Z]\.(?: ?[A-Z]\.)+|\b[A-Z](?:\.[A-Z])+\b")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_MAY_HOLD_DIGIT = re.compile("[0-9²³¹\u0300-\U0010ffff]")

# Scripts without spaces between words, and Hangul, which glues endings on: Thai to Myanmar, Khmer, Hangul, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SCRIPT_RUNS = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_HIRAGANA = re.compile("[\u3040-\u309f]+")

# Words without content of their own in English questions and draft answers: articles, pronouns, auxiliaries,
# prepositions, conjunctions and question words (the closed classes of the language, not a list from any data).
FUNCTION_WORDS = frozenset(
    """
    a an the this that these those it its he him his she her they them their we us our you your i me my who
    whom whose which what when where why how is are was were be been being am do does did done has have had
    having will would shall should can could may might must of in on at by for with from to into onto over
    under about as than then and or nor but if so not no yes both either neither each any some all more most
    other same such there here also only very between during before after above below up down out off again
    once s t
    """.split()  # noqa: SIM905 - a block reads better
)


def normalise(text: str) -> str:
    """One spelling for texts that a reader would call the same.

    Unicode NFC, one kind of quote mark and of dash, runs of white space as one space. Case is kept.
    """
    return " ".join(same_marks(text).split())


def same_marks(text: str) -> str:
    """The text in NFC with one kind of quote mark and of dash; white space as it is."""
    if text.isascii():
        return text.replace('"', "'").replace("`", "'")
    return _HAS_OTHER_FORM.sub(lambda mark: _ONE_MARK[mark[0]], unicodedata.normalize("NFC", text))


def unspaced(char: str) -> bool:
    """Whether a character is of a script that puts no spaces between words, so that a word may begin at any place."""
    return _HAS_UNSPACED.match(char) is not None


def words(text: str) -> list[str]:
    """Words as written, hyphenated and dotted ones whole, without a possessive ending.

    Initials are one word ("J. R. R. Tolkien" and "J.R.R. Tolkien" are JRR Tolkien), and so are numbers with thousands
    separators ("1,000" is 1000). A run of a script without spaces is one word.
    """
    return list(_words(text))


@lru_cache(maxsize=512)  # one round asks for the words of the same passages several times
def _words(text: str) -> tuple[str, ...]:
    if text.isascii() and text.replace(" ", "").isalpha():
        return tuple(text.split())
    plain = normalise(_THOUSANDS.sub(_digits, text) if _MAY_SPLIT_NUMBER.search(text) else text)
    if _MAY_BE_INITIALS.search(plain):
        plain = _INITIALS.sub(_letters, plain)
    plain = plain.replace("_", " ")
    is_plain = _NOT_PLAIN.search(plain) is None
    found = (_PLAIN_WORD if is_plain else _WORD).findall(plain)
    if "'" in plain:
        found = list(map(_bare, found))
    if is_plain or not _HAS_UNSPACED.search(plain):
        return tuple(found)
    return tuple(part for word in found for part in _SCRIPT_RUNS.findall(word))


def _digits(match: re.Match[str]) -> str:
    return "".join(char for char in match.group() if char.isdigit())


def _letters(match: re.Match[str]) -> str:
    return match.group().replace(".", "").replace(" ", "")


def _bare(word: str) -> str:
    return word[:-2] if word.endswith(("'s", "'S")) and len(word) > 2 else word


def content_words(text: str, *, fold: bool = True) -> list[str]:
    """Words that carry content, case-folded unless told otherwise, in order; numbers count, hyphens split.

    An acronym is content even where it is spelled like a function word ("US"). Runs of a script without spaces give
    their overlapping pairs of characters, as those are what two sentences about one thing share.
    """
    return list(_content_words(text)[fold])


def has_content(text: str) -> bool:
    """Whether a text has words that carry content: sooner known than which, as its first longer word mostly does."""
    longer = (word for word in text.split() if len(word) > 2 and word.isalpha())
    return any(word.casefold() not in FUNCTION_WORDS for word in longer) or bool(content_words(text))


@lru_cache(maxsize=512)
def _content_words(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """As written, and case-folded."""
    found = _with_content(_words(text), text)
    return found, tuple(map(str.casefold, found))


def _with_content(found: tuple[str, ...], text: str) -> tuple[str, ...]:
    shouted = text.isupper()
    hyphened = "-" in text or not text.isascii()
    parts = [part for word in found for part in word.split("-") if part] if hyphened else found
    if _HAS_UNSPACED.search(text):
        parts = [piece for part in parts for piece in (_pairs(part) if _HAS_UNSPACED.match(part) else [part])]
    return tuple(
        [
            part
            for part in parts
            if part.casefold() not in FUNCTION_WORDS or (part.isupper() and len(part) > 1 and not shouted)
        ]
    )


def _pairs(run: str) -> list[str]:
    """Pairs of characters; those of hiragana alone, which writes particles and endings, only if there is no other."""
    if len(run) == 1:
        return [run]
    pairs = [run[at : at + 2] for at in range(len(run) - 1)]
    return pairs if _HIRAGANA.fullmatch(run) else [pair for pair in pairs if not _HIRAGANA.fullmatch(pair)]


@lru_cache(maxsize=512)
def numbers(text: str) -> frozenset[str]:
    """Words with a digit: "1,000" is 1000, "5th" is 5, and a span of years gives both."""
    if not _MAY_HOLD_DIGIT.search(text):
        return frozenset()
    found = (word.casefold() for word in _words(text) if not word.isalpha())
    parts = (part for word in found for part in word.split("-"))
    return frozenset(_ORDINAL.sub(r"\1", part) for part in parts if any(char.isdigit() for char in part))


_UPPER = "".join(chr(point) for point in range(0x2000) if chr(point).isupper())
_TITLE = rf"(?:[{_UPPER}][^\W_]{{0,2}}|Prof|Capt)\.(?= )"  # a period elsewhere ends a sentence
_CAPITAL = rf"(?:{_TITLE}|[{_UPPER}][\w{_MARKS}]*(?:['.\-&][^\W_]+)*|\d[\w.,:-]*)"
_LINK = r"(?:of|the|de|la|le|du|des|da|di|del|van|von|der|den|und|et|y|and|for|in|&)"
_DATE_BEFORE = re.compile(
    rf"\b(?:[Ii]n|[Oo]n|[Ss]ince|[Bb]y|[Ff]rom|[Aa]fter) (?:\d{{1,2}} )?(?:[^\W\d_]+ )?\d{{4}}(?= [{_UPPER}])"
)
_NAME = re.compile(rf"(?<![^\W_]){_CAPITAL}(?:,? (?:{_LINK} ){{0,2}}{_CAPITAL})*")


@lru_cache(maxsize=4096)
def names(text: str) -> tuple[str, ...]:
    """Spans that look like names: runs of capitalised words and numbers, joined over short links ("of", "de la").

    Function words at the ends of a span are taken off, so that the first word of a sentence counts only if it has
    content. Scripts without capitals have no such spans; there `content_words` carries the weight.
    """
    plain = normalise(text)
    if _MAY_HOLD_DIGIT.search(plain):
        plain = _DATE_BEFORE.sub(r"\g<0>;", plain)  # "In 2017 Moor": no name goes on behind such a date
    spans = dict.fromkeys(map(_trim, _NAME.findall(plain)))
    return tuple(filter(None, spans))


def _trim(span: str) -> str:
    first, last = 0, len(parts := span.split(" "))
    while first < last and _is_function_word(parts[first]):
        first += 1
    while first < last and _is_function_word(parts[last - 1]):
        last -= 1
    kept = span if last - first == len(parts) else " ".join(parts[first:last])
    return kept.strip(" .,:;").removesuffix("'s")


def _is_function_word(part: str) -> bool:
    word = part.strip(".,:;")
    return word.casefold() in FUNCTION_WORDS and not (part.isupper() and (len(word) > 1 or part.endswith(".")))


def shares_word(left: Iterable[str], right: Iterable[str]) -> bool:
    """Whether two word collections meet, common inflections included."""
    stems = {stem(word) for word in left}
    return any(stem(word) in stems for word in right)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude stem that is the same for common inflections: lower case, at most the first six letters.

    Numbers stay whole. Truncation is the language-independent stemmer of McNamee and Mayfield (2004), who found
    prefixes of 4 to 6 characters to work across European languages.
    """
    folded = word.casefold()
    return folded[:6] if folded.isalpha() or not any(map(str.isdigit, folded)) else folded
