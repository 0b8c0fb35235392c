"""Where a name stands in a text as whole words. Looked for by hand: a pattern for each name costs more to compile."""

from __future__ import annotations

from collections.abc import Iterator


def places(text: str, name: str) -> Iterator[int]:
    """Where a name begins in a text, no part of a longer word; case counts.

    Examples:
        >>> list(places("Al met Alma, then Al.", "Al"))
        [0, 18]
    """
    at = text.find(name) if name else -1
    while at >= 0:
        end = at + len(name)
        if not (_in_word(text[at - 1 : at]) or _in_word(text[end : end + 1])):
            yield at
        at = text.find(name, at + 1)


def mentions(text: str, name: str) -> bool:
    """Whether a name stands in a text as whole words; case counts."""
    return name in text and next(places(text, name), None) is not None


def lowered(text: str) -> str:
    """The text in lower case, each character in its place."""
    if text.isascii():
        return text.lower()
    return "".join([low if len(low := char.lower()) == 1 else char for char in text])


def _in_word(char: str) -> bool:
    return char.isalnum() or char == "_"
