from __future__ import annotations

import json
from pathlib import Path

import pytest

from compiled import compiled, walking
from fakes import FILMS
from hopstop.program import BM25Index, Limits, Training, describe, diff, save
from hopstop.program.errors import ArtifactMismatch


def test_a_description_holds_prompts_limits_and_what_it_was_made_from(tmp_path: Path) -> None:
    folder = save(
        compiled(), tmp_path, name="films", training=Training("films", "ab" * 32, ("q1",)), origin={"recipe": "mipro"}
    )
    found = describe(folder)
    assert found.prompts["decider"].instruction.startswith("Answer.")
    assert found.prompts["rewriter"].fields["query"] == "Two words"
    assert [len(prompt.examples) for prompt in found.prompts.values()] == [1, 0, 1]
    for shown in ("films v001", "scripted/test", "abababababab", "recipe: mipro", "max_rounds: 3", "Indented", "P1.1"):
        assert shown in found.text()
    assert json.loads(json.dumps(found.to_json()))["manifest"]["limits"]["max_rounds"] == 3


def test_the_page_in_the_folder_says_what_the_description_says(tmp_path: Path) -> None:
    folder = save(compiled(), tmp_path, name="films")
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert describe(folder).text().strip() in page
    assert 'load("films/v001", retriever=index, lm=dspy.LM(...))' in page


def test_a_state_of_another_form_is_not_described(tmp_path: Path) -> None:
    program = walking(BM25Index.build(FILMS))
    folder = save(program, tmp_path, name="films")
    manifest = json.loads((folder / "manifest.json").read_bytes())
    manifest["predictors"] = {"decider": {"inputs": [], "outputs": []}}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(ArtifactMismatch, match=r"films.v001: state of predictor 'decider'"):
        describe(folder)


def test_a_diff_names_what_changed_and_nothing_else(tmp_path: Path) -> None:
    program = compiled()
    before = save(program, tmp_path, name="films", scores={"f1": 0.5, "em": 0.4})
    decider = program.policy.decider
    decider.signature = decider.signature.with_instructions("Answer.\n  Shortly.").with_updated_fields(
        "draft", desc="Your draft"
    )
    program.policy.rewriter.demos.append({"missing": "y", "query": "z"})
    program.policy.decider.demos = []
    program.limits = Limits(first_k=2, max_rounds=3, min_sufficiency=0.5, stop_by="evidence", max_cost_usd=0.25)  # type: ignore[arg-type]
    after = save(program, tmp_path, name="films", scores={"f1": 0.6, "em": 0.4})
    changes = diff(before, after)
    assert (changes.before, changes.after) == ("films v001", "films v002")
    assert changes.limits == {"first_k": (1, 2)}
    assert changes.scores == {"f1": (0.5, 0.6)}
    assert (changes.about, changes.predictors, changes.weights) == ({}, {}, {})
    assert changes.instructions.keys() == {"decider", "decider.draft"}
    assert [(name, len(item.removed), len(item.added)) for name, item in changes.examples.items()] == [
        ("decider", 1, 0),
        ("rewriter", 0, 1),
    ]
    for shown in ("f1: 0.5 -> 0.6", "first_k: 1 -> 2", "-Indented", "+Shortly.", "+Your draft", "'query': 'z'"):
        assert shown in changes.text()
    assert json.loads(json.dumps(changes.to_json()))["limits"] == {"first_k": [1, 2]}


def test_examples_in_another_order_are_a_change(tmp_path: Path) -> None:
    program = compiled()
    demos = program.policy.rewriter.demos = [{"query": "a"}, {"query": "b"}]
    before = save(program, tmp_path, name="films")
    program.policy.rewriter.demos = demos[::-1]
    changes = diff(before, save(program, tmp_path, name="films"))
    assert changes.examples["rewriter"].reordered
    assert "0 removed, 0 added, others in another order" in changes.text()


def test_two_of_the_same_do_not_differ(tmp_path: Path) -> None:
    changes = diff(save(compiled(), tmp_path, name="films"), save(compiled(), tmp_path, name="films"))
    assert not changes
    assert changes.text() == "films v001 -> films v002\nnothing differs\n"


def test_an_offline_and_an_lm_program_can_be_compared(tmp_path: Path) -> None:
    offline = save(walking(BM25Index.build(FILMS)), tmp_path, name="offline")
    changes = diff(offline, save(compiled(), tmp_path, name="films"))
    assert changes.about["policy"] == ("offline", "lm")
    assert all(new is None for _, new in changes.weights.values())
    assert changes.predictors.keys() == {"decider", "pruner", "rewriter"}
    assert "weights" in describe(offline).text()
