"""`hopstop compare`: two versions on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import Choice, json_option, print_json

if TYPE_CHECKING:
    from hopstop.optimize.material import Material

_FILE = click.Path(path_type=Path)
_SHOWN = 10  # ids of questions won and lost


@click.command("compare", short_help="Two versions on the same questions.")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@click.option("--questions", type=_FILE, metavar="FILE", help="Labelled questions, to run compiled programs on.")
@click.option("--corpus", metavar="FILE", type=_FILE, help="The passages: JSON lines, text or Markdown.")
@click.option("--index", metavar="INDEX", type=_FILE, help="The passages: made by hopstop index.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N questions.")
@click.option("--lm", metavar="MODEL", help="Instead of the models that the programs were compiled with.")
@click.option("--api-base", metavar="URL", help="Address of a server of your own.")
@click.option("--max-passages", type=click.IntRange(min=1), metavar="N", help="Passages read for one question.")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Questions in work at once.")
@json_option
def command(before: str, after: str, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - the options above
    """Compare version A with version B on the same questions: what B brings.

    A and B are folders of compiled programs (which are run on --questions, as hopstop eval does it), folders of reports
    of hopstop eval, or ids of runs in MLflow.

    \b
    Examples:
      hopstop compare artifacts/desk/v001 artifacts/desk/v002 --questions dev.jsonl --index desk.index
      hopstop compare runs/dev-offline-1a2b3c4d runs/dev-lm-5e6f7a8b
    """
    if given["corpus"] and given["index"]:
        raise click.UsageError("give --corpus or --index, not both")
    from hopstop.eval.report_text import in_sample
    from hopstop.optimize.comparing import Circumstances, compare_versions

    limits = {"max_read": given["max_passages"]} if given["max_passages"] else {}
    choice = Choice(policy="", lm=given["lm"] or "", api_base=given["api_base"], limits=limits)
    how = Circumstances(choice=choice, material=_material(given), threads=given["threads"])
    compared = compare_versions(before, after, how)
    for side in ("before", "after"):
        for words in in_sample({**compared[side], "data": compared["data"]}):
            click.echo(f"Note: {words}.", err=True)
    if as_json:
        print_json(compared)
    else:
        _print(compared)


def _material(given: Mapping[str, Any]) -> Material | None:
    if given["questions"] is None:
        return None
    from hopstop.optimize.material import Selection, gather
    from hopstop.optimize.show import stderr

    with stderr().status("reading the questions and their passages"):
        return gather(
            given["questions"], Selection(limit=given["limit"]), corpus=given["corpus"], folder=given["index"]
        )


def _print(compared: Mapping[str, Any]) -> None:
    from hopstop.optimize.comparing import as_report
    from hopstop.optimize.show import stdout
    from hopstop.optimize.tables import comparison, stop_reasons

    console, report = stdout(), as_report(compared)
    console.print(comparison(report), "", sep="\n")
    for side in (report["baseline"], report):
        console.print(f"{side['name']}:", stop_reasons(side), "", sep="\n")
    console.print(f"McNemar's p of right answers: {_p(compared['difference']['em'])}")
    for name, words in (("won", "only B right"), ("lost", "only A right")):
        console.print(f"{words}: {_ids(compared[name])}", soft_wrap=True)


def _p(part: Mapping[str, Any]) -> str:
    p = part.get("p")
    return "unknown" if p is None else f"{p:.3g}"


def _ids(found: Sequence[str] | None) -> str:
    if found is None:
        return "unknown: one of them never answers"
    more = f", and {len(found) - _SHOWN} more (--json shows all)" if len(found) > _SHOWN else ""
    return f"{len(found)} questions{': ' if found else ''}{', '.join(found[:_SHOWN])}{more}"
