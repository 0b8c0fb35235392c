from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any

import click
import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
ROOMS = ("signatures", "program", "eval", "optimize")
HEAVY = ("mlflow", "matplotlib", "optuna", "pandas")


def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed_by(package: str, extras: frozenset[str]) -> Iterator[Requirement]:
    for requirement in map(Requirement, metadata.requires(package) or []):
        environments = [{"extra": extra} for extra in ("", *extras)]
        if requirement.marker is None or any(requirement.marker.evaluate(item) for item in environments):
            yield requirement


def closure(package: str, extras: frozenset[str]) -> set[str]:
    """Names of all that an installation of the package brings, as far as it is installed here."""
    todo, seen = [(package, extras)], set[tuple[str, frozenset[str]]]()
    names: set[str] = set()
    while todo:
        item = todo.pop()
        seen.add(item)
        needed = {(normal(each.name), frozenset(each.extras)) for each in needed_by(*item)}
        names |= {name for name, _ in needed}
        todo += [(name, wanted) for name, wanted in needed - seen if installed(name)]
    return names


def installed(name: str) -> bool:
    return next(iter(metadata.distributions(name=name)), None) is not None


def test_installed_version_is_the_one_of_the_source() -> None:
    assert metadata.version("hopstop") == project()["project"]["version"]


def test_changelog_has_a_section_for_the_version() -> None:
    assert project()["project"]["version"] in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_folder_of_a_room_is_packaged() -> None:
    folders = {path.parent for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    names = {".".join(["hopstop", *folder.relative_to(ROOT).parts]) for folder in folders}
    assert names == set(project()["tool"]["setuptools"]["packages"])


@pytest.mark.parametrize("room", ROOMS)
def test_every_exported_name_can_be_imported_and_is_documented(room: str) -> None:
    module = importlib.import_module(f"hopstop.{room}")
    assert module.__all__ == sorted(set(module.__all__))
    values = {name: getattr(module, name) for name in module.__all__}
    assert [name for name, value in values.items() if callable(value) and not value.__doc__] == []


@pytest.mark.parametrize("room", ROOMS)
def test_types_are_shipped(room: str) -> None:
    assert resources.files(f"hopstop.{room}").joinpath("py.typed").is_file()


def test_console_script_is_a_command() -> None:
    (script,) = metadata.entry_points(group="console_scripts", name="hopstop")
    assert isinstance(script.load(), click.Command)


def test_every_dependency_is_pinned_without_an_address() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [pin for pin in pins if "==" not in pin or "@" in pin or "/" in pin] == []
    assert closure("hopstop", frozenset({"dev", "fast"})) - {normal(pin.split("==")[0]) for pin in pins} == set()


def test_import_is_light() -> None:
    rooms = "; ".join(f"import hopstop.{room}" for room in ROOMS)
    code = f"import json, sys; {rooms}; import hopstop.optimize.cli; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in HEAVY if name in json.loads(run.stdout)] == []
