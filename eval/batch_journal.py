"""What was sent in batches and what came back, on disk: a run that was killed finds its batches again.

JSON lines, each whole or cut off by a kill. `sending` is written before a batch is made and `batch` after it, so that
a kill between the two is seen.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopstop.program.errors import BadInput


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request.

    Attributes:
        message: The message of the API, as JSON; None: the batch brought none, so that it is asked for live.
        share: Of the listed price that it cost, in [0, 1].
        why: Why there is no message; empty if there is one.
    """

    message: Any = None
    share: float = 1.0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Sending:
    """Requests that are to become one batch.

    Attributes:
        number: From 1.
        ids: Of the requests.
        at: Unix time.
    """

    number: int
    ids: tuple[str, ...]
    at: float


class Journal:
    """The journal of one folder. Not safe in threads: it belongs to one event loop.

    Args:
        path: The file; what a kill has torn at its end is cut off.

    Attributes:
        replies: By request.
        batches: Id of each batch -> the sending that it was made from.
        found: Batches that were found at the service after a kill; whether they are ours is known once they have ended.
        foreign: Those of them that were not.

    Raises:
        BadInput: A whole line of the file is none of ours; names it.
    """

    def __init__(self, path: Path) -> None:
        self.replies: dict[str, Reply] = {}
        self.batches: dict[str, Sending] = {}
        self.found: set[str] = set()
        self.foreign: set[str] = set()
        self._sendings: dict[int, Sending] = {}
        self._unsure: set[int] = set()
        self._ended: set[str] = set()
        self._path = path
        for number, line in enumerate(_lines(path), start=1):
            try:
                self._take(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise BadInput(f"{path}, line {number}: not a line of Hopstop's; start again (--fresh)") from None

    @property
    def open(self) -> list[str]:
        """Batches whose replies are not all here."""
        return [name for name in self.batches if name not in self._ended]

    @property
    def unsure(self) -> list[Sending]:
        """Sendings of which nobody knows whether they have reached the service."""
        return [self._sendings[number] for number in sorted(self._unsure)]

    def missing(self, batch: str) -> set[str]:
        """Requests of a batch that have no reply."""
        return {name for name in self.batches[batch].ids if name not in self.replies}

    @property
    def under_way(self) -> set[str]:
        """Requests without a reply that are, or may be, at the service."""
        ids = (item.ids for item in (*(self.batches[batch] for batch in self.open), *self.unsure))
        return {name for names in ids for name in names if name not in self.replies}

    def sending(self, ids: Sequence[str]) -> Sending:
        """Note that a batch is about to be made."""
        made = Sending(len(self._sendings) + 1, tuple(ids), time.time())
        self._write({"sending": made.number, "ids": list(made.ids), "at": made.at})
        return made

    def made(self, batch: str, sending: Sending, *, found: bool = False) -> None:
        """Note that a batch was made, or found at the service."""
        self._write({"batch": batch, "of": sending.number, "found": found})

    def unsent(self, sending: Sending) -> None:
        """Note that a sending never reached the service."""
        self._write({"unsent": sending.number})

    def not_ours(self, batch: str) -> None:
        """Note that a batch which was found holds other requests."""
        self._write({"foreign": batch})

    def reply(self, name: str, reply: Reply) -> None:
        """Keep what came of a request."""
        self._write({"reply": name, "message": reply.message, "share": reply.share, "why": reply.why})

    def ended(self, batch: str) -> None:
        """Note that all replies of a batch are here."""
        self._write({"ended": batch})

    def _write(self, line: Mapping[str, Any]) -> None:
        with self._path.open("ab") as file:  # closed, hence handed to the system, before anyone relies on it
            file.write(json.dumps(line).encode("ascii") + b"\n")
        self._take(line)

    def _take(self, line: Mapping[str, Any]) -> None:
        readers: dict[str, Callable[[Mapping[str, Any]], None]] = {
            "sending": self._took_sending,
            "batch": self._took_batch,
            "unsent": lambda item: self._unsure.discard(item["unsent"]),
            "foreign": self._took_foreign,
            "reply": self._took_reply,
            "ended": lambda item: self._ended.add(item["ended"]),
        }
        readers[next(iter(line), "")](line)

    def _took_sending(self, line: Mapping[str, Any]) -> None:
        self._sendings[line["sending"]] = Sending(line["sending"], tuple(line["ids"]), line["at"])
        self._unsure.add(line["sending"])

    def _took_batch(self, line: Mapping[str, Any]) -> None:
        self.batches[line["batch"]] = self._sendings[line["of"]]
        self._unsure.discard(line["of"])
        if line["found"]:
            self.found.add(line["batch"])

    def _took_foreign(self, line: Mapping[str, Any]) -> None:
        self.foreign.add(line["foreign"])
        self._unsure.add(self.batches.pop(line["foreign"]).number)

    def _took_reply(self, line: Mapping[str, Any]) -> None:
        self.replies[line["reply"]] = Reply(line["message"], line["share"], line["why"])


def _lines(path: Path) -> Collection[bytes]:
    if not path.exists():
        return ()
    lines = path.read_bytes().split(b"\n")[:-1]
    with path.open("r+b") as file:
        file.truncate(sum(len(line) + 1 for line in lines))
    return lines
