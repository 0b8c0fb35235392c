"""Which sentences of a passage speak of what it is about, and which of somebody else that it names."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hopstop.program.text import FUNCTION_WORDS, names

_SUBJECT = re.compile(
    r"(?:(?:His|Her|Its|Their) (?:(?!at |in |on |of |with |for |to )[a-z-]+ ){1,3})?"
    r"([^\W\d_a-z][\w'.-]*(?: [^\W\d_a-z][\w'.-]*)*) (?:\([^()]*\) )?"
    r"(?:who )?(?:is|was|were|had|has|died|joined|left|studied|moved|lived|came|grew|[a-z]+ed)\b"
)
_PRONOUN = re.compile(r"(He|She|His|Her)\b")
_SAID_OF = re.compile(r"\b(?:is|was) (?:an? |the )?(?:\w+ ){0,4}?(\w+) (?:of|to)\b")
_HE = frozenset("brother son husband father grandson nephew uncle stepson king prince duke".split())  # noqa: SIM905
_SHE = frozenset("sister daughter wife mother niece aunt stepdaughter queen princess duchess".split())  # noqa: SIM905


def own_sentences(title: str, sentences: Sequence[str]) -> list[str]:
    """The sentences of a passage, with "" in the place of those that speak of another than its subject.

    A sentence is another's if its subject is a name that shares no word with the title, or a relation of the subject
    ("Her brother Max"), or a pronoun that does not suit the subject, as the sentence before says it ("the sister of").

    >>> own_sentences("Ida Roe", ["Ida Roe is the sister of Max Roe.", "He was born in Graz.", "She lives in Linz."])
    ['Ida Roe is the sister of Max Roe.', '', 'She lives in Linz.']
    """
    if not title.strip():
        return list(sentences)
    known = {word.casefold() for sentence in sentences for name in names(sentence) for word in name.split()[1:]}
    he = _gender(sentences)
    return ["" if _of_another(title, text, known, he=he) else text for text in sentences]


def _of_another(title: str, text: str, known: set[str], *, he: bool | None) -> bool:
    pronoun = _PRONOUN.match(text)
    if pronoun is not None and he is not None and (pronoun[1] in ("He", "His")) != he:
        return True
    match = _SUBJECT.match(text)
    if match is None:
        return False
    return text.startswith(("His ", "Her ", "Its ", "Their ")) or _is_other(match[1], title, known)


def _is_other(subject: str, title: str, known: set[str]) -> bool:
    """Whether a subject is another's name; a lone word is one only if it is a part of a name elsewhere."""
    words = [word.strip(".,'") for word in subject.casefold().split()]
    content = [word for word in words if word not in FUNCTION_WORDS]
    shared = set(content) & {word.strip(".,()'") for word in title.casefold().split()}
    if not content or shared:
        return False
    return len(content) > 1 or content[0] in known


def _gender(sentences: Sequence[str]) -> bool | None:
    """Whether the subject is said to be a man, by what it is of somebody; None if it is not said."""
    match = _SAID_OF.search(sentences[0]) if sentences else None
    word = match[1] if match else ""
    return True if word in _HE else False if word in _SHE else None
