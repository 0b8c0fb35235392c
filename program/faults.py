"""Faults of a query, found by code before it is searched.

The kinds and what they cost are those of "When Iterative RAG Beats Ideal Evidence" (arXiv 2601.19827), which flagged
them in traces: vague 77.5 -> 66.0 mean accuracy, over-broad 78.0 -> 70.5, fusion 78.3 -> 72.3 (mostly benign, hence a
warning here), off-topic -> 59.2. Each function gives the fault in words for the policy that wrote the query, or None.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

from hopstop.program.asks_twice import asks_twice
from hopstop.program.generic import is_filler, is_generic
from hopstop.program.guards import DEFAULT, Guards
from hopstop.program.records import NO_GROUPS
from hopstop.program.text import content_words, names, numbers, stem, words

COMMON = 0.1  # a word in more than a tenth of the passages tells little: its BM25 idf is below ln(10) = 2.3
RARE = 0.01  # a word in at most a hundredth of them, idf above 4.6, points at something by itself, name or not
MOST = 0.5  # above it BM25's idf of Robertson and Zaragoza (2009) is negative: the word tells against nothing
FEW = 10  # passages; two searches read them all, so a word that only so many hold is not common in a small index either

# What names things in code: core.retry, session_cache, fooBar, std::move, a/b.
_IDENTIFIER = re.compile(r"[^\W\d_]\w*(?:[._/]|::)[^\W\d_]\w*|[^\W_]_[^\W_]|[a-z][A-Z]|\w\(")


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


def faults(query: str, context: QueryContext, guards: Guards = DEFAULT) -> tuple[Fault, ...]:
    """All faults of a query that the guards look for, the gravest first."""
    on = (check for kind, check in _CHECKS.items() if getattr(guards, kind))
    return tuple(fault for check in on if (fault := check(query, context)) is not None)


def vague(query: str, context: QueryContext) -> Fault | None:
    """No name, number or identifier, and no word that is neither generic nor common in the index.

    Such a query lacks what would tell the passage wanted from any other. A capital makes no name at the start of
    the query, nor where all its words have one. Without statistics no word is common, and a language that code
    knows no generic words of is not vague for that.
    """
    if numbers(query) or _IDENTIFIER.search(query) or _has_name(query, context):
        return None
    if any(_tells(word, context) for word in content_words(query)):
        return None
    return Fault(FaultKind.VAGUE, "the query is vague: it has no name, number or rare word; name what you look for")


def _has_name(query: str, context: QueryContext) -> bool:
    """Whether a name stands in the query of which few passages hold all words, be each of them common."""
    if all(word[0].isupper() for word in content_words(query, fold=False)):
        return False
    found = (name for name in names(query) if " " in name or not query.lstrip().startswith(name))
    return any(not _is_common(name, context) and not all(map(is_generic, content_words(name))) for name in found)


def over_broad(query: str, context: QueryContext) -> Fault | None:
    """Every content word that the index knows is common, so that BM25 can only pick at random.

    MaxIDF, the pre-retrieval predictor of Scholer, Williams and Turpin (JASIST 2004): a query is as good as its rarest
    word. An index without statistics is never asked.
    """
    known = [word for word in content_words(query) if _frequency(word, context) > 0]
    if not known or not all(_is_common(word, context) for word in known):
        return None
    return Fault(FaultKind.OVER_BROAD, "the query is too broad: all its words are common in the index; add a name")


def fusion(query: str, context: QueryContext) -> Fault | None:
    """Asks for two missing facts at once: all content words of two open needs, or two questions or a list in form.

    A need that is part of another ("the fix of 12", "who reviewed the fix of 12") is not a second one.
    """
    asked = _stems(query)
    covered = {frozenset(wanted) for need in context.needs if (wanted := _stems(need)) and asked.issuperset(wanted)}
    separate = [wanted for wanted in covered if not any(wanted < other for other in covered)]
    if len(separate) < 2 and not asks_twice(query):
        return None
    message = "the query asks for two facts at once; ask for one of them"
    return Fault(FaultKind.FUSION, message, warning=True)


def off_topic(query: str, context: QueryContext) -> Fault | None:
    """Shares no word that tells anything with the question, the facts, the draft or the evidence.

    Words that are generic or common in the index tell nothing; a query of which half of all words are shared is on
    topic even so.
    """
    asked, topic = _stems(query), _topic(context)
    tell = {stem(word) for word in content_words(query) if _tells(word, context)}
    if not asked or not tell.isdisjoint(topic) or 2 * len(asked & topic) >= len(asked):
        return None
    return Fault(FaultKind.OFF_TOPIC, "the query has nothing to do with the question, its facts or what was found")


def _topic(context: QueryContext) -> set[str]:
    return _stems(" ".join((context.question, *context.needs, *context.known, *context.anchors)))


def carry_drop(query: str, context: QueryContext) -> Fault | None:
    """Keeps nothing of what was found, nor a name of the question: the thread is lost. Only when something was found.

    An anchor is kept also when shortened: by any of its words that tells something ("Ortiz" for "Dr. Dana Ortiz") or
    by its initials. Of the question and of the evidence a word is enough that is rare in the index, in any case and
    script; without statistics a name, a number, or a word that the question does not hold. Names of any passage read
    will do, not only those of the draft: a draft may be a wrong guess.
    """
    if not context.anchors or _initials(context.anchors) & set(words(query)):
        return None
    if any(_is_kept(word, context) for word in content_words(query)) or _keeps_compound(query, context):
        return None
    listed = ", ".join(context.anchors[:4])
    return Fault(FaultKind.CARRY_DROP, f"the query drops what was found; keep a name of it, e.g. {listed}")


def _is_kept(word: str, context: QueryContext) -> bool:
    key = stem(word)
    forms = [word, *(form for anchor in context.anchors for form in content_words(anchor) if stem(form) == key)]
    if len(forms) > 1 and all(_tells(form, context) for form in forms):
        return True
    if context.statistics is None:
        return key in _stems(" ".join(_named(context)))
    texts = (context.question, *context.known)
    forms = [word, *(form for text in texts for form in content_words(text) if stem(form) == key)]
    return len(forms) > 1 and all(_tells(form, context) and _is_rare(form, context) for form in forms)


def _keeps_compound(query: str, context: QueryContext) -> bool:
    """Whether a word with a hyphen or dot inside ("payment-gw") stands so in what is known or in the question."""
    compounds = {word.casefold() for word in words(query) if not word.isalnum()}
    held = (word.casefold() for text in (context.question, *context.known) for word in words(text))
    return any(word in compounds and not _is_common(word, context) for word in held)


def _named(context: QueryContext) -> Iterator[str]:
    """Names and numbers of the question and of what is known, and words that the question does not hold."""
    asked = _stems(context.question)
    for text in (context.question, *context.known):
        yield from (*names(text), *numbers(text))
        yield from (word for word in content_words(text) if stem(word) not in asked and not is_generic(word))


def _initials(anchors: Iterable[str]) -> set[str]:
    """Of the anchors of several words: "WHO" for "World Health Organization"."""
    found = ("".join(word[0] for word in content_words(anchor, fold=False)) for anchor in anchors)
    return {letters for letters in found if len(letters) > 1 and letters.isupper()}


def repeat(query: str, context: QueryContext) -> Fault | None:
    """Has the same content words as a query that was searched: in any order, inflected, or with words of the search.

    Words that more than half of the passages hold do not count: they are function words of their language. Numbers
    and names must be the same to the letter. Two forms of one word have one beginning, of four letters or the whole
    of one of them, and a common ending each.
    """
    asked = _wording(query, context)
    if not any(_same_wording(asked, _wording(tried, context)) for tried in context.tried):
        return None
    return Fault(FaultKind.REPEAT, "the query was searched already; use other words, e.g. a synonym or another name")


def _wording(query: str, context: QueryContext) -> list[str]:
    said = {word for word in content_words(query) if not is_filler(word) and not _is_everywhere(word, context)}
    return sorted(said or {word.casefold() for word in words(query)})


def _same_wording(left: list[str], right: list[str]) -> bool:
    one, two = [word for word in left if word not in right], [word for word in right if word not in left]
    return len(one) == len(two) and all(any(_inflected(word, other) for other in two) for word in one)


def _inflected(left: str, right: str) -> bool:
    start = next((at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    whole = start >= 3 and start == min(len(left), len(right))
    return (whole or start >= 4) and {left[start:], right[start:]} <= _ENDINGS


# Endings of inflected nouns and verbs in English, German, French and Spanish; not "-er", which makes another word.
_ENDINGS = frozenset(("", *"s es e ed d ing en n em os as a o te ten".split()))  # noqa: SIM905


def _tells(word: str, context: QueryContext) -> bool:
    """Whether a word is neither generic nor common in the index."""
    return not is_generic(word) and not _is_common(word, context)


def _is_common(word: str, context: QueryContext) -> bool:
    return context.statistics is not None and _frequency(word, context) > max(FEW, COMMON * len(context.statistics))


def _is_everywhere(word: str, context: QueryContext) -> bool:
    return context.statistics is not None and _frequency(word, context) > max(FEW, MOST * len(context.statistics))


def _is_rare(word: str, context: QueryContext) -> bool:
    return context.statistics is not None and _frequency(word, context) <= max(FEW, RARE * len(context.statistics))


def _frequency(word: str, context: QueryContext) -> int:
    """Number of the passages that hold a word; 0 if the retriever has no statistics."""
    return 0 if context.statistics is None else context.statistics.document_frequency(word, context.groups)


def _stems(text: str) -> set[str]:
    return {stem(word) for word in content_words(text)}


_CHECKS: dict[FaultKind, Callable[[str, QueryContext], Fault | None]] = {
    FaultKind.VAGUE: vague,
    FaultKind.REPEAT: repeat,
    FaultKind.OFF_TOPIC: off_topic,
    FaultKind.CARRY_DROP: carry_drop,
    FaultKind.OVER_BROAD: over_broad,
    FaultKind.FUSION: fusion,
}
