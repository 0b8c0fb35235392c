"""Where a sentence says the verb that a question asks for, in any of its forms, and whether in the passive. English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from hopstop.program.asked_role import AskedRole
from hopstop.program.verb_forms import is_participle, root

PREPOSITION = (
    r"\b(?:in|at|of|to|from|with|for|on|by|near|against|under|into|as|after|before|besides?|unlike|like|behind|above"
    r"|below|over|through|within|without|around|between|among)"
)
BE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|gets?|got)(?: (?:also|now|not|first|later|then|\w+ly|being|been))* $"
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BREAK = re.compile(r"[.;:!?]['\")]? (?<!\b[A-Z]\. )(?<!\b(?:Dr|Mr|Ms|St|Jr|Sr)\. )(?<!\b(?:Mrs)\. )|[–—]")
_BY_NEXT = re.compile(r"(?: (?:in|on|at|jointly) [\w ]{1,20}| jointly| solely| only)? by ")
_DETERMINER = re.compile(r"\b(?:the|an?|this|that|his|her|its|their|our|my|of|no) $", re.IGNORECASE)
_HAS_PREPOSITION = re.compile(rf"{PREPOSITION}\b")


class VerbPlace(NamedTuple):
    """A form of the verb asked for, with the clause around it."""

    clause: str
    start: int
    end: int
    passive: bool


def says_verb(asked: AskedRole, text: str) -> bool:
    """Whether a text holds a form of the verb asked for, or a noun made of it ("report", "reporter")."""
    wanted = root(asked.verb)
    return any(root(word).startswith(wanted) for word in _WORD.findall(text))


def verb_places(asked: AskedRole, sentence: str, *, framed: bool = True) -> Iterator[VerbPlace]:
    """The forms of the verb asked for, where they stand as a verb.

    Args:
        asked: What is asked of the verb. A name in it that holds a preposition is made one word in the clauses, with
            hyphens.
        sentence: As it stands.
        framed: Whether the preposition asked for must be behind the verb.
    """
    name = asked.other
    plain = sentence.replace(name, name.replace(" ", "-")) if _HAS_PREPOSITION.search(name) else sentence
    return (verb for verb in _forms(asked.verb, plain) if not framed or _same_frame(asked, verb))


def _forms(verb: str, sentence: str) -> Iterator[VerbPlace]:
    wanted = root(verb)
    for clause in _BREAK.split(sentence):
        for match in _WORD.finditer(clause):
            before, after = clause[: match.start()], clause[match.end() :]
            if match[0].islower() or match.start() == 0:
                by = _BY_NEXT.match(after) is not None
                if root(match[0].rsplit("-", 1)[-1]) == wanted and (by or not _DETERMINER.search(before)):
                    passive = is_participle(match[0]) and (by or BE.search(before) is not None)
                    yield VerbPlace(clause, match.start(), match.end(), passive)


def _same_frame(asked: AskedRole, verb: VerbPlace) -> bool:
    """Whether the preposition asked for is behind the verb; "stars in A" and "stars B" say other things."""
    return not asked.preposition or asked.preposition in verb.clause[verb.end :].split()[:3]
