"""`hopstop calibrate`: weights, thresholds and caps from labelled questions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import Choice, json_option, policy_options, print_json, with_options

if TYPE_CHECKING:
    from hopstop.eval.tracking import Tracked
    from hopstop.optimize.calibration import Order
    from hopstop.optimize.walk_folds import Told

_FILE, _WHOLE = click.Path(path_type=Path), click.IntRange(min=1)


def _weights(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> dict[str, float]:
    """What --weight says: set -> how much it counts."""
    found: dict[str, float] = {}
    for item in given:
        name, _, value = item.rpartition("=")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = 0.0
        if not name or not 0 < found[name] < math.inf:
            raise click.BadParameter(f"{item!r} is not NAME=X with a number X above 0, such as desk=0.25")
    return found


def _set_options() -> tuple[Any, ...]:
    return (
        click.option(
            "--corpus", "corpora", multiple=True, metavar="FILE", type=_FILE, help="Passages of a set; once for each."
        ),
        click.option(
            "--index", "indexes", multiple=True, metavar="INDEX", type=_FILE, help="Index of a set; once for each."
        ),
        click.option(
            "--desk", type=click.IntRange(min=0), default=0, metavar="N", help="Add N made company corpora as a set."
        ),
        click.option(
            "--weight",
            "set_weights",
            multiple=True,
            metavar="NAME=X",
            callback=_weights,
            help="A set counts as X others, whatever its size; the made one is named desk.",
        ),
    )


def _search_options() -> tuple[Any, ...]:
    share, positive = click.FloatRange(0, 1), click.FloatRange(min=0, min_open=True)
    return (
        click.option(
            "--weights/--no-weights",
            default=None,
            help="Learn the weights of walk and answers: by default without a model.",
        ),
        click.option("--limits/--no-limits", default=True, show_default=True, help="Choose thresholds and caps."),
        click.option(
            "--cost",
            type=positive,
            metavar="N",
            help="Mean tokens of a question, or passages without a model; by default what it costs now.",
        ),
        click.option(
            "--lowest-coverage",
            type=share,
            default=1.0,
            show_default=True,
            metavar="SHARE",
            help="Below 1 an answer may be given that lacks the quote of a fact.",
        ),
        click.option(
            "--rerun/--no-rerun", default=None, help="Also try what must be run anew: by default without a model."
        ),
        click.option(
            "--folds",
            type=click.IntRange(min=2),
            default=5,
            show_default=True,
            metavar="N",
            help="Of the cross-check.",
        ),
        click.option(
            "--sample", type=_WHOLE, default=150, show_default=True, metavar="N", help="Questions of each set to run."
        ),
        click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of folds, sample and desks."),
    )


def _work_options() -> tuple[Any, ...]:
    return (
        click.option(
            "--threads", type=_WHOLE, metavar="N", help="Questions in work at once: by default 4 with a model, else 1."
        ),
        click.option(
            "--out", type=_FILE, default=Path("artifacts"), show_default=True, metavar="DIR", help="Of all artifacts."
        ),
        click.option("--name", metavar="NAME", help="Of the artifact; by default its start's name, or the policy's."),
        click.option("--runs", type=_FILE, metavar="DIR", help="Folder for record and report; by default below runs/."),
        click.option("--fresh", is_flag=True, help="Start again instead of going on where an earlier one left off."),
        click.option("--track/--no-track", default=True, show_default=True, help="Log to MLflow."),
    )


@click.command("calibrate", short_help="Set weights, thresholds and caps by labels.")
@click.argument("questions", nargs=-1, type=_FILE)
@with_options(_set_options())
@policy_options
@with_options(_search_options())
@with_options(_work_options())
@json_option
def command(choice: Choice, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - the options above
    """Calibrate a program on one or more files of labelled QUESTIONS.

    Without a model the weights of the walk are learned, and those of the answers where new ones are better by more
    than a standard error. Thresholds and the numbers of passages and queries are chosen
    for the best worth at the present cost, and caps are set above what 95 of 100 successful questions needed. What is
    reported is cross-validated. Each file goes with the --corpus or --index at its place. Every set counts the
    same, unless --weight says otherwise. A stopped calibration goes on where it was when you run the same command
    again.

    \b
    Examples:
      hopstop calibrate dev.jsonl --corpus corpus.jsonl --name mine
      hopstop calibrate a.jsonl b.jsonl --index a.index --index b.index --desk 2 --weight desk=0.25
      hopstop calibrate dev.jsonl --index my.index --artifact artifacts/desk/v001
    """
    files = {name: given.pop(name) for name in ("questions", "corpora", "indexes")}
    _check(files)
    track = given.pop("track")
    order = _order(choice, given)
    from hopstop.optimize.calibration import gather_sets, run
    from hopstop.optimize.evaluation import track as send
    from hopstop.optimize.show import stderr

    with stderr().status("reading the questions and their passages"):
        materials = gather_sets(files["questions"], files["corpora"], files["indexes"], order)
    if order.choice.policy == "lm":
        asked = sum(min(order.sample, len(item.data.questions)) for item in materials)
        click.echo(
            f"Note: up to {asked} questions are asked with {order.choice.lm}; what was recorded is not.", err=True
        )
    with _bars() as told:
        document, folder = run(order, materials, told)
    _print(document, send(folder) if track else None, as_json=as_json)


def _check(files: Mapping[str, tuple[Path, ...]]) -> None:
    questions, corpora, indexes = files.values()
    if corpora and indexes:
        raise click.UsageError("give --corpus or --index, not both")
    if (corpora or indexes) and len(corpora or indexes) != len(questions):
        raise click.UsageError(
            f"{len(questions)} files of questions and {len(corpora or indexes)} of passages: give one --corpus or "
            "--index for each, in the same order"
        )


def _order(choice: Choice, given: dict[str, Any]) -> Order:
    from hopstop.optimize.build import resolve
    from hopstop.optimize.calibration import Order
    from hopstop.optimize.evaluation import WAITING_THREADS
    from hopstop.program.artifact_folder import check_name, read_version

    choice = resolve(choice)
    start = choice.policy if choice.artifact is None else read_version(choice.artifact).manifest.name
    name = check_name(given.pop("name") or start)
    threads = given.pop("threads") or (WAITING_THREADS if choice.policy == "lm" else 1)
    return Order(choice=choice, name=name, threads=threads, **given)


@contextmanager
def _bars() -> Iterator[Told]:
    """A progress bar for each stage, on stderr."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from hopstop.optimize.show import stderr

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=stderr()) as shown:
        tasks: dict[str, Any] = {}

        def told(stage: str, done: int, total: int) -> None:
            if stage not in tasks or shown.tasks[tasks[stage]].finished:
                tasks[stage] = shown.add_task(stage)
            shown.update(tasks[stage], completed=done, total=total)

        yield told


def _print(document: dict[str, Any], sent: Tracked | None, *, as_json: bool) -> None:
    if as_json:
        print_json(document)
    else:
        from hopstop.optimize.show import stdout
        from hopstop.optimize.tables import calibration

        console = stdout()
        console.print(calibration(document))
        changed = document["limits"]["changed"]
        words = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in changed.items()) or "as before"
        console.print(f"Limits: {words}", f"Artifact: {document['artifact']}", sep="\n", soft_wrap=True)
        console.print(f"Report: {document['report']}", soft_wrap=True)
    if sent is not None:
        click.echo(f"MLflow: {sent.message}", err=as_json or sent.run_id is None)
