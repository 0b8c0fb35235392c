"""Whether words speak of a thing that has a name, or of something of it: "Moor" against "Moor's sister". English."""

from __future__ import annotations

import re

from hopstop.program.longer_names import SAME_KIND
from hopstop.program.profile import stems
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.verb_forms import PAST
from hopstop.program.whole_words import places

OWNS = ("'s", "’s")
_ENOUGH = 2 / 3  # of the stems of a name: "Service Fen" is not "Service Moor"
_NEXT_WORD = re.compile(r" ([^\W\d_]+)\b(?! (?:is|was|are|were|has|had)\b)")
_WHEN = frozenset("today yesterday tomorrow now daily weekly alone together again itself twice".split())  # noqa: SIM905


def holds(text: str, name: str) -> bool:
    """Whether a text has most words of a name, in any form and order."""
    wanted = stems(name)
    return len(wanted & stems(text)) >= _ENOUGH * len(wanted)


def is_of(text: str, name: str) -> bool:
    """Whether a text has a name only before what belongs to it: "Moor's sister", "Moor dashboards", "moor-v2"."""
    behind = [text[at + len(name) :] for at in places(text, name)]
    return bool(behind) and all(rest.startswith((*OWNS, "-")) or _goes_on(rest) for rest in behind)


def _goes_on(rest: str) -> bool:
    """Whether a noun that makes another thing of it stands behind a name."""
    match = _NEXT_WORD.match(rest)
    word = match[1] if match else ""
    return bool(word) and not (
        word.casefold() in FUNCTION_WORDS | SAME_KIND | _WHEN or word.endswith(("ly", "ed")) or word in PAST
    )
