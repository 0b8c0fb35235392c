"""`hopstop ablate`: what each part of the program brings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import Choice, json_option, policy_options, print_json

if TYPE_CHECKING:
    from hopstop.eval.system import System
    from hopstop.optimize.ablate import Told
    from hopstop.optimize.material import Material
    from hopstop.program.bm25 import BM25Index
    from hopstop.program.loop import IterativeQA

_FILE, _WHOLE = click.Path(path_type=Path), click.IntRange(min=1)
HABITS = ("early", "hiding", "concluding", "guessing", "merging", "vague", "look-alike", "queries")
"""Values of careless.Habit, whose import would be too slow for --help."""


@click.command("ablate", short_help="What each part of the program brings.")
@click.argument("questions", nargs=-1, type=_FILE)
@click.option(
    "--corpus", "corpora", multiple=True, metavar="FILE", type=_FILE, help="The passages; one for each QUESTIONS."
)
@click.option("--index", "indexes", multiple=True, metavar="INDEX", type=_FILE, help="The same, made by hopstop index.")
@click.option("--desk", is_flag=True, help="Also on the made company corpus, which has look-alikes.")
@click.option("--contexts", is_flag=True, help="Each question reads its own context_ids only, for contrast sets.")
@policy_options
@click.option(
    "--careless",
    type=click.Choice(HABITS),
    metavar="HABIT",
    help="Put a habit of careless models on the offline policy, to show what code refuses; its checks are the parts.",
)
@click.option("--part", "names", multiple=True, metavar="NAME", help="Only this part; again for more.")
@click.option(
    "--limit", type=_WHOLE, metavar="N", help="Only N questions of each set, drawn by lot; the same each time."
)
@click.option(
    "--refit",
    is_flag=True,
    help="Learn the weights of the walk anew without the part, on the half of the questions that is not measured.",
)
@click.option("--threads", type=_WHOLE, default=1, show_default=True, metavar="N", help="Questions in work at once.")
@click.option("--out", type=_FILE, metavar="DIR", help="Folder for results; by default below runs/.")
@click.option("--fresh", is_flag=True, help="Start again instead of going on where an earlier run left off.")
@json_option
def command(choice: Choice, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - the options above
    """Turn off each part of the program in turn, on the same labelled QUESTIONS, and tell what it brings.

    What is shown is the whole program minus the program without the part, with a paired bootstrap interval. Without
    --refit the other weights of the walk stay as they were learned together with the part: they cannot make up for
    it, so that it seems to bring more than it would.

    The offline policy is careful: its runs give guards nothing to refuse. HABIT of --careless is one of: early (says
    STOP as soon as it has a draft and a quote), hiding (the same, not listing what is open), concluding (the same,
    calling it a conclusion), guessing (answers what it does not quote), merging (joins two names), vague (answers with
    a kind), look-alike (takes one for what is asked for), queries (writes faulty ones).

    \b
    Examples:
      hopstop ablate --desk
      hopstop ablate a.jsonl b.jsonl --corpus a-corpus.jsonl --corpus b-corpus.jsonl --limit 100
      hopstop ablate dev.jsonl --index my.index --part "new words" --part links --refit
      hopstop ablate --desk --careless early
    """
    passages = given["corpora"] or given["indexes"]
    if given["corpora"] and given["indexes"]:
        raise click.UsageError("give --corpus or --index, not both")
    if passages and len(passages) != len(given["questions"]):
        raise click.UsageError(
            f"{len(given['questions'])} files of questions and {len(passages)} of passages: give one for each, in the "
            "same order"
        )
    if not given["questions"] and not given["desk"]:
        raise click.UsageError("name a file of questions, or --desk")
    if given["careless"] and (given["refit"] or choice.policy != "offline"):
        raise click.UsageError("--careless plays with the offline policy as it is; leave --refit and models out")
    _ablate(choice, given, as_json=as_json)


def _ablate(choice: Choice, given: dict[str, Any], *, as_json: bool) -> None:
    from hopstop.optimize.ablate import Job, ablate, default_folder
    from hopstop.optimize.build import make_program, make_system, resolve
    from hopstop.optimize.careless import Habit, careless
    from hopstop.optimize.parts import CHECKS, choose_parts
    from hopstop.optimize.show import stderr

    habit = given["careless"]
    parts = choose_parts(given["names"] or (CHECKS if habit else ()))
    with stderr().status("reading the questions and their passages"):
        materials = _materials(given)
    choice = resolve(choice)

    def make(index: BM25Index) -> IterativeQA:
        program = make_program(choice, index)
        return careless(program, Habit(habit)) if habit else program

    def describe(program: IterativeQA) -> System:
        system = make_system(choice, program)
        return replace(system, policy=f"{system.policy}, {habit}") if habit else system

    with _bars() as told:
        job = Job(
            materials=materials,
            make=make,
            describe=describe,
            folder=given["out"] or default_folder(describe(make(materials[0].index)), materials, refit=given["refit"]),
            parts=parts,
            told=told,
            **{name: given[name] for name in ("refit", "fresh", "threads")},
        )
        document = ablate(job)
    _print(document, as_json=as_json)


def _materials(given: dict[str, Any]) -> list[Material]:
    from hopstop.optimize.labelled_sets import desk_materials
    from hopstop.optimize.material import Selection, gather, sampled

    files: Sequence[Path] = given["questions"]
    corpora, indexes = (given[name] or (None,) * len(files) for name in ("corpora", "indexes"))
    selection = Selection(contexts=given["contexts"])
    found = [
        gather(file, selection, corpus=corpus, folder=index)
        for file, corpus, index in zip(files, corpora, indexes, strict=True)
    ]
    found += desk_materials(1, 0) if given["desk"] else []
    limit = given["limit"]
    return found if limit is None else [sampled(item, limit, seed=0) for item in found]


@contextmanager
def _bars() -> Iterator[Told]:
    """A progress bar for each set, on stderr."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from hopstop.optimize.show import stderr

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=stderr()) as shown:
        tasks: dict[str, Any] = {}

        def told(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = shown.add_task(name)
            shown.update(tasks[name], completed=done, total=total)

        yield told


def _print(document: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(document)
        return
    from hopstop.optimize.ablation_tables import table
    from hopstop.optimize.show import stdout

    console = stdout()
    for name in document["sets"]:
        console.print(table(document, name, console.width), "", sep="\n")
    idle = [part for part, sets in document["earns"].items() if not sets]
    console.print(f"Less than half a point on every set and measure: {', '.join(idle) or 'none'}", soft_wrap=True)
    if document["absent"]:
        console.print(f"Not in this program: {', '.join(document['absent'])}", soft_wrap=True)
    console.print(f"Report: {document['report']}", soft_wrap=True)
