"""What is told of a compile or calibration, kept as a file so that it can be sent to MLflow now or later."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hopstop.eval.folder import read_json, write_json
from hopstop.program.errors import BadInput

COMPILATION = "compilation.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compilation:
    """How an artifact was made, and what it brought.

    Attributes:
        recipe: Name and settings, e.g. {"name": "calibrate", "seed": 0}. Plain JSON values; no key, no address.
        data: Of the training data: name, hash, n.
        before: Measures on held-out dev before, by name; None where one was not measured.
        after: The same after.
        cost: What it took, by name, e.g. {"calls": 120, "tokens": 90000}.
        artifact: Folder of the version that was made.
        files: Names of files in the folder of the compilation that are sent with it.
        intervals: Low and high end of the 95 % interval of the difference after - before, by name of the measure.
    """

    recipe: Mapping[str, Any]
    data: Mapping[str, Any]
    before: Mapping[str, float | None]
    after: Mapping[str, float | None]
    artifact: Path
    cost: Mapping[str, float | None]
    files: tuple[str, ...] = ()
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    def params(self) -> dict[str, str]:
        """The parameters of its MLflow run."""
        named = {f"recipe.{name}": value for name, value in self.recipe.items()}
        named |= {f"data.{name}": value for name, value in self.data.items()}
        return {name: str(value) for name, value in named.items()}

    def metrics(self) -> dict[str, float]:
        """The metrics of its MLflow run. What was not measured is left out, never 0."""
        named: dict[str, float | None] = {}
        for part in ("before", "after", "cost"):
            named |= {f"{part}.{name}": value for name, value in getattr(self, part).items()}
        for name, value in self.after.items():
            old = self.before.get(name)
            named[f"difference.{name}"] = None if value is None or old is None else value - old
        for name, (low, high) in self.intervals.items():
            named |= {f"difference.{name}.low": low, f"difference.{name}.high": high}
        return {name: float(value) for name, value in named.items() if value is not None and math.isfinite(value)}


def write_compilation(folder: Path, made: Compilation) -> None:
    """Write `compilation.json` into a folder, whole or not at all.

    Raises:
        BadInput: The folder cannot be written.
    """
    names = ("recipe", "data", "before", "after", "cost", "intervals")
    value = {name: dict(getattr(made, name)) for name in names}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        place = {"artifact": str(made.artifact.absolute()), "files": list(made.files)}
        write_json(folder / COMPILATION, {**value, **place})
    except OSError as error:
        raise BadInput(f"{folder}: cannot be written ({error.strerror}); name another folder") from error


def read_compilation(folder: Path) -> Compilation:
    """Read it again.

    Raises:
        BadInput: There is none, or it is damaged.
    """
    value = read_json(folder / COMPILATION, "run `hopstop compile` or `hopstop calibrate` first")
    try:
        intervals = {name: (low, high) for name, (low, high) in value.get("intervals", {}).items()}
        place = {"artifact": Path(value["artifact"]), "files": tuple(value["files"])}
        return Compilation(**{**value, **place, "intervals": intervals})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadInput(f"{folder / COMPILATION}: not written by this version of Hopstop ({error})") from None
