"""How a compile looks in a terminal: what it will do, what it has brought, and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from hopstop.optimize.compile import Job, estimate_of
from hopstop.optimize.compiling import counts, seen_before
from hopstop.optimize.show import typed

NOTHING_KEPT = (
    "nothing became better, so the artifact is the program as it was; try another --recipe, --seed or --teacher-lm, or "
    "more questions"
)


def planned(job: Job, work: Path, *, batch: bool) -> Iterator[str]:
    """What will be done and what it costs, line by line.

    Args:
        job: What is compiled.
        work: Folder for replies.
        batch: Whether labels are marked in batches.

    Raises:
        BadInput: The budget does not suffice.
    """
    expected = estimate_of(job)
    for name, sides in counts(job).items():
        learn, choose, measure = (sides[side] for side in ("train", "val", "dev"))
        yield f"{name}: {learn} labels to learn from, {choose} to choose by, {measure} to measure on."
    yield f"At most {expected.calls:,} calls, about {expected.tokens:,} tokens:"
    for model, share in expected.by_model.items():
        price = "" if share.usd is None else f", {share.usd:.2f} USD"
        yield f"  {model}: {share.calls:,} calls ({', '.join(share.work)}), about {share.tokens:,} tokens{price}"
    if batch:
        yield "What goes in batches costs half of that."
    yield f"Replies are kept in {work}."
    if seen := seen_before(job):
        yield (
            f"Note: {seen} of the {len(job.labels.dev_ids)} questions to measure on are among those that the program "
            "was compiled on before; use the --train, --dev and --seed of then."
        )


def compile_table(report: Mapping[str, Any]) -> Table:
    """Each measure on dev before and after, with the interval of the difference.

    Args:
        report: See `compiling.document`.
    """
    table = Table(
        title=Text(f"recipe {report['recipe']['name']}, dev labels"), title_justify="left", title_style="bold"
    )
    for head in ("predictor", "measure"):
        table.add_column(head, no_wrap=True)
    for head in ("before", "after", "difference [95 %]", "n"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, scores in report["scores"].items():
        for number, (measure, change) in enumerate(scores.get("dev", {}).items()):
            head = (name, "" if scores["kept"] else "(not kept)")[number] if number < 2 else ""
            table.add_row(head, measure, *_cells(change))
    if joint := report["scores"].get("joint"):
        before, chosen = (f"{joint[key]:.3f}" for key in ("before", "chosen"))
        table.add_row("joint", "proven minus cost", before, chosen, "-", str(joint["n"]))
    return table


def _cells(change: Mapping[str, Any]) -> tuple[str, ...]:
    difference = f"{change['difference']:+.3f} [{change['low']:+.3f}, {change['high']:+.3f}]"
    return f"{change['before']:.3f}", f"{change['after']:.3f}", difference, str(change["n"])


def cost_of(report: Mapping[str, Any]) -> str:
    """What all replies of the job cost, and what this run has paid."""
    used, paid = (_spent(report["cost"][name]) for name in ("used", "paid"))
    return f"{used}; in this run {paid}."


def _spent(cost: Mapping[str, Any]) -> str:
    price = "" if cost["cost_usd"] is None else f", {cost['cost_usd']:.2f} USD"
    return f"{cost['calls']:,} calls, {cost['tokens']:,} tokens{price}"


def kept(report: Mapping[str, Any]) -> bool:
    """Whether any predictor became better."""
    return any(scores["kept"] for name, scores in report["scores"].items() if name != "joint")


def next_steps(report: Mapping[str, Any], *, corpus: Path | None, index: Path | None) -> tuple[str, ...]:
    """Commands that go on from the artifact, each with what it is for."""
    passages = f" --index {index}" if index else f" --corpus {corpus}" if corpus else ""
    command, artifact = typed("hopstop"), report["artifact"]
    return (
        f"Read the prompts: {command} artifact show {artifact}",
        f"Measure whole answers, on other questions: {command} eval QUESTIONS{passages} --artifact {artifact}",
    )
