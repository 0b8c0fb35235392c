"""What a sentence says with the title of its passage in place of the word that stands for it: "It is led by Ann".

English: a pronoun, or "the" with a noun that the title or the first sentence calls it by, at the start of a sentence or
behind a date ("In 2017 it was sold"); or "it" as the object of a plain sentence ("Ann leads it").
"""

from __future__ import annotations

import re
from functools import lru_cache

from hopstop.program.generic import is_generic
from hopstop.program.line import Line
from hopstop.program.longer_names import SAME_KIND
from hopstop.program.profile import stems
from hopstop.program.text import stem

_DATE = r"(?:(?:In|On|Since|By|From|After|At) (?:[^\W_]+ ){0,3}\d{4},? |(?:In|On|At|After|During) [^,]{1,40}, )?"
_STANDS_FOR = re.compile(rf"(?P<date>{_DATE})(?:[Ii]t|[Hh]e|[Ss]he|[Tt]hey|[Tt]he (?P<noun>[a-z]+))\b(?! of\b)")
# "Ann leads it.": a plain subject and its verb.
_NAME = r"[^\Wa-z_][\w.’'-]*"
_SAID_OF_IT = re.compile(
    rf"(?:The )?{_NAME}(?: {_NAME})*(?: (?:team|group|office))?(?P<verb>(?: (?:has|also|now|\w+ly))* [a-z]+(?:s|ed))"
    r" (?:it|him|her|them)(?=[.,;]|$| (?:and|in|since|from|with|for|until)\b)"
)
_OPENS = re.compile(r"(?:The )?(.{1,80}?) (?:is|was|are|were|has|had)\b")


def with_title(line: Line, question: str) -> str:
    """The sentence of a line, with the title of its passage in place of a subject that stands for it.

    Args:
        line: The sentence.
        question: Where it names the passage by the short name that its text opens with, so is done here.
    """
    text = line.sentence.text
    match = _STANDS_FOR.match(text)
    if match is None and line.title and (said := _SAID_OF_IT.match(text)) and _goes_on(line):
        return f"{text[: said.end('verb')]} {_called(line, question)}{text[said.end() :]}"
    if match is None or not line.title or not line.view.is_own(line.number):
        return text
    noun = match["noun"]
    if noun is not None and not _calls(noun, line.title, line.view.sentences[0].text):
        return text
    return f"{match['date']}{_called(line, question)}{text[match.end() :]}"


def _goes_on(line: Line) -> bool:
    """Whether the sentence before one speaks of what the passage is about, as its subject."""
    if not line.number:
        return False
    before = line.view.sentences[line.number - 1].text
    return _STANDS_FOR.match(before) is not None or before.removeprefix("The ").startswith(line.title)


def _called(line: Line, question: str) -> str:
    match = _OPENS.match(line.view.sentences[0].text)
    if match is None or line.title in question or not (line.title.startswith(match[1]) and match[1] in question):
        return line.title
    return match[1]


def said_of(line: Line, question: str, answer: str) -> str:
    """The same, unless the answer is in the title, which then stands for it already."""
    return line.sentence.text if stems(answer) <= stems(line.title) else with_title(line, question)


@lru_cache(maxsize=2048)
def _calls(noun: str, title: str, first: str) -> bool:
    """Whether a noun is what something is called by its title, by what it is said to be, or as anything of its kind."""
    if is_generic(noun) or noun in SAME_KIND or stem(noun) in stems(title):
        return True
    return re.search(rf"\b(?:is|was) (?:an?|the|our) (?:[\w-]+ ){{0,4}}{re.escape(noun)}\b", first) is not None
