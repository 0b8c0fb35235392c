"""`hopstop demo`: the main thing, seen in seconds, without a model, a key or a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import json_option, print_json

if TYPE_CHECKING:
    from rich.console import Console

    from hopstop.eval.tracking import Tracked
    from hopstop.optimize.demonstration import Demo
    from hopstop.program.records import Outcome

_MEASURES = (
    "all_support", "passages_mean", "answered", "em", "proven", "wrong_stop", "abstain_right", "citations_verified",
    "ms_p50",
)  # fmt: skip
_NONE_TRACED = "With this seed there is no question of three dependent searches; try another --seed."
_NONE_REFUSED = "With this seed every question without an answer was answered; try another --seed."


@click.command("demo", short_help="See one search and the loop side by side.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    show_default=True,
    metavar="DIR",
    help="Folder for the corpus, its index and the results.",
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Another seed, another company.")
@json_option
def command(out: Path, seed: int, *, as_json: bool) -> None:
    """See one search and the loop side by side on a made company corpus.

    \b
    Example:
      hopstop demo --seed 7
    """
    if not as_json:
        click.echo(
            "A made company corpus (incidents, fixes, reviewers, suppliers, contracts) is indexed,\n"
            "and its questions are asked twice: with one search, and with the loop, each reading\n"
            "at most 10 passages. No model is used.\n"
        )
    from hopstop.optimize.demonstration import EVALUATION, make_demo
    from hopstop.optimize.evaluation import track

    demo = make_demo(out, seed)
    if not demo.report["metrics"]["n"]:
        raise click.ClickException(f"every question crashed; see {demo.report['report']}")
    if as_json:
        print_json(_document(demo, track(out / EVALUATION)))
        return
    from hopstop.optimize.show import stdout

    console = stdout()
    _show(console, demo)
    _next(console, demo, track(out / EVALUATION))


def _show(console: Console, demo: Demo) -> None:
    from hopstop.optimize.show import answer, trace
    from hopstop.optimize.tables import by_hops, comparison

    console.print(comparison(demo.report, _MEASURES), "", by_hops(demo.by_hops), sep="\n")
    _title(console, "A question that needs three searches, each built on what the last one found", demo.traced)
    if demo.traced is None:
        console.print(_NONE_TRACED)
    else:
        console.print(trace(demo.traced), answer(demo.traced), sep="")
    _title(console, "A question that the corpus does not answer", demo.refused)
    console.print(_NONE_REFUSED if demo.refused is None else answer(demo.refused))


def _title(console: Console, title: str, outcome: Outcome | None) -> None:
    console.print()
    console.rule(title, align="left", style="dim")
    if outcome is not None:
        console.print(f"{outcome.question}\n", style="bold")


def _next(console: Console, demo: Demo, sent: Tracked) -> None:
    from hopstop.optimize.show import typed

    console.print()
    console.rule("Next", align="left", style="dim")
    hopstop, question = typed("hopstop"), "..." if demo.traced is None else demo.traced.question
    lines = (
        ("see the runs", sent.message.replace("mlflow ui", f"{typed('mlflow')} ui")),
        ("read the report", demo.report["report"]),
        ("ask on", f'{hopstop} ask "{question}" --index {demo.folder / "index"} --trace'),
        ("your own notes", f"{hopstop} index FOLDER --out notes.index"),
        ("", f'{hopstop} ask "..." --index notes.index'),
    )
    for name, line in lines:
        console.print(f"{name:<16} {line}", soft_wrap=True)


def _document(demo: Demo, sent: Tracked) -> dict[str, Any]:
    from hopstop.optimize.show import document

    return {
        "folder": str(demo.folder),
        "seed": demo.seed,
        "evaluation": demo.report,
        "by_hops": demo.by_hops,
        "traced": None if demo.traced is None else document(demo.traced),
        "refused": None if demo.refused is None else document(demo.refused),
        "tracking": {"run_id": sent.run_id, "message": sent.message},
    }
