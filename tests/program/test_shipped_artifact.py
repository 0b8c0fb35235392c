from __future__ import annotations

from pathlib import Path

from hopstop.program import BM25Index, OfflinePolicy, Passage, StopReason, load

SHIPPED = Path(__file__).parents[2] / "artifacts" / "offline" / "v001"
INDEX = BM25Index.build(
    [
        Passage("note", "The fix of incident 4471 shipped as CHG-9424.", "Closing note, incident 4471"),
        Passage("change", "Selma Arslan reviewed CHG-9424.", "Change CHG-9424"),
    ]
)


def test_the_shipped_offline_program_loads_and_answers() -> None:
    outcome = load(SHIPPED, retriever=INDEX)("Who reviewed the fix of incident 4471?")
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "Selma Arslan")


def test_the_shipped_offline_program_has_the_weights_and_limits_of_the_package() -> None:
    shipped, default = load(SHIPPED, retriever=INDEX), OfflinePolicy(INDEX)
    assert shipped.policy.state() == default.state()
    assert shipped.limits == default.limits
