"""Whether the stable part of a prompt is long enough for the service to cache it.

A prefix below the minimum of its model is processed without caching, and no error says so.
"""

from __future__ import annotations

import logging
import re
import threading
from collections.abc import Mapping
from typing import Any

from dspy import lm15

from hopstop.program.claude_wire import bare

CHARACTERS_A_TOKEN = 4.0  # of English
DOUBT = 1.3  # times the minimum up to which an estimated length may in truth lie below it
MOST_WARNINGS = 3  # of one LM: as many as there are predictors; optimisers try many prompts
_UNKNOWN = 1024

_MINIMUMS: tuple[tuple[str, int], ...] = (
    ("opus-4-[56]", 4096),
    ("haiku-4-5", 4096),
    ("opus-4-7", 2048),
    ("haiku-3|3-(?:5-)?haiku", 2048),
    ("(?:opus|fable|mythos)-5", 512),
    ("mythos-preview", 2048),
    ("opus-4|sonnet", 1024),
)
_log = logging.getLogger("hopstop.program.claude")


def minimum_tokens(model: str) -> int:
    """The shortest prefix that the service caches for a model, in tokens; 1,024 for a name that is not known.

    Source: "Prompt caching", section on limitations, of the service's documentation (platform.claude.com/docs), as
    public threads quote it (July 2026; the page itself was not at hand): 512 for Opus 5, Fable 5 and Mythos 5; 1,024
    for Opus 4.8, Sonnet 5, Sonnet 4.6, Sonnet 4.5, Opus 4.1, Opus 4 and Sonnet 4; 2,048 for Opus 4.7, Mythos Preview
    and the Haiku models before 4.5; 4,096 for Opus 4.6, Opus 4.5 and Haiku 4.5. It does not fall steadily from one
    generation to the next: look it up for a new model.

    >>> [minimum_tokens(model) for model in ("claude-haiku-4-5-20251001", "anthropic/claude-opus-5", "claude-opus-4-8")]
    [4096, 512, 1024]
    """
    name = bare(model).replace(".", "-")
    return next((tokens for pattern, tokens in _MINIMUMS if re.search(pattern, name)), _UNKNOWN)


class Prefixes:
    """Says of stable prefixes, a few times in all, that they are never cached. Safe in threads."""

    def __init__(self) -> None:
        self._told: set[int] = set()
        self._lock = threading.Lock()

    def look(self, body: Mapping[str, Any], usage: lm15.Usage) -> None:
        """Log a warning if a request marked a prefix, its reply tells of no cache, and the prefix is short.

        The length is estimated, so a prefix a little longer than the minimum is taken for short as well: the service
        has not cached it.
        """
        if usage.cache_read_tokens or usage.cache_write_tokens or "claude" not in body["model"]:
            return
        prefix = marked_prefix(body)
        tokens, minimum = len(prefix) / CHARACTERS_A_TOKEN, minimum_tokens(body["model"])
        if not prefix or tokens > DOUBT * minimum:
            return
        with self._lock:
            if hash(prefix) in self._told or len(self._told) >= MOST_WARNINGS:
                return
            self._told.add(hash(prefix))
        _log.warning(TOO_SHORT, round(tokens), body["model"], minimum)


TOO_SHORT = (
    "the stable part of a prompt has about %d tokens; %s caches none below %d, so that every call pays it in full "
    "(more examples in the compiled program, or a model with a lower minimum, would have it cached)"
)


def marked_prefix(body: Mapping[str, Any]) -> str:
    """The text up to the breakpoint of a request; empty if it has none."""
    text = ""
    for content in (body.get("system") or [], *(message["content"] for message in body["messages"])):
        for block in content:
            text += str(block["text"])
            if "cache_control" in block:
                return text
    return ""
