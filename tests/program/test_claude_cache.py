from __future__ import annotations

import logging

import anthropic
import pytest

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer, Reply
from hopstop.eval.prompt_meter import PromptMeter, shared_share
from hopstop.program.claude import claude
from hopstop.program.claude_cache import minimum_tokens
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Outcome


def ask(server: FaultServer, model: str, times: int = 2) -> list[Outcome]:
    with anthropic.Anthropic(api_key="made-up", base_url=server.url) as client:
        lm = claude(model, client=client, schema=True, cache=False)
        program = IterativeQA(stand_in.index(), LMPolicy(lm), stand_in.LIMITS)
        return [program(stand_in.QUESTION) for _ in range(times)]


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("claude-opus-4-6", 4096),
        ("claude-opus-4-5-20251101", 4096),
        ("anthropic/claude-haiku-4-5", 4096),
        ("claude-opus-4-7", 2048),
        ("claude-3-5-haiku-20241022", 2048),
        ("claude-opus-4-8", 1024),
        ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", 1024),
        ("claude-opus-5", 512),
        ("claude-of-tomorrow", 1024),
    ],
)
def test_minimum_of_a_model(model: str, tokens: int) -> None:
    assert minimum_tokens(model) == tokens


def test_second_question_reads_the_stable_part_from_the_cache_and_the_outcome_says_so() -> None:
    with FaultServer(stand_in.reply) as server:
        first, second = ask(server, "claude-sonnet-4-5")
        sent = server.requests
    assert first.usage.cache_write_tokens > 0
    assert (second.usage.cache_write_tokens, second.usage.cache_read_tokens) == (0, second.usage.cache_read_tokens)
    assert second.usage.cache_read_tokens > 0.6 * second.usage.input_tokens
    half = len(sent) // 2
    decides = [body for body in sent if "verdict" in body["output_config"]["format"]["schema"]["properties"]]
    assert shared_share(decides[0], decides[half // 2]) > 0.6


def test_prefix_that_the_service_never_caches_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    def reply(body: dict[str, object], _: PromptMeter) -> Reply:
        return stand_in.reply(body, never)

    never = PromptMeter(minimum=100_000)
    with caplog.at_level(logging.WARNING, "hopstop.program.claude"), FaultServer(reply) as server:
        ask(server, "claude-haiku-4-5", times=3)
    told = [record for record in caplog.records if record.name.startswith("hopstop")]
    assert 1 <= len(told) <= 3  # one for each predictor
    assert "claude-haiku-4-5 caches none below 4096" in caplog.text


def test_prefix_that_is_cached_and_a_model_of_another_maker_are_not_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "hopstop.program.claude"), FaultServer(stand_in.reply) as server:
        ask(server, "claude-haiku-4-5")
    with FaultServer(lambda body, _: stand_in.reply(body, PromptMeter(100_000))) as server:
        ask(server, "local")
    assert [record for record in caplog.records if record.name.startswith("hopstop")] == []
