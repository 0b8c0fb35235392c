"""`hopstop ask`: one question, its answer with proof, or what is missing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.advice import advice
from hopstop.optimize.options import Choice, json_option, policy_options, print_json, trace_option

if TYPE_CHECKING:
    from hopstop.program.records import Outcome

INTERRUPTED = 130  # 128 + SIGINT


def _groups(_context: click.Context, _option: click.Parameter, value: str | None) -> frozenset[str]:
    return frozenset(name for part in (value or "").split(",") if (name := part.strip()))


@click.command("ask", short_help="Get an answer with proof, or what is missing.")
@click.argument("question")
@click.option(
    "--index", "folder", required=True, metavar="INDEX", type=click.Path(path_type=Path), help="Made by hopstop index."
)
@click.option("--groups", metavar="A,B", callback=_groups, help="Your groups; without them you read what everyone may.")
@policy_options
@click.option("--trace", is_flag=True, help="Show every round: searches, passages, decision, quotes.")
@trace_option
@json_option
def command(
    question: str,
    folder: Path,
    groups: frozenset[str],
    choice: Choice,
    *,
    trace: bool,
    trace_to: str | None,
    as_json: bool,
) -> None:
    """Ask QUESTION and get an answer with a quote for every fact, or what is missing.

    A question without a proven answer is no error: the exit code is 0, and you see what was found.
    It is 1 where the model or the search failed.

    \b
    Examples:
      hopstop ask "Who reviewed the fix of incident 4471?" --index desk.index --trace
      hopstop ask "Who owns the service that failed?" --index desk.index --groups finance,legal
      hopstop ask "..." --index desk.index --lm openai/local --api-base http://localhost:8000/v1
    """
    from hopstop.program.bm25 import BM25Index

    index = BM25Index.load(folder)
    from hopstop.optimize.build import make_program, resolve  # seconds; what is wrong with the index is told before
    from hopstop.optimize.show import stderr
    from hopstop.optimize.tracing import traced
    from hopstop.program.run import check_question

    check_question(question)
    program = make_program(resolve(choice), index)
    with traced(program, trace_to), _ctrl_c() as cancel, stderr().status("searching"):
        outcome = program(question, groups=groups, cancel=cancel)
    _print(outcome, trace=trace, as_json=as_json)
    if cancel.is_set():
        click.get_current_context().exit(INTERRUPTED)
    if outcome.reason in ("LM_ERROR", "SEARCH_ERROR"):
        click.get_current_context().exit(1)


def _print(outcome: Outcome, *, trace: bool, as_json: bool) -> None:
    from hopstop.optimize import show

    if as_json:
        print_json(show.document(outcome))
    else:
        console = show.stdout()
        if trace:
            console.print(show.trace(outcome))
        console.print(show.answer(outcome))
    if outcome.reason == "LM_ERROR":
        click.echo(advice(outcome.note), err=True)


@contextmanager
def _ctrl_c() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second one interrupts."""
    cancel = threading.Event()

    def ask_to_end(_signal: int, _frame: Any) -> None:  # noqa: ANN401
        if cancel.is_set():
            raise KeyboardInterrupt("stopped; ask again to start anew")
        cancel.set()
        click.echo("\nending before the next search or call of the model; Ctrl-C again to end at once", err=True)

    before = signal.signal(signal.SIGINT, ask_to_end)
    try:
        yield cancel
    finally:
        signal.signal(signal.SIGINT, before)
