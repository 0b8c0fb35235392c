"""Whether a question asks who does something or to whom it is done: "who acquired A", "who did A acquire"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.text import FUNCTION_WORDS, content_words, names
from hopstop.program.verb_forms import is_finite, root

PREPOSITIONS = "to|for|in|on|at|with|from|under|over|into|of|as|about|against|by"
_WH = r"(?:who|whom|what|(?:which|what)(?: [\w-]+){1,3}?)"
_BE = r"(?:is|are|was|were)"
_TAIL = re.compile(
    rf" (?:(?:a|per|each|every) (?:day|week|month|year)|(?:in|on|at|since|before|after|during|for|as) "
    rf"(?!(?:{PREPOSITIONS})\b)(?:the )?[^\Wa-z_](?:[^?]* [^\Wa-z_])?[^? ]*)$"
)
_BY_OTHER = re.compile(rf"{_WH} {_BE} (?P<verb>[a-z]+) by (?P<other>.+)", re.IGNORECASE)
_OTHER_BY = re.compile(rf"{_WH} {_BE} (?P<other>.+) (?P<verb>[a-z]+) by", re.IGNORECASE)
_BY_WHOM = re.compile(rf"by {_WH} {_BE} (?P<other>.+) (?P<verb>[a-z]+)", re.IGNORECASE)
_DONE_TO = re.compile(
    rf"(?:(?P<first>{PREPOSITIONS}) )?{_WH} (?:does|did|do) (?P<other>.+) "
    rf"(?!(?:{PREPOSITIONS})\b)(?P<verb>[a-z]+)(?: (?P<prep>{PREPOSITIONS}))?",
    re.IGNORECASE,
)
_RELATIVE = re.compile(r".*\b(?:that|which|whom?) (?!does |do |did |is |are |was |were |has |have |had )")
# The verb of the question itself, at its end: "when was the company that built Moor founded".
_TRAILING = re.compile(
    rf"(?P<asked>(?:when|where|(?:in|at|on) (?:which|what) [a-z]+) {_BE} .+) (?:[a-z]+ed|built|born|made)",
    re.IGNORECASE,
)
_CLAUSE = re.compile(rf"(?P<other>.+) (?!(?:{PREPOSITIONS})\b)(?P<verb>[a-z]+)(?: (?P<prep>{PREPOSITIONS}))?")
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_KIND_DESCRIBED = re.compile(
    r"\b(?:the|our) (?:[a-z-]+ ){0,2}?([a-z-]+) (?:[a-z]+(?:ed|t|n) )?"
    r"(?:that|who|whose|where|(?:(?:in|on|at|by|for) )?which)\b"
)
_IN = re.compile(r"([^\Wa-z_][^?]*?) (?:in|on|at|for|as|from|during) [^?]*[a-z]$")  # "Moor in cinemas"
_LONGEST_NAME, _LAST = 200, 1000  # characters of words that may be a name, and at the end of a question
_LONGEST = 6  # words of a name with its kind ("the Hill Street branch office")
_WORD = re.compile(r"\S+")
_DESCRIBES = re.compile(r"\b(?:that|who|whom|which|whose|where|when|of|by|for|and|or)\b|['’]s?\b")
_DOING = re.compile(r"(?<=[a-z] )[a-z]+ing(?= (?:the )?[^\Wa-z_])")  # "the team owning Moor"
_NAMED = re.compile(r"[^\W_a-z]|[^\W_][-_][^\W_]|\d")
# Whoever does these to somebody has it done by that one. English.
_BOTH_WAYS = """
    married marries wed divorced meets met borders bordered adjoins neighbours neighbors resembles equals
