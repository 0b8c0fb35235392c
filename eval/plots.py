"""The plots of an evaluation. Figures are made directly, so that an app's own pyplot state is left alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from hopstop.eval.score import Crash, Score


def draw(by_stop_reason: Mapping[str, Mapping[str, Any]], results: Iterable[Score | Crash], folder: Path) -> list[Path]:
    """Draw share and accuracy by StopReason, and the spread of rounds, passages and tokens, as PNG files.

    Args:
        by_stop_reason: Of the report; StopReason -> share, em, ...
        results: Of the questions. Crashes are left out.
        folder: Where the files go; made if it is not there.

    Returns:
        The files. No plot is made of what was not measured: tokens where no LM was called, nothing without scores.
    """
    scores = [item for item in results if isinstance(item, Score)]
    if not scores:
        return []
    figures = {
        "stop_reasons": _bars(by_stop_reason),
        "rounds": _histogram([item.rounds for item in scores], "Rounds of a question"),
        "passages": _histogram([item.passages for item in scores], "Passages read for a question"),
    }
    if any(item.tokens for item in scores):
        figures["tokens"] = _histogram([item.tokens for item in scores], "Tokens of a question (input and output)")
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.png" for name in figures]
    for figure, path in zip(figures.values(), paths, strict=True):
        figure.savefig(path, dpi=120)
    return paths


def _bars(by_stop_reason: Mapping[str, Mapping[str, Any]]) -> Figure:
    figure, names = Figure(figsize=(7, 4), layout="constrained"), list(by_stop_reason)
    axes = figure.subplots()
    for index, (key, label) in enumerate({"share": "share of questions", "em": "exact match"}.items()):
        known = [(at, parts[key]) for at, parts in enumerate(by_stop_reason.values()) if parts.get(key) is not None]
        axes.bar([at + (index - 0.5) * 0.4 for at, _ in known], [value for _, value in known], width=0.4, label=label)
    axes.set_xticks(range(len(names)), names, rotation=20, ha="right")
    axes.set(ylim=(0, 1), title="How questions ended, and how often the answer was right")
    axes.legend()
    return figure


def _histogram(values: Sequence[int], title: str) -> Figure:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    low, high = min(values), max(values)
    step = max(1, -(-(high - low + 1) // 30))  # at most 30 bars, each of a whole number of values
    axes.hist(values, bins=[edge - 0.5 for edge in range(low, high + step + 1, step)], rwidth=0.9)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    axes.set(title=title, ylabel="questions")
    return figure
