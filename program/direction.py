"""Whether a sentence says a relation in the direction asked for: of "A acquired B", only A is who acquired B.

Who does something stands before the verb, or behind "by"; to whom it is done stands behind the verb, or before a
passive one. English; a sentence that does not say the verb asked for is not judged.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hopstop.program.asked_role import AskedRole
from hopstop.program.generic import is_generic
from hopstop.program.longer_names import SAME_KIND
from hopstop.program.profile import fold, stems
from hopstop.program.spoken_of import OWNS, holds, is_of
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.verb_forms import root
from hopstop.program.verb_places import BE, PREPOSITION, VerbPlace, verb_places
from hopstop.program.whole_words import places

_NAME = r"(?:[^\Wa-z_][\w.'’&-]*|[^\W_]+(?:[-_][^\W_]+)+)"
_NAMES = re.compile(rf"{_NAME}(?: {_NAME})*")
_BY = re.compile(r"(?:(?:,| and) [a-z-]+ed)*(?: (?!and )[^\s.;:]+){0,8}? by ")
_IN = re.compile(r" (?:in|at|on|with) ")
_HOUSE = frozenset(map(root, "house host store keep hold shelter".split()))  # noqa: SIM905 - "A is housed in B"
_NUMBER = re.compile(r"\b\d[\w-]*")
_DETERMINERS = frozenset({"the", "a", "an", "its", "his", "her", "their", "also"})
_IT = re.compile(
    r" (?:it|him|them|her(?! [a-z])|this|these|both)\b"
    r"|(?:\W*$|[,;.:)]| (?:[a-z]+ly|together|again|and|or|but|by|in|on|at|for|to|with|from|since|as)\b)"
)
_KIND = re.compile(r" (?:the|this|that|an?|its) ([a-z][a-z-]*)\b(?! [a-z-]+ed\b)")
_NEW_PHRASE = re.compile(r"\b(?:the|an?|his|her|its|their) ", re.IGNORECASE)
_ASIDE = re.compile(r"\([^()]*\)|,[^,]*,")
_OTHER_PHRASE = re.compile(rf"{PREPOSITION}\b|\b(?:that|about|but|except|whether|why|how|who|whom|whose|which|than)\b")
_WITH_NAME = re.compile(rf"{PREPOSITION} (?:the )?{_NAME}(?: {_NAME})*(?: [a-z]+)?")
_BEHIND_PREPOSITION = re.compile(rf"({PREPOSITION}) (?:the |an? )?$", re.IGNORECASE)
_LISTED = re.compile(r"(?:,|and|&|or|the|as|well|both|\s)*")
_OBJECT = re.compile(rf"(?: (?:to|for|in|on|at|with|from|under))?(?: (?:the|an?|its|his|her))? ({_NAME}(?: {_NAME})*)")
_GOES_ON = re.compile(r" (?:in|at|for|with|on|from|to|under|into) ")
_CAPITAL = re.compile(r"\b[^\W\da-z_]")
_PHRASE_END = re.compile(rf"[,;.:(]|{_OTHER_PHRASE.pattern}")
_KINDS = stems(" ".join(SAME_KIND))
_OF_IT = re.compile(r"(?:its|his|her|their) ", re.IGNORECASE)
_AND_IS = re.compile(r" and (?:is|are|was|were)(?: \w+ly)* $")
# "A, who ...", "A is a director who ...", "A is a film starring ...": what stands between is said of A.
_WHO = re.compile(
    r",? (?:who|which|that) (?:has |have |had |also )?$"
    r"|(?: \([^()]*\))? (?:is|are|was|were) (?:an?|the|one of the) "
    r"(?:(?! (?:and|but) )[^,.;])*(?:who|which|that|(?-i:[a-z]+)) $"
)
_RELATIVE = re.compile(r"\b(?:who|whom|whoever|whose|which|that|what)\b")
_OF_RELATIVE = re.compile(r"\b(?:who|which|that|whom)(?: \w+)? [a-z]+ (?:the )?$")  # "the man who hired A wrote B"


@lru_cache(maxsize=4096)
def against_direction(asked: AskedRole, sentence: str, answer: str) -> bool:
    """Whether a sentence says the verb asked for, and an answer in it on the wrong side or on none.

    Args:
        asked: What is asked of the verb.
        sentence: As it stands.
        answer: Part of the sentence; one that does not stand in it (a title) is taken for its subject.
    """
    verbs = list(verb_places(asked, sentence))
    if not verbs:
        return False
    if fold(answer) not in fold(sentence):
        return all(verb.passive == asked.doer for verb in verbs)
    return not any(_fits(asked, verb, at, at + len(answer)) for verb in verbs for at in places(verb.clause, answer))


def against_other(asked: AskedRole, sentence: str) -> bool:
    """Whether a sentence says the verb asked for of the other one, but with that one on the wrong side."""
    verbs = [verb for verb in verb_places(asked, sentence) if holds(verb.clause, asked.other)]
    return bool(verbs) and not any(holds(_side_of_other(asked, verb), asked.other) for verb in verbs)


def names_another(asked: AskedRole, sentence: str) -> bool:
    """Whether a sentence says the verb asked for, but each time of somebody else who is named."""
    sides = [_side_of_other(asked, verb) for verb in verb_places(asked, sentence)]
    return bool(sides) and not any(
        holds(side, asked.other) or not _NAMES.search(side[_first(side) :]) for side in sides
    )


def not_named_with(asked: AskedRole, sentence: str, name: str) -> bool:
    """Whether a sentence says the verb asked for, each time behind another name and with no word of this one."""
    clauses = [(verb.clause, verb.clause[: verb.start]) for verb in verb_places(asked, sentence)]
    wanted = stems(name) - _KINDS
    return bool(clauses) and not any(
        wanted & stems(clause) or not _CAPITAL.search(before[_first(before) :]) for clause, before in clauses
    )


def _side_of_other(asked: AskedRole, verb: VerbPlace) -> str:
    return verb.clause[: verb.start] if asked.doer == verb.passive else verb.clause[verb.end :]


def named_other(asked: AskedRole, sentence: str, answer: str) -> str:
    """The name that stands where the other one is asked for, right behind or before the verb; "" if none does."""
    for verb in verb_places(asked, sentence, framed=False):
        if any(_fits(asked, verb, at, at + len(answer)) for at in places(verb.clause, answer)):
            side = _side_of_other(asked, verb)
            if asked.doer != verb.passive:
                return match[1].rstrip(".") if (match := _OBJECT.match(side)) else ""
            found = _NAMES.findall(_WITH_NAME.sub("", _ASIDE.sub("", side))[_first(side) :])
            return found[-1] if found else ""
    return ""


def _fits(asked: AskedRole, verb: VerbPlace, start: int, end: int) -> bool:
    if verb.clause.startswith(OWNS, end):
        return False  # what is said is said of something of theirs
    if verb.passive:
        return (
            _agent(verb, start) and _done_to_is(asked, verb)
            if asked.doer
            else end <= verb.start and _other_is_agent(asked, verb)
        )
    if asked.doer:
        if not asked.preposition and _GOES_ON.match(verb.clause, verb.end):
            return False
        return (
            end <= verb.start
            and _is_subject(verb.clause, start, verb.clause[end : verb.start])
            and _object_is(asked, verb)
        )
    return start >= verb.end and _is_object(asked, verb, start) and _subject_is(asked, verb)


def _agent(verb: VerbPlace, start: int) -> bool:
    """Whether what stands here is who does it by a passive verb."""
    by = _BY.match(verb.clause, verb.end)
    if by is None and root(verb.clause[verb.start : verb.end]) in _HOUSE:
        by = _IN.match(verb.clause, verb.end)
    if by is None or by.end() > start:
        return False
    gap = verb.clause[by.end() : start]
    return (_none_between(gap) and _is_plain(gap)) or _is_title(gap)


def _is_title(gap: str) -> bool:
    """Whether what stands before a name says only what it is: "the English band", "Oscar winner"."""
    said = _NAMES.sub("", gap).split()
    return gap.endswith(" ") and gap.split()[-1].islower() and FUNCTION_WORDS.isdisjoint(said[said[:1] == ["the"] :])


def _done_to_is(asked: AskedRole, verb: VerbPlace) -> bool:
    """Whether the name right before a passive verb may be what it is done to."""
    before = verb.clause[: verb.start]
    subject = _WITH_NAME.sub("", _ASIDE.sub("", before))
    if asked.other and holds(before, asked.other) and (not holds(subject, asked.other) or is_of(subject, asked.other)):
        return False
    if not _is_last(asked, subject) or (asked.other and _OF_IT.match(subject) and not holds(subject, asked.other)):
        return False
    names = _NAMES.findall(subject[_first(subject) :])
    opens = bool(names) and before.removeprefix("The ").startswith(names[0])
    if opens and asked.other and _AND_IS.search(before) and not _shares(names[0], asked.other):
        return False  # "B calls A and is owned by C": A is not what C owns
    return not names or not (_only_describes(asked, names[-1], before) or _is_another(asked, before, names[-1]))


def _shares(name: str, other: str) -> bool:
    return not stems(name) - _KINDS or bool(stems(name) & stems(other) - _KINDS)


def _is_another(asked: AskedRole, before: str, name: str) -> bool:
    """Whether a name at the end of what stands before the verb is not the other one's: each has a word of its own."""
    if not asked.other or not BE.search(before):
        return False
    said, other = stems(name) - _KINDS, stems(asked.other) - _KINDS
    return bool(said and other) and not said <= other and not other <= stems(before)


