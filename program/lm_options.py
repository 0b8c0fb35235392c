"""What an LM policy leaves to code."""

from __future__ import annotations

from dataclasses import dataclass

from hopstop.program.errors import BadInput

CHOICES = {"prune": ("lm", "code"), "search": ("words", "walk")}


@dataclass(frozen=True, slots=True, kw_only=True)
class LMOptions:
    """How an LM policy works. Part of the artifact.

    Attributes:
        prune: Who grades passages: "lm", or "code", which costs no call. On 42 Prune labels (14 each of HotpotQA,
            2WikiMultihopQA and MuSiQue) a strong reader had an F2 of 0.97 and code one of 0.97, both with recall 1.
        search: How the next passages are found: "words" searches the queries that the model writes; "walk" follows the
            links of a BM25Index as the offline policy does, so that the model only decides.
        precheck: Whether the offline policy is asked first; what it can prove ends the run without a call.
        hints: Whether Rewrite is shown the names that the walk would follow next, where the retriever is a BM25Index.
            Off, as the queries of a strong reader gained nothing: hit@3 of 0.90 with and without, on 42 Rewrite labels.

    Raises:
        BadInput: A value is none of these.
    """

    prune: str = "lm"
    search: str = "words"
    precheck: bool = False
    hints: bool = False

    def __post_init__(self) -> None:
        for name, values in CHOICES.items():
            if getattr(self, name) not in values:
                raise BadInput(f"LM option {name} must be one of {', '.join(values)}, not {getattr(self, name)!r}")
        for name in ("precheck", "hints"):
            if not isinstance(getattr(self, name), bool):
                raise BadInput(f"LM option {name} must be true or false, not {getattr(self, name)!r}")
