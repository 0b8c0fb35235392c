from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console, RenderableType

from fakes import ALIEN, SCOTT
from hopstop.optimize import show
from hopstop.optimize.tables import MEASURES, by_hops, comparison, stop_reasons
from hopstop.program.records import Fact, Outcome, Passage, Query, Quote, Round, StopReason, Usage

LONG = "a very long need that goes on and on, naming the incident, its fix, its reviewer and the team of the reviewer"


def shown(item: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, markup=False, emoji=False)
    console.print(item)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def quote(passage: Passage, text: str) -> Quote:
    start = passage.text.index(text)
    return Quote(passage.id, text, start, start + len(text))


def outcome(**changes: object) -> Outcome:
    facts = (
        Fact("the director", quote(ALIEN, "directed by Ridley Scott")),
        Fact(LONG, quote(SCOTT, "born in South Shields")),
        Fact("the same town", follows_from=("the director", LONG)),
    )
    rounds = (
        Round(1, (Query("alien", "q"),), hits=("alien",), new=("alien",), stop=True, objections=("open: birth",)),
        Round(2, (Query("scott", "birth", faults=("vague",)), Query("ridley", "name")), new=("scott",), stop=True),
    )
    usual = Outcome(
        "q", StopReason.ANSWERED, "South Shields", facts, "South Shields", (ALIEN, SCOTT), rounds, policy="offline"
    )
    return replace(usual, **changes)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("reason", StopReason)
def test_every_end_fits_the_terminal(width: int, reason: StopReason) -> None:
    item = outcome(reason=reason, answer="South Shields" if reason is StopReason.ANSWERED else None)
    for part in (show.answer(item), show.trace(item)):
        assert max(map(len, shown(part, width).splitlines())) <= width


def test_derived_fact_names_what_it_follows_from() -> None:
    text = " ".join(shown(show.answer(outcome()), 200).split())
    assert f"the same town follows from: the director; {LONG}" in text


def test_reasons_of_a_refused_stop_are_what_is_missing_when_no_fact_is_open() -> None:
    item = outcome(reason=StopReason.ROUND_LIMIT, answer=None)
    assert item.missing == ()
    assert "- open: birth" in shown(show.answer(item))


def test_run_that_found_nothing_says_so() -> None:
    empty = Outcome("q", StopReason.NO_HITS, rounds=(Round(1, (Query("q", "q"),)),))
    assert "no fact of the question could be named" in shown(show.answer(empty))
    assert "nothing found" in shown(show.trace(empty))


def test_note_of_a_failed_call_is_shown() -> None:
    item = outcome(reason=StopReason.LM_ERROR, answer=None, note="The LM call failed: LMTimeoutError.")
    assert "Not answered (LM_ERROR) The LM call failed: LMTimeoutError." in shown(show.answer(item))


def test_trace_tells_a_refused_stop_from_an_accepted_one_and_shows_what_was_sent_back() -> None:
    text = shown(show.trace(outcome()))
    first, second = text.partition("Round 2")[::2]
    assert "STOP, refused" in first
    assert "STOP, accepted" in second
    assert "sent back: vague" in second
    assert second.count("search ") == 2


def test_usage_is_shown_where_a_model_was_called() -> None:
    used = Usage(calls=3, input_tokens=1000, output_tokens=234, cost_usd=0.0123, parse_failures=1)
    text = shown(show.answer(outcome(usage=used)), 120)
    assert "3 calls, 1,234 tokens, 0.0123 USD, 1 unreadable reply" in text
    assert "calls" not in shown(show.answer(outcome()), 120)


def report(**changes: object) -> dict[str, Any]:
    names = dict.fromkeys(MEASURES, 0.5)
    other = {"system": {"policy": "one-pass", "lm": None}, "metrics": {**names, "em": None}}
    difference = {name: {"value": 0.25, "low": -0.5, "high": 0.75, "n": 9} for name in names}
    usual = {
        "system": {"policy": "lm", "lm": "anthropic/some-model-with-a-very-long-name-20990101"},
        "data": {"name": "a-set", "n": 9},
        "metrics": {**names, "n": 9, "crashed": 0, "precision": None, "wrong_stop": 0.0},
        "by_stop_reason": {"NO_NEW_PASSAGES": {"n": 9, "share": 1.0, "em": None, "passages_mean": 1234.5}},
        "baseline": {**other, "metrics": {**other["metrics"], "precision": None}},
        "difference": {**difference, "em": {"value": None, "low": None, "high": None, "n": 0}},
    }
    return {**usual, **changes}


@pytest.mark.parametrize("width", [80, 120])
def test_tables_fit_the_terminal(width: int) -> None:
    for table in (comparison(report()), stop_reasons(report()), by_hops({3: {"n": 4, "loop": 0.5, "one_pass": 0}})):
        lines = shown(table, width).splitlines()
        assert max(map(len, lines)) <= width
        assert "…" not in "".join(lines)


def test_what_was_not_measured_is_no_zero() -> None:
    text = shown(comparison(report()))
    rows = {line.split("│")[1].strip(): line.split("│")[2:] for line in text.splitlines() if "│" in line}
    assert [cell.strip() for cell in rows["right, exact match"]][:3] == ["50.0 %", "-", "-"]
    assert rows["answered wrongly"][0].strip() == "0.0 %"
    assert "right when answered" not in rows


def test_difference_is_signed_with_its_interval() -> None:
    assert "+25.0 [-50.0, +75.0]" in shown(comparison(report()))


def test_without_a_baseline_there_is_one_column_of_figures() -> None:
    text = shown(comparison(report(baseline=None, difference=None)))
    assert "one-pass" not in text
    assert "difference" not in text


@pytest.mark.parametrize(
    ("called", "on_path", "written"),
    [
        (".venv/bin/hopstop", None, ".venv/bin/mlflow"),
        (".venv/bin/hopstop", "somewhere/mlflow", "mlflow"),
        ("bin/pytest", None, "mlflow"),
    ],
)
def test_next_command_is_one_that_the_shell_finds(
    called: str, on_path: str | None, written: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [called])
    monkeypatch.setattr("shutil.which", lambda name: on_path)
    assert show.typed("mlflow") == written
