"""What changed between two artifacts: instructions, examples, limits, scores, predictors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from difflib import unified_diff
from pathlib import Path
from typing import Any

from hopstop.program.artifact_view import Description, Prompt, describe, flat, one_line, trained_on
from hopstop.program.manifest import TIERS, Manifest, PredictorFields

Pairs = Mapping[str, tuple[Any, Any]]
_ABOUT = ("policy", "lm", *TIERS, "reply_schema", "options", "analyzer", "origin", "hopstop", "dspy")


@dataclass(frozen=True, slots=True, kw_only=True)
class Examples:
    """Examples of one predictor that only one side has."""

    removed: tuple[Mapping[str, Any], ...]
    added: tuple[Mapping[str, Any], ...]
    reordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What differs between two artifacts, by name: (before, after); None where one side has none.

    False if nothing differs.

    Attributes:
        before: Name and version of the first.
        after: Name and version of the second.
        about: Policy, LMs, analyzer, training data, origin, versions.
        limits: Fields of `Limits`.
        guards: Fields of `Guards`.
        scores: Measures on dev.
        weights: Of the offline policy.
        predictors: Fields, as text.
        instructions: Of a predictor, or of one of its fields ("decider.question").
        examples: Of a predictor.
    """

    before: str
    after: str
    about: Pairs = field(default_factory=dict)
    limits: Pairs = field(default_factory=dict)
    guards: Pairs = field(default_factory=dict)
    scores: Pairs = field(default_factory=dict)
    weights: Pairs = field(default_factory=dict)
    predictors: Pairs = field(default_factory=dict)
    instructions: Pairs = field(default_factory=dict)
    examples: Mapping[str, Examples] = field(default_factory=dict)

    def __bool__(self) -> bool:
        parts = (self.limits, self.guards, self.scores, self.weights, self.predictors, self.instructions, self.examples)
        return any((*parts, self.about))

    def to_json(self) -> dict[str, Any]:
        """The changes as a JSON object."""
        return asdict(self)

    def text(self) -> str:
        """The changes for a person."""
        lines = [f"{self.before} -> {self.after}", *self._values(), *self._instructions(), *self._examples()]
        return "\n".join(lines if self else [*lines, "nothing differs"]) + "\n"

    def _values(self) -> Iterator[str]:
        for title in ("about", "scores", "limits", "guards", "weights", "predictors"):
            pairs: Pairs = getattr(self, title)
            if pairs:
                yield f"\n{title}"
                yield from (f"  {name}: {one_line(old)} -> {one_line(new)}" for name, (old, new) in pairs.items())

    def _instructions(self) -> Iterator[str]:
        for name, (old, new) in self.instructions.items():
            yield f"\ninstruction of {name}"
            lines = unified_diff((old or "").splitlines(), (new or "").splitlines(), lineterm="", n=1)
            yield from (f"  {line}" for line in list(lines)[2:])

    def _examples(self) -> Iterator[str]:
        for name, examples in self.examples.items():
            order = ", others in another order" if examples.reordered else ""
            yield f"\nexamples of {name}: {len(examples.removed)} removed, {len(examples.added)} added{order}"
            for sign, items in (("-", examples.removed), ("+", examples.added)):
                yield from (f"  {sign} {one_line(dict(item))}" for item in items)


def diff(before: str | Path, after: str | Path) -> Changes:
    """What changed between the artifacts in two folders.

    Raises:
        ArtifactMismatch: One of them is damaged, changed, or of a newer schema.
    """
    old, new = describe(before), describe(after)
    return Changes(
        before=_title(old.manifest),
        after=_title(new.manifest),
        about=_pairs(_about(old.manifest), _about(new.manifest)),
        limits=_pairs(old.manifest.limits, new.manifest.limits),
        guards=_pairs(old.manifest.guards, new.manifest.guards),
        scores=_pairs(flat(old.manifest.scores), flat(new.manifest.scores)),
        weights=_pairs(old.weights, new.weights),
        predictors=_pairs(_fields(old.manifest.predictors), _fields(new.manifest.predictors)),
        instructions=_pairs(_instructions(old), _instructions(new)),
        examples=_examples(old.prompts, new.prompts),
    )


def _title(manifest: Manifest) -> str:
    return f"{manifest.name} {manifest.version}"


def _about(manifest: Manifest) -> dict[str, Any]:
    return flat({"training": trained_on(manifest), **{name: getattr(manifest, name) for name in _ABOUT}})


def _pairs(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    names = dict.fromkeys([*old, *new])
    return {name: (old.get(name), new.get(name)) for name in names if old.get(name) != new.get(name)}


def _fields(predictors: Mapping[str, PredictorFields]) -> dict[str, str]:
    def shown(part: Sequence[Any]) -> str:
        return ", ".join(f"{item.name}: {item.type}" for item in part)

    return {name: f"{shown(item.inputs)} -> {shown(item.outputs)}" for name, item in predictors.items()}


def _instructions(description: Description) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, prompt in description.prompts.items():
        found[name] = prompt.instruction
        found |= {f"{name}.{key}": text for key, text in prompt.fields.items()}
    return found


def _examples(old: Mapping[str, Prompt], new: Mapping[str, Prompt]) -> dict[str, Examples]:
    found: dict[str, Examples] = {}
    for name in dict.fromkeys([*old, *new]):
        left, right = (side[name].examples if name in side else () for side in (old, new))
        if left != right:
            removed = tuple(item for item in left if item not in right)
            added = tuple(item for item in right if item not in left)
            kept = [[item for item in side if item in other] for side, other in ((left, right), (right, left))]
            found[name] = Examples(removed=removed, added=added, reordered=kept[0] != kept[1])
    return found
