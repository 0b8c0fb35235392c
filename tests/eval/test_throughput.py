from __future__ import annotations

import pytest

from hopstop.eval.throughput import Work, measure, memory


@pytest.mark.parametrize("asynchronous", [False, True], ids=["threads", "event loop"])
def test_waiting_for_the_service_is_shared_by_questions_in_flight(asynchronous: bool) -> None:
    found = measure(Work(questions=6, in_flight=6, latency=0.2, asynchronous=asynchronous))
    one_after_the_other = 6 * found.latency_bound
    assert found.latency_bound == pytest.approx(0.6)
    assert found.latency_bound < found.seconds < one_after_the_other
    assert found.share_of_ideal == pytest.approx(max(found.latency_bound, found.cpu_bound) / found.seconds)
    assert found.cpu_seconds < 2.5 * found.cpu_bound


def test_memory_is_told_after_each_part() -> None:
    found = list(memory(8, 3))
    assert [item.questions for item in found] == [3, 6]
    assert min(item.bytes for item in found) > 1_000_000
