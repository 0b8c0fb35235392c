"""The right STOP of a labelled question, and whether its quotes hold the answer.

Labels are not always right, and many are guesses: data may name gold passages and no sentences. What the judge refuses
of such a STOP is no fault of the judge, so it is counted apart. None of this asks the judge: whether a text says
something is looked up by the first letters of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from hopstop.optimize.ideal import Reader
from hopstop.optimize.steps import Step, wording
from hopstop.optimize.steps import names as stands_in
from hopstop.program.policy import State
from hopstop.program.quotes import find_quote
from hopstop.program.records import Claim, Decision, Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import content_words
from hopstop.program.wordforms import plain

_BRACKET = re.compile(r"\s*\([^)]*\)")
_LETTERS = 4  # by which two words are taken for forms of one: "India" and "Indian", "film" and "filmmaker"


@dataclass(frozen=True, slots=True)
class RightStop:
    """The right decision of a reader who has read the gold passages.

    Attributes:
        decision: Each fact quoted by the sentence that says it, with the gold answer.
        shown: Whether the quotes and the titles of their passages say the answer, or it follows from them, and whether
            each sentence that is a guess says what its fact finds and shares a word with it.
    """

    decision: Decision
    shown: bool


def right_stop(reader: Reader, state: State) -> RightStop:
    """The right STOP.

    Of the gold sentences of a passage, or of all of its sentences if none is labelled, that one is quoted which says
    what the fact finds and has most words of fact and question. Facts are worded as the data words them; where it does
    not, by the title of the passage and all words of the question that the passage has, as a reader would who knows it.

    Args:
        reader: The question with its answer sheet; a passage states every one of its facts.
        state: The gold passages are read, nothing is listed.
    """
    labelled = reader.decide(state, by_label=False)
    pairs = [(step, state.reading.by_id(step.passage_id or "")) for step in reader.steps]
    reworded: dict[str, str] = {}
    claims: list[Claim] = []
    shown = True
    for place, (step, passage) in enumerate(pairs):
        need = wording(reader.steps, place, range(len(pairs)))
        if passage is None:
            continue
        reworded[need] = need if _worded_by_data(reader) else _worded(reader, need, passage)
        quote = _best(reader, step, reworded[need], passage)
        claims.append(Claim(reworded[need], quote=quote))
        shown &= bool(_gold(reader, passage)) or _shows(step, need, f"{passage.title} {quote}")
    texts = [f"{passage.title} {claim.quote}" for (_, passage), claim in zip(pairs, claims, strict=False) if passage]
    draft, said = _answer(reader, state, texts)
    concluded = (
        replace(claim, follows_from=tuple(reworded.get(need, need) for need in claim.follows_from))
        for claim in labelled.claims[len(reader.steps) :]
    )
    decision = Decision(labelled.stop, (*claims, *concluded), draft)
    return RightStop(decision, shown and (said or reader.compares))


def _worded_by_data(reader: Reader) -> bool:
    """Whether the facts are sub-questions or triples of the data, and not words that question and passage share."""
    if reader.question.meta.get("decomposition"):
        return True
    triples = reader.question.meta.get("evidences") or ()
    return len(triples) == len(reader.steps) and all(
        str(step.said[0]).startswith(str(triple[1])) for step, triple in zip(reader.steps, triples, strict=True)
    )


def _worded(reader: Reader, need: str, passage: Passage) -> str:
    title = _BRACKET.sub("", passage.title).strip()
    held = _starts(f"{need} {passage.text}")
    asked = dict.fromkeys(content_words(reader.question.question, fold=False))
    return f"{title}: {' '.join(word for word in asked if _starts(word) <= held)}" if title else need


def _gold(reader: Reader, passage: Passage) -> tuple[str, ...]:
    """The labelled sentences of a passage, as they stand in it; none if the label is a guess."""
    found = (
        find_quote(text, passage)
        for item in reader.question.supports
        for text in item.sentences
        if item.passage_id == passage.id
    )
    return tuple(quote.text for quote in found if quote is not None)


def _best(reader: Reader, step: Step, need: str, passage: Passage) -> str:
    of_passage = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
    wanted = f"{need} {reader.question.question}"
    return max(
        _gold(reader, passage) or of_passage,
        key=lambda text: (says(text, step.result) if step.result else True, len(_starts(wanted) & _starts(text))),
        default="",
    )


def _shows(step: Step, need: str, text: str) -> bool:
    return (not step.result or says(text, step.result)) and not _starts(need).isdisjoint(_starts(text))


def _answer(reader: Reader, state: State, texts: Sequence[str]) -> tuple[str, bool]:
    """The first form of the answer that stands in a text, or else that one says; whether there is one."""
    forms = reader.question.answers
    held = " | ".join(texts)
    found: Iterator[str] = (form for form in forms if stands_in(held, form))
    loose: Iterator[str] = (form for form in forms if says(held, form))
    draft = next(found, None) or next(loose, None)
    return (draft, True) if draft else (reader.answer(state.reading), False)


def says(text: str, said: str) -> bool:
    """Whether a text has, for each content word of what is said, a word with the same first letters; numbers whole.

    >>> says("She is an Indian filmmaker.", "film, India"), says("In 1999.", "1998")
    (True, False)
    """
    return stands_in(text, said) or (bool(content_words(said)) and _starts(said) <= _starts(text))


def _starts(text: str) -> frozenset[str]:
    return frozenset(
        word if any(map(str.isdigit, word)) else word[:_LETTERS] for word in map(plain, content_words(text))
    )
