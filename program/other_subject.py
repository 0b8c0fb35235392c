"""Whether a sentence says a value of another thing than is asked for: of a parent company, a predecessor, a brother.

English: "Its parent company, Brandt Holding, is based in Zug", "It replaced Fen, which had 900 users", where the
question asks for neither by name nor by a word for what it is.
"""

from __future__ import annotations

import re

from hopstop.program.clauses import clause_texts
from hopstop.program.profile import stems
from hopstop.program.question_form import QuestionForm
from hopstop.program.verb_places import PREPOSITION

_NAME = r"[^\Wa-z_][\w.’'&-]*(?: [^\Wa-z_][\w.’'&-]*)*"
_ITS = re.compile(rf"(?:Its|His|Her|Their) (?P<kind>[a-z-]+(?: [a-z-]+){{0,3}}),? (?:the )?(?P<name>{_NAME})")
_RELATIVE = re.compile(r"[, ]*\b(?:which|who|that|where|whose)\b")
_GOES_ON = re.compile(r"[,; ]*(?:and|but|or) (?!the\b|its\b|his\b|her\b|their\b)[a-z]")
_NEAR = 400  # characters before a relative clause, among which its subject stands
_LAST_NAME = re.compile(rf"({_NAME})\W*$")
_INDEFINITE = re.compile(r"\b(?:an?|another) (?:[\w-]+ ){0,3}[a-z]+\W*$")
_IS_A = re.compile(rf"\b(?:is|was|are|were) (?:an?|the|one of)\b(?:(?!{PREPOSITION}\b)[^,])*$|, an? [^,]*$")


def of_other_subject(question: str, form: QuestionForm, sentence: str, answer: str, entry: str = "") -> bool:
    """Whether what a sentence says with an answer is said of something that neither the question nor the way names.

    Args:
        question: As it was asked.
        form: Of the question.
        sentence: As it stands.
        answer: Part of the sentence.
        entry: What it may be said of besides: the name that leads to the sentence, words of its passage's title.
    """
    at = sentence.find(answer)
    if at < 0:
        return False
    known, asked = stems(f"{' '.join(form.names)} {entry}"), stems(question)
    its = _ITS.match(sentence)
    if its is not None and its.end("name") <= at and not stems(its["kind"]) & asked:
        return not stems(its["name"]) <= known
    return _of_antecedent(sentence, at, known, asked - known)


def _of_antecedent(sentence: str, at: int, known: frozenset[str], words: frozenset[str]) -> bool:
    """Whether the answer stands in a relative clause about another, and nothing before it is a word asked for."""
    start = _relative_before(sentence, at)
    main = sentence[max(0, start - _NEAR) : max(start, 0)]
    if start < 0 or words & stems(main) or _IS_A.search(main):
        return False
    named = _LAST_NAME.search(main)
    if named is not None:
        return not stems(named[1]) & known
    return _INDEFINITE.search(main) is not None


def _relative_before(sentence: str, at: int) -> int:
    """Where the relative clause begins that a place stands in, or in what goes on with it; -1 if it is in none."""
    starts, end = [], 0
    for part in clause_texts(sentence):
        starts.append((end, part))
        end += len(part)
        if end > at:
            break
    while starts:
        start, part = starts.pop()
        if _RELATIVE.match(part):
            return start
        if not _GOES_ON.match(part):
            return -1
    return -1
