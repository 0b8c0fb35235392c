"""How an ablation looks: a Markdown page, and a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

Values = Mapping[str, Any]

MEASURES: Mapping[str, str] = {
    "all_support": "all gold",
    "recall_at_5": "recall@5",
    "em": "EM",
    "proven": "proven",
    "wrong_stop": "wrong stop",
    "early_stop": "early stop",
    "passages_mean": "passages",
    "rounds_mean": "rounds",
    "tokens_mean": "tokens",
}
"""Measure -> head of its column."""

NARROW = ("all_support", "em", "wrong_stop", "passages_mean")  # what a terminal of 80 characters has room for
_PART, _CELL = 26, 14  # characters of the first column, and of any other, borders included

COUNTS = frozenset({"passages_mean", "rounds_mean", "tokens_mean"})
_UNKNOWN = "-"


def as_markdown(document: Values) -> str:
    """The page for a document of `ablate`: for each set one row a part, without it and what it brings."""
    how = (
        "learned anew for each part, on the half of the questions that is not measured"
        if document["refit"]
        else "not learned anew: what stands in for a part is only what the other weights make of it"
    )
    parts = [
        "# Ablation",
        "Each cell: the measure without the part, then the whole program minus that, with its paired 95 % bootstrap "
        f"interval. Shares in per cent. Weights of the walk are {how}.",
    ]
    for name, values in document["sets"].items():
        parts += [f"## {name}, {values['n']} questions", _grid(document, name)]
    parts += ["## What the parts do", "\n".join(f"- {part}: {what}" for part, what in _meanings(document).items())]
    if document["absent"]:
        parts.append(f"Not in this program: {', '.join(document['absent'])}.")
    idle = [part for part, sets in document["earns"].items() if not sets]
    parts.append(f"Less than half a point on every set and measure: {', '.join(idle) or 'none'}.")
    return "\n\n".join(parts) + "\n"


def table(document: Values, name: str, width: int) -> Table:
    """What each part brings on one set: the difference and its interval; the first row is the whole program.

    Args:
        document: See `ablate`.
        name: Of the set.
        width: Characters of the terminal; a narrow one shows the measures of `NARROW` only.
    """
    rows = [row for row in document["parts"] if row["set"] == name]
    values = document["sets"][name]
    shown = [measure for measure in MEASURES if measure != "tokens_mean" or values["metrics"][measure]]
    if width < _PART + _CELL * len(shown):
        shown = list(NARROW)
    grid = Table(title=Text(f"{name}, {values['n']} questions: what each part brings"), title_justify="left")
    grid.add_column("part", no_wrap=True)
    for measure in shown:
        grid.add_column(MEASURES[measure], justify="right", no_wrap=True)
    grid.add_row("whole program", *(_value(values["metrics"][measure], measure) for measure in shown), end_section=True)
    for row in rows:
        grid.add_row(
            Text(row["part"]), *(Text(_difference(row["difference"][item], item, between="\n")) for item in shown)
        )
    return grid


def _grid(document: Values, name: str) -> str:
    whole = document["sets"][name]["metrics"]
    lines = [["part", *MEASURES.values()], ["---", *("---:" for _ in MEASURES)]]
    lines.append(["whole program", *(_value(whole[measure], measure) for measure in MEASURES)])
    for row in document["parts"]:
        if row["set"] == name:
            cells = [
                f"{_value(row['metrics'][measure], measure)} {_difference(row['difference'][measure], measure)}"
                for measure in MEASURES
            ]
            lines.append([row["part"], *cells])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _meanings(document: Values) -> dict[str, str]:
    return {row["part"]: row["what"] for row in document["parts"]}


def _value(value: float | None, measure: str) -> str:
    if value is None:
        return _UNKNOWN
    return f"{value:,.1f}" if measure in COUNTS else f"{value * 100:.1f}"


def _difference(parts: Values, measure: str, between: str = " ") -> str:
    if parts["value"] is None:
        return _UNKNOWN
    value, low, high = (parts[end] * (1 if measure in COUNTS else 100) for end in ("value", "low", "high"))
    if not (value or low or high):
        return "0"
    return f"{value:+.1f}{between}[{low:+.1f}, {high:+.1f}]"