def _is_subject(clause: str, start: int, gap: str) -> bool:
    """Whether no other one stands between a name and the verb, and the name does not belong to a preposition."""
    if _OF_RELATIVE.search(clause[:start]):
        return False
    if _WHO.match(gap):
        return True
    if _RELATIVE.search(_ASIDE.sub("", gap)):
        return False
    rest = _WITH_NAME.sub("", _ASIDE.sub("", gap))
    if _BEHIND_PREPOSITION.search(clause[:start]) or not _none_between(rest):
        return False
    return _NAMES.search(rest) is not None or not _NEW_PHRASE.search(rest)


def _is_object(asked: AskedRole, verb: VerbPlace, start: int) -> bool:
    behind = _BEHIND_PREPOSITION.search(verb.clause[verb.end : start])
    if behind and behind[1].casefold() != asked.preposition:
        return False
    return _none_between(_WITH_NAME.sub("", _ASIDE.sub("", verb.clause[verb.end : start])))


def _none_between(gap: str) -> bool:
    """Whether a gap holds no name, or only names listed together with the one at its end."""
    rest = _NAMES.sub("", gap)
    return rest == gap or _LISTED.fullmatch(rest) is not None


def _object_is(asked: AskedRole, verb: VerbPlace) -> bool:
    """Whether the other one stands behind the verb, or nothing that is named does."""
    behind = verb.clause[verb.end :]
    found = _OBJECT.match(behind)
    if not asked.other:
        return not _is_of_other_kind(asked, behind) and (found is None or not _only_describes(asked, found[1], behind))
    cut = _OTHER_PHRASE.search(behind)
    if cut and not asked.preposition and not _OTHER_PHRASE.search(asked.other):
        behind = behind[: cut.start()]
    if holds(behind, asked.other):
        return not is_of(behind, asked.other)
    kind, behind = _KIND.match(behind), verb.clause[verb.end :]
    return found is None and (_IT.match(behind) is not None or (kind is not None and _is_called(asked, kind[1])))


