"""How a compile looks in a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table
from rich.text import Text


def compile_table(report: Mapping[str, Any]) -> Table:
    """Each measure on dev before and after, with the interval of the difference.

    Args:
        report: See `compiling.document`.
    """
    table = Table(
        title=Text(f"recipe {report['recipe']['name']}, dev labels"), title_justify="left", title_style="bold"
    )
    for head in ("predictor", "measure"):
        table.add_column(head, no_wrap=True)
    for head in ("before", "after", "difference [95 %]", "n"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, scores in report["scores"].items():
        for number, (measure, change) in enumerate(scores.get("dev", {}).items()):
            head = (name, "" if scores["kept"] else "(not kept)")[number] if number < 2 else ""
            table.add_row(head, measure, *_cells(change))
    if joint := report["scores"].get("joint"):
        before, chosen = (f"{joint[key]:.3f}" for key in ("before", "chosen"))
        table.add_row("joint", "proven minus cost", before, chosen, "-", str(joint["n"]))
    return table


def _cells(change: Mapping[str, Any]) -> tuple[str, ...]:
    difference = f"{change['difference']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}]"
    return f"{change['before']:.3f}", f"{change['after']:.3f}", difference, str(change["n"])
