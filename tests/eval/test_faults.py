from __future__ import annotations

import pytest

from hopstop.eval.faults import FAULTS, Fault, run
from hopstop.eval.faults_table import HEAD, markdown, row
from hopstop.eval.stand_in import ANSWER
from hopstop.program.records import StopReason

LATE = 0.5  # seconds that a run may take beyond its limit


@pytest.mark.parametrize("asynchronous", [False, True], ids=["threads", "event loop"])
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_every_fault_ends_by_name_in_time_and_leaves_nothing_behind(
    fault: Fault, asynchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if fault.ends is StopReason.ANSWERED:  # how long it waits before another try is not the point
        monkeypatch.setattr("hopstop.program.claude_engine.FIRST_WAIT", 0.05)
    course = run(fault, asynchronous=asynchronous)
    outcome = course.outcome
    assert outcome.reason is fault.ends, outcome.explain()
    assert fault.note in outcome.note
    assert outcome.seconds <= fault.seconds + LATE
    assert course.kept
    assert (course.threads, course.connections) == ((), 0)
    assert (outcome.answer == ANSWER) is (fault.ends is StopReason.ANSWERED)
    assert outcome.usage.billed_tokens == outcome.usage.tokens > 0


def test_table_has_a_row_of_the_same_width_for_a_fault() -> None:
    fault = FAULTS[0]
    lines = markdown([row([run(fault), run(fault, asynchronous=True)])]).splitlines()
    assert len(lines) == 3
    assert {line.count("|") for line in lines} == {len(HEAD) + 1}
    assert lines[2].startswith(f"| {fault.name} | ANSWERED |")
