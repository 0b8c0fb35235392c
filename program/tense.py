"""Whether a sentence tells of what was, for a question about what is. English."""

from __future__ import annotations

import re

from hopstop.program.asked_role import AskedRole
from hopstop.program.verb_forms import PAST, UNCHANGED, forms, root

# What was so at some time, and may no longer be.
AT_A_TIME = re.compile(
    r"\b(?:once|formerly|previously|originally|initially|until|earlier|former|before|no longer|used to|at first|ex"
    r"|back then|in the past|those days|from \d{4} to \d{4}|between \d{4} and \d{4}"
    r"|früher|ehemals|einst|zunächst|bis|vorher|nicht mehr)\b",
    re.IGNORECASE,
)
# What lasts, so that it may have been so and be so no more; an event stays one ("who writes" for "wrote it"). English.
_LASTING = frozenset(
    map(
        root,
        """
        own lead maintain run manage operate use hold direct head chair host work live support supervise oversee employ
        report depend belong serve fund supply sponsor control keep sell make play coach teach represent staff cover
        govern administer coordinate command rent lease store contain need require rely reside house edit publish
        """.split(),  # noqa: SIM905
    )
)
_NOW = re.compile(r"\b(?:does|do|is|are)\b")
_WAS = re.compile(r"\b(?:was|were|had been|had)(?: (?:also|now|first|later|then|\w+ly|being|been))* $", re.IGNORECASE)
_HAS = re.compile(
    r"\b(?:has|have|is|are|gets?|be|being|been)(?: (?:also|now|since|always|\w+ly|been|being))* $", re.IGNORECASE
)
_USED_TO = re.compile(r"\bused to ([^\W\d_]+)")
_WORD = re.compile(r"[^\W\d_]+")


def is_past(asked: AskedRole, question: str, sentence: str) -> bool:
    """Whether a question asks what is so now, and the sentence says its verb only of what was so.

    Args:
        asked: What the question asks of its verb.
        question: As it was asked.
        sentence: As it stands.
    """
    wanted = forms(asked.verb.casefold())
    if _asks_now(asked, question) and any(match[1].casefold() in wanted for match in _USED_TO.finditer(sentence)):
        return True
    if root(asked.verb) not in _LASTING or not _asks_now(asked, question):
        return False
    said = [match for match in _WORD.finditer(sentence) if match[0].casefold() in wanted]
    if AT_A_TIME.search(sentence):
        return bool(said)
    return bool(said) and all(
        _was(match[0].casefold(), sentence[: match.start()], sentence[match.end() :]) for match in said
    )


def _asks_now(asked: AskedRole, question: str) -> bool:
    verb = asked.verb.casefold()
    says_s = verb.endswith("s") and not verb.endswith("ss") and verb not in PAST
    return says_s or _NOW.search(question[: question.casefold().find(verb)]) is not None


def _was(verb: str, before: str, after: str) -> bool:
    if _WAS.search(before):
        return True
    past = verb.endswith("ed") or (verb in PAST and verb not in UNCHANGED)
    reduced = after.startswith(" by ") or _HAS.search(before) is not None
    return past and not reduced
