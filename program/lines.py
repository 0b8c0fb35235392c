"""The sentences read, ranked by how much of the question they speak of together with a sentence they are linked to."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import log

from hopstop.program.profile import Profile, Sentence, fold, profile
from hopstop.program.reading import Reading
from hopstop.program.records import Passage
from hopstop.program.text import content_words, stem

_IDENTIFIER = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[\w-]{4,}\b")
Weigh = Callable[[frozenset[str]], float]


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that was read, with what of the question it speaks of.

    Attributes:
        passage: Where it stands.
        view: The profile of that passage.
        number: Number of the sentence in its passage, from 0.
        rank: Place of the passage in the order read, from 0.
        own: Stems of the question in the sentence or the title.
        partner: The sentence of another passage, linked by a name, that adds most of the question; None if none does.
        joint: Weight of the stems of both, as a share of the question's, in [0, 1].
        led_to: Whether the partner names this passage, so that the chain leads from there to here.
    """

    passage: Passage
    view: Profile
    number: int
    rank: int
    own: frozenset[str]
    partner: Line | None = None
    joint: float = 0.0
    led_to: bool = False

    @property
    def sentence(self) -> Sentence:
        """The sentence itself."""
        return self.view.sentences[self.number]


def local_weights(question: str, reading: Reading) -> dict[str, float]:
    """What each content word of the question weighs: the fewer of the passages read hold it, the more.

    The smoothed idf of BM25 (Robertson and Zaragoza, 2009), counted over what was read, so that no index is needed.
    """
    views = [profile(passage) for passage in reading.passages]
    held = [view.title_stems.union(*(sentence.stems for sentence in view.sentences)) for view in views]
    asked = {stem(word) for word in content_words(question)}
    return {key: log(1 + (len(held) + 1) / (1 + sum(key in words for words in held))) for key in asked}


def ranked_lines(weights: Mapping[str, float], reading: Reading) -> list[Line]:
    """The sentences read, the best first.

    Args:
        weights: Stems of the question with what each weighs, > 0.
        reading: What was read.

    Returns:
        One line for each sentence, by `joint` and then in the order read.
    """
    plain = plain_lines(frozenset(weights), reading)
    pairs = _links(plain, reading)
    total = sum(weights.values()) or 1.0
    known: dict[frozenset[str], float] = {}

    def weigh(stems: frozenset[str]) -> float:
        if stems not in known:
            known[stems] = sum(weights[stem] for stem in stems) / total
        return known[stems]

    paired = [_paired(line, pairs[at], plain, weigh) for at, line in enumerate(plain)]
    return sorted(paired, key=lambda line: (-line.joint, line.rank, line.number))


def plain_lines(wanted: frozenset[str], reading: Reading) -> list[Line]:
    """Every sentence read with the stems wanted that it or its title holds, without partners."""
    views = [(rank, passage, profile(passage)) for rank, passage in enumerate(reading.passages)]
    return [
        Line(passage, view, number, rank, (wanted & sentence.stems) | (wanted & view.title_stems))
        for rank, passage, view in views
        for number, sentence in enumerate(view.sentences)
    ]


def _links(plain: list[Line], reading: Reading) -> list[dict[int, bool]]:
    """For each line the lines that it is linked to, and whether those lead to it.

    A line is linked to every line of a passage whose title, or whose first name where there is no title, it names.
    """
    subjects = [(rank, name) for rank, item in enumerate(reading.passages) for name in subject_names(item)]
    members: dict[int, list[int]] = defaultdict(list)
    for at, line in enumerate(plain):
        members[line.rank].append(at)
    links: list[dict[int, bool]] = [{} for _ in plain]
    for at, line in enumerate(plain):
        text = fold(line.sentence.text)
        for rank, name in subjects:
            if rank != line.rank and mentions(text, name):
                for other in members[rank]:
                    links[other][at] = True
                    links[at].setdefault(other, False)
    return links


def _paired(line: Line, links: Mapping[int, bool], plain: list[Line], weigh: Weigh) -> Line:
    best, partner, led_to = weigh(line.own), None, False
    for at, leads in links.items():
        score = weigh(line.own | plain[at].own)
        if score > best:
            best, partner, led_to = score, plain[at], leads
    return Line(line.passage, line.view, line.number, line.rank, line.own, partner, best, led_to)


def subject_names(passage: Passage) -> tuple[str, ...]:
    """What a passage is about, folded: its title without brackets, else its first name; and identifiers in either.

    An identifier is a word of letters and digits ("CHG-9568"), which texts use without the words around it.
    """
    view = profile(passage)
    first = view.sentences[0].names[:1] if view.sentences and not passage.title.strip() else ()
    said = fold(view.title if passage.title.strip() else "".join(first))
    return (said, *_IDENTIFIER.findall(said)) if said else ()


def mentions(text: str, name: str) -> bool:
    """Whether a folded text holds a folded name as whole words."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
            return True
        at = text.find(name, at + 1)
    return False


def subject_of(line: Line) -> str:
    """What a line is about, in words: the title of its passage, else the first name in it."""
    return line.passage.title.strip() or (line.sentence.names or ("the passage",))[0]
