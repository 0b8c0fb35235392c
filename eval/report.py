"""The report of an evaluation: one JSON document for programs, one Markdown page for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hopstop.eval.diagnose import diagnose
from hopstop.eval.folder import DIAGNOSIS, GAPS, OUTCOMES, REPORT, REPORT_TEXT, read_header, write_json, write_text
from hopstop.eval.gaps import as_json, gaps_of_rows, grouped
from hopstop.eval.outcomes import Row, read_rows
from hopstop.eval.report_text import as_markdown
from hopstop.eval.score import Crash, Score, aggregate, by_stop_reason
from hopstop.eval.stats import compare
from hopstop.program.errors import BadInput

ABOUT_ANSWERS = frozenset(
    {
        "answered", "em", "f1", "precision", "proven", "wrong_stop", "early_stop", "false_refusal", "abstain_right",
        "tokens_per_correct", "citations_verified",
    }
)  # fmt: skip
"""Measures that say nothing of a system which never answers by its nature; they are None for it."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a folder holds.

    Attributes:
        header: What was run; see `read_header`.
        rows: The questions that have a result, in the order of the data set.
    """

    header: Mapping[str, Any]
    rows: tuple[Row, ...]

    @property
    def results(self) -> list[Score | Crash]:
        """Scores and crashes, in the order of the data set."""
        return [row.result for row in self.rows]

    @property
    def reads_only(self) -> bool:
        """Whether the system never answers by its nature."""
        return bool(self.header["system"].get("reads_only"))

    @property
    def trained_on(self) -> int | None:
        """Questions that the system was compiled on, so that figures are in sample; None if nobody knows."""
        seen = self.header.get("trained_on")
        return None if seen is None else len(seen)

    def figures(self) -> dict[str, Any]:
        """The system, how many of the questions it was compiled on, its metrics and the same by StopReason."""
        parts = {name: self._known(values) for name, values in by_stop_reason(self.results).items()}
        return {
            "system": self.header["system"],
            "trained_on": self.trained_on,
            "metrics": self._known(aggregate(self.results)),
            "by_stop_reason": parts,
        }

    def _known(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: None if self.reads_only and name in ABOUT_ANSWERS else item for name, item in values.items()}


def load(folder: str | Path) -> Evaluation:
    """Read the folder of an evaluation, finished or not.

    Raises:
        BadInput: There is none, or a file is damaged.
    """
    header = read_header(Path(folder))
    rows = read_rows(Path(folder) / OUTCOMES)
    return Evaluation(header, tuple(rows[name] for name in header["questions"] if name in rows))


def write_report(out: str | Path, *, baseline: str | Path | None = None) -> dict[str, Any]:
    """Write `report.json`, `report.md`, `diagnosis.json` (cases) and `gaps.json` (see gaps.py) into its folder.

    Args:
        out: The folder.
        baseline: The folder of another system's evaluation on the same questions.

    Returns:
        The document in `report.json`: system, data (name, hash, n), trained_on (questions that the system was compiled
        on, or None if nobody knows), metrics (see `aggregate`), by_stop_reason, baseline (system, trained_on, metrics
        and by_stop_reason of the other one, or None), difference (ours minus the baseline:
        metric -> value, low, high, n, and p where McNemar's test applies; or None), report (path of the page).
        Shares are in [0, 1]; what was not measured is None.

    Raises:
        BadInput: A folder holds no evaluation, the two are over different questions, or the report cannot be written.
    """
    folder = Path(out)
    ours = load(folder)
    other = None if baseline is None else load(baseline)
    document = {
        "system": ours.header["system"],
        "data": ours.header["data"],
        **ours.figures(),
        "baseline": None if other is None else other.figures(),
        "difference": None if other is None else _difference(ours, other),
        "report": str(folder / REPORT_TEXT),
    }
    cases = diagnose(ours.rows)
    try:
        write_text(folder / REPORT_TEXT, as_markdown(document, ours.results, cases))
        write_json(folder / GAPS, as_json(grouped(gaps_of_rows(ours.rows))))
        write_json(folder / DIAGNOSIS, {"cases": [asdict(case) for case in cases]})
        write_json(folder / REPORT, document)
    except OSError as error:
        raise BadInput(f"{folder}: the report cannot be written ({error.strerror}); make room or set rights") from error
    return document


def _difference(ours: Evaluation, other: Evaluation) -> dict[str, Any] | None:
    for name in ("data.hash", "questions"):
        if _at(ours.header, name) != _at(other.header, name):
            raise BadInput(f"the baseline was run on other questions ({name} differs); run both on the same data")
    if not _scored(ours.results) & _scored(other.results):
        return None
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    blind = ours.reads_only or other.reads_only
    differences = compare(ours.results, other.results)
    return {name: nothing if blind and name in ABOUT_ANSWERS else item for name, item in differences.items()}


def _at(header: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - JSON
    value: Any = header
    for part in name.split("."):
        value = value[part]
    return value


def _scored(results: Sequence[Score | Crash]) -> set[str]:
    return {item.id for item in results if isinstance(item, Score)}
