from __future__ import annotations

import asyncio
import copy
import gc
import json
import pickle
import threading
import time
import weakref
from collections.abc import Iterator
from typing import Annotated, Any

import anthropic
import dspy
import pytest
from dspy.utils.exceptions import (
    ContextWindowExceededError,
    LMNotConfiguredError,
    LMProviderError,
    LMRateLimitError,
    LMServerError,
    LMTimeoutError,
    LMUnsupportedFeatureError,
)
from pydantic import BaseModel, ConfigDict, Field

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer, Reply
from hopstop.eval.faults import status
from hopstop.eval.prompt_meter import PromptMeter
from hopstop.program import deadline
from hopstop.program.claude import ClaudeLM, claude
from hopstop.program.claude_clients import counterpart
from hopstop.program.errors import BadInput
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import StopReason

KEY = "sk-very-secret"
USAGE = {"input_tokens": 7, "output_tokens": 2, "cache_read_input_tokens": 5, "cache_creation_input_tokens": 3}


def said(text: str = "hi", *, stop: str = "end_turn", usage: dict[str, int] | None = None) -> Reply:
    return Reply(body=json.dumps(stand_in.message(text, usage or USAGE, stop=stop)).encode())


class Script:
    """Plays replies in turn, the last one for ever."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies) or [said()]

    def __call__(self, body: dict[str, Any], meter: PromptMeter) -> Reply:
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


class Service:
    """A server that plays a script, and LMs that speak to it."""

    def __init__(self, server: FaultServer, script: Script) -> None:
        self.server, self.script = server, script
        self.client = anthropic.Anthropic(api_key=KEY, base_url=server.url)

    def lm(self, **settings: Any) -> ClaudeLM:  # noqa: ANN401
        return claude("claude-x", **{"client": self.client, "cache": False, **settings})

    def plays(self, *replies: Reply) -> None:
        self.script.replies = list(replies)

    @property
    def sent(self) -> list[dict[str, Any]]:
        return self.server.requests


@pytest.fixture
def service() -> Iterator[Service]:
    script = Script()
    with FaultServer(script) as server:
        made = Service(server, script)
        yield made
        made.client.close()


# What goes out


def test_instructions_and_examples_come_first_and_the_breakpoint_stands_on_their_last_block(service: Service) -> None:
    predictor = dspy.Predict("question -> answer")
    with dspy.context(lm=service.lm(), adapter=dspy.ChatAdapter(use_json_adapter_fallback=False)):
        service.plays(said("[[ ## answer ## ]]\nyes\n\n[[ ## completed ## ]]"))
        predictor(question="one?")
        predictor.demos = [dspy.Example(question="q", answer="a").with_inputs("question")]
        predictor(question="two?")
    bare, with_examples = service.sent
    assert bare["system"][-1]["cache_control"] == {"type": "ephemeral"}
    marked = [[message["role"], "cache_control" in message["content"][-1]] for message in with_examples["messages"]]
    assert marked == [["user", False], ["assistant", True], ["user", False]]
    assert "cache_control" not in with_examples["system"][-1]
    assert "two?" in with_examples["messages"][-1]["content"][0]["text"]


def test_no_temperature_is_sent_unless_asked(service: Service) -> None:
    service.lm()("a")
    service.lm(temperature=0.0)("b")
    service.lm()("c", temperature=0.5)
    assert [body.get("temperature") for body in service.sent] == [None, 0.0, 0.5]


@pytest.mark.parametrize("name", ["claude-x", "anthropic/claude-x"])
def test_model_is_named_with_or_without_its_prefix(service: Service, name: str) -> None:
    lm = claude(name, client=service.client, cache=False)
    lm("a")
    assert (lm.model, service.sent[0]["model"]) == ("anthropic/claude-x", "claude-x")


def test_model_comes_from_the_environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_MODEL", "claude-env")
    assert claude(client=service.client).model == "anthropic/claude-env"
    monkeypatch.delenv("LLM_MODEL")
    with pytest.raises(BadInput, match="LLM_MODEL"):
        claude(client=service.client)


def test_schema_goes_out_as_structured_output_and_only_known_models_are_said_to_take_one(service: Service) -> None:
    class Form(BaseModel):
        model_config = ConfigDict(extra="forbid")
        ok: bool

    service.lm()("a", response_format=Form)
    sent = service.sent[0]["output_config"]["format"]
    assert (sent["type"], sent["schema"]["properties"]["ok"]["type"]) == ("json_schema", "boolean")
    assert not service.lm().supports_response_schema
    assert service.lm(schema=True).supports_response_schema
    assert claude("claude-sonnet-4-5", client=service.client).supports_response_schema


def test_what_the_api_has_no_place_for_is_refused_before_anything_is_sent(service: Service) -> None:
    with pytest.raises(LMUnsupportedFeatureError):
        service.lm()("a", response_format={"type": "json_object"})
    assert service.sent == []


def test_tokens_are_counted_by_the_service(service: Service) -> None:
    messages = [{"role": "system", "content": "s" * 40}, {"role": "user", "content": "u" * 80}]
    assert service.lm().count_tokens(messages) == 30


# What comes back


def test_usage_tells_prompt_tokens_with_those_of_the_cache_and_both_kinds_of_them(service: Service) -> None:
    lm = service.lm()
    assert lm("a") == ["hi"]
    usage = lm.history[-1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (15, 2)
    assert usage["prompt_tokens_details"] == {"cached_tokens": 5, "cache_creation_tokens": 3}


def test_paused_turn_goes_on_and_all_of_it_is_counted(service: Service) -> None:
    service.plays(said("one ", stop="pause_turn"), said("two"))
    lm = service.lm()
    assert lm("a") == ["one two"]
    assert service.sent[1]["messages"][-1] == {"role": "assistant", "content": [{"type": "text", "text": "one "}]}
    assert lm.history[-1]["usage"]["prompt_tokens"] == 30


def test_turn_that_is_paused_for_ever_is_given_up(service: Service) -> None:
    service.plays(said(stop="pause_turn"))
    with pytest.raises(LMProviderError, match="paused"):
        service.lm()("a")
    assert len(service.sent) == 5


def test_full_context_is_an_error_that_tells_what_was_used(service: Service) -> None:
    service.plays(said(stop="model_context_window_exceeded"))
    with pytest.raises(ContextWindowExceededError) as caught:
        service.lm()("a")
    assert caught.value.partial.usage.input_tokens == 15


def test_reply_that_was_cut_off_is_asked_for_once_more_with_twice_the_room(service: Service) -> None:
    rooms = []

    def answer(body: dict[str, Any], meter: PromptMeter) -> Reply:
        rooms.append(body["max_tokens"])
        text = stand_in.text_of(body)
        usage = meter.usage(body, text)
        if len(rooms) == 1:
            return said(text[:20], stop="max_tokens", usage=usage)
        return said(text, usage=usage)

    with FaultServer(answer) as server, anthropic.Anthropic(api_key=KEY, base_url=server.url) as client:
        lm = claude("claude-x", client=client, schema=True, cache=False, max_tokens=500)
        outcome = IterativeQA(stand_in.index(), LMPolicy(lm), stand_in.LIMITS)(stand_in.QUESTION)
    assert outcome.reason is StopReason.ANSWERED
    assert rooms == [500, 1000, 500, 500, 500]
    assert (outcome.usage.calls, outcome.usage.parse_failures) == (5, 1)


# Time


def test_retry_after_is_obeyed(service: Service) -> None:
    limited = status(429, "rate_limit_error", "slow down", retry_after="0.3")({}, said())
    service.plays(limited, said())
    begun = time.monotonic()
    assert service.lm()("a") == ["hi"]
    assert 0.3 <= time.monotonic() - begun < 2
    assert len(service.sent) == 2


def test_wait_that_would_outlast_the_call_is_not_begun(service: Service) -> None:
    service.plays(status(429, "rate_limit_error", "slow down", retry_after="30")({}, said()))
    begun = time.monotonic()
    with pytest.raises(LMRateLimitError):
        service.lm().copy(timeout=5.0)("a")
    assert time.monotonic() - begun < 2
    assert len(service.sent) == 1


@pytest.mark.parametrize("asynchronous", [False, True], ids=["thread", "event loop"])
@pytest.mark.parametrize("fault", [{"silence": 3.0}, {"pace": 0.05}], ids=["silence", "slow bytes"])
def test_timeout_bounds_the_whole_call_and_leaves_nothing_behind(
    service: Service, fault: dict[str, float], asynchronous: bool
) -> None:
    service.plays(Reply(body=said().body, **fault))  # type: ignore[arg-type]
    lm = service.lm().copy(timeout=0.5)
    begun = time.monotonic()
    with pytest.raises(LMTimeoutError):
        asyncio.run(lm.acall("a")) if asynchronous else lm("a")
    assert 0.4 < time.monotonic() - begun < 1.0
    gc.collect()
    end = time.monotonic() + 1
    while (service.server.connections or _calling()) and time.monotonic() < end:
        time.sleep(0.01)
    assert (service.server.connections, _calling()) == (0, [])


def _calling() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("hopstop")]


def test_deadline_of_the_question_bounds_the_call_as_well(service: Service) -> None:
    service.plays(Reply(body=said().body, silence=3.0))
    begun = time.monotonic()
    with deadline.until(begun + 0.4), pytest.raises(LMTimeoutError):
        service.lm()("a")
    assert time.monotonic() - begun < 0.9


def test_tries_can_be_turned_off(service: Service) -> None:
    service.plays(status(500, "api_error", "it broke")({}, said()))
    with pytest.raises(LMServerError):
        service.lm().copy(num_retries=0)("a")
    assert len(service.sent) == 1


@pytest.mark.parametrize("asynchronous", [False, True], ids=["thread", "event loop"])
def test_long_replies_can_be_asked_for_outside_a_question(service: Service, asynchronous: bool) -> None:
    lm = claude("claude-opus-4-1-20250805", client=service.client, cache=False, max_tokens=32_000)
    assert (asyncio.run(lm.acall("a")) if asynchronous else lm("a")) == ["hi"]


# Clients, copies, keys


@pytest.mark.parametrize("given", ["client", "async_client"])
def test_an_event_loop_that_is_closed_is_let_go(service: Service, given: str) -> None:
    kind = anthropic.Anthropic if given == "client" else anthropic.AsyncAnthropic
    lm = claude("claude-x", cache=False, **{given: kind(api_key=KEY, base_url=service.server.url)})
    loops = weakref.WeakSet[asyncio.AbstractEventLoop]()

    async def ask() -> None:
        loops.add(asyncio.get_running_loop())
        await lm.acall("a")

    for _ in range(5):
        asyncio.run(ask())
    gc.collect()
    assert len(loops) <= 2  # that of the client that was handed over belongs to the app
    until = time.monotonic() + 5.0
    while service.server.connections > 2 and time.monotonic() < until:
        time.sleep(0.01)  # the server sees a closed connection a moment later
    assert service.server.connections <= 2


def test_copies_share_the_connections(service: Service) -> None:
    lm = service.lm()
    for other in (lm.copy(), lm.copy(timeout=5.0), copy.copy(lm), copy.deepcopy(lm)):
        assert other.engine.clients is lm.engine.clients
        other("a")
    assert service.server.connections == 1


def test_pickles_states_and_errors_hold_no_key_and_no_address(service: Service) -> None:
    lm = service.lm()
    lm("a")
    told = pickle.dumps(lm) + json.dumps(lm.dump_state()).encode() + repr(lm.history).encode()
    assert KEY.encode() not in told
    assert b"127.0.0.1" not in told
    service.plays(status(401, "authentication_error", "no")({}, said()))
    with pytest.raises(LMProviderError) as caught:
        lm("b")
    assert KEY not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_copy_in_another_process_needs_its_own_client_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with pytest.raises(LMNotConfiguredError, match="client"):
        pickle.loads(pickle.dumps(service.lm()))("a")
    loaded = ClaudeLM.load_state(service.lm().dump_state() | {"cache": False}, allow_custom_lm_class=True)
    with pytest.raises(LMNotConfiguredError, match="client"):
        loaded("a")


def test_copy_in_another_process_finds_the_key_of_the_environment(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", service.server.url)
    lm = claude("claude-x", cache=False)
    again = pickle.loads(pickle.dumps(lm))
    assert again("a") == ["hi"]
    assert asyncio.run(_aask(again)) == ["hi"]
    lm.close()
    again.close()


async def _aask(lm: ClaudeLM) -> list[str]:
    try:
        replies: list[str] = await lm.acall("a")
        return replies
    finally:
        await lm.aclose()


def test_missing_key_is_an_error_of_ours_with_the_next_step(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(BadInput, match="ANTHROPIC_API_KEY"):
        claude("claude-x")


def test_cache_knows_a_reply_by_model_and_prompt_not_by_key_or_address(service: Service) -> None:
    prompt = f"asked at {time.monotonic_ns()}"
    service.lm(cache=True)(prompt)
    other = anthropic.Anthropic(api_key="another", base_url="http://127.0.0.1:9")
    assert claude("claude-x", client=other)(prompt) == ["hi"]
    other.close()
    assert len(service.sent) == 1


def test_lm_names_its_keys_headers_and_address_and_not_the_public_one() -> None:
    client = anthropic.Anthropic(
        api_key=KEY, base_url="https://user:word@internal.example", default_headers={"x-team": "planted-header"}
    )
    named = claude("claude-x", client=client).secrets()
    assert {KEY, "planted-header", "https://user:word@internal.example"} <= named
    public = claude("claude-x", client=anthropic.Anthropic(api_key=KEY, base_url="https://api.anthropic.com"))
    assert public.secrets() == {KEY}


def test_schema_goes_out_without_what_the_api_does_not_support(service: Service) -> None:
    class Labels(BaseModel):
        labels: Annotated[list[Annotated[str, Field(pattern="^P[0-9]$", max_length=9)]], Field(max_length=4)] = []
        share: Annotated[float, Field(ge=0, le=1)] = 0.5

    service.lm(schema=True)("a", response_format=Labels)
    schema = service.sent[0]["output_config"]["format"]["schema"]
    assert schema["properties"]["labels"]["items"]["type"] == "string"
    assert schema["additionalProperties"] is False
    assert not _keys(schema) & {"maxItems", "pattern", "maxLength", "minimum", "maximum", "default"}


def _keys(schema: object) -> set[str]:
    """Keywords of a schema at any depth."""
    if not isinstance(schema, dict):
        return set().union(*map(_keys, schema)) if isinstance(schema, list) else set()
    return set(schema).union(*map(_keys, schema.values()))


@pytest.mark.parametrize("given", ["blocking", "asynchronous"])
def test_missing_client_is_made_from_the_other_one(service: Service, given: str) -> None:
    headers = {"x-mine": "1"}
    kind = anthropic.Anthropic if given == "blocking" else anthropic.AsyncAnthropic
    lm = claude("claude-x", client=kind(api_key=KEY, base_url=service.server.url, default_headers=headers), cache=False)
    assert lm("a") == ["hi"]
    for _ in range(2):  # a new event loop each
        assert asyncio.run(_aask(lm)) == ["hi"]
    assert lm.engine.clients.blocking().default_headers["x-mine"] == "1"
    lm.close()


def test_clients_of_other_platforms_have_their_counterparts() -> None:
    vertex = anthropic.AnthropicVertex(region="europe-west1", project_id="p", access_token="t")
    other = counterpart(vertex)
    assert isinstance(other, anthropic.AsyncAnthropicVertex)
    assert (other.region, other.project_id, other.access_token) == ("europe-west1", "p", "t")
    bedrock = anthropic.AsyncAnthropicBedrock(aws_region="eu-west-1", aws_access_key="a", aws_secret_key="s")
    mine = counterpart(bedrock)
    assert isinstance(mine, anthropic.AnthropicBedrock)
    assert (mine.aws_region, mine.aws_access_key, mine.aws_secret_key) == ("eu-west-1", "a", "s")


def test_what_is_no_client_of_the_sdk_is_refused() -> None:
    with pytest.raises(BadInput, match="client"):
        claude("claude-x", client=object())


def test_closing_leaves_a_client_that_was_handed_over_open(service: Service) -> None:
    lm = service.lm()
    lm("a")
    lm.close()
    assert not service.client.is_closed()
    assert lm("b") == ["hi"]


# Two tiers


def test_small_model_prunes_and_rewrites_and_larger_ones_decide_and_answer() -> None:
    with FaultServer(stand_in.reply) as server, anthropic.Anthropic(api_key=KEY, base_url=server.url) as client:
        small, middle, large = (
            claude(name, client=client, schema=True, cache=False) for name in ("small", "middle", "large")
        )
        policy = LMPolicy(small, decide_lm=middle, answer_lm=large)
        outcome = IterativeQA(stand_in.index(), policy, stand_in.LIMITS)(stand_in.QUESTION)
        asked = [(body["model"], *body["output_config"]["format"]["schema"]["properties"]) for body in server.requests]
    assert outcome.answer == stand_in.ANSWER
    assert outcome.usage.calls == len(asked) == 5
    assert [model for model, *fields in asked if "verdict" in fields] == ["middle", "middle", "large"]
    assert {model for model, *fields in asked if "verdict" not in fields} == {"small"}
