from __future__ import annotations

import json
from pathlib import Path

import pytest

from hopstop.program import BM25Index, OfflinePolicy, Passage, StopReason, load

SHIPPED = Path(__file__).parents[2] / "artifacts" / "offline"
RELEASED = Path(__file__).parent / "released" / "offline"
INDEX = BM25Index.build(
    [
        Passage("note", "The fix of incident 4471 shipped as CHG-9424.", "Closing note, incident 4471"),
        Passage("change", "Selma Arslan reviewed CHG-9424.", "Change CHG-9424"),
    ]
)


@pytest.mark.parametrize("version", ["v001", "v002", "v003"])
def test_every_released_offline_program_loads_and_answers(version: str) -> None:
    outcome = load(RELEASED / version, retriever=INDEX)("Who reviewed the fix of incident 4471?")
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "Selma Arslan")


@pytest.mark.parametrize("version", ["v001", "v002", "v003"])
def test_a_shipped_version_never_changes(version: str) -> None:
    for name in ("manifest.json", "state.json"):
        assert (SHIPPED / version / name).read_bytes() == (RELEASED / version / name).read_bytes()


def test_the_last_offline_program_has_the_weights_and_limits_of_the_package() -> None:
    shipped, default = load(max(SHIPPED.iterdir()), retriever=INDEX), OfflinePolicy(INDEX)
    assert isinstance(shipped.policy, OfflinePolicy)
    assert shipped.policy.state() == default.state()
    assert shipped.limits == default.limits


def test_the_last_offline_program_says_by_which_command_it_was_made() -> None:
    origin = json.loads((max(SHIPPED.iterdir()) / "manifest.json").read_text(encoding="utf-8"))["origin"]
    assert (origin["name"], origin["desk"], origin["set_weights"]) == ("calibrate", 2, {"desk": 0.25})
