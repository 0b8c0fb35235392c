"""How an evaluation looks in a terminal. All figures stand in its report; these are the ones to look at first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from rich.table import Table
from rich.text import Text

Values = Mapping[str, Any]
Format = Callable[[float], str]


def _share(value: float) -> str:
    return f"{value * 100:.1f} %"


def _number(value: float) -> str:
    return f"{value:,.2f}" if abs(value) < 100 else f"{value:,.0f}"


MEASURES: Mapping[str, tuple[str, Format]] = {
    "all_support": ("all gold passages read", _share),
    "recall_at_5": ("gold passages in first 5", _share),
    "recall_at_10": ("gold passages in first 10", _share),
    "passages_mean": ("passages read", _number),
    "rounds_mean": ("rounds", _number),
    "answered": ("answered", _share),
    "em": ("right, exact match", _share),
    "f1": ("F1", _share),
    "precision": ("right when answered", _share),
    "proven": ("right with all gold quoted", _share),
    "wrong_stop": ("answered wrongly", _share),
    "early_stop": ("answered, gold not found", _share),
    "false_refusal": ("right STOP refused", _share),
    "abstain_right": ("unanswerable, not answered", _share),
    "citations_verified": ("quotes found word for word", _share),
    "tokens_mean": ("tokens", _number),
    "ms_p50": ("milliseconds, median", _number),
    "ms_p95": ("milliseconds, 95th percentile", _number),
}
"""Name in the report -> words, and how a value is written."""

_UNKNOWN = "-"


def comparison(report: Values, names: Collection[str] = tuple(MEASURES)) -> Table:
    """The measures of a report, with those of its baseline and the paired difference beside them.

    Args:
        report: See `write_report`.
        names: Of `MEASURES`; those that were not measured are left out.
    """
    data, baseline = report["data"], report["baseline"]
    table = Table(title=Text(f"{data['name']}, {data['n']} questions"), title_justify="left", title_style="bold")
    table.add_column("measure", no_wrap=True)
    table.add_column(Text(_name(report)), justify="right", overflow="fold")
    if baseline is not None:
        table.add_column(Text(_name(baseline)), justify="right", overflow="fold")
        table.add_column("difference [95 %]", justify="right", no_wrap=True)
    for name in names:
        words, written = MEASURES[name]
        cells = [report["metrics"].get(name)]
        cells += [] if baseline is None else [baseline["metrics"].get(name)]
        if all(value is None for value in cells) or (name == "tokens_mean" and not any(cells)):
            continue
        row = [_cell(value, written) for value in cells]
        row += [] if baseline is None else [_difference((report["difference"] or {}).get(name), written)]
        table.add_row(words, *row)
    return table


def stop_reasons(report: Values) -> Table:
    """How the questions ended, and how often the answer was right then."""
    table = Table(title=Text("How the questions ended"), title_justify="left", title_style="bold")
    table.add_column("StopReason", no_wrap=True)
    columns: dict[str, Format] = {
        "n": str,
        "share": _share,
        "em": _share,
        "all_support": _share,
        "passages_mean": _number,
    }
    for head in ("questions", "share", "right", "all gold read", "passages"):
        table.add_column(head, justify="right", no_wrap=True)
    for reason, values in report["by_stop_reason"].items():
        table.add_row(reason, *(_cell(values.get(name), written) for name, written in columns.items()))
    return table


def _name(figures: Values) -> str:
    system = figures["system"]
    return str(system["lm"] or system["policy"])


def _cell(value: float | None, written: Format) -> str:
    return _UNKNOWN if value is None else written(value)


def _difference(parts: Values | None, written: Format) -> str:
    if parts is None or parts["value"] is None:
        return _UNKNOWN
    value, low, high = (_signed(parts[end], written).removesuffix(" %") for end in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _signed(value: float, written: Format) -> str:
    return ("+" if value > 0 else "") + written(value)


def by_hops(shares: Mapping[int, Values]) -> Table:
    """Share of questions with all gold passages read, by the number of facts that they need.

    Args:
        shares: Hops -> n, loop, one_pass.
    """
    table = Table(title=Text("All gold passages read, by facts needed"), title_justify="left", title_style="bold")
    for head in ("facts", "questions", "loop", "one-pass"):
        table.add_column(head, justify="right", no_wrap=True)
    for hops, values in shares.items():
        table.add_row(str(hops), str(values["n"]), _share(values["loop"]), _share(values["one_pass"]))
    return table


def calibration(found: Values) -> Table:
    """The measures before and after a calibration, with their paired difference.

    Args:
        found: See `calibration_report.document`.
    """
    data = found["data"]
    title = f"{data['name']}, {found['questions']} of {data['n']} questions, cross-validated"
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    table.add_column("measure", overflow="fold")
    for head in ("before", "after", "difference [95 %]"):
        table.add_column(head, justify="right", no_wrap=True)
    for name, value in found["after"].items():
        words, written = MEASURES.get(name, (name, _number))
        if value is not None and (name != "tokens_mean" or value):
            part = _difference(found["difference"].get(name), written)
            table.add_row(words, _cell(found["before"][name], written), _cell(value, written), part)
    for name, part in (found["weights"] or {}).items():
        if name != "mean":
            before, after = (_share(part[key]) for key in ("all_support_before", "all_support"))
            table.add_row(f"{name.removesuffix('_questions')}: all gold in ten", before, after, _UNKNOWN)
    return table
