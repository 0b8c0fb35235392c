"""What is evaluated: something that answers, and how reports name it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version as version_of
from typing import Any, Protocol

from hopstop.program.records import Outcome


class Answers(Protocol):
    """Answers one question: the loop, one pass, or whatever an app compares with them. Safe in many threads."""

    def __call__(self, question: str, *, groups: frozenset[str]) -> Outcome:
        """Answer for a user of these groups."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Something that answers, with its description. The description goes into files and reports: no key, no address.

    Attributes:
        answers: Called once for each question, from many threads.
        policy: Who decides, e.g. "offline", "lm" or "one-pass".
        lm: Name of the model; empty if there is none.
        limits: Bounds of one question, e.g. `dataclasses.asdict(Limits())`. Plain JSON values.
        version: Of the system, e.g. of its artifact; of Hopstop by default.
        reads_only: Whether it never answers by its nature, so that measures of its answers say nothing.
        artifact: Digest of its artifact's manifest, since two artifacts may bear one name and version; empty without.
        trained_on: Ids of the questions that it was compiled on; None if nobody knows.
        server: A short hash of where its models are, if not at their providers; two servers may name a model alike.
    """

    answers: Answers
    policy: str
    lm: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)
    version: str = field(default_factory=lambda: version_of("hopstop"))
    reads_only: bool = False
    artifact: str = ""
    trained_on: frozenset[str] | None = None
    server: str = ""

    def describe(self) -> dict[str, Any]:
        """The description as a JSON object."""
        return {
            "policy": self.policy,
            "lm": self.lm or None,
            "limits": dict(self.limits),
            "version": self.version,
            "reads_only": self.reads_only,
            **({"artifact": self.artifact} if self.artifact else {}),
            **({"server": self.server} if self.server else {}),
        }
