"""Tokens of a request to the Messages API and what a prompt cache would make of it, counted where it arrives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

CHARACTERS_A_TOKEN = 4  # of a stand-in; ratios do not depend on it


class PromptMeter:
    """Remembers the prefixes that requests have marked, as the service does.

    Source: the prompt caching page of the service's documentation: a breakpoint caches everything up to its block; a
    later request reads the longest prefix, ending at a breakpoint of its own, that was written before. (The service
    forgets after minutes, and drops prefixes below a minimum; this meter does neither unless told.)

    Args:
        minimum: Tokens below which a prefix is not cached, >= 0.
    """

    def __init__(self, minimum: int = 0) -> None:
        self.minimum = minimum
        self._written: set[tuple[str, str]] = set()

    def usage(self, body: Mapping[str, Any], output: str) -> dict[str, int]:
        """The usage that the service reports for a request and its reply."""
        read = written = 0
        for prefix in marked_prefixes(body):
            size = len(prefix) // CHARACTERS_A_TOKEN
            if size < self.minimum:
                continue
            key = (str(body.get("model")), prefix)
            if key in self._written:
                read, written = size, 0
            else:
                written = size - read
                self._written.add(key)
        return {
            "input_tokens": tokens_of(body) - read - written,
            "cache_read_input_tokens": read,
            "cache_creation_input_tokens": written,
            "output_tokens": max(1, len(output) // CHARACTERS_A_TOKEN),
        }


def tokens_of(body: Mapping[str, Any]) -> int:
    """Prompt tokens of a request."""
    return sum(len(text) for text, _ in blocks(body)) // CHARACTERS_A_TOKEN


def blocks(body: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Text of each block in the order in which the service reads them, and whether a breakpoint stands on it."""
    contents = [body.get("system") or [], *(message["content"] for message in body.get("messages", []))]
    for content in contents:
        for block in [{"text": content}] if isinstance(content, str) else content:
            yield str(block.get("text") or ""), "cache_control" in block


def marked_prefixes(body: Mapping[str, Any]) -> list[str]:
    """The text up to each breakpoint, the shortest first."""
    found, text = [], ""
    for part, marked in blocks(body):
        text += part
        if marked:
            found.append(text)
    return found


def shared_share(first: Mapping[str, Any], second: Mapping[str, Any]) -> float:
    """Share of the second prompt that a cache could read after the first: its marked prefix, if the first has it too.

    Returns:
        In [0, 1].
    """
    known = set(marked_prefixes(first))
    shared = max((len(prefix) for prefix in marked_prefixes(second) if prefix in known), default=0)
    whole = sum(len(text) for text, _ in blocks(second))
    return shared / whole if whole else 0.0
