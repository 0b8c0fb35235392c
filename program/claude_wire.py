"""What goes over the wire: DSPy's request as the body of `POST /v1/messages`, and its JSON reply as DSPy's response.

The reply is read from its JSON and not from the SDK's typed objects, which the SDK builds without checking them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import anthropic
from dspy import lm15

PREFIX = "anthropic/"
DEFAULT_MAX_TOKENS = 4096  # the API requires a bound; a long reply of Decide has about 400
_MARK = {"type": "ephemeral"}  # a cache breakpoint: all up to this block is written once, then read for 5 minutes
_FINISH: dict[str, str] = {"max_tokens": "length", "refusal": "content_filter"}


@dataclass(frozen=True, slots=True)
class Answer:
    """A checked reply of the API.

    Attributes:
        id: The API's id of the message.
        model: That answered.
        content: Its blocks, as sent.
        stop: Its stop reason.
        usage: Its tokens; `input_tokens` counts those read from and written to the prompt cache too.
    """

    id: str
    model: str
    content: tuple[Mapping[str, Any], ...]
    stop: str
    usage: lm15.Usage

    @property
    def text(self) -> str:
        """The words of all text blocks."""
        return "".join(str(block.get("text") or "") for block in self.content if block.get("type") == "text")


def bare(model: str) -> str:
    """The name of a model as the API knows it."""
    return model.removeprefix(PREFIX)


def body_of(request: lm15.Request, *, mark: bool = True) -> dict[str, Any]:
    """The body of a request.

    Instructions and examples are the same for every question, the last message is not: the breakpoint of the prompt
    cache stands between them, on the last block of the stable part.

    Args:
        request: DSPy's request; text only.
        mark: Whether to set the breakpoint.

    Raises:
        UnsupportedFeatureError: It holds tools, media, or a setting that the API has no place for.
    """
    config = request.config
    body: dict[str, Any] = {
        "model": bare(request.model),
        "max_tokens": config.max_tokens or DEFAULT_MAX_TOKENS,
        "messages": [_message(message) for message in request.messages],
    }
    if request.system is not None:
        body["system"] = [_text_block(text) for text in _system_texts(request)]
    if config.stop:
        body["stop_sequences"] = list(config.stop)
    if config.response_format is not None:
        body["output_config"] = {"format": {"type": "json_schema", "schema": _schema(config.response_format)}}
    if sampling := {name: value for name in ("temperature", "top_p", "top_k") if (value := getattr(config, name))}:
        body["extra_body"] = sampling  # newer models refuse them, so the SDK has no argument for them
    elif config.temperature == 0:
        body["extra_body"] = {"temperature": 0.0}
    _refuse_the_rest(request)
    if mark and (config.cache is None or config.cache.mode != "off"):
        _mark(body)
    return body


def count_body_of(model: str, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The body of a count of prompt tokens, for messages as DSPy's adapters make them: role and text."""
    body: dict[str, Any] = {
        "model": bare(model),
        "messages": [dict(item) for item in messages if item["role"] != "system"],
    }
    if system := [_text_block(str(item["content"])) for item in messages if item["role"] == "system"]:
        body["system"] = system
    return body


def answer_of(reply: object) -> Answer:
    """The reply of the API, each part of it checked.

    Raises:
        ProviderError: It is not a message. It has been billed, so it is not worth asking for again.
    """
    if not isinstance(reply, dict) or not isinstance(reply.get("content"), list):
        raise lm15.ProviderError("the reply holds no list of content blocks", provider="anthropic")
    blocks, usage = reply["content"], reply.get("usage")
    texts = [block.get("text") for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
    if not all(isinstance(block, dict) for block in blocks) or not all(isinstance(text, str) for text in texts):
        raise lm15.ProviderError("a content block of the reply has the wrong type", provider="anthropic")
    if not isinstance(reply.get("stop_reason"), str):
        raise lm15.ProviderError("the reply names no stop reason", provider="anthropic")
    if not isinstance(usage, dict):
        raise lm15.ProviderError("the reply does not say what it used", provider="anthropic")
    return Answer(
        str(reply.get("id") or ""), str(reply.get("model") or ""), tuple(blocks), reply["stop_reason"], _usage(usage)
    )


def response_of(answers: Sequence[Answer], request: lm15.Request) -> lm15.Response:
    """DSPy's response: the words of all answers, which go on from each other, and what they used together."""
    last = answers[-1]
    return lm15.Response(
        id=last.id or None,
        model=last.model or bare(request.model),
        message=lm15.Message("assistant", (lm15.TextPart("".join(answer.text for answer in answers)),)),
        finish_reason=_FINISH.get(last.stop, "stop"),
        usage=total(answers),
    )


def total(answers: Sequence[Answer]) -> lm15.Usage:
    """What several answers used together."""
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
    return lm15.Usage(**{name: sum(getattr(answer.usage, name) or 0 for answer in answers) for name in names})


def _usage(usage: Mapping[str, Any]) -> lm15.Usage:
    keys = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = [usage.get(key) or 0 for key in keys]
    if any(type(count) is not int or count < 0 for count in counts):
        raise lm15.ProviderError("the token counts of the reply are not whole numbers", provider="anthropic")
    fresh, output, read, written = counts
    return lm15.Usage(
        input_tokens=fresh + read + written, output_tokens=output, cache_read_tokens=read, cache_write_tokens=written
    )


def _system_texts(request: lm15.Request) -> list[str]:
    return [request.system] if isinstance(request.system, str) else [_text(part) for part in request.system or ()]


def _message(message: lm15.Message) -> dict[str, Any]:
    role = "assistant" if message.role == "assistant" else "user"
    return {"role": role, "content": [_text_block(_text(part)) for part in message.parts]}


def _text(part: Any) -> str:  # noqa: ANN401 - one of lm15's parts
    if not isinstance(part, lm15.TextPart):
        raise lm15.UnsupportedFeatureError(f"a {part.type} part cannot be sent: text only", provider="anthropic")
    return str(part.text)


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _schema(response_format: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a JSON schema
    if response_format.get("type") != "json_schema":
        raise lm15.UnsupportedFeatureError(
            "the Messages API takes a JSON schema and has no mode for any JSON", provider="anthropic"
        )
    try:
        return anthropic.transform_schema(response_format["schema"])  # of what is not supported, it makes a description
    except (ValueError, AssertionError) as error:
        raise lm15.UnsupportedFeatureError(f"the schema cannot be sent: {error}", provider="anthropic") from error


def _refuse_the_rest(request: lm15.Request) -> None:
    config = request.config
    unknown = [
        name
        for name in ("tool_choice", "reasoning", "logprobs", "seed", "extensions", "service_tier", "user_id", "store")
        if getattr(config, name)
    ]
    if request.tools or unknown:
        raise lm15.UnsupportedFeatureError(
            f"this LM sends text and reads text; leave out {', '.join(['tools'] * bool(request.tools) + unknown)}",
            provider="anthropic",
        )


def _mark(body: dict[str, Any]) -> None:
    messages = body["messages"]
    stable = messages[-2]["content"] if len(messages) > 1 else body.get("system")
    if stable and stable[-1]["text"]:
        stable[-1]["cache_control"] = _MARK
