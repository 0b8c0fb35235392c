"""`hopstop eval`: measure the loop over labelled questions, side by side with one search."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import (
    Choice,
    budget_options,
    json_option,
    policy_options,
    print_json,
    trace_option,
)

if TYPE_CHECKING:
    from hopstop.eval.tracking import Tracked
    from hopstop.optimize.batching import Batching

_FILE, _WHOLE = click.Path(path_type=Path), click.IntRange(min=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    """The options of the command."""

    questions: Path
    corpus: Path | None
    index: Path | None
    choice: Choice
    baseline: str | None
    limit: int | None
    kind: str
    contexts: bool
    threads: int | None
    out: Path | None
    fresh: bool
    track: bool
    budget_tokens: int | None
    budget_usd: float | None
    trace_to: str | None
    batch: bool
    as_json: bool


@click.command("eval", short_help="Measure on labelled questions.")
@click.argument("questions", type=_FILE)
@click.option("--corpus", metavar="FILE", type=_FILE, help="The passages: JSON lines, text or Markdown.")
@click.option("--index", metavar="INDEX", type=_FILE, help="The passages: made by hopstop index.")
@policy_options
@click.option("--baseline", type=click.Choice(["one-pass"]), help="One search with as many passages, side by side.")
@click.option("--limit", type=_WHOLE, metavar="N", help="Only the first N of the chosen questions.")
@click.option(
    "--questions",
    "kind",
    type=click.Choice(["answerable", "unanswerable", "all"]),
    default="all",
    show_default=True,
    help="Which of the questions.",
)
@click.option("--contexts", is_flag=True, help="Each question reads its own context_ids only, for contrast sets.")
@click.option(
    "--threads",
    type=_WHOLE,
    metavar="N",
    help="Questions in work at once: by default 4 with a model, 1 without, 1,000 with --batch.",
)
@click.option("--out", type=_FILE, metavar="DIR", help="Folder for results; by default below runs/.")
@click.option("--fresh", is_flag=True, help="Start again instead of going on where an earlier run left off.")
@click.option(
    "--batch",
    is_flag=True,
    help="Send the calls of all questions in batches, at half the price; each can take up to a day. Needs --lm "
    "anthropic/...; --max-seconds then bounds only calls that are made live because a batch has failed.",
)
@click.option("--track/--no-track", default=True, show_default=True, help="Log to MLflow.")
@budget_options
@trace_option
@json_option
def command(**given: Any) -> None:  # noqa: ANN401 - the fields of _Given
    """Measure the program on a file of labelled QUESTIONS.

    QUESTIONS is an official file of HotpotQA, 2WikiMultihopQA or MuSiQue, which brings its passages along, or JSON
    lines of ours, with --corpus or --index. A stopped run goes on where it was when you run the same command again.
    With --max-passages N the loop and the baseline read at most N passages; the baseline reads 10 without it.

    \b
    A line of ours; supports are the passages that the answer rests on:
      {"id": "q1", "question": "Who reviewed the fix of incident 4471?", "answers": ["Selma Arslan"],
       "supports": [{"passage_id": "c-1"}, {"passage_id": "c-2"}], "answerable": true, "groups": []}

    \b
    Examples:
      hopstop eval hotpot_dev_distractor_v1.json --baseline one-pass --limit 500
      hopstop eval questions.jsonl --corpus corpus.jsonl.gz --max-passages 10 --baseline one-pass
      hopstop eval questions.jsonl --index desk.index --lm anthropic/claude-sonnet-4-6 --threads 8
    """
    _evaluate(_Given(**given))


def _evaluate(given: _Given) -> None:
    if given.corpus and given.index:
        raise click.UsageError("give --corpus or --index, not both")
    from hopstop.optimize.build import make_program, make_system, resolve
    from hopstop.optimize.evaluation import BASELINE_K, WAITING_THREADS, Work, default_out, run, track
    from hopstop.optimize.material import Selection, gather
    from hopstop.optimize.show import stderr
    from hopstop.optimize.tracing import traced
    from hopstop.program.budget import Budget

    with stderr().status("reading the questions and their passages"):
        selection = Selection(kind=given.kind, limit=given.limit, contexts=given.contexts)
        material = gather(given.questions, selection, corpus=given.corpus, folder=given.index)
    if material.left_out:
        _remark(
            f"{material.left_out} questions were left out: unanswerable only against their own passages (--contexts)"
        )
    choice = resolve(given.choice)
    batching = _batching(choice) if given.batch else None
    program = make_program(choice, material.index, lm_of=batching.lm if batching else None)
    if given.budget_tokens or given.budget_usd:
        program.budget = Budget(max_tokens=given.budget_tokens, max_usd=given.budget_usd)
    system, batch = make_system(choice, program), None
    if batching:
        system, batch = batching.evaluating(program, system, given.threads)
    k = choice.limits.get("max_read", BASELINE_K) if given.baseline else None
    threads = given.threads or (WAITING_THREADS if choice.policy == "lm" else 1)
    out = given.out or default_out(system, material)
    work = Work(out=out, threads=threads, baseline_k=k, fresh=given.fresh, batch=batch, budget=program.budget)
    with traced(program, given.trace_to):
        report = run(system, material, work)
    _print(report, track(work.out) if given.track else None, as_json=given.as_json)
    _tell_of_left(out)
    if not report["metrics"]["n"]:
        raise click.ClickException(f"every question crashed; see {report['report']}")


def _batching(choice: Choice) -> Batching:
    if choice.policy != "lm":
        raise click.UsageError("--batch needs a model: --lm anthropic/...")
    from hopstop.optimize.batching import Batching

    return Batching()


def _print(report: dict[str, Any], sent: Tracked | None, *, as_json: bool) -> None:
    from hopstop.eval.report_text import in_sample
    from hopstop.optimize.show import stdout
    from hopstop.optimize.tables import comparison, stop_reasons

    if as_json:
        print_json(report)
    else:
        console = stdout()
        console.print(comparison(report), "", stop_reasons(report), sep="\n")
        console.print(f"Report: {report['report']}", soft_wrap=True)
    for words in in_sample(report):
        _remark(words)
    if sent is not None:
        click.echo(f"MLflow: {sent.message}", err=as_json or sent.run_id is None)
    if crashed := report["metrics"]["crashed"]:
        _remark(f"{crashed} questions crashed and enter no measure; the same command runs them again")


def _tell_of_left(out: Path) -> None:
    from hopstop.eval.report import load

    cut = sum(row.cut_short for row in load(out).rows if not row.crashed)
    if cut:
        _remark(
            f"{cut} questions were cut short (an error of the model or of the search, or no budget left); the same "
            "command, with a larger budget where that is why, asks them again"
        )


def _remark(text: str) -> None:
    click.echo(f"Note: {text}.", err=True)
