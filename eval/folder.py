"""The folder of an evaluation: what was run (`run.json`), and files that are whole or not there."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Any

from hopstop.eval.questions import Dataset, seen_among
from hopstop.eval.system import System
from hopstop.program.errors import BadInput

HEADER, OUTCOMES = "run.json", "outcomes.jsonl"
REPORT, REPORT_TEXT, DIAGNOSIS, GAPS = "report.json", "report.md", "diagnosis.json", "gaps.json"
BATCHES = "batches.jsonl"
LOCK = ".lock"
SCHEMA = 1
LONGEST_SHOWN = 80  # characters of a value in an error


@contextmanager
def held(folder: Path, lock: str = LOCK) -> Iterator[None]:
    """Hold a folder for one run, so that no other one pays for the same work or cuts what this one writes.

    The system lets go of it when the process ends, however it ends. Not held where there are no such locks (Windows).

    Args:
        folder: Made if it is not there.
        lock: Name of the file in it that is locked; it stays.

    Raises:
        BadInput: Another run holds the folder, or it cannot be written.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / lock).open("w")
    except OSError as error:
        raise BadInput(f"{folder}: cannot be used as a folder for results ({error.strerror}); name another") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise BadInput(f"{folder}: in use by another run; wait for its end, or name another folder") from None
        except OSError:
            pass  # a file system without locks
        yield


def open_folder(folder: Path, system: System, data: Dataset) -> None:
    """Make the folder ready for a run, or make sure that the run it holds is the same one.

    Raises:
        BadInput: The folder cannot be written, holds results without a header, or a run of something else.
    """
    wanted = json.loads(json.dumps(_header(system, data)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / HEADER).exists():
            _check(folder / HEADER, read_header(folder), wanted)
        elif (folder / OUTCOMES).exists():
            raise BadInput(
                f"{folder} holds {OUTCOMES} and no {HEADER}, so nobody can tell what was run; {_next_step()}"
            )
        else:
            write_json(folder / HEADER, wanted)
    except OSError as error:
        raise BadInput(f"{folder}: cannot be used as a folder for results ({error.strerror}); name another") from error


def start_fresh(out: str | Path) -> None:
    """Remove the results of an earlier run from a folder; other files stay.

    Raises:
        BadInput: They cannot be removed, or another run holds the folder.
    """
    folder = Path(out)
    if not folder.is_dir():
        return
    with held(folder):
        for path in (folder / name for name in (OUTCOMES, HEADER, REPORT, REPORT_TEXT, DIAGNOSIS, GAPS, BATCHES)):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise BadInput(f"{path}: cannot be removed ({error.strerror}); name another folder") from error


def read_header(folder: Path) -> dict[str, Any]:
    """What was run in this folder: schema, system, data (name, hash, n), versions and the ids of the questions.

    Of a compiled program also trained_on: the ids of those questions that it was compiled on.

    Raises:
        BadInput: There is no such file, or it is damaged.
    """
    return read_json(folder / HEADER, "run `hopstop eval` with this folder as --out first")


def read_json(path: Path, next_step: str) -> dict[str, Any]:
    """The object of a JSON file that Hopstop wrote.

    Raises:
        BadInput: There is no such file, or it holds no object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BadInput(f"{path}: there is no such file; {next_step}") from None
    except OSError as error:
        raise BadInput(f"{path}: cannot be read ({error.strerror}); {next_step}") from error
    except ValueError as error:
        raise BadInput(f"{path}: no JSON, the file is damaged; {next_step}") from error
    if not isinstance(value, dict):
        raise BadInput(f"{path}: not written by Hopstop; {next_step}")
    return value


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON file whole or not at all."""
    write_text(path, json.dumps(value, indent=2) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all."""
    half = path.with_name(path.name + ".tmp")
    half.write_text(text, encoding="utf-8", errors="backslashreplace")
    os.replace(half, path)


def _header(system: System, data: Dataset) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "system": system.describe(),
        "data": {"name": data.name, "hash": data.hash, "n": len(data.questions)},
        "versions": {name: version_of(name) for name in ("hopstop", "dspy")},
        "questions": [question.id for question in data.questions],
        **({} if system.trained_on is None else {"trained_on": seen_among(data.questions, system.trained_on)}),
    }


def _check(path: Path, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    if other := difference(found, wanted):
        raise BadInput(f"{path}: the run in this folder differs in {other}; {_next_step()}")


def difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first difference of two JSON objects, in words for a person; empty if there is none.

    >>> difference({"limits": {"first_k": 5}}, {"limits": {"first_k": 3}})
    'limits.first_k: 5 there, 3 now'
    """
    ours, theirs = dict(_leaves(wanted)), dict(_leaves(found))
    for name in [*ours, *theirs]:
        if ours.get(name) != theirs.get(name):
            return f"{name}: {_short(theirs, name)} there, {_short(ours, name)} now"
    return ""


def _leaves(value: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, item in value.items():
        if isinstance(item, dict):
            yield from _leaves(item, f"{prefix}{name}.")
        else:
            yield prefix + name, item


def _short(values: Mapping[str, Any], name: str) -> str:
    if name not in values:
        return "nothing"
    value = values[name]
    if isinstance(value, list):
        return "other ids or another order"
    shown = json.dumps(value)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]}..."


def _next_step() -> str:
    return "write to another folder (--out), or start again (--fresh)"
