"""The report of an evaluation for people: a Markdown page, and tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from hopstop.eval.diagnose import MEANING, Case, by_cause
from hopstop.eval.score import Crash, Score

EXAMPLES = 5  # ids shown for each cause
_REASON_COLUMNS = ("share", "n", "em", "f1", "proven", "all_support", "passages_mean", "rounds_mean", "tokens_mean")
_UNKNOWN = "–"


def as_markdown(report: Mapping[str, Any], results: Sequence[Score | Crash], cases: Iterable[Case]) -> str:
    """The page for a report, the results that it sums up and their diagnosis."""
    system, data = report["system"], report["data"]
    limits = ", ".join(f"{name} {value}" for name, value in system["limits"].items()) or "none given"
    parts = [
        f"# {_cell(system['policy'])} on {_cell(data['name'])}",
        f"- system: policy {system['policy']}, LM {system['lm'] or 'none'}, version {system['version']}\n"
        f"- limits: {limits}\n"
        f"- data: {data['name']}, {data['n']} questions, {len(results)} with a result, SHA-256 {data['hash']}",
        *in_sample(report),
        "## Measures",
        _grid(*measures(report)),
        "## By StopReason",
        _grid(*stop_reasons(report)),
        *_diagnosis(cases),
        *_crashes(results),
    ]
    return "\n\n".join(parts) + "\n"


def in_sample(report: Mapping[str, Any]) -> list[str]:
    """A warning, or nothing: that the system was compiled on questions that it is measured on."""
    seen = report.get("trained_on")  # reports from before it was told lack it
    if not seen:
        return []
    return [
        f"version {report['system']['version']} was compiled on {seen} of these {report['data']['n']} questions: "
        "its figures are in sample; report those of other questions"
    ]


def measures(report: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of measures; with a baseline side by side with its difference and interval."""
    ours, baseline = report["metrics"], report["baseline"]
    if baseline is None:
        return ["measure", report["system"]["policy"]], [[name, _value(value)] for name, value in ours.items()]
    theirs, differences = baseline["metrics"], report["difference"] or {}
    head = ["measure", report["system"]["policy"], baseline["system"]["policy"], "difference", "95 % interval", "p"]
    rows = [
        [name, _value(value), _value(theirs.get(name)), *_interval(differences.get(name, {}))]
        for name, value in ours.items()
    ]
    return head, rows


def stop_reasons(report: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table by StopReason."""
    parts = report["by_stop_reason"]
    rows = [[name, *(_value(values.get(column)) for column in _REASON_COLUMNS)] for name, values in parts.items()]
    return ["StopReason", *_REASON_COLUMNS], rows


def as_tables(report: Mapping[str, Any]) -> tuple[Table, Table]:
    """Measures and StopReasons as tables for a terminal."""
    data = report["data"]
    first = _rich(*measures(report), title=f"{data['name']}, {data['n']} questions")
    return first, _rich(*stop_reasons(report), title="By StopReason")


def _rich(head: Sequence[str], rows: Iterable[Sequence[str]], *, title: str) -> Table:
    table = Table(title=Text(title))
    for index, name in enumerate(head):
        table.add_column(Text(name), justify="right" if index else "left")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _grid(head: Sequence[str], rows: Iterable[Sequence[str]], *, mark: str = "---:") -> str:
    line = ["---", *(mark for _ in head[1:])]
    return "\n".join("| " + " | ".join(map(_cell, row)) + " |" for row in (head, line, *rows))


def _diagnosis(cases: Iterable[Case]) -> list[str]:
    rows = [
        [cause, MEANING[cause], str(len(found)), ", ".join(case.id for case in found[:EXAMPLES])]
        for cause, found in by_cause(cases).items()
    ]
    return (
        ["## Where the others went wrong", _grid(["cause", "meaning", "n", "for example"], rows, mark="---")]
        if rows
        else []
    )


def _crashes(results: Iterable[Score | Crash]) -> list[str]:
    rows = [[item.id, item.error] for item in results if isinstance(item, Crash)]
    return ["## Crashed (counted apart, never as 0)", _grid(["question", "error"], rows, mark="---")] if rows else []


def _interval(difference: Mapping[str, Any]) -> list[str]:
    if difference.get("value") is None:
        return [_UNKNOWN] * 3
    p = difference.get("p")
    span = f"[{_signed(difference['low'])}, {_signed(difference['high'])}]"
    return [_signed(difference["value"]), span, _UNKNOWN if p is None else f"{p:.2g}"]


def _signed(value: float) -> str:
    return ("+" if value > 0 else "") + _value(value)


def _value(value: float | None) -> str:
    if value is None:
        return _UNKNOWN
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:,.1f}" if abs(value) >= 100 else f"{value:.3f}"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
