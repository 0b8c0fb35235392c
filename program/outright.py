"""Whether a sentence says an answer outright: the verb asked for, with the answer and the other one on their sides."""

from __future__ import annotations

import re

from hopstop.program.asked_role import AskedRole
from hopstop.program.direction import named_other
from hopstop.program.profile import fold
from hopstop.program.whole_words import mentions

# What was so at some time, and may no longer be. English, German.
_AT_A_TIME = re.compile(
    r"\b(?:once|formerly|previously|originally|initially|until|earlier|former|before|no longer|used to|at first"
    r"|früher|ehemals|einst|zunächst|bis|vorher|nicht mehr)\b",
    re.IGNORECASE,
)


def outright(asked: AskedRole, sentence: str, other: str, answer: str) -> bool:
    """Whether a sentence says the verb of a question of these two, each on its side, without a word of its being past.

    Args:
        asked: What the question asks of its verb.
        sentence: As it stands.
        other: The other one of the two, as the question or the way before names it; "" is never said.
        answer: Part of the sentence.
    """
    said, wanted = fold(named_other(asked, sentence, answer)), fold(other)
    if not said or not wanted or _AT_A_TIME.search(sentence):
        return False
    return mentions(said, wanted) or mentions(wanted, said)
