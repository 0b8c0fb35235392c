"""The report of a calibration: one JSON document, one page for people, its tables as CSV, and the curve as a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from hopstop.eval.folder import write_json, write_text
from hopstop.optimize.calibrate import Calibrated
from hopstop.optimize.walk_folds import summed
from hopstop.program.errors import BadInput

DOCUMENT, PAGE, CURVE, SETTINGS, PLOT = (
    "calibration.json", "calibration.md", "curve.csv", "settings.csv", "curve.png",
)  # fmt: skip
_CURVE_MEASURES = ("worth", "all_support", "em", "f1", "answered", "wrong_stop", "passages_mean", "tokens_mean")
_LINES = {"all_support": "all gold passages read", "em": "right, exact match", "wrong_stop": "answered wrongly"}


def document(found: Calibrated) -> dict[str, Any]:
    """The calibration as plain JSON values.

    Returns:
        questions, unit (of cost), limits (before, after, changed, spread over the folds), weights (set -> figures, and
        their mean; or null), before, after, difference, curve.
    """
    before, after = asdict(found.present), asdict(found.program.limits)
    return {
        "questions": found.questions,
        "unit": found.unit,
        "limits": {
            "before": before,
            "after": after,
            "changed": {name: [before[name], after[name]] for name in after if before[name] != after[name]},
            "spread": {name: list(values) for name, values in found.spread.items()},
        },
        "weights": None if found.fitted is None else {**found.fitted.figures, "mean": summed(found.fitted.figures)},
        "before": dict(found.before),
        "after": dict(found.after),
        "difference": {name: dict(part) for name, part in found.difference.items()},
        "curve": [dict(row) for row in found.curve],
    }


def scores(found: Calibrated) -> dict[str, float]:
    """What an artifact keeps of it: cross-validated measures, and those of the walk."""
    named: dict[str, float | None] = {f"cv.{name}": value for name, value in found.after.items()}
    if found.fitted is not None:
        for name, figures in found.fitted.figures.items():
            named |= {f"cv.walk.{name}.{measure}": figures[measure] for measure in ("all_support", "recall_at_5")}
    return {name: round(value, 4) for name, value in named.items() if value is not None}


def write(found: Calibrated, folder: Path) -> dict[str, Any]:
    """Write all files into a folder.

    Returns:
        The document, with the path of the page as `report`.

    Raises:
        BadInput: The folder cannot be written.
    """
    whole = {**document(found), "report": str(folder / PAGE)}
    try:
        write_json(folder / DOCUMENT, whole)
        write_text(folder / PAGE, page(found, whole))
        write_text(folder / CURVE, _csv(found.curve))
        write_text(folder / SETTINGS, _csv([_flat(row) for row in found.settings]))
        plot(found).savefig(folder / PLOT, dpi=120, metadata={"Software": None})
    except OSError as error:
        raise BadInput(f"{folder}: the report cannot be written ({error.strerror}); make room or set rights") from error
    return whole


def plot(found: Calibrated) -> Figure:
    """Accuracy against cost: the calibrated limits under tighter caps as lines, every setting tried as a point."""
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    key = "tokens_mean" if found.unit == "tokens" else "passages_mean"
    for name, label in _LINES.items():
        known = [(row[key], row[name]) for row in found.curve if row[name] is not None]
        left.plot([x for x, _ in known], [y for _, y in known], marker=".", label=label)
    left.set(
        xlabel=f"{found.unit} a question, mean", ylabel="share of questions", title="Under tighter caps", ylim=(0, 1)
    )
    left.legend()
    right.scatter([row["cost"] for row in found.settings], [row["worth"] for row in found.settings], s=8, label="tried")
    for name, values in (("before", found.before), ("after", found.after)):
        right.scatter([values[key]], [values["worth"]], s=60, marker="*", label=name)
    right.set(xlabel=f"{found.unit} a question, mean", ylabel="worth of a question, mean", title="Settings")
    right.legend()
    return figure


def page(found: Calibrated, whole: Mapping[str, Any]) -> str:
    """The page for people."""
    return "\n\n".join(_parts(found, whole)) + "\n"


def _parts(found: Calibrated, whole: Mapping[str, Any]) -> Iterator[str]:
    yield f"# Calibration on {found.questions} questions"
    yield (
        "Worth of a question: 2 F1 - 1 for an answer, -1 for one where there is none, 1 for leaving such a question "
        "unanswered, 0.25 for all gold passages read without an answer. Measures after are cross-validated."
    )
    rows = [[name, found.before[name], found.after[name], *_interval(found, name)] for name in found.after]
    yield _grid(["measure", "before", "after", "difference", "95 % interval"], rows)
    changed = whole["limits"]["changed"]
    yield "## Limits\n\n" + (_grid(["limit", "before", "after"], [[k, *v] for k, v in changed.items()]) or "As before.")
    if found.fitted is not None:
        heads = ["n", "all_support_before", "all_support", "recall_at_5_before", "recall_at_5"]
        yield "## Walk of ten passages, by set\n\n" + _grid(
            ["set", *heads], [[name, *(part[head] for head in heads)] for name, part in found.fitted.figures.items()]
        )
    cap = next(iter(found.curve[0]))
    yield "## Under tighter caps\n\n" + _grid(
        [cap, *_CURVE_MEASURES], [[row[cap], *(row[name] for name in _CURVE_MEASURES)] for row in found.curve]
    )
    yield "## Settings that nothing tried beats\n\n" + _grid(
        [f"{found.unit} a question", "worth", "changed"],
        [[row["cost"], row["worth"], _words(row["changed"])] for row in _front(found.settings)],
    )


def _front(settings: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those with more worth than every cheaper one; the cheapest come first."""
    best = float("-inf")
    for row in settings:
        if row["worth"] > best:
            best = row["worth"]
            yield row


def _interval(found: Calibrated, name: str) -> list[Any]:
    part = found.difference.get(name)
    if part is None:
        return [None, None]
    return [part["value"], f"[{_cell(part['low'])}, {_cell(part['high'])}]"]


def _flat(row: Mapping[str, Any]) -> dict[str, Any]:
    return {"cost": row["cost"], "worth": row["worth"], "changed": _words(row["changed"])}


def _words(changed: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in changed.items()) or "nothing"


def _csv(rows: Sequence[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _grid(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    if not rows:
        return ""
    lines = [head, ["---", *("---:" for _ in head[1:])], *([_cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
