"""The page that tells what each guard earns: `python -m hopstop.optimize.guard_page FOLDER...`.

Each FOLDER is one that `hopstop ablate` has written.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from hopstop.optimize.ablate import BETTER, EARNED, REPORT
from hopstop.optimize.ablation_tables import COUNTS, MEASURES
from hopstop.optimize.careless import HABITS
from hopstop.optimize.guard_findings import QUESTION_COVERED, RIGHT_STOPS
from hopstop.optimize.made_stops import KINDS
from hopstop.optimize.parts import CHECKS, PARTS
from hopstop.optimize.refusals import DEFAULTS, THRESHOLDS
from hopstop.program.errors import BadInput
from hopstop.program.guards import DEFAULT, GUARDS

Values = Mapping[str, Any]

SHOWN = ("wrong_stop", "early_stop", "proven", "all_support", "passages_mean", "rounds_mean")
HEADER = """# What the guards earn

Code has the last word on a STOP and on a query. Here it is turned off, on the same questions, and what it brings is
what is lost without it. The offline policy is careful: it says STOP only where it has derived its answer, and guards
have nothing to refuse. So a habit of careless models is put on top of it (`hopstop ablate --careless HABIT`). The
habits are made up. What they show is which failures code stops and which it cannot, not how often a model fails.

