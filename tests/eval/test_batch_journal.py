from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.eval.batch_journal import Journal, Reply
from hopstop.eval.batch_service import MOST_REQUESTS, Pace, params_of, parts_of
from hopstop.program.errors import BadInput


def filled(path: Path) -> Journal:
    journal = Journal(path)
    first = journal.sending(["a", "b"])
    journal.made("batch 1", first)
    journal.reply("a", Reply({"content": []}, 0.5))
    second = journal.sending(["c"])
    journal.made("batch 2", second, found=True)
    journal.not_ours("batch 2")
    journal.unsent(second)
    journal.sending(["d"])
    journal.reply("b", Reply(why="expired"))
    journal.ended("batch 1")
    return journal


def state(journal: Journal) -> object:
    return journal.replies, journal.batches, journal.open, journal.unsure, journal.foreign, journal.under_way


def test_a_journal_reads_back_as_it_was_written(tmp_path: Path) -> None:
    journal = filled(tmp_path / "journal")
    assert state(Journal(tmp_path / "journal")) == state(journal)
    assert journal.open == []
    assert [item.ids for item in journal.unsure] == [("d",)]
    assert journal.under_way == {"d"}
    assert journal.replies == {"a": Reply({"content": []}, 0.5), "b": Reply(why="expired")}


@given(cut=st.integers(min_value=0, max_value=700))
def test_a_journal_cut_anywhere_reads_as_a_prefix(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    whole = tmp_path_factory.getbasetemp() / "whole"
    whole.unlink(missing_ok=True)
    filled(whole)
    path = whole.with_name("cut")
    path.write_bytes(whole.read_bytes()[:cut])
    journal = Journal(path)
    assert whole.read_bytes().startswith(path.read_bytes())
    assert path.read_bytes().endswith(b"\n") or not path.read_bytes()
    assert not set(journal.replies) & journal.under_way


@pytest.mark.parametrize("line", ["no JSON", "[]", "{}", '{"batch": "b", "of": 7, "found": false}', '{"other": 1}'])
def test_a_whole_line_of_something_else_is_refused_by_its_number(tmp_path: Path, line: str) -> None:
    (tmp_path / "journal").write_text(f'{{"sending": 1, "ids": [], "at": 0}}\n{line}\n')
    with pytest.raises(BadInput, match=r"journal, line 2: .*--fresh"):
        Journal(tmp_path / "journal")


def test_requests_are_split_where_a_batch_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    many = {str(number): {"max_tokens": 1} for number in range(MOST_REQUESTS + 1)}
    assert [len(part) for part in parts_of(many)] == [MOST_REQUESTS, 1]
    monkeypatch.setattr("hopstop.eval.batch_service.MOST_BYTES", 30)
    assert [list(part) for part in parts_of({"a": {"x": "1" * 12}, "b": {}, "c": {"x": "1" * 12}})] == [
        ["a", "b"],
        ["c"],
    ]
    assert parts_of({}) == []


def test_what_the_sdk_sends_beside_its_arguments_stands_among_the_parameters() -> None:
    assert params_of({"model": "m", "extra_body": {"top_k": 3}}) == {"model": "m", "top_k": 3}


def test_pauses_grow_up_to_the_longest() -> None:
    pace = Pace(first=5.0, longest=60.0)
    pauses = [pace.pause(number) for number in range(1000)]
    assert pauses == sorted(pauses)
    assert (pauses[0], pauses[-1]) == (5.0, 60.0)
