"""Faults of a query, found by code before it is searched.

The kinds and what they cost are those of "When Iterative RAG Beats Ideal Evidence" (arXiv 2601.19827), which flagged
them in traces: vague 77.5 -> 66.0 mean accuracy, over-broad 78.0 -> 70.5, fusion 78.3 -> 72.3 (mostly benign, hence a
warning here), off-topic -> 59.2. Each function gives the fault in words for the policy that wrote the query, or None.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from hopstop.program.records import NO_GROUPS
from hopstop.program.text import content_words, names, numbers, stem, words

_QUESTION_MARK = re.compile("[?？؟]+")
COMMON = 0.1  # a word in more than a tenth of the passages tells little: its BM25 idf is below ln(10) = 2.3
FEW = 10  # passages; two searches read them all, so a word that only so many hold is not common in a small index either


class FaultKind(StrEnum):
    """The named faults."""

    VAGUE = "vague"
    OVER_BROAD = "over_broad"
    FUSION = "fusion"
    OFF_TOPIC = "off_topic"
    CARRY_DROP = "carry_drop"
    REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault of one query.

    Attributes:
        kind: Its name.
        message: What is wrong and what to do, in words for the policy.
        warning: Whether the query may run all the same.
    """

    kind: FaultKind
    message: str
    warning: bool = False


@runtime_checkable
class Statistics(Protocol):
    """What a retriever can say of its index; retrievers that cannot are never asked."""

    def __len__(self) -> int:
        """Number of passages."""
        ...

    def document_frequency(self, term: str, groups: frozenset[str] = NO_GROUPS) -> int:
        """Number of the passages that hold a word and that a user of these groups may read."""
        ...


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What a query is checked against.

    Attributes:
        question: As it was asked.
        needs: The open facts, in words.
        known: What was found so far: needs, and titles and texts of the passages read.
        anchors: Names and numbers that the draft or the proven facts have brought up; empty in round 1.
        tried: Queries that were searched.
        statistics: Of the index, if it has any.
        groups: Groups of the user; what they may not read is not counted.
    """

    question: str
    needs: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    tried: tuple[str, ...] = ()
    statistics: Statistics | None = None
    groups: frozenset[str] = NO_GROUPS


def faults(query: str, context: QueryContext) -> tuple[Fault, ...]:
    """All faults of a query, the gravest first."""
    checks = (vague, repeat, off_topic, carry_drop, over_broad, fusion)
    return tuple(fault for check in checks if (fault := check(query, context)) is not None)


def vague(query: str, context: QueryContext) -> Fault | None:
    """No name, no number and no word that is rare in the index: nothing to hold on to.

    Without statistics any content word counts as rare, so that only a query of function words is vague. A capital at
    the start of the query makes no name of a common word.
    """
    named = [name for name in names(query) if " " in name or not query.lstrip().startswith(name)]
    if named or numbers(query) or not all(_is_common(word, context) for word in content_words(query)):
        return None
    return Fault(FaultKind.VAGUE, "the query is vague: it has no name, number or rare word; name what you look for")


def over_broad(query: str, context: QueryContext) -> Fault | None:
    """Every content word that the index knows is common, so that BM25 can only pick at random."""
    known = [word for word in content_words(query) if _frequency(word, context) > 0]
    if not known or not all(_is_common(word, context) for word in known):
        return None
    return Fault(FaultKind.OVER_BROAD, "the query is too broad: all its words are common in the index; add a name")


def fusion(query: str, context: QueryContext) -> Fault | None:
    """Asks for two missing facts at once: covers all content words of two open needs, or holds two question marks.

    A need that is part of another ("the fix of 12", "who reviewed the fix of 12") is not a second one.
    """
    asked = _stems(query)
    covered = {frozenset(wanted) for need in context.needs if (wanted := _stems(need)) and asked.issuperset(wanted)}
    separate = [wanted for wanted in covered if not any(wanted < other for other in covered)]
    if len(separate) < 2 and len(_QUESTION_MARK.findall(query)) < 2:
        return None
    message = "the query asks for two facts at once; ask for one of them"
    return Fault(FaultKind.FUSION, message, warning=True)


def off_topic(query: str, context: QueryContext) -> Fault | None:
    """Shares no content word with the question, the facts or the evidence."""
    topic = _stems(" ".join((context.question, *context.needs, *context.known, *context.anchors)))
    if not _stems(query) or not _stems(query).isdisjoint(topic):
        return None
    return Fault(FaultKind.OFF_TOPIC, "the query has nothing to do with the question, its facts or what was found")


def carry_drop(query: str, context: QueryContext) -> Fault | None:
    """Keeps no name or number of what was found, nor of the question: the thread is lost.

    Names of any passage read will do, not only those of the draft: a draft may be a wrong guess.
    """
    if not context.anchors:
        return None
    texts = (context.question, *context.known)
    anchors = (*context.anchors, *(name for text in texts for name in (*names(text), *numbers(text))))
    if any(_stems(query) & _stems(anchor) for anchor in anchors):
        return None
    listed = ", ".join(context.anchors[:4])
    return Fault(FaultKind.CARRY_DROP, f"the query drops what was found; keep a name of it, e.g. {listed}")


def repeat(query: str, context: QueryContext) -> Fault | None:
    """Has the same content words as a query that was searched, in any order."""
    asked = _wording(query)
    if not any(asked == _wording(tried) for tried in context.tried):
        return None
    return Fault(FaultKind.REPEAT, "the query was searched already; use other words, e.g. a synonym or another name")


def _wording(query: str) -> frozenset[str]:
    return frozenset(content_words(query) or (word.casefold() for word in words(query)))


def _is_common(word: str, context: QueryContext) -> bool:
    return context.statistics is not None and _frequency(word, context) > max(FEW, COMMON * len(context.statistics))


def _frequency(word: str, context: QueryContext) -> int:
    """Number of the passages that hold a word; 0 if the retriever has no statistics."""
    return 0 if context.statistics is None else context.statistics.document_frequency(word, context.groups)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text)}