"""
SYMMETRIC = frozenset(map(root, _BOTH_WAYS.split()))


@dataclass(frozen=True, slots=True)
class AskedRole:
    """What a question asks of a verb.

    Attributes:
        verb: As the question says it.
        doer: Whether the answer is who does it; else to whom, or what, it is done.
        other: The words for the other one of the two; empty if the question describes it in more than a name.
        described_by: The rest of such a description ("Moor calls" of "the service that Moor calls"); else empty.
        described_as: The noun of such a description ("service"); else empty.
        preposition: Behind the verb ("report to"); empty if there is none.
    """

    verb: str
    doer: bool
    other: str = ""
    described_by: str = ""
    described_as: str = ""
    preposition: str = ""


@lru_cache(maxsize=1024)
def asked_role(question: str) -> AskedRole | None:
    """What a question asks of its verb; None if it is no such question, or its verb goes both ways ("married").

    >>> asked_role("Who acquired Alpha GmbH?")
    AskedRole(verb='acquired', doer=True, other='Alpha GmbH', described_by='', described_as='', preposition='')
    >>> asked_role("Who does Ida Brook report to?")
    AskedRole(verb='report', doer=False, other='Ida Brook', described_by='', described_as='', preposition='to')
    """
    text = " ".join(question.split()).rstrip(" ?.!")
    found = _passive(text) or _done_to(text) or _doer(text)
    return None if found is None or root(found.verb) in SYMMETRIC or found.verb in FUNCTION_WORDS else found


@lru_cache(maxsize=1024)
def described_role(question: str) -> AskedRole | None:
    """What a relative clause at the end of a question says of a name; None if there is no such clause.

    >>> described_role("Which team owns the service that Moor calls?")
    AskedRole(verb='calls', doer=False, other='Moor', described_by='', described_as='', preposition='')
    """
    text = " ".join(question.split()).rstrip(" ?.!")[-_LAST:]
    text = match["asked"] if (match := _TRAILING.fullmatch(text)) else text
    whose = _RELATIVE.search(text)
    if whose is None or _DONE_TO.fullmatch(text):  # there the verb of the question ends it
        return None
    words = text[whose.end() :].split()
    if len(words) > 1 and is_finite(words[0]) and words[0] not in FUNCTION_WORDS:
        found = _doer(f"who {text[whose.end() :]}")
    else:
        match = _CLAUSE.fullmatch(text, whose.end())
        found = match and AskedRole(match["verb"], False, *_named(match["other"]), match["prep"] or "")
    return (
        found
        if found and found.other and found.verb not in FUNCTION_WORDS and root(found.verb) not in SYMMETRIC
        else None
    )


@lru_cache(maxsize=1024)
def kinds_described(question: str) -> frozenset[str]:
    """The nouns that a relative clause describes.

    >>> sorted(kinds_described("Who chairs the club that insures the ship which Ann built?"))
    ['club', 'ship']
    """
    return frozenset(match[1] for match in _KIND_DESCRIBED.finditer(question))


def _passive(text: str) -> AskedRole | None:
    for pattern, doer in ((_BY_OTHER, False), (_OTHER_BY, True), (_BY_WHOM, True)):
        match = pattern.fullmatch(text)
        if match:
            return AskedRole(match["verb"], doer, *_named(match["other"]))
    return None


def _done_to(text: str) -> AskedRole | None:
    match = _DONE_TO.fullmatch(_TAIL.sub("", text))
    if match is None or not match["verb"].islower():
        return None
    return AskedRole(match["verb"], False, *_named(match["other"]), (match["prep"] or match["first"] or "").casefold())


def _doer(text: str) -> AskedRole | None:
    """The first word behind "who", or "which" and a noun, that may be a verb, if no function word is sooner."""
    words = _WORD.findall(text)
    first = {"who": 1, "what": 1, "which": 2}.get(words[0].casefold(), 0) if words else 0
    first += first == 1 and words[1:2] in (["has"], ["have"], ["had"])
    for at in range(first, min(len(words) - 1, 5 if first else 0)):
        if is_finite(words[at]) and words[at] not in FUNCTION_WORDS:
            rest = words[at + 1 :]
            behind = re.fullmatch(PREPOSITIONS, rest[0]) is not None
            return AskedRole(words[at], True, *_named(" ".join(rest[behind:])), rest[0] if behind else "")
        if not words[at].islower() or words[at] in FUNCTION_WORDS or words[0].casefold() == "who":
            break
    return None


def name_in(words: str) -> str:
    """The words, without an article, if they are no more than a name and its kind; else ""."""
    return _named(words)[0]


def _named(other: str) -> tuple[str, str, str]:
    """The words of the other one if they are no more than a name and its kind, else what describes it."""
    plain = _ARTICLE.sub("", _TAIL.sub("", other))
    if len(plain) <= _LONGEST_NAME:
        if names(plain) == (plain,) and " and " not in plain:
            return plain, "", ""
        if (match := _IN.match(plain)) and names(match[1]) == (match[1],):
            return match[1], "", ""
    described = _DESCRIBES.search(plain) or _DOING.search(plain)
    if described is not None:
        nouns = content_words(plain[: described.start()])
        return "", plain[described.end() :], nouns[-1] if nouns else ""
    return (plain if _NAMED.search(plain) and len(plain.split()) <= _LONGEST else ""), "", ""
