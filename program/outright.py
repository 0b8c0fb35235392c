"""Whether a sentence says an answer outright: who does it, the verb, and to whom, with nothing between to turn it.

Plain sentences of English alone: "A owns B.", "B is owned by A.", "B was written by C and checked by A." Whatever is
longer may be right too, and is left to the other signs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hopstop.program.asked_role import AskedRole
from hopstop.program.longer_names import SAME_KIND
from hopstop.program.tense import AT_A_TIME
from hopstop.program.text import FUNCTION_WORDS
from hopstop.program.verb_forms import PAST, forms
from hopstop.program.whole_words import places

LONGEST = 1000  # characters of a plain sentence
ADVERBS = r"(?: (?:also|now|still|currently|first|later|then|jointly|\w+ly))*"
_OPENING = re.compile(
    r"(?:(?:in|on|since|from|at|after|during) (?:[^,]{1,40}, |(?:\w+ ){0,2}\d{4} ))?(?:(?:the|an?) )?((?:[\w-]+ ){0,3})"
)
ASIDE = r"(?: \([^()]*\)|, (?!who|which|that|whose|where|and |but )[^,]{1,80},)?"
KIND = rf"(?: (?:{'|'.join(sorted(SAME_KIND))}))?"
ALSO = rf"(?: (?:[a-z]+(?:s|ed)|{'|'.join(sorted(PAST))}) [^,;.()]{{1,60}}? and)?"  # "sits in Graz and"
_DOES = re.compile(rf"{KIND}{ASIDE}{ALSO}(?:,? (?:who|which|that))?(?: (?:has|have))?{ADVERBS} ")
_IS_DONE = re.compile(
    rf"{KIND}{ASIDE}{ALSO}(?:,? (?:which|that))? (?:is|are|was|were|has been|have been)(?: being)?{ADVERBS} "
    rf"(?:\w+ by [^,;.()]{{1,60}}(?:,| and|, and) (?:was |is )?|\w+(?:,| and) )?"
    rf"| (?:is|was) (?:an?|the) (?:[^,;.]{{1,80}}, |(?:(?! (?:of|for|by|and|that|which) )[^,;.]){{1,60}} )"
)
_TO = re.compile(r" (?:(?P<preposition>to|for|in|on|at|with|from|under) )?(?:(?:the|an?) )?(?P<kind>(?:[a-z-]+ ){0,3})")
_BY = re.compile(
    rf"(?: (?:and|or) \w+)?{ADVERBS}(?: (?:in|on|since) [\w ]{{1,20}})? by (?:(?:the|an?) )?"
    r"(?P<kind>(?:[a-z-]+ ){0,3})"
)
END = re.compile(
    rf"{KIND}(?:$|[.,;)!]| \(| (?:and|in|on|at|since|from|for|during|under|as|with|by|to|when|because|after|while)\b)"
)


def outright(asked: AskedRole, sentence: str, other: str, answer: str) -> bool:
    """Whether a sentence says the verb of a question of these two, each on its side, and not as what has been.

    Args:
        asked: What the question asks of its verb.
        sentence: As it stands.
        other: The other one of the two, as the question or the way before names it; "" is never said.
        answer: Part of the sentence.
    """
    text, one, two = sentence.casefold(), answer.casefold(), other.casefold()
    if len(text) != len(sentence) or len(text) > LONGEST or not one or not two or AT_A_TIME.search(sentence):
        return False
    doer, done = (one, two) if asked.doer else (two, one)
    return any(
        _says(text, doer, verb, done, asked.preposition) or _says_passive(text, doer, verb, done)
        for verb in spans(forms(asked.verb.casefold()), text)
    )


def spans(words: Iterable[str], text: str) -> Iterator[tuple[int, int]]:
    """Where each of these words begins and ends in a text."""
    for word in words:
        for start in places(text, word):
            yield start, start + len(word)


def _says(text: str, doer: str, verb: tuple[int, int], done: str, preposition: str) -> bool:
    """ "A owns B": the name of A begins the sentence, and the verb and the name of B follow."""
    ways = _joined(text, (doer, verb, done), (_DOES, _TO))
    return any((way["preposition"] or "") == preposition for way in ways)


def _says_passive(text: str, doer: str, verb: tuple[int, int], done: str) -> bool:
    """ "B is owned by A"."""
    return any(True for _ in _joined(text, (done, verb, doer), (_IS_DONE, _BY)))


def _joined(
    text: str, parts: tuple[str, tuple[int, int], str], between: tuple[re.Pattern[str], re.Pattern[str]]
) -> Iterator[re.Match[str]]:
    """What stands between the verb and the name behind it, each time that it and what stands before it fit."""
    name, (start, end), other = parts
    before, behind = between
    for first in places(text, name):
        if first + len(name) <= start and opens(text[:first]) and before.fullmatch(text, first + len(name), start):
            for last in places(text, other):
                way = behind.fullmatch(text, end, last) if end <= last else None
                if way is not None and is_kind(way["kind"]) and END.match(text, last + len(other)):
                    yield way


def opens(before: str) -> bool:
    """Whether what stands before the first name, in lower case, only says when, and what kind of thing it is."""
    match = _OPENING.fullmatch(before)
    return match is not None and is_kind(match[1])


def is_kind(words: str) -> bool:
    """Whether words before a name only say what it is: "the architect"."""
    return FUNCTION_WORDS.isdisjoint(words.split())
