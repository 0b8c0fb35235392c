"""The folder of an artifact: a new version is written whole or not at all, and is never changed afterwards."""

from __future__ import annotations

import errno
import json
import re
import shutil
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from hopstop.program.errors import ArtifactMismatch, BadInput
from hopstop.program.manifest import Manifest, manifest_from_json

MANIFEST, STATE, README = "manifest.json", "state.json", "README.md"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_VERSION = re.compile(r"v(\d{3,})")
_TAKEN = {errno.EEXIST, errno.ENOTEMPTY, errno.EACCES}  # EACCES: what Windows says of a folder that is there
TRIES = 100

Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Stored:
    """An artifact as it lies on the disk, its hash checked.

    Attributes:
        folder: Of this version.
        manifest: What it is.
        state: What was compiled; a JSON object.
    """

    folder: Path
    manifest: Manifest
    state: Mapping[str, Any]


def check_name(name: str) -> str:
    """The name of an artifact, which is a folder's name everywhere.

    Raises:
        BadInput: It holds something else than letters, digits, dots, dashes and underscores.
    """
    if not _NAME.fullmatch(name):
        raise BadInput(f"artifact name {name!r}: use letters, digits, '.', '-' and '_', a letter or digit first")
    return name


def versions(folder: Path) -> list[str]:
    """The versions in the folder of an artifact, oldest first."""
    if not folder.is_dir():
        return []
    found = [item.name for item in folder.iterdir() if _VERSION.fullmatch(item.name)]
    return sorted(found, key=lambda name: int(name[1:]))


def write_version(folder: Path, make: Callable[[str], Files]) -> Path:
    """Write the next version of an artifact.

    Two that write at once get two versions. Nothing is left behind when writing fails.

    Args:
        folder: Of the artifact, above its versions.
        make: Gives the files of a version, e.g. of "v002".

    Raises:
        BadInput: The folder cannot be written.
    """
    new = folder / f".{uuid.uuid4().hex}.new"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for _ in range(TRIES):
            version = f"v{max((int(name[1:]) for name in versions(folder)), default=0) + 1:03d}"
            if _written(new, folder / version, make(version)):
                return folder / version
    except OSError as error:
        raise BadInput(
            f"artifact folder {folder} cannot be written ({error.strerror or error}); name another one"
        ) from error
    finally:
        shutil.rmtree(new, ignore_errors=True)
    raise BadInput(f"artifact folder {folder} is written by too many at once; try again")


def _written(new: Path, target: Path, files: Files) -> bool:
    """Whether the files now stand in the target; not if another one was quicker."""
    new.mkdir(exist_ok=True)
    for name, content in files.items():
        (new / name).write_bytes(content)
    try:
        new.rename(target)
    except OSError as error:
        if error.errno in _TAKEN and target.exists():
            return False
        raise
    return True


def read_version(folder: Path) -> Stored:
    """Read one version of an artifact. Whether it fits this program is not checked here.

    Raises:
        ArtifactMismatch: A file is missing, no JSON or changed, or the manifest has not the form of an artifact.
    """
    folder = Path(folder)
    try:
        manifest = manifest_from_json(_json(_bytes(folder, MANIFEST), MANIFEST))
        content = _bytes(folder, STATE)
        if sha256(content).hexdigest() != manifest.state_sha256:
            raise ArtifactMismatch(
                f"field 'state_sha256' is not that of {STATE}: the state was changed; take a whole copy of the artifact"
            )
        state = _json(content, STATE)
        if not isinstance(state, dict):
            raise ArtifactMismatch(f"{STATE} must be an object")
    except ArtifactMismatch as error:
        raise ArtifactMismatch(f"artifact {folder}: {error}") from error
    return Stored(folder, manifest, state)


def _bytes(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        inner = versions(folder)
        where = f"; name one of its versions: {', '.join(inner)}" if inner else ""
        raise ArtifactMismatch(f"{name} cannot be read ({error.strerror or error}){where}") from error


def _json(content: bytes, name: str) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ArtifactMismatch(f"{name} is not JSON ({error}); take a whole copy of the artifact") from error
