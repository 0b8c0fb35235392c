"""How much a passage is worth for a question, in four grades, by code alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

from hopstop.program.policy import State
from hopstop.program.profile import fold, profile, stems
from hopstop.program.records import Passage, open_needs
from hopstop.program.text import names
from hopstop.program.whole_words import mentions

DIRECT, RELATED, TANGENTIAL, NONE = 3.0, 2.0, 1.0, 0.0
"""States a needed fact; is about something on the way; only mentions it; neither: such a passage is dropped."""

# A logistic regression of "states a needed fact" on what `_signals` lists, over the Prune labels of the dev questions
# of HotpotQA, 2WikiMultihopQA and MuSiQue (300 each) and of a made company corpus (seed 7, 150), every set weighing
# the same, half of them with the needed facts listed as open and half with none listed.
TITLED, LINKED, NEED_NAMES, QUESTION_NAMES, WORDS, CONSTANT = 4.1, 2.55, 5.8, 7.2, 2.1, -3.1
# The lowest of 0.1, 0.15 and 0.25, since a gold passage that is dropped is lost: with every fact listed as open it
# keeps 100 / 100 / 98.7 % of those in these labels (97.7 % of the company's), and 29 / 42 / 47 % (34 %) of all passages
# are dropped.
DROP_BELOW = 0.1


@dataclass(frozen=True, slots=True)
class _Known:
    """What passages are compared with."""

    told: str
    question_names: tuple[str, ...]
    need_names: tuple[str, ...]
    texts: dict[str, str]
    asked: tuple[frozenset[str], ...]
    idf: dict[str, float]


def relevance(state: State, new: Sequence[Passage]) -> dict[str, float]:
    """Grade passages without a model.

    A passage in which a verified quote stands is DIRECT. Another one gets TANGENTIAL + 2p, with p the probability that
    it states a needed fact, judged by its title (named by question, facts, quotes or draft), by whether another passage
    names its title, by the names of question and open facts that it holds, and by the words of the question, or of one
    open fact, in its best sentence, weighted by idf over what was read. Below p = DROP_BELOW it gets NONE; not while no
    fact is listed, since then nobody knows what is needed.

    Args:
        state: As Prune is given it.
        new: Passages to grade.

    Returns:
        A grade in [0, 3] for each, by id.
    """
    known = _known(state, new)
    quoted = {fact.quote.passage_id for fact in state.facts if fact.quote is not None}
    found = {passage.id: _probability(passage, known) for passage in new}
    lowest = DROP_BELOW if state.facts else 0.0
    graded = {name: TANGENTIAL + (DIRECT - TANGENTIAL) * p if p >= lowest else NONE for name, p in found.items()}
    return graded | dict.fromkeys(quoted & graded.keys(), DIRECT)


def _known(state: State, new: Sequence[Passage]) -> _Known:
    needs = open_needs(state.facts)
    quotes = (fact.quote.text for fact in state.facts if fact.quote is not None)
    told = " | ".join((state.question, *(fact.need for fact in state.facts), *quotes, state.draft))
    read = {passage.id: passage for passage in (*state.reading.passages, *new)}
    asked = tuple(dict.fromkeys(filter(None, map(stems, (state.question, *needs)))))
    return _Known(
        fold(told),
        tuple(map(fold, names(state.question))),
        tuple(dict.fromkeys(fold(name) for need in needs for name in names(need))),
        {name: fold(f"{passage.title}. {passage.text}") for name, passage in read.items()},
        asked,
        idf(frozenset().union(*asked), tuple(read.values())),
    )


def idf(wanted: frozenset[str], read: Sequence[Passage]) -> dict[str, float]:
    """The smoothed idf of BM25 (Robertson and Zaragoza, 2009) of some stems over passages."""
    views = [profile(passage) for passage in read]
    held = [view.title_stems.union(*(sentence.stems for sentence in view.sentences)) for view in views]
    counts = {word: sum(word in words for words in held) for word in wanted}
    return {word: log(1 + (len(held) - count + 0.5) / (count + 0.5)) for word, count in counts.items()}


def _probability(passage: Passage, known: _Known) -> float:
    titled, linked, need_names, question_names, words = _signals(passage, known)
    score = TITLED * titled + LINKED * linked + NEED_NAMES * need_names + QUESTION_NAMES * question_names
    return 1 / (1 + exp(-(score + WORDS * words + CONSTANT)))


def _signals(passage: Passage, known: _Known) -> tuple[float, float, float, float, float]:
    """Whether its title is named, whether another passage names it, and the shares of names and words; in [0, 1]."""
    view, text = profile(passage), known.texts[passage.id]
    title = fold(view.title)
    others = (other for name, other in known.texts.items() if name != passage.id)
    lines = [view.title_stems | sentence.stems for sentence in view.sentences]
    return (
        float(bool(title) and mentions(known.told, title)),
        float(bool(title) and any(mentions(other, title) for other in others)),
        _share(known.need_names, text),
        _share(known.question_names, text),
        max(
            (_weight(asked & line, known) / _weight(asked, known) for asked in known.asked for line in lines),
            default=0.0,
        ),
    )


def _weight(words: frozenset[str], known: _Known) -> float:
    return sum(known.idf[word] for word in words)


def _share(wanted: Sequence[str], text: str) -> float:
    return sum(mentions(text, name) for name in wanted) / len(wanted) if wanted else 0.0
