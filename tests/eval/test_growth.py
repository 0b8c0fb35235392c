from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk import make_desk
from hopstop.eval.growth import copies, main, names_of, renamed
from hopstop.program.links import build_links
from hopstop.program.records import Passage

ROE = Passage("roe", "In 1901 Ada Roe met Ben Oak. Then Ada Roe left for Łódź.", "Ada Roe", frozenset({"hr"}))
OAK = Passage("oak", "Then Ben Oak met nobody in 1901, and then Łódź was far.", "Ben Oak")


def test_names_and_numbers_are_replaced_everywhere_by_the_same_and_nothing_else_is() -> None:
    names = names_of([ROE, OAK])
    roe, oak = renamed(ROE, names, 1), renamed(OAK, names, 1)
    assert roe.id == "roe~1"
    assert roe.groups == ROE.groups
    assert roe.title in roe.text
    assert oak.title in roe.text
    for word in ("Ada", "Roe", "Ben", "Oak", "1901", "Łódź"):
        assert word not in f"{roe.text} {oak.text}"
    assert roe.text.split()[2:5:2] != ROE.text.split()[2:5:2]
    for place in (0, 4, 7, 10, 11):
        assert roe.text.split()[place] == ROE.text.split()[place]


def test_original_stays_and_copies_differ_from_each_other() -> None:
    found = list(copies([ROE, OAK], 4))
    assert found[:2] == [ROE, OAK]
    assert len({passage.title for passage in found}) == len({passage.id for passage in found}) == 8


@given(st.integers(1, 10_000), st.text(alphabet="abcdefghijklmnopqrstuvwxyz0123456789", min_size=1, max_size=12))
def test_no_name_is_its_own_replacement(copy: int, name: str) -> None:
    assert renamed(Passage("1", name), {name}, copy).text != name


def test_copies_are_linked_within_themselves_only() -> None:
    index = build_links(sorted(copies([ROE, OAK], 2), key=lambda item: item.id))
    assert index.name_df[index.names.number("ben oak")] == 2
    assert len(index.names) == 2 * len(build_links([OAK, ROE]).names)


def test_command_prints_one_row_for_each_size(tmp_path: Path) -> None:
    questions, corpus = write_dataset(make_desk(size=0.1), tmp_path)
    words = [str(corpus), str(questions), "--factors", "1,2", "--limit", "3"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    one, two = json.loads(result.stdout)["growth"]
    assert (one["factor"], two["factor"], two["passages"]) == (1, 2, 2 * one["passages"])
    assert one["index_bytes"] < two["index_bytes"] < 3 * one["index_bytes"]
    assert min(one["build_seconds"], one["save_seconds"], one["load_seconds"], one["ms_p50"]) > 0
    assert one["ms_p50"] <= one["ms_p95"]
    assert 0 < one["corpus_peak_bytes"] <= one["peak_bytes"] <= two["peak_bytes"]


@pytest.mark.parametrize("factors", ["", "0", "1,x", "1;2"])
def test_wrong_factors_are_refused(factors: str) -> None:
    result = CliRunner().invoke(main, ["corpus.jsonl", "questions.jsonl", "--factors", factors])
    assert result.exit_code == 2
    assert "--factors takes whole numbers" in result.output


def test_missing_file_is_named() -> None:
    result = CliRunner().invoke(main, ["nowhere.jsonl", "questions.jsonl"])
    assert result.exit_code == 1
    assert "nowhere.jsonl" in result.output
