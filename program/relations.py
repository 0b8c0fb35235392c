"""How English says a relation: the words behind which a text names the director, father or spouse of something."""

from __future__ import annotations

import re
from functools import lru_cache

# Relation nouns of everyday English with the phrases that say them. A noun that is not here is looked for as it stands,
# by its stem ("reviewer": "reviewed by ..."). General English; no list of any data.
_AFTER = {
    "director": r"directed by|director",
    "producer": r"produced by|producer",
    "composer": r"composed by|music (?:was |is )?(?:composed |written )?by|scored? by|composer",
    "performer": r"performed by|recorded by|sung by|(?:song|single|album|track|record|EP) (?:\w+ ){0,3}?by|by",
    "singer": r"performed by|recorded by|sung by|by",
    "author": r"written by|authored by|author|by",
    "writer": r"written by|writer|by",
    "screenwriter": r"written by|screenplay by|writer",
    "founder": r"founded (?:in \d{4} )?by|established by|created by|founder",
    "creator": r"created by|creator|designed by",
    "publisher": r"published by|publisher",
    "father": r"(?:son|daughter|child) of|father(?: was| is|,)?|born to",
    "mother": r"(?:son|daughter|child) of [^.;]{3,70}? (?:and|by|with)(?: his (?:first |second |third )?wife,?)?|"
    r"mother(?: was| is|,)?|born to [^.;]*? and",
    "husband": r"married(?: to)?|wife of|husband(?: was| is|,)?|widow of|consort of|spouse",
    "wife": r"married(?: to)?|husband of|wife(?: was| is|,)?|widower of|spouse",
    "spouse": r"married(?: to)?|(?:wife|husband) of|(?:husband|wife)(?: was| is|,)?|(?:widow|consort) of|spouse",
    "child": r"father of|mother of|children|son|daughter",
    "son": r"father of|mother of|sons?",
    "daughter": r"father of|mother of|daughters?",
    "sibling": r"(?:brother|sister)s? of|(?:brother|sister|sibling)s?",
    "brother": r"brothers? of|brothers?",
    "sister": r"sisters? of|sisters?",
    "owner": r"owned by|owner",
    "manufacturer": r"manufactured by|made by|built by|produced by|manufacturer",
}
_STEPS = {
    "paternal grandfather": ("father", "father"),
    "paternal grandmother": ("father", "mother"),
    "maternal grandfather": ("mother", "father"),
    "maternal grandmother": ("mother", "mother"),
    "father-in-law": ("spouse", "father"),
    "mother-in-law": ("spouse", "mother"),
    "stepmother": ("father", "wife"),
    "stepfather": ("mother", "husband"),
    "grandchild": ("child", "child"),
}


def steps(relation: str) -> tuple[str, ...]:
    """A relation as single steps: a paternal grandmother is the mother of the father."""
    return _STEPS.get(relation, (relation,))


@lru_cache(maxsize=512)
def cues(relation: str) -> re.Pattern[str]:
    """What stands before the name that a relation leads to."""
    if relation in _AFTER:
        return re.compile(rf"\b(?:{_AFTER[relation]})\b", re.IGNORECASE)
    stem = re.escape(relation[:6].casefold())  # the stem of program/text.py, as it stands in a text
    return re.compile(rf"\b{stem}\w*(?: by| was| is|,|:)?", re.IGNORECASE)
