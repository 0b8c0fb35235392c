"""Whether a question asks when, where, how many or what of one verb of a thing: "When was Moor founded?". English."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from hopstop.program.asked_role import PREPOSITIONS, name_in
from hopstop.program.text import FUNCTION_WORDS

_STRANDED = frozenset((*PREPOSITIONS.split("|"), "after"))
_KIND = r"[a-z]+(?: [a-z]+)?"
_ASKED = re.compile(
    rf"(?:when|where|(?:(?:in|on|at|by|from) )?(?:which|what) {_KIND}|what"
    r"|how many (?P<noun>[a-z][a-z -]*?)|how (?:much|long))"
    r" (?:is|was|are|were|does|did|do|can|has|have) (?P<rest>.+)",
    re.IGNORECASE,
)
_LONGEST = 300  # characters of a question that is read so
_PASSIVE = re.compile(r" (?:is|was|are|were) ", re.IGNORECASE)
_RELATIVE = frozenset("that which who whom whose where".split())  # noqa: SIM905
_ARTICLE = re.compile(r"(?:the|an?|its|his|her|their) ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class AskedValue:
    """One way to read such a question.

    Attributes:
        subject: The name of the thing; empty if the question describes it ("the company that makes Fen").
        verb: As the question says it.
        rest: What stands behind the verb: its object, or a preposition ("written in"); empty if nothing.
        noun: What is counted ("seats"); empty if nothing is.
        passive: Whether the verb is done to the thing.
    """

    subject: str
    verb: str
    rest: str = ""
    noun: str = ""
    passive: bool = False

    @property
    def stranded(self) -> bool:
        """Whether what is asked for belongs behind a preposition at the end of the question."""
        return self.rest in _STRANDED


@lru_cache(maxsize=1024)
def asked_value(question: str) -> tuple[AskedValue, ...]:
    """All ways to read a question so: which word is the verb shows in the text. None if it is no such question.

    >>> asked_value("When was Moor founded?")[0]
    AskedValue(subject='Moor', verb='founded', rest='', noun='', passive=True)
    >>> [(way.verb, way.rest) for way in asked_value("Where did the Silver Tern run aground?")]
    [('run', 'aground'), ('aground', '')]
    """
    text = " ".join(question.split()).rstrip(" ?.!")
    if len(text) > _LONGEST:
        return ()
    match = _ASKED.fullmatch(text)
    if match is None:
        return ()
    passive = _PASSIVE.search(text[: match.start("rest")]) is not None
    words = match["rest"].split()
    found = []
    for at in range(1, len(words)):
        verb, rest = words[at], " ".join(words[at + 1 :])
        subject = name_in(" ".join(words[:at]))
        if _may_be_verb(verb) and (subject or _is_described(words, at)):
            kept = _ARTICLE.sub("", rest, count=1) if subject else ""
            found.append(AskedValue(subject, verb, kept, match["noun"] or "", passive))
    return tuple(found)


def _may_be_verb(word: str) -> bool:
    plain = word.islower() and word.isalpha() and word not in _STRANDED
    return plain and (word == "have" or word not in FUNCTION_WORDS)


def _is_described(words: list[str], at: int) -> bool:
    """Whether a relative clause follows the verb, or stands before it at the end: "the yard that built Fen opened"."""
    if words[at + 1 : at + 2] and words[at + 1] in _RELATIVE:
        return _RELATIVE.isdisjoint(words[:at])
    return at == len(words) - 1 and not (_RELATIVE | {"of"}).isdisjoint(words[:at])
