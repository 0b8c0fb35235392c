"""The folder of an index: its manifest, written last, and a replacement that never leaves half a folder behind."""

from __future__ import annotations

import json
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hopstop.program.errors import BadIndex

MANIFEST = "manifest.json"
FORMAT = "hopstop-bm25"
SCHEMA = 2
AGAIN = 'run "hopstop index SOURCE --out FOLDER" again'


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexInfo:
    """What an index was built with and from; part of its manifest.

    Attributes:
        analyzer: Settings of the analyzer.
        title_weight: How often the title is counted beside the text, >= 0.
        k1: Saturation of repeated tokens, >= 0.
        b: Penalty of long passages, in [0, 1].
        passages: Passages in the index.
        restricted: Passages that only some groups may read.
        tokens: Distinct tokens.
        corpus_hash: SHA-256 of the analyzer's settings and the passages in the order of their ids.
    """

    analyzer: Mapping[str, object]
    title_weight: int
    k1: float
    b: float
    passages: int
    restricted: int
    tokens: int
    corpus_hash: str


@contextmanager
def replacing(folder: Path) -> Iterator[Path]:
    """A new folder to write into, which takes the place of `folder` when the block ends without an error.

    Raises:
        BadIndex: `folder` is there and is neither empty nor an index of ours, or it cannot be written.
    """
    folder = folder.resolve()
    new = folder.with_name(f".{folder.name}.{uuid.uuid4().hex}.new")
    old = new.with_suffix(".old")
    try:
        _check_ours(folder)
        new.mkdir(parents=True)
        yield new
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
    except OSError as error:
        raise BadIndex(
            f"index folder {folder} cannot be written ({error.strerror or error}); name another one"
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _check_ours(folder: Path) -> None:
    if not folder.exists():
        return
    if not folder.is_dir():
        raise BadIndex(f"{folder} is a file; name a folder for the index")
    if any(folder.iterdir()) and not is_index(folder):
        raise BadIndex(f"{folder} holds something else than an index of Hopstop; name another folder or empty it")


def is_index(folder: Path) -> bool:
    """Whether a folder holds an index of ours, of any schema."""
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and manifest.get("format") == FORMAT


def write_manifest(folder: Path, info: IndexInfo) -> None:
    """Write the manifest: what the index is, versions, and the size of every file, by which a half copy shows."""
    sizes = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    manifest = {
        "format": FORMAT,
        "schema": SCHEMA,
        "hopstop": _version("hopstop"),
        "bm25s": _version("bm25s"),
        **asdict(info),
        "files": sizes,
    }
    (folder / MANIFEST).write_text(json.dumps(manifest, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def read_manifest(folder: Path) -> IndexInfo:
    """What the manifest of an index folder says, once every file that it names is there in its size.

    Raises:
        BadIndex: The folder is missing, half written, not ours, or of another schema.
    """
    if not folder.is_dir():
        raise BadIndex(f"there is no index folder {folder}; {AGAIN}")
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise BadIndex(f"{folder} has no {MANIFEST}: no index, or a half written one; {AGAIN}") from None
    except (OSError, ValueError) as error:
        raise BadIndex(f"{folder / MANIFEST} cannot be read ({error}); {AGAIN}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadIndex(f"{folder / MANIFEST} is not the manifest of an index of Hopstop; {AGAIN}")
    if manifest.get("schema") != SCHEMA:
        raise BadIndex(f"index {folder} has schema {manifest.get('schema')!r}, this Hopstop reads {SCHEMA}; {AGAIN}")
    _check_files(folder, manifest.get("files"))
    try:
        return IndexInfo(**{item.name: manifest[item.name] for item in fields(IndexInfo)})
    except KeyError as error:
        raise BadIndex(f"{folder / MANIFEST} has no field {error}; {AGAIN}") from None


def _check_files(folder: Path, sizes: object) -> None:
    if not isinstance(sizes, dict):
        raise BadIndex(f"{folder / MANIFEST} has no field 'files'; {AGAIN}")
    for name, size in sizes.items():
        file = folder / name
        found = file.stat().st_size if file.is_file() else None
        if found != size:
            state = "is missing" if found is None else f"has {found} bytes instead of {size}"
            raise BadIndex(f"index {folder} is incomplete: {name} {state}; {AGAIN}")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
