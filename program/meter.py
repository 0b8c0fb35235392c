"""What one LM call used, counted where it cannot be missed: on a private copy of the LM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import dspy

from hopstop.program.records import Usage

# What providers call a reply that was cut off, and one that was declined.
_CUT = frozenset({"length", "max_tokens", "model_context_window_exceeded"})
_REFUSED = frozenset({"refusal", "content_filter", "safety"})


@dataclass(slots=True)
class Meter:
    """Sums up the calls of one metered LM. One call at a time."""

    usage: Usage = field(default_factory=Usage)
    cut: bool = False
    refused: bool = False

    def record(self, entry: dict[str, Any]) -> None:
        """Take in one entry of DSPy's call history.

        DSPy reports {} as the usage of a reply from its cache; the tokens of that reply stand in the response itself.
        """
        response = entry.get("response")
        billed = _tokens(entry.get("usage"))
        read = billed if any(billed) else _tokens(_response_usage(response))
        cached = not any(billed)
        self.usage += Usage(
            calls=1,
            cached_calls=int(cached),
            input_tokens=read[0],
            output_tokens=read[1],
            billed_tokens=sum(billed),
            cost_usd=0.0 if cached else entry.get("cost"),
        )
        reasons = _finish_reasons(response)
        self.cut = self.cut or bool(reasons & _CUT)
        self.refused = self.refused or bool(reasons & _REFUSED)


@contextmanager
def metered(lm: Any) -> Iterator[tuple[Any, Meter]]:  # noqa: ANN401 - a DSPy LM is untyped
    """A copy of an LM for one call, and the meter that counts it.

    The copy shares the LM's connections and cache and nothing else, so that calls in many threads never meet. DSPy's
    own history gets the entry as well unless the app has turned it off.
    """
    meter = Meter()
    private = lm.copy()
    to_history = None if dspy.settings.disable_history else lm.update_history

    def record(entry: dict[str, Any]) -> None:
        meter.record(entry)
        if to_history is not None:
            to_history(entry)

    private.update_history = record
    with dspy.context(disable_history=False):
        yield private, meter


def _tokens(usage: Any) -> tuple[int, int]:  # noqa: ANN401
    """Prompt and reply tokens of a usage record, whatever its provider calls them; (0, 0) if it has none."""
    if not isinstance(usage, dict):
        return 0, 0
    prompt = usage.get("prompt_tokens") or usage.get("input_tokens") or 0
    reply = usage.get("completion_tokens") or usage.get("output_tokens") or 0
    return int(prompt), int(reply)


def _response_usage(response: Any) -> dict[str, Any]:  # noqa: ANN401
    usage = getattr(response, "usage", None)
    if isinstance(usage, dict):
        return usage
    read = getattr(usage, "cache_read_tokens", None) or 0
    written = getattr(usage, "cache_write_tokens", None) or 0
    prompt = getattr(usage, "input_tokens", None) or getattr(usage, "prompt_tokens", None) or 0
    reply = getattr(usage, "output_tokens", None) or getattr(usage, "completion_tokens", None) or 0
    total = getattr(usage, "total_tokens", None) or 0
    # Anthropic counts cached prompt tokens apart from input tokens, the others within them.
    apart = prompt + reply == total and read > prompt
    return {"prompt_tokens": prompt + (read + written if apart else 0), "completion_tokens": reply}


def _finish_reasons(response: Any) -> frozenset[str]:  # noqa: ANN401
    single = getattr(response, "finish_reason", None)
    choices = getattr(response, "choices", None) or []
    found = [single, *(getattr(choice, "finish_reason", None) for choice in choices)]
    return frozenset(str(reason) for reason in found if reason)
