"""The folder of a compile: replies and finished predictors, so that a killed job goes on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from hopstop.eval.folder import difference, read_json, write_json
from hopstop.program.errors import BadInput

JOB, REPLIES = "job.json", "replies.jsonl"
_AGAIN = "name another folder (--work), or start again (--fresh)"


class Workbench:
    """A folder that belongs to one job.

    Args:
        folder: Made if it is not there.
        job: What determines the result, as JSON; no key, no address.

    Raises:
        BadInput: The folder cannot be written, or belongs to another job.
    """

    def __init__(self, folder: Path, job: Mapping[str, Any]) -> None:
        self.folder = folder
        wanted = json.loads(json.dumps(job))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not (folder / JOB).exists():
                write_json(folder / JOB, wanted)
        except OSError as error:
            raise BadInput(f"{folder}: cannot be written ({error.strerror}); {_AGAIN}") from error
        found = read_json(folder / JOB, _AGAIN)
        if other := difference(found, wanted):
            raise BadInput(f"{folder}: holds another compile, which differs in {other}; {_AGAIN}")

    @property
    def replies(self) -> Path:
        """File of the replies."""
        return self.folder / REPLIES

    def finished(self, predictor: str) -> dict[str, Any] | None:
        """What was kept of a predictor that is done; None if it is not.

        Raises:
            BadInput: The file is damaged.
        """
        path = self._path(predictor)
        return read_json(path, _AGAIN) if path.exists() else None

    def finish(self, predictor: str, value: Mapping[str, Any]) -> None:
        """Keep what a predictor came to."""
        write_json(self._path(predictor), value)

    def clear(self) -> None:
        """Forget everything, replies included.

        Raises:
            BadInput: A file cannot be removed.
        """
        try:
            for path in (*self.folder.glob("predictor-*.json"), self.replies, self.folder / JOB):
                path.unlink(missing_ok=True)
        except OSError as error:
            raise BadInput(f"{self.folder}: cannot be cleared ({error.strerror}); {_AGAIN}") from error

    def _path(self, predictor: str) -> Path:
        return self.folder / f"predictor-{predictor}.json"


def digest(job: Mapping[str, Any], *secret: object) -> str:
    """Eight hexadecimal digits for a job; of what must not be written down, such as an address, they tell nothing."""
    text = json.dumps([job, [str(item) for item in secret]], sort_keys=True, default=asdict)
    return sha256(text.encode()).hexdigest()[:8]