Shares in per cent; in brackets the 95 % interval of a paired bootstrap."""

FOOTER = """## Made by

    hopstop index SET_corpus.jsonl.gz --out SET.index
    hopstop ablate SET_questions.jsonl.gz ... --index SET.index ... --desk --limit 150 \\
        --careless HABIT --part "all guards" --part judge --part "guard NAME" --part "all but NAME" ... \\
        --out guards/HABIT
    hopstop ablate SET_contrast.jsonl.gz ... --index SET.index ... --contexts --limit 150 \\
        --careless HABIT --part "all guards" --part judge --out guards/HABIT-contrast
    python -m hopstop.optimize.refusals SET_questions.jsonl.gz ... --index SET.index ... --desk --limit 150 \\
        --json > stops.json
    python -m hopstop.optimize.guard_page guards/* --refusals stops.json > eval/GUARDS.md

`tests/program/test_failures.py` plays, from scripts, models that latch on to a look-alike, stop early, conclude,
merge, answer with a kind, compare one side, or repeat a query. With the guards on none gives a wrong answer; with
the guard in question off it does, or runs dry where it repeats. There `latch` and `ask_again` earn their place.
`fusion` is a warning and changes no run, so it is off by default."""


def page(documents: Sequence[Values], stops: Values) -> str:
    """The page.

    Args:
        documents: Of `ablate`, each with the parts "judge" and "all guards", or with those of the guards too.
        stops: Of `python -m hopstop.optimize.refusals --json`; may be empty.
    """
    names = [habit for habit in HABITS if any(_habit(item) == habit for item in documents)]
    parts = [
        HEADER,
        "## The habits",
        "\n".join(f"- **{habit}**: {HABITS[habit]}" for habit in names),
        "## Without code's last word, and with it",
        "Left of each arrow a STOP counts because it was said; right of it the thresholds and all guards are on. What "
        "is needed and was never listed leaves nothing that code could refuse but for the words of the question: "
        "that is why *hiding* gets through more often than others.",
        _grid(["habit", "set", "n", *(MEASURES[name] for name in SHOWN)], _loops(documents)),
        "## Each guard",
        "What is lost when one guard alone is off, or some together, where they bring most; beside it the most that "
        "they cost anywhere. Where others refuse the same, none is missed: the last column shows what one brings with "
        "all others off. "
        f"Less than {100 * EARNED:g} points is nothing. Under *queries* a query that is sent back comes again "
        "without a fault, which is the best case.",
        _grid(
            ["guard", "default", "what it does", "turned off under", "brings most", "costs most", "alone"],
            _guards(documents),
        ),
    ]
    if stops:
        parts += [
            "## STOPs made from labels",
            "Share of the STOPs of each kind that the thresholds refuse, and that a guard refuses by itself where they "
            "do not. The aim is to refuse at most 3 % of the right ones.",
            "\n".join(f"- **{kind}**: {what}" for kind, what in KINDS.items()),
            _grid(["set", "kind", "n", "refused by", "by any that is on"], _stops(stops)),
            "## Right STOPs that are refused",
            RIGHT_STOPS,
            "## What a question says of a STOP",
            QUESTION_COVERED,
        ]
    return "\n\n".join([*parts, FOOTER]) + "\n"


def _habit(document: Values) -> str:
    return str(document["policy"]).partition(", ")[2]


def _loops(documents: Sequence[Values]) -> Iterator[list[str]]:
    for document in documents:
        for row in document["parts"]:
            if row["part"] == "judge":
                whole = document["sets"][row["set"]]["metrics"]
                cells = (_change(row, whole, name) for name in SHOWN)
                yield [_habit(document) or "none", row["set"], str(whole["n"]), *cells]


def _change(row: Values, whole: Values, name: str) -> str:
    before, after = row["metrics"][name], whole[name]
    if before is None or after is None:
        return "-"
    if name in COUNTS:
        return f"{before:.1f} → {after:.1f}"
    return f"{100 * before:.1f} → {100 * after:.1f} {_interval(row['difference'][name])}".strip()


def _interval(difference: Values) -> str:
    low, high = (100 * difference[end] for end in ("low", "high"))
    return f"[{low:+.1f}, {high:+.1f}]" if difference["value"] or low or high else ""


def _guards(documents: Sequence[Values]) -> Iterator[list[str]]:
    checks = [part for part in PARTS if part.name in CHECKS and part.name != "judge"]
    for part in checks:
        found = sorted(_differences(documents, part.name))
        name = part.name.removeprefix("guard ")
        yield [
            f"`{name}`" if name in GUARDS else name,
            "off" if name in GUARDS and not getattr(DEFAULT, name) else "on",
            part.what,
            ", ".join(dict.fromkeys(_habit(item) or "none" for item in documents if _has(item, part.name))) or "-",
            *((_told(found[-1]), _told(found[0], sign=-1)) if found else ("-", "-")),
            _told(max(alone)) if (alone := list(_alone(documents, name))) else "-",
        ]


def _told(difference: tuple[float, str], sign: int = 1) -> str:
    return difference[1] if sign * difference[0] >= EARNED - 1e-9 else "nothing"


def _alone(documents: Sequence[Values], name: str) -> Iterator[tuple[float, str]]:
    """What a guard brings by itself, higher is better, and the same in words."""
    for document in documents:
        rows = {(row["part"], row["set"]): row["metrics"] for row in document["parts"]}
        for data in document["sets"]:
            alone, none = rows.get((f"all but {name}", data)), rows.get(("all guards", data))
            if alone is None or none is None:
                continue
            for measure, sign in BETTER.items():
                if alone[measure] is not None:
                    gain = alone[measure] - none[measure]
                    told = f"{MEASURES[measure]} {100 * gain:+.1f} ({_habit(document) or 'no habit'}, {data})"
                    yield sign * gain, told


def _has(document: Values, part: str) -> bool:
    return any(row["part"] == part for row in document["parts"])


def _differences(documents: Sequence[Values], part: str) -> Iterator[tuple[float, str]]:
    """What a part brings, higher is better, and the same in words, for each habit, set and measure."""
    for document in documents:
        for row in document["parts"]:
            for measure, sign in BETTER.items() if row["part"] == part else ():
                difference = row["difference"][measure]
                if difference["value"] is not None:
                    told = f"{MEASURES[measure]} {100 * difference['value']:+.1f} {_interval(difference)}".strip()
                    yield sign * difference["value"], f"{told} ({_habit(document) or 'no habit'}, {row['set']})"


def _stops(stops: Values) -> Iterator[list[str]]:
    for name, kinds in stops.items():
        for kind, values in kinds.items():
            shares = {column: values[column] for column in (THRESHOLDS, *GUARDS) if values.get(column)}
            told = ", ".join(f"{column} {100 * share:.1f}" for column, share in shares.items())
            every = values.get(DEFAULTS)
            yield [name, kind, str(values["n"]), told or "nobody", "-" if every is None else f"{100 * every:.1f}"]


def _grid(heads: Sequence[str], rows: Iterator[list[str]]) -> str:
    lines = [list(heads), ["---"] * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read(file: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"{file}: cannot be read ({error}); run hopstop ablate with --out {file.parent}") from error
    return found


@click.command()
@click.argument("folders", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--refusals", type=click.Path(path_type=Path), help="JSON of python -m hopstop.optimize.refusals.")
def main(folders: tuple[Path, ...], refusals: Path | None) -> None:
    """Print the page for the FOLDERS that hopstop ablate has written, as Markdown."""
    try:
        click.echo(page([_read(folder / REPORT) for folder in folders], _read(refusals) if refusals else {}), nl=False)
    except BadInput as error:
        raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
