"""Split a text or Markdown file into passages of a size that is read and quoted well."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from hopstop.program.sentences import sentence_spans

MAX_WORDS = 200
_CHARS_OF_WORD = 8  # above the 6 of English: it only counts where a script puts no spaces, and for long tokens
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_UNIT = re.compile(r"\S{1,80}")

_Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Block:
    start: int
    end: int
    section: int
    heading: str
    code: bool = False


def split_text(text: str, *, name: str, markdown: bool = False) -> list[tuple[str, str]]:
    """Split a file into passages: paragraphs of one section, packed as long as they have at most 200 words together.

    A longer paragraph is split between sentences, a longer sentence between words. Fenced code of Markdown is kept
    whole, whatever its length. The text of a passage stands in the file word for word, its line ends as line feeds.

    Args:
        text: Of the file.
        name: Title of a file that has no heading.
        markdown: Whether lines like "## Heading" start a section.

    Returns:
        Title and text of each passage. The title is the first heading of the file, and that of the section if it is
        another one. Headings without text under them are left out.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    blocks = list(_blocks(text, markdown=markdown))
    first = next((block.heading for block in blocks if block.heading), name)
    passages: list[tuple[str, str]] = []
    for (_, heading), section in groupby(blocks, key=lambda block: (block.section, block.heading)):
        title = f"{first} — {heading}" if heading and heading != first else first
        pieces = [piece for block in section for piece in _pieces(text, block)]
        passages.extend((title, text[start:end].rstrip()) for start, end in _packed(text, pieces))
    return passages


def _blocks(text: str, *, markdown: bool) -> Iterator[_Block]:
    """Paragraphs and fenced code, each with the heading above it."""
    section, heading, fence = 0, "", ""
    start: int | None = None
    position = 0
    for line in text.split("\n"):
        end = position + len(line)
        opening = _FENCE.match(line) if markdown and not fence else None
        title = _HEADING.match(line) if markdown and not fence else None
        if fence:
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield _Block(start or 0, end, section, heading, code=True)
                start, fence = None, ""
        elif opening or title or not line.strip():
            if start is not None:
                yield _Block(start, position, section, heading)
            start = position if opening else None
            fence = opening.group(1) if opening else ""
            if title:
                section, heading = section + 1, title.group(1)
        elif start is None:
            start = position
        position = end + 1
    if start is not None:
        yield _Block(start, len(text), section, heading, code=bool(fence))


def _pieces(text: str, block: _Block) -> Iterator[_Span]:
    """The block, or its sentences where it is too long, or their words where those are."""
    if block.code or _size(text, block.start, block.end) <= MAX_WORDS:
        yield block.start, block.end
        return
    for left, right in sentence_spans(text[block.start : block.end]):
        start, end = block.start + left, block.start + right
        if _size(text, start, end) <= MAX_WORDS:
            yield start, end
        else:
            yield from (match.span() for match in _UNIT.finditer(text, start, end))


def _packed(text: str, pieces: Iterable[_Span]) -> Iterator[_Span]:
    """Neighbours joined as long as they have at most MAX_WORDS together."""
    first, last, total = -1, -1, 0
    for start, end in pieces:
        size = _size(text, start, end)
        if first >= 0 and total + size > MAX_WORDS:
            yield first, last
            first, total = -1, 0
        first, last, total = (start if first < 0 else first), end, total + size
    if first >= 0:
        yield first, last


def _size(text: str, start: int, end: int) -> int:
    return max(len(text[start:end].split()), (end - start) // _CHARS_OF_WORD)
