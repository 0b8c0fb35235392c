"""What each guard of the judge refuses of right and of wrong STOPs: `python -m hopstop.optimize.refusals QUESTIONS`.

The STOPs are made from labels (see made_stops). A guard that refuses more than 3 % of the right ones is to be
loosened or turned off.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from hopstop.eval.datasets import Question
from hopstop.optimize.ideal import LIMITS
from hopstop.optimize.labelled_sets import desk_materials
from hopstop.optimize.made_stops import KINDS, MadeStop, StopMaker
from hopstop.optimize.material import Material, Selection, gather
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import HopstopError
from hopstop.program.faults import Statistics
from hopstop.program.guards import ALL_OFF, GUARDS, QUERY_GUARDS, Guards
from hopstop.program.judge import judge, quote_contexts
from hopstop.program.latch import latched
from hopstop.program.question_covered import left_out, said_by
from hopstop.program.records import Fact

JUDGED = tuple(name for name in GUARDS if name not in (*QUERY_GUARDS, "ask_again"))
THRESHOLDS, ANY, DEFAULTS = "thresholds", "any", "defaults"
COLUMNS = (THRESHOLDS, *JUDGED, DEFAULTS, ANY)
"""What refuses: the thresholds alone; each guard alone, beyond them; both with the guards that are on; with all."""


@dataclass(slots=True)
class Tally:
    """Counts of one kind of STOP.

    Attributes:
        n: How many.
        refused: Who refuses -> how many; of a guard those that it alone refuses, the thresholds being met.
        examples: Who refuses -> ids of questions.
    """

    n: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Shares in [0, 1]; None where there was none of the kind."""
        return {"n": self.n, **{name: self.refused[name] / self.n if self.n else None for name in COLUMNS}}


def refusals(questions: Iterable[Question], index: BM25Index, guards: Guards | None = None) -> dict[str, Tally]:
    """Judge the STOPs made from questions; kind of STOP -> counts."""
    found = {kind: Tally() for kind in KINDS}
    for question in questions:
        maker = StopMaker.of(question, index)
        for made in maker.make() if maker is not None else ():
            tally = found[made.kind]
            tally.n += 1
            for name in refused_by(made, guards or Guards(), index):
                tally.refused[name] += 1
                tally.examples.setdefault(name, []).append(question.id)
    return found


def refused_by(made: MadeStop, guards: Guards, statistics: Statistics) -> Iterator[str]:
    """Who refuses a STOP, names in `COLUMNS`.

    Args:
        made: The STOP.
        guards: Which are on.
        statistics: Of the index.
    """
    bare = judge(made.state.question, made.decision, (), made.state.reading, LIMITS, guards=ALL_OFF)
    found = set() if bare.accepted else {THRESHOLDS}
    for name in JUDGED if bare.accepted else ():
        alone = Guards(**{guard: guard == name for guard in GUARDS})
        told = judge(made.state.question, made.decision, (), made.state.reading, LIMITS, guards=alone)
        if not told.accepted or (name in IN_THE_RUN and IN_THE_RUN[name](made, bare.facts, statistics)):
            found.add(name)
    if found & {THRESHOLDS, *(name for name in JUDGED if getattr(guards, name))}:
        found.add(DEFAULTS)
    if found:
        found.add(ANY)
    yield from found


def _turned(made: MadeStop, facts: Sequence[Fact], statistics: Statistics) -> bool:
    texts = [f"{passage.title}. {passage.text}" for passage in made.state.reading.passages]
    quotes = quote_contexts(facts, made.state.reading)
    return latched(made.before, made.decision.draft, quotes, texts) is not None


def _leaves_out(made: MadeStop, facts: Sequence[Fact], statistics: Statistics) -> bool:
    state = made.state
    said = said_by(state.question, made.decision, facts, state.reading)
    return bool(left_out(state.question, said, statistics, state.groups))


IN_THE_RUN: Mapping[str, Callable[[MadeStop, Sequence[Fact], Statistics], bool]] = {
    "latch": _turned,
    "question_covered": _leaves_out,
}
"""Guards that need more than the judge knows, earlier drafts or the index, and which the run asks."""


def as_text(name: str, found: Mapping[str, Tally]) -> str:
    """A table for a terminal: a row for each kind of STOP, what part of them who refuses, in per cent."""
    heads = ["STOPs", "n", *(column.replace("_", " ") for column in COLUMNS)]
    rows = [heads]
    for kind, tally in found.items():
        shares = (f"{100 * tally.refused[column] / tally.n:.1f}" if tally.n else "-" for column in COLUMNS)
        rows.append([kind, str(tally.n), *shares])
    widths = [max(len(row[place]) for row in rows) for place in range(len(heads))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([f"{name}: share refused, in per cent", *lines])


def _materials(questions: tuple[Path, ...], indexes: tuple[Path, ...], *, desk: bool) -> Iterator[Material]:
    selection = Selection(kind="answerable")
    for file, folder in zip(questions, indexes, strict=True):
        yield gather(file, selection, corpus=None, folder=folder)
    yield from desk_materials(1, 0) if desk else ()


@click.command()
@click.argument("questions", nargs=-1, type=click.Path(path_type=Path))
@click.option("--index", "indexes", multiple=True, metavar="INDEX", type=click.Path(path_type=Path))
@click.option("--desk", is_flag=True, help="Also on the made company corpus.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only N questions of each set.")
@click.option("--examples", is_flag=True, help="Also ids of right STOPs that were refused.")
@click.option("--json", "as_json", is_flag=True, help="JSON instead of tables.")
def main(questions: tuple[Path, ...], indexes: tuple[Path, ...], **given: Any) -> None:  # noqa: ANN401 - options
    """Judge right and wrong STOPs made from labelled QUESTIONS; one --index for each file."""
    if len(questions) != len(indexes):
        raise click.UsageError("give one --index for each file of questions, in the same order")
    document: dict[str, Any] = {}
    try:
        for material in _materials(questions, indexes, desk=given["desk"]):
            data = material.data if given["limit"] is None else material.data.sample(given["limit"], seed=0)
            found = refusals(data.questions, material.index)
            document[data.name] = {kind: tally.to_json() for kind, tally in found.items()}
            if not given["as_json"]:
                click.echo(as_text(data.name, found) + "\n")
            if given["examples"]:
                click.echo(json.dumps(found["right"].examples), err=True)
    except HopstopError as error:
        raise click.ClickException(str(error)) from error
    if given["as_json"]:
        click.echo(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
