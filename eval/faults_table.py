"""What becomes of a question when the service fails: `python -m hopstop.eval.faults_table`.

Real HTTP on this machine, the official SDK against it; each fault hits the second decision of a question that takes
two searches, once with threads and once on an event loop.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

import click

from hopstop.eval.faults import FAULTS, Course, run, silence

HEAD = ("fault", "end", "note", "s", "requests", "tokens", "unreadable", "found before", "left behind")


def row(courses: Sequence[Course]) -> list[str]:
    """The cells of one fault: of its course with threads and the one on an event loop, one figure if they agree."""
    return [courses[0].fault.name, *(_both(cells) for cells in zip(*map(_cells, courses), strict=True))]


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """A table."""
    lines = [HEAD, ["---"] * len(HEAD), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _cells(course: Course) -> list[str]:
    outcome = course.outcome
    usage = outcome.usage
    note = outcome.note.removeprefix("The LM call failed: ")
    left = [*course.threads, *["connection"] * course.connections]
    return [
        str(outcome.reason),
        note,
        f"{course.seconds:.1f}",
        str(course.requests),
        str(usage.tokens),
        str(usage.parse_failures),
        "kept" if course.kept else "LOST",
        ", ".join(left) or "nothing",
    ]


def _both(cells: Sequence[str]) -> str:
    return " / ".join(dict.fromkeys(cells))


@click.command()
def main() -> None:
    """Run every fault and print the table as Markdown; "a / b": with threads, and on an event loop."""
    logging.disable(logging.WARNING)  # this process has no other work; what goes wrong is in the table
    faults = (*FAULTS, silence(30, 5))
    click.echo(markdown([row([run(fault), run(fault, asynchronous=True)]) for fault in faults]))


if __name__ == "__main__":
    main()
