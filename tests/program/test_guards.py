from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest

from fakes import FILMS
from hopstop.optimize.parts import GUARD_TEXTS, LONE, PARTS
from hopstop.program import BM25Index, IterativeQA, LMPolicy, OfflinePolicy, describe, diff, load, save
from hopstop.program.errors import ArtifactMismatch, BadInput
from hopstop.program.faults import FaultKind
from hopstop.program.guards import ALL_OFF, ALL_ON, DEFAULT, GUARDS, QUERY_GUARDS, Guards, guards_from

INDEX = BM25Index.build(FILMS)


def test_every_fault_of_a_query_is_a_guard() -> None:
    assert tuple(kind.value for kind in FaultKind) == QUERY_GUARDS
    assert set(QUERY_GUARDS) < set(GUARDS)


def test_each_guard_is_turned_off_alone() -> None:
    for name in GUARDS:
        off = ALL_ON.without(name)
        assert [guard for guard in GUARDS if not getattr(off, guard)] == [name]
        assert [guard for guard in GUARDS if getattr(ALL_ON.only(name), guard)] == [name]


@pytest.mark.parametrize("values", [{"luck": True}, {"latch": 1}, {"latch": None}])
def test_unknown_guards_and_values_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=r"guard (luck|latch)"):
        guards_from(values)


def test_artifact_keeps_the_guards_and_shows_them(tmp_path: Path) -> None:
    policy = OfflinePolicy(INDEX)
    kept = Guards().without("latch", "repeat")
    first = save(IterativeQA(INDEX, policy, guards=kept), tmp_path, name="a")
    second = save(IterativeQA(INDEX, policy), tmp_path, name="a")
    assert load(first, retriever=INDEX).guards == kept
    assert load(second, retriever=INDEX).guards == DEFAULT
    assert "latch: False" in describe(first).text()
    assert diff(first, second).guards == {"latch": (False, True), "repeat": (False, True)}
    assert "latch: False -> True" in diff(first, second).text()


def rewritten(folder: Path, change: object) -> Path:
    manifest = json.loads((folder / "manifest.json").read_bytes())
    change(manifest)  # type: ignore[operator]
    manifest["state_sha256"] = sha256((folder / "state.json").read_bytes()).hexdigest()
    (folder / "manifest.json").write_bytes(json.dumps(manifest).encode())
    return folder


def test_artifact_from_before_there_were_guards_has_the_defaults(tmp_path: Path) -> None:
    folder = save(IterativeQA(INDEX, OfflinePolicy(INDEX), guards=ALL_OFF), tmp_path, name="a")
    assert load(rewritten(folder, lambda manifest: manifest.pop("guards")), retriever=INDEX).guards == DEFAULT


def test_artifact_that_does_not_know_a_guard_has_its_default(tmp_path: Path) -> None:
    folder = save(IterativeQA(INDEX, OfflinePolicy(INDEX), guards=ALL_OFF), tmp_path, name="a")
    found = load(rewritten(folder, lambda manifest: manifest["guards"].pop("latch")), retriever=INDEX).guards
    assert found.latch is DEFAULT.latch
    assert found.repeat is False


def test_artifact_with_a_guard_that_is_unknown_here_is_refused(tmp_path: Path) -> None:
    folder = save(IterativeQA(INDEX, OfflinePolicy(INDEX)), tmp_path, name="a")
    with pytest.raises(ArtifactMismatch, match=r"'guards'.*luck"):
        load(rewritten(folder, lambda manifest: manifest["guards"].update(luck=True)), retriever=INDEX)


def test_every_guard_has_a_part_to_ablate_and_one_turns_off_all() -> None:
    assert set(GUARD_TEXTS) == set(GUARDS)
    parts = {part.name: part for part in PARTS}
    program = IterativeQA(INDEX, LMPolicy(), guards=ALL_ON)
    for name in GUARDS:
        less = parts[f"guard {name}"].off(program)
        assert less is not None
        assert less.guards == ALL_ON.without(name)
    for name, part in zip(GUARDS, LONE, strict=True):
        alone = part.off(program)
        assert alone is not None
        assert alone.guards == Guards(**{guard: guard == name for guard in GUARDS})
    everything = parts["all guards"].off(program)
    assert everything is not None
    assert everything.guards == ALL_OFF


def test_guards_of_queries_are_no_part_of_a_program_that_writes_none() -> None:
    parts = {part.name: part for part in PARTS}
    program = IterativeQA(INDEX, OfflinePolicy(INDEX), guards=ALL_ON)
    assert all(parts[f"guard {name}"].off(program) is None for name in (*QUERY_GUARDS, "ask_again"))
    assert parts["guard near_miss"].off(program) is not None
    assert parts["guard near_miss"].off(IterativeQA(INDEX, OfflinePolicy(INDEX), guards=ALL_OFF)) is None


def test_guards_that_earn_nothing_are_off_unless_asked_for() -> None:
    assert [name for name in GUARDS if not getattr(DEFAULT, name)] == ["fusion"]
    assert ALL_ON.fusion