def _is_of_other_kind(asked: AskedRole, behind: str) -> bool:
    """Whether the noun behind a verb is not the one that is described: "the cracks", for "the inventory"."""
    kind, end = _KIND.match(behind), _PHRASE_END.search(behind)
    if kind is None or not asked.described_as or is_generic(kind[1]):
        return False
    return not stems(asked.described_as) <= stems(behind[: end.start()] if end else behind)


def _is_last(asked: AskedRole, subject: str) -> bool:
    """Whether no name stands between the other one and the verb, but for those listed with it."""
    at = max(places(subject, asked.other), default=-1) if asked.other else -1
    return at < 0 or _none_between(_NUMBER.sub("", subject[at + len(asked.other) :]))


def _is_called(asked: AskedRole, noun: str) -> bool:
    return is_generic(noun) or stems(noun) <= stems(f"{asked.other} {asked.described_as}")


def _is_plain(gap: str) -> bool:
    """Whether what stands before a name has no word that makes it belong to something else: "the brother of"."""
    return FUNCTION_WORDS.isdisjoint(set(_NAMES.sub("", gap).split()) - _DETERMINERS - {"and", "both"})


def _only_describes(asked: AskedRole, name: str, around: str) -> bool:
    """Whether a name is only part of how the question describes the other one: Moor is not "the service Moor calls".

    It is the other one itself where the noun of the description stands with it: "the fix of incident 4471".
    """
    if asked.described_as and stems(asked.described_as) <= stems(around):
        return False
    return bool(stems(name)) and stems(name) <= stems(asked.described_by)


def _subject_is(asked: AskedRole, verb: VerbPlace) -> bool:
    """Whether the other one stands before the verb, or nobody who is named does."""
    before = verb.clause[: verb.start]
    return (
        not asked.other or holds(before, asked.other) or not _NAMES.search(_WITH_NAME.sub("", before)[_first(before) :])
    )


def _first(before: str) -> int:
    """Length of a first word that has its capital from its place: "It", "The"."""
    match = re.match(r"(?:It|He|She|They|The|This|That|A|An|His|Her|Its|Their|In|On|Since|After) ", before)
    return match.end() if match else 0


def _other_is_agent(asked: AskedRole, verb: VerbPlace) -> bool:
    by = _BY.match(verb.clause, verb.end)
    return not asked.other or (by is not None and holds(verb.clause[by.end() :], asked.other))
