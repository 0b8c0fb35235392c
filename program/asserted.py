"""Whether a sentence states something of a name in it as a fact: not denied, not only possible, not asked.

Closed lists of English and German. What is denied or only possible reaches to the end of its clause: a comma with a new
verb behind it, "but", a semicolon. A comma list goes on ("not by Ann, Bo or Cy").
"""

from __future__ import annotations

import re
from functools import lru_cache

from hopstop.program.whole_words import lowered, places

DENIED = re.compile(
    r"\b(?:not(?! only\b| just\b| least\b)|cannot|never|no longer|nobody|no one|none|neither|nor|without|\w+n[’']t"
    r"|den(?:ies|ied)|refuse[sd]|decline[sd]|fail(?:s|ed) to|(?:stopped|ceased|quit) \w+ing"
    r"|allegedly|supposedly|wrongly|falsely|contrary to|myth|(?:almost|nearly|hardly) [a-z]{3,}|some say"
    r"|nicht(?! nur\b)|kein(?:e[mnrs]?)?|nie|niemals|niemand|weder|ohne|verweigert\w*|bestritt\w*)\b",
    re.IGNORECASE,
)
POSSIBLE = re.compile(
    r"\b(?:would|could|should|shall|will|must|can|might|may"
    r"|[Ii]f|[Uu]nless|whether|(?:was|were|is|are) (?:to be|supposed to|expected to|meant to|planned to|due to be)"
    r"|(?:plan|want|intend|hope|agree|offer|ask|expect|promise|pretend|claim|decide|attempt)(?:e?s|e?d|n?ed)? to"
    r"|tr(?:y|ies|ied) to|going to"
    r"|(?:claim|doubt|pretend|propose|demand|request)(?:s|e?d)? that|[Ss]uppose|[Ll]et|propose|rumou?r(?:ed|s)?"
    r"|würden?|[Hh]ätten?|[Ww]ären?|könnten?|[Ff]alls|ob|sofern)\b"
)
_VERB = (
    r"(?=(?:[^\s,;]+ ){0,6}?(?:is|was|are|were|has|had|ist|war|sind|waren|hat|wurde|wurden|\w+ed)\b)"  # in seven words
)
_END = re.compile(
    r"[;:]|\.(?= )| [–—-] "
    r"|\b(?:but|however|although|though|whereas|while|instead|after|before|because|since|until|when)\b"
    r"|\b(?:sondern|aber|jedoch|obwohl|während|nachdem|bevor|weil|seit)\b"
    rf"|,? (?:and|und) {_VERB}|, {_VERB}",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:Q: )?(?:who|whom|whose|what|which|when|where|why|how|is|are|was|were|do|does|did|has|have|can|could|will"
    r"|would|should|wer|wen|wem|was|welche[mnrs]?|wann|wo|warum|wie|ist|sind|war|hat|kann|darf)\b",
    re.IGNORECASE,
)


def is_question(sentence: str) -> bool:
    """Whether a sentence asks: it ends with a question mark and begins with a word that asks."""
    return sentence.rstrip(" \"'”’»)").endswith("?") and _ASKS.match(sentence.lstrip(" \"'“‘«(")) is not None


def negates(text: str) -> bool:
    """Whether a question is itself about what is not, or would be."""
    return DENIED.search(text) is not None or POSSIBLE.search(text) is not None


@lru_cache(maxsize=4096)
def stated(sentence: str, name: str) -> bool:
    """Whether a name stands somewhere in a sentence in a clause that states a fact.

    Args:
        sentence: As it stands.
        name: Part of the sentence; one that does not stand in it (a title) goes by the whole sentence.
    """
    if is_question(sentence):
        return False
    starts = list(places(lowered(sentence), lowered(name)))
    if not starts:
        return not negates(sentence)
    return any(not negates(_clause(sentence, start, start + len(name))) for start in starts)


def _clause(sentence: str, start: int, end: int) -> str:
    cuts = list(_END.finditer(sentence))
    first = max((cut.end() for cut in cuts if cut.end() <= start), default=0)
    last = min((cut.start() for cut in cuts if cut.start() >= end), default=len(sentence))
    return sentence[first:last]
