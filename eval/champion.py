"""Whether a compiled program is better than another one: the paired test that a champion has to pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hopstop.eval.report import Evaluation, load
from hopstop.eval.score import Score
from hopstop.eval.stats import compare
from hopstop.program.errors import BadInput
from hopstop.program.manifest import Manifest

LEVEL = 0.05  # of McNemar's test, and of the bootstrap interval of 95 %

Parts = Mapping[str, float | int | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of the test.

    Attributes:
        better: More right answers, beyond chance, and not more wrong ones beyond chance.
        words: The figures, for a person.
        beaten: Digests of the artifacts that were compared with, see `System.artifact`; of a system without one its
            version.
    """

    better: bool
    words: str
    beaten: tuple[str, ...]


def judge_champion(manifest: Manifest, ours: Sequence[Path], theirs: Sequence[Path]) -> Verdict:
    """Compare evaluations of an artifact with those of another system on the same questions, all pairs together.

    Better means: the 95 % interval of the difference in exact match lies above 0 and McNemar's p is below 0.05, and the
    interval of the difference in wrong stops does not lie above 0.

    Args:
        manifest: Of the artifact.
        ours: Folders of its evaluations.
        theirs: Folders of the other system's evaluations, in the same order.

    Raises:
        BadInput: A folder holds no evaluation, one of ours is not of this artifact or measured on what it was compiled
            on, one of theirs is of this artifact, or a pair is over different questions.
    """
    if not ours or len(ours) != len(theirs):
        raise BadInput(
            f"{len(ours)} evaluations of the artifact and {len(theirs)} of what it is compared with: "
            "give as many of each, over the same questions in the same order"
        )
    pairs = [(load(mine), load(other)) for mine, other in zip(ours, theirs, strict=True)]
    for (mine, other), folder, against in zip(pairs, ours, theirs, strict=True):
        _check(manifest, mine, folder)
        _check_other(manifest, other, against)
        check_same_questions(mine, other)
    new, old = ([item for pair in pairs for item in _scores(pair[side])] for side in (0, 1))
    found = compare(new, old)
    right, wrong = found["em"], found["wrong_stop"]
    better = _above(right["low"]) and _below(right["p"]) and not _above(wrong["low"])
    words = f"right answers {_words(right)}, McNemar's p {_shown(right['p'])}; wrong answers {_words(wrong)}"
    return Verdict(better, words, tuple(dict.fromkeys(_identity(other) for _, other in pairs)))


def check_same_questions(left: Evaluation, right: Evaluation) -> None:
    """Make sure that two evaluations are over the same questions and passages.

    Raises:
        BadInput: They are not.
    """
    for name in ("data", "questions"):
        if left.header[name] != right.header[name]:
            raise BadInput(
                f"the evaluations are over different data ({_data(left)} and {_data(right)}); run both on the same"
            )


def _check(manifest: Manifest, mine: Evaluation, folder: Path) -> None:
    place = f"{manifest.name}/{manifest.version}"
    if mine.header["system"]["version"] != place:
        raise BadInput(f"{folder}: an evaluation of {mine.header['system']['version']}, not of {place}")
    if _identity(mine) != manifest.digest():
        raise BadInput(
            f"{folder}: an evaluation of another artifact that is called {place} too, or of before a change; evaluate "
            "this one (hopstop eval --artifact)"
        )
    known = set(manifest.training.ids if manifest.training else ()) & set(mine.header["questions"])
    known |= set(mine.header.get("trained_on", ()))
    if known:
        raise BadInput(
            f"{folder}: {len(known)} of its questions are among those that {place} was compiled on; evaluate on others"
        )


def _check_other(manifest: Manifest, other: Evaluation, folder: Path) -> None:
    if _identity(other) == manifest.digest():
        raise BadInput(
            f"{folder}: an evaluation of {manifest.name}/{manifest.version} itself; name one of what it is to beat"
        )


def _identity(evaluation: Evaluation) -> str:
    """What was evaluated. Names and versions do not tell: another folder of artifacts may bear the same."""
    system = evaluation.header["system"]
    return str(system.get("artifact") or system["version"])


def _scores(evaluation: Evaluation) -> list[Score]:
    digest = evaluation.header["data"]["hash"]
    found = [item for item in evaluation.results if isinstance(item, Score)]
    return [replace(item, id=f"{digest} {item.id}") for item in found]


def _data(evaluation: Evaluation) -> str:
    data: Mapping[str, Any] = evaluation.header["data"]
    return f"{data['name']}, {data['n']} questions, {data['hash'][:12]}"


def _above(value: float | None) -> bool:
    return value is not None and value > 0


def _below(p: float | None) -> bool:
    return p is not None and p < LEVEL


def _words(part: Parts) -> str:
    low, high = _shown(part["low"]), _shown(part["high"])
    return f"{_shown(part['value'])} [{low}, {high}] on {part['n']} questions"


def _shown(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"
