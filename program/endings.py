"""Short answers at the end of a path, each with what speaks for it and against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from hopstop.program.candidates import complement, stem_places, texts, typed
from hopstop.program.gaps import Role, roles
from hopstop.program.lines import Cover, Lines
from hopstop.program.paths import Path
from hopstop.program.profile import fold, stems
from hopstop.program.question_form import Asks, QuestionForm
from hopstop.program.text import names, stem
from hopstop.program.whole_words import mentions

BESIDE = 12  # characters between a candidate and the noun that is asked for: one word, or the end of a short one

_OF = re.compile(r"[^\W_]+ of (?:the )?")

FEATURES = (
    "nouns",
    "said",
    "others",
    "bound",
    "any_noun",
    "any_said",
    "idle",
    "steps",
    "typed",
    "near",
    "headed",
    "fresh",
    "spoken",
    "named",
    "crowd",
)


class Ending(NamedTuple):
    """A possible answer in the last line of a path, and the features of `FEATURES`."""

    text: str
    path: Path
    features: tuple[float, ...]


def endings(form: QuestionForm, lines: Lines, cover: Cover, paths: Sequence[Path]) -> list[Ending]:
    """Possible answers from the best paths: new ones, which neither the question says nor the way has passed.

    Args:
        form: Of the question.
        lines: What was read for it.
        cover: What counts of the question.
        paths: Best first.
    """
    role_of = roles(lines.question, form)
    by_role = [lines.bits(key for key in cover.weights if role_of[key] is role) for role in Role]
    asked, heads = stems(lines.question), frozenset(map(stem, form.heads))
    said_by = asked, (stems(" ".join(form.names)) | stems(" ".join(form.words))) - heads
    found = []
    for path in paths:
        text, own, before = path.last.sentence.text, path.last.own & cover.mask, 0
        for line in path.lines[:-1]:
            before |= line.own
        shares = [cover.share(bits & ~path.covered) for bits in by_role]
        fresh = lines.stems(own & ~before)
        places = [(start, end) for start, end, key in stem_places(text) if key in fresh]
        options = list(_new(path, _options(text, path.last.title, lines.stems(own), form, said_by)))
        of_path = (float(shares[0] > 0), float(shares[1] > 0), float(path.idle), float(len(path.lines) - 1))
        of_line = (
            cover.share(own & ~before),
            float(bool(places)),
            float(not path.via or path.via[-1] in fold(text)),
            log(len(options) or 1),
        )
        for option in options:
            near = _near(option.at, option.at + len(option.text), places, 10)
            features = (*shares, shares[2] * option.headed, *of_path, option.kind, near, option.headed, *of_line)
            found.append(Ending(option.text, path, features))
    return found


class _Option(NamedTuple):
    """A possible answer in a sentence, where it stands, and its features "typed" and "headed"."""

    text: str
    at: int
    kind: float
    headed: float


def _new(path: Path, options: Sequence[_Option]) -> Iterator[_Option]:
    """The options that neither link the way nor stand in a line before the last."""
    before = [fold(line.sentence.text) for line in path.lines[:-1]]
    for option in options:
        folded = fold(option.text)
        if any(folded in via or via in folded for via in path.via):
            continue
        if not any(mentions(sentence, folded) for sentence in before):
            yield option


@lru_cache(maxsize=256)  # several ways end in one sentence, in each round again
def _options(
    text: str, title: str, own: frozenset[str], form: QuestionForm, said_by: tuple[frozenset[str], frozenset[str]]
) -> tuple[_Option, ...]:
    """What a sentence offers that the question does not say.

    Args:
        text: The sentence.
        title: Of its passage.
        own: Stems of the question that it holds.
        form: Of the question.
        said_by: Stems of the question, and those of them that no answer has.
    """
    asked, taken = said_by
    heads = frozenset(map(stem, form.heads))
    head_places = [(start, end) for start, end, key in stem_places(text) if key in heads]
    whole = form.asks in (Asks.DATE, Asks.NUMBER)
    numbered = frozenset(key for key in asked if form.asks is Asks.NUMBER and not key.isalpha())
    found = []
    for full, start in dict((*texts(text, title, form), *_phrases(text, own, form))).items():
        skipped = 0 if whole else _asked_start(full, asked)
        said, at = full[skipped:] if whole else full[skipped:].split(", ")[0], start + skipped
        known = stems(said) & (numbered if whole else taken)
        if start >= 0 and said and not stems(said) <= asked and (not known or _is_family(said, known, form)):
            kind = typed(said, at, text, form)
            headed = float(_gap(at, at + len(said), head_places) <= BESIDE)
            found.append(_Option(said, at, kind * 0.5 if at == 0 and said.isalpha() else kind, headed))
    return tuple(found)


def _is_family(said: str, known: frozenset[str], form: QuestionForm) -> bool:
    """Whether a person shares no more than the family name with something asked for: Ann Moor, of "Moor Line"."""
    *first, last = said.split()
    shared = form.asks is Asks.PERSON and bool(first) and known == {stem(last)}
    return shared and any(last in name.split() and " " in name for name in form.names)


def _asked_start(text: str, asked: frozenset[str]) -> int:
    """Length of the words of the question that a name begins with: "Head of the" in "Head of the Blue"."""
    match = _OF.match(text)
    return match.end() if match and stems(match.group()) <= asked else 0


def _phrases(text: str, own: frozenset[str], form: QuestionForm) -> Iterator[tuple[str, int]]:
    """For a thing: what the sentence says of the last word that it shares with the question."""
    ends = [end for _, end, key in stem_places(text) if key in own]
    found = complement(text, ends[-1]) if ends and form.asks is Asks.THING else None
    if found is not None and not names(found[0]):
        yield found


def _gap(start: int, end: int, places: Sequence[tuple[int, int]]) -> int:
    """Characters between a span and the nearest of these; a large number if there are none."""
    return min([max(first - end, start - last, 0) for first, last in places], default=1000)


def _near(start: int, end: int, places: Sequence[tuple[int, int]], scale: int) -> float:
    return 1 / (1 + _gap(start, end, places) / scale) if places else 0.0
