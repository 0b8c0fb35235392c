"""`hopstop gaps`: what was asked and the corpus did not show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hopstop.optimize.options import json_option, print_json

if TYPE_CHECKING:
    from rich.table import Table

    from hopstop.eval.gaps import Group


@click.command("gaps", short_help="What was asked and the corpus did not show.")
@click.argument("reports", nargs=-1, required=True, metavar="REPORT...", type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="Groups shown.")
@json_option
def command(reports: tuple[Path, ...], *, limit: int, as_json: bool) -> None:
    """List the facts that were looked for and not found, those asked for in like words together.

    REPORT is a folder of hopstop eval, or the log of an app: a file of JSON lines with an outcome on each, as
    hopstop.eval.outcomes.outcome_line writes them.

    \b
    Examples:
      hopstop gaps runs/dev-offline-1a2b3c4d
      hopstop gaps outcomes.jsonl --json
    """
    from hopstop.eval import gaps
    from hopstop.optimize.show import stdout

    groups = gaps.grouped(gap for report in reports for gap in gaps.read_gaps(report))
    if as_json:
        print_json(gaps.as_json(groups))
        return
    console = stdout()
    if not groups:
        console.print("no gaps: every question was answered, or ended for another reason")
        return
    console.print(_table(groups[:limit]))
    if len(groups) > limit:
        console.print(f"{len(groups) - limit} more groups (--limit N shows more, --json all)")


def _table(groups: list[Group]) -> Table:
    from rich.table import Table
    from rich.text import Text

    from hopstop.optimize.show import plain

    table = Table("asked for", "gaps", "e.g. missing", "searched", "ended with")
    for group in groups:
        first = group.gaps[0]
        reasons = ", ".join(sorted({gap.reason for gap in group.gaps}))
        said = (" ".join(group.words), str(len(group.gaps)), first.missing, "; ".join(first.queries), reasons)
        table.add_row(*(Text(plain(text)) for text in said))
    return table
