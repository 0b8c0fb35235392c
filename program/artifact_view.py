"""What an artifact holds, for people and for the command line. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hopstop.program.artifact_folder import Stored, read_version
from hopstop.program.errors import ArtifactMismatch
from hopstop.program.manifest import TIERS, Manifest
from hopstop.program.prompt_state import check_prompt


@dataclass(frozen=True, slots=True)
class Prompt:
    """What was compiled of one predictor.

    Attributes:
        instruction: What the model is told to do.
        fields: Name of each field -> what the model is told of it.
        examples: Shown to the model before the question; field -> value.
    """

    instruction: str
    fields: Mapping[str, str] = field(default_factory=dict)
    examples: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What an artifact holds.

    Attributes:
        manifest: What it is.
        prompts: Of each predictor; empty for the offline policy.
        weights: Of the offline policy; empty for the LM policy.
    """

    manifest: Manifest
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    weights: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The description as a JSON object."""
        prompts = {name: asdict(prompt) for name, prompt in self.prompts.items()}
        return {"manifest": self.manifest.to_json(), "prompts": prompts, "weights": dict(self.weights)}

    def text(self) -> str:
        """The description for a person, prompts included."""
        return "\n".join([*_head(self.manifest), *self._prompts()]) + "\n"

    def _prompts(self) -> Iterator[str]:
        for name, prompt in self.prompts.items():
            yield f"\n{name} (examples: {len(prompt.examples)})"
            yield from (f"  {line}".rstrip() for line in prompt.instruction.splitlines())
            for number, example in enumerate(prompt.examples, start=1):
                yield f"  example {number}"
                yield from (f"    {key}: {one_line(value)}" for key, value in example.items())
        if self.weights:
            yield "\nweights"
            yield from (f"  {key}: {one_line(value)}" for key, value in self.weights.items())


def describe(folder: str | Path) -> Description:
    """What the artifact in a folder holds. Whether it fits this Hopstop is not checked: see `load`.

    Raises:
        ArtifactMismatch: It is damaged, changed, or of a newer schema.
    """
    stored = read_version(Path(folder))
    try:
        return description(stored)
    except ArtifactMismatch as error:
        raise ArtifactMismatch(f"artifact {folder}: {error}") from error


def description(stored: Stored) -> Description:
    """What an artifact that was read holds.

    Raises:
        ArtifactMismatch: The state of a predictor has not the form of one.
    """
    manifest, state = stored.manifest, stored.state
    if not manifest.predictors:
        return Description(manifest=manifest, weights=state)
    prompts = {name: _prompt(name, state.get(name), fields.names) for name, fields in manifest.predictors.items()}
    return Description(manifest=manifest, prompts=prompts)


def _prompt(name: str, state: Any, names: tuple[str, ...]) -> Prompt:  # noqa: ANN401 - JSON
    check_prompt(name, state, names)
    signature = state["signature"]
    told = (item["description"] for item in signature["fields"])
    return Prompt(signature["instructions"], dict(zip(names, told, strict=True)), tuple(state["demos"]))


def one_line(value: object) -> str:
    """A value on one line."""
    return " ".join(str(value).split())


def flat(values: Mapping[str, Any], *, rows: bool = False) -> dict[str, Any]:
    """Nested values by dotted names.

    Args:
        values: JSON.
        rows: Whether an object that holds no other object stays whole.
    """
    found: dict[str, Any] = {}
    for name, value in values.items():
        if not isinstance(value, Mapping) or (rows and not any(isinstance(item, Mapping) for item in value.values())):
            found[name] = value
        else:
            found |= {f"{name}.{inner}": item for inner, item in flat(value, rows=rows).items()}
    return found


def trained_on(manifest: Manifest) -> str | None:
    """The training data in short; None if there was none."""
    data = manifest.training
    return None if data is None else f"{data.name} (questions: {len(data.ids)}, hash {data.hash[:12]})"


def _head(manifest: Manifest) -> Iterator[str]:
    models = "".join(
        f", {name}" for name in (manifest.lm, *(f"{key} {model}" for key, model in manifest.tiers.items())) if name
    )
    yield f"{manifest.name} {manifest.version}: policy {manifest.policy}{models}"
    yield f"saved by hopstop {manifest.hopstop}, dspy {manifest.dspy}"
    if manifest.training is not None:
        yield f"compiled on {trained_on(manifest)}"
    parts = {
        "origin": manifest.origin,
        "scores": manifest.scores,
        "options": manifest.options,
        "limits": manifest.limits,
        "guards": manifest.guards,
    }
    for title, values in parts.items():
        if values:
            yield f"\n{title}"
            yield from (f"  {key}: {_row(value)}" for key, value in flat(values, rows=True).items())


def _row(value: object) -> str:
    if not isinstance(value, Mapping):
        return one_line(value)
    return ", ".join(f"{key} {round(item, 4) if isinstance(item, float) else item}" for key, item in value.items())


def _route(manifest: Manifest) -> Iterator[str]:
    """How the models are set that the program has besides one for all."""
    if manifest.tiers:
        given = (
            f'{name}=dspy.LM("{model}")' if (model := manifest.tiers.get(name)) else f"{name}=None" for name in TIERS
        )
        yield f"program.policy.route({', '.join(given)})"


def readme(stored: Stored) -> str:
    """The page that lies in the folder: what this is, how it was made, how it is loaded."""
    manifest = stored.manifest
    place = f"{manifest.name}/{manifest.version}"
    lm = ", lm=dspy.LM(...)" if manifest.predictors else ""
    return "\n".join(
        [
            f"# {place}",
            "",
            "A compiled program of Hopstop. `manifest.json` says what it is and what it fits, `state.json` holds what",
            "was compiled. Both are checked when it is loaded; a change of `state.json` is refused.",
            "",
            "```python",
            "from hopstop.program import load",
            "",
            f'program = load("{place}", retriever=index{lm})',
            *_route(manifest),
            "```",
            "",
            "````text",
            description(stored).text().strip(),
            "````",
            "",
        ]
    )
