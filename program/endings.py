"""Short answers at the end of a path, each with what speaks for it and against it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log

from hopstop.program.candidates import complement, stem_places, texts, typed
from hopstop.program.gaps import Role, roles
from hopstop.program.lines import Line, mentions
from hopstop.program.paths import Path
from hopstop.program.profile import fold, stems
from hopstop.program.question_form import Asks, QuestionForm
from hopstop.program.text import names, stem

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


@dataclass(frozen=True, slots=True)
class Ending:
    """A possible answer in the last line of a path, and the features of `FEATURES`."""

    text: str
    path: Path
    features: tuple[float, ...]


def endings(question: str, form: QuestionForm, weights: Mapping[str, float], paths: Sequence[Path]) -> list[Ending]:
    """Possible answers from the best paths: new ones, which neither the question says nor the way has passed.

    Args:
        question: As it was asked.
        form: Its form.
        weights: Stems of the question that a path should speak of, with what each weighs.
        paths: Best first.
    """
    role_of = roles(question, form)
    total = sum(weights.values()) or 1.0
    asked, heads = stems(question), frozenset(map(stem, form.heads))
    taken = (stems(" ".join(form.names)) | stems(" ".join(form.words))) - heads
    offered: dict[tuple[int, int], list[tuple[str, int]]] = {}
    found = []
    for path in paths:
        open_stems = weights.keys() - path.covered
        shares = [sum(weights[key] for key in open_stems if role_of[key] is role) / total for role in Role]
        own = path.last.own & weights.keys()
        fresh = own.difference(*(line.own for line in path.lines[:-1]))
        gained = sum(weights[key] for key in fresh) / total
        text = path.last.sentence.text
        words = stem_places(text)
        places = [(start, end) for start, end, key in words if key in fresh]
        head_places = [(start, end) for start, end, key in words if key in heads]
        named = not path.via or path.via[-1] in fold(text)
        key = path.last.rank, path.last.number
        if key not in offered:
            offered[key] = _options(path.last, form, asked, taken)
        options = list(_new(path, offered[key]))
        for said, at in options:
            headed = float(_gap(at, at + len(said), head_places) <= BESIDE)
            kind = typed(said, at, path.last, form)
            features = (
                *shares,
                shares[2] * headed,
                float(shares[0] > 0),
                float(shares[1] > 0),
                float(path.idle),
                float(len(path.lines) - 1),
                kind * 0.5 if at == 0 and said.isalpha() else kind,
                _near(at, at + len(said), places, 10),
                headed,
                gained,
                float(bool(places)),
                float(named),
                log(len(options)),
            )
            found.append(Ending(said, path, features))
    return found


def _new(path: Path, fresh: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The candidates that neither link the way nor stand in a line before the last."""
    before = [fold(line.sentence.text) for line in path.lines[:-1]]
    for said, at in fresh:
        folded = fold(said)
        if any(folded in via or via in folded for via in path.via):
            continue
        if not any(mentions(sentence, folded) for sentence in before):
            yield said, at


def _options(line: Line, form: QuestionForm, asked: frozenset[str], taken: frozenset[str]) -> list[tuple[str, int]]:
    """What a line offers that the question does not say, with its place in the sentence."""
    found = []
    whole = form.asks in (Asks.DATE, Asks.NUMBER)
    numbered = frozenset(key for key in asked if form.asks is Asks.NUMBER and not key.isalpha())
    for text, at in dict((*texts(line, form), *_phrases(line, form))).items():
        skipped = 0 if whole else _asked_start(text, asked)
        said = text[skipped:] if whole else text[skipped:].split(", ")[0]
        known = stems(said) & (numbered if whole else taken)
        if at >= 0 and said and not stems(said) <= asked and not known:
            found.append((said, at + skipped))
    return found


def _asked_start(text: str, asked: frozenset[str]) -> int:
    """Length of the words of the question that a name begins with: "Head of the" in "Head of the Blue"."""
    match = _OF.match(text)
    return match.end() if match and stems(match.group()) <= asked else 0


def _phrases(line: Line, form: QuestionForm) -> Iterator[tuple[str, int]]:
    """For a thing: what the sentence says of the last word that it shares with the question."""
    text = line.sentence.text
    ends = [end for _, end, key in stem_places(text) if key in line.own]
    found = complement(text, ends[-1]) if ends and form.asks is Asks.THING else None
    if found is not None and not names(found[0]):
        yield found


def _gap(start: int, end: int, places: Sequence[tuple[int, int]]) -> int:
    """Characters between a span and the nearest of these; a large number if there are none."""
    return min((max(first - end, start - last, 0) for first, last in places), default=1000)


def _near(start: int, end: int, places: Sequence[tuple[int, int]], scale: int) -> float:
    return 1 / (1 + _gap(start, end, places) / scale) if places else 0.0
