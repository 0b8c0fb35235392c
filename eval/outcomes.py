"""The file `outcomes.jsonl` of an evaluation: one line for each question, readable after a kill at any moment."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopstop.eval.questions import Question
from hopstop.eval.score import Crash, Score
from hopstop.program.errors import BadInput
from hopstop.program.records import Outcome, StopReason
from hopstop.program.usage import Usage

CUT_SHORT = frozenset({StopReason.LM_ERROR, StopReason.SEARCH_ERROR, StopReason.CANCELLED})
"""Ends that say nothing of a program or its limits."""
_OF_BUDGET = "The shared budget", "The budget"  # how the notes begin of runs that a `Budget` has ended


@dataclass(frozen=True, slots=True)
class Row:
    """One question, done.

    Attributes:
        id: Id of the question.
        asked: Its text, type, hops, answerable and gold passage ids.
        result: Its score, or the crash.
        outcome: See `summary`; None if it crashed.
    """

    id: str
    asked: Mapping[str, Any]
    result: Score | Crash
    outcome: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, question: Question, result: Score | Crash, outcome: Outcome | None = None) -> Row:
        """The row of a question that was run."""
        asked = {
            "question": question.question,
            "type": question.type,
            "hops": question.hops,
            "answerable": question.answerable,
            "gold": list(question.gold_ids),
        }
        return cls(question.id, asked, result, None if outcome is None else summary(outcome))

    @property
    def crashed(self) -> bool:
        """Whether the run raised."""
        return isinstance(self.result, Crash)

    @property
    def cut_short(self) -> bool:
        """Whether it says nothing of the system, so that the question is asked again.

        The run raised, the model failed, it was cancelled, or other questions had used up the budget that all share.
        """
        if isinstance(self.result, Crash):
            return True
        note = str((self.outcome or {}).get("note", ""))
        return self.result.reason in CUT_SHORT or note.startswith(_OF_BUDGET)

    def to_line(self) -> bytes:
        """The row as a line of JSON with its line feed."""
        kind = "crash" if self.crashed else "score"
        fields = {"id": self.id, "asked": self.asked, kind: asdict(self.result), "outcome": self.outcome}
        # Lone surrogates cannot be written as UTF-8; JSON's escapes can hold them.
        return json.dumps(fields, ensure_ascii=True).encode("ascii") + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Row:
        """The row of a line.

        Raises:
            ValueError, KeyError, TypeError: It is no such line.
        """
        fields = json.loads(line)
        if "crash" in fields:
            return cls(fields["id"], fields["asked"], Crash(**fields["crash"]))
        score = {**fields["score"], "reason": StopReason(fields["score"]["reason"])}
        return cls(fields["id"], fields["asked"], Score(**score), fields["outcome"])


def summary(outcome: Outcome) -> dict[str, Any]:
    """What is kept of an outcome: all but the texts of the passages, of which only the quoted words remain.

    Returns:
        reason, answer, draft, policy, note, seconds, usage, missing, citations (need, passage_id, text, start, end),
        passages (ids in the order read), ranking (ids) and rounds, as plain JSON values.
    """
    quotes = [(fact.need, fact.quote) for fact in outcome.citations if fact.quote is not None]
    return {
        "reason": outcome.reason.value,
        "answer": outcome.answer,
        "draft": outcome.draft,
        "policy": outcome.policy,
        "note": outcome.note,
        "seconds": outcome.seconds,
        "usage": asdict(outcome.usage),
        "missing": list(outcome.missing),
        "citations": [{"need": need, **asdict(quote)} for need, quote in quotes],
        "passages": [passage.id for passage in outcome.evidence],
        "ranking": list(outcome.ranking),
        "rounds": [asdict(item) for item in outcome.rounds],
    }


def outcome_line(outcome: Outcome) -> str:
    """An outcome as one line of JSON without its line feed, for the log of an app: its question and its summary."""
    return json.dumps({"question": outcome.question, **summary(outcome)}, ensure_ascii=True)


def read_rows(path: Path) -> dict[str, Row]:
    """All whole lines of the file by question id; of a question that was run again the last one.

    What stands after the last line feed was torn by a kill and is left out.

    Raises:
        BadInput: A whole line is no row of ours.
    """
    return {row.id: row for row in _every_row(path)}


def spent(path: Path) -> tuple[int, float]:
    """Tokens billed and dollars paid for all rows of the file, those included whose questions were asked again."""
    used = [Usage(**row.outcome["usage"]) for row in _every_row(path) if row.outcome is not None]
    return sum(item.billed_tokens for item in used), sum(item.cost_usd or 0.0 for item in used)


def _every_row(path: Path) -> Iterator[Row]:
    for number, line in enumerate(_whole_lines(path), start=1):
        try:
            yield Row.from_line(line)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise BadInput(
                f"{path}, line {number}: not a result of this version of Hopstop; "
                "write to another folder (--out), or start again (--fresh)"
            ) from None


def drop_torn_line(path: Path) -> None:
    """Cut off what stands after the last line feed, so that the next line starts clean."""
    if path.exists():
        with path.open("r+b") as file:
            file.truncate(sum(len(line) + 1 for line in _whole_lines(path)))


def _whole_lines(path: Path) -> list[bytes]:
    return path.read_bytes().split(b"\n")[:-1] if path.exists() else []
