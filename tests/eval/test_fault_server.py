from __future__ import annotations

import anthropic
import pytest

from hopstop.eval.fault_server import FaultServer, Reply
from hopstop.eval.prompt_meter import PromptMeter, marked_prefixes, shared_share, tokens_of


def body(*texts: str, mark: int | None = None, system: str = "s" * 400) -> dict[str, object]:
    blocks = [{"type": "text", "text": text} for text in (system, *texts)]
    if mark is not None:
        blocks[mark]["cache_control"] = {"type": "ephemeral"}  # type: ignore[assignment]
    messages = [{"role": "user", "content": [block]} for block in blocks[1:]]
    return {"model": "m", "system": blocks[:1], "messages": messages}


def test_what_the_meter_writes_once_it_reads_later() -> None:
    meter = PromptMeter()
    first = meter.usage(body("a" * 40, mark=0), "reply")
    second = meter.usage(body("b" * 80, mark=0), "reply")
    assert first == {
        "input_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 100, "output_tokens": 1,
    }  # fmt: skip
    assert (second["input_tokens"], second["cache_read_input_tokens"]) == (20, 100)
    assert second["cache_creation_input_tokens"] == 0


def test_prefix_below_the_minimum_is_never_cached() -> None:
    meter = PromptMeter(minimum=101)
    for _ in range(2):
        usage = meter.usage(body("a" * 40, mark=0), "reply")
        assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["cache_creation_input_tokens"]) == (
            110, 0, 0,
        )  # fmt: skip


def test_share_counts_only_what_is_marked_and_equal() -> None:
    first, second = body("a" * 100, mark=0), body("b" * 100, mark=0)
    assert shared_share(first, second) == pytest.approx(400 / 500)
    assert shared_share(first, body("b" * 100)) == 0
    assert shared_share(first, body("b" * 100, mark=0, system="t" * 400)) == 0
    assert marked_prefixes(body("a", "b", mark=1)) == ["s" * 400 + "a"]


def test_counting_and_unknown_paths_are_answered_as_the_service_does() -> None:
    with FaultServer(lambda request, meter: Reply()) as server:
        client = anthropic.Anthropic(api_key="made-up", base_url=server.url, max_retries=0)
        counted = client.messages.count_tokens(model="m", messages=[{"role": "user", "content": "x" * 40}])
        assert counted.input_tokens == tokens_of({"messages": [{"content": "x" * 40}]}) == 10
        with pytest.raises(anthropic.NotFoundError):
            client.models.list()
        client.close()
