"""The English that the question analysis knows: closed-class words, comparatives, and the nouns of a few properties.

This is the language module of the offline policy. Nothing else about the form of questions is tied to a language: one
in another language keeps its names and words, is taken for a chain, and is answered only if its words are covered.
"""

from __future__ import annotations

import re

AUXILIARY = re.compile(r"(?:q: )?(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would)\b", re.IGNORECASE)
WHICH = re.compile(r"\b(?:which|who|whose|what|whom)\b", re.IGNORECASE)
LOW = frozenset(
    """
    first earlier earliest older oldest fewer fewest less least smaller smallest shorter lower
    """.split()  # noqa: SIM905 - a block reads better, here and below
)
HIGH = frozenset(
    """
    later latest last recently recent younger youngest newer newest more most larger largest greater bigger biggest
    longer longest higher highest taller tallest
    """.split()  # noqa: SIM905
)
TIME = frozenset(
    "first earlier earliest older oldest later latest last recently recent younger newer newest".split()  # noqa: SIM905
)
BIRTH = re.compile(r"\b(?:born|birth|birthday|birthdate|birthplace|older|oldest|younger|youngest|age)\b")
DEATH = re.compile(r"\b(?:died|die|dies|death|passed away)\b")
LIFESPAN = re.compile(r"\b(?:lived|live) (?:longer|a longer)|\blonger li(?:fe|ved)|\blongevity\b", re.IGNORECASE)
NATION = re.compile(r"\b(?:nationality|nationalities|citizenship|countr(?:y|ies))\b", re.IGNORECASE)
SAME = re.compile(r"\b(?:same|share|shared|in common)\b", re.IGNORECASE)
SAME_KIND = re.compile(r"\bsame ([a-z]{3,}(?: [a-z]{3,})?)\W*$", re.IGNORECASE)  # "in the same data centre?"
SAME_PLACE = re.compile(r"\bsame place\b")
EITHER = re.compile(
    r"^(?!.*\bsame\b).* or .*\b(?:first|last|earlier|later|\w+er|more|fewer)\W*$", re.IGNORECASE | re.DOTALL
)
OF_BOTH = re.compile(r"\b(?:both|between|among|same|share|in common|of the following|which of)\b|^of .{3,80}, which\b")
BOTH = re.compile(r"\bboth\b", re.IGNORECASE)
PLACE = re.compile(
    r"^where\b|\bwhere (?:is|was|were|are|did|does|do)\b|\bwhere\W*$"
    r"|\bplace of (?:birth|death|burial)\b|\bbirthplace\b"
    r"|\b(?:which|what)(?: \w+){0,2} (?:city|town|country|state|county|place|village|continent|island|region|province|"
    r"location|district)\b",
    re.IGNORECASE,
)
DATE = re.compile(
    r"^[Ww]hen\b|\bwhen (?:is|was|were|did|does|do|will)\b|\b[Ww](?:hich|hat)(?: \w+)? (?:year|date|day|month)\b"
    r"|\bdate of (?:birth|death)\b|\bbirthday\b"
)
YEAR = re.compile(r"\b[Ww](?:hich|hat) year\b")
NUMBER = re.compile(
    r"\bhow (?:many|much|long|old|tall|far|large|high)\b|\bnumber of\b|\bpopulation\b"
    r"|^what (?:(?:is|was|are|were) )?(?:the |a )?(?:[a-z-]+ ){0,2}(?:amount|price|cost|fee|penalty|fine|salary|budget"
    r"|length|height|width|weight|depth|speed|distance|duration|magnitude|capacity|diameter|premium|deductible|turnover"
    r"|revenue|rent|limit|temperature)\b",
    re.IGNORECASE,
)
COUNT = re.compile(r"\bhow (?:many|old)\b|\bnumber of\b|\bpopulation\b", re.IGNORECASE)
MEASURES = frozenset(
    """
    second seconds minute minutes hour hours day days week weeks month months year years
    mm millimetre millimetres millimeter millimeters cm centimetre centimetres centimeter centimeters inch inches
    metre metres meter meters kilometre kilometres kilometer kilometers km m mile miles foot feet ft
    """.split()  # noqa: SIM905
)
PERSONS = re.compile(r"\b(?:person|people|man|woman|whom?)\b", re.IGNORECASE)
PERSON = re.compile(r"^(?:who|whom|whose)\b|\b(?:by|of|to|with) whom?\b", re.IGNORECASE)

# What leads from a named thing to another: "whose director", "the director of", "'s director", "the director who".
RELATION = re.compile(
    r"\b(?:whose|has the|have the|had the|has a|have a) (?P<whose>[a-z]{4,})\b"
    r"|\b(?P<of>(?:[mp]aternal |step)?[a-z]{3,}(?:-in-law)?) of\b(?! (?:birth|death))"
    r"|(?<=[\w)])['’]s? (?P<owned>(?:[mp]aternal )?[a-z]{3,}(?:-in-law)?)\b"
    r"|\b(?P<who>[a-z]{4,}) (?:who|that) "
)
NO_RELATION = frozenset(
    """
    date place country cause birth death nationality name kind type number part both same citizenship birthday one year
    city town capital
    """.split()  # noqa: SIM905
)

# "which American rock band", "what is the name of the river": the noun before a verb or preposition.
_STOP = "is|was|are|were|did|does|do|has|have|had|in|of|on|at|that|who|whose|which|for|with|by|from|to|the|and"
_NOUN = rf"(?!(?:{_STOP})\b)[a-z-]{{3,}}"
HEAD = re.compile(
    r"\b(?:[Ww]hich|[Ww]hat|this)(?: (?:is|was|are|were) the)?(?: (?:name|kind|type|sort) of(?: the)?)? "
    rf"((?:[^\W\d_a-z][\w-]* |\d[\w-]* )?{_NOUN}(?: {_NOUN})?)"
)

# "director of film A and director of film B", "A have the same nationality as B": the second name joined to the first.
REPEATED = re.compile(r" (and|or) (?:the )?[^\W\d_]{4,} of (?:the )?(?:[a-z]{3,} )?(?=[\"'(]?[^\Wa-z_])")
SAME_AS = re.compile(r" (?:have|has|share|shares|from|in|located in|born in) the same [a-z ]+? as (?=[\"'(]?[^\Wa-z_])")
NAME_LINKS = frozenset(
    """
    of the de la le du des da di del van von der den und et y and for in a an to with on at by from
    """.split()  # noqa: SIM905
)
BEFORE_NAME = re.compile(r"^(?:both|between|among) ", re.IGNORECASE)
