"""The passages that a policy reads, labelled P1, P2, ... and their sentences P1.1, P1.2, ..."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass

from hopstop.program.records import Passage, Quote
from hopstop.program.sentences import sentence_spans

_LABEL_AND_TITLE = re.compile(r"^\W*P(\d{1,4}):\s", re.IGNORECASE)  # as the line of a passage begins in the prompt
_LABEL = re.compile(r"^\W*P(\d{1,4})(?:\.(\d{1,4}))?\W*$", re.IGNORECASE)
_FIELD = re.compile(r"\[\[(?=\s*##)")


@dataclass(frozen=True, slots=True)
class Reading:
    """Passages in the order in which they are read; the first has label P1.

    Attributes:
        passages: The oldest first.
        earlier: How many of them were read in earlier rounds already.
    """

    passages: tuple[Passage, ...] = ()
    earlier: int = 0

    def label(self, passage_id: str) -> str:
        """Label of a passage, "" if it is not read."""
        for number, passage in enumerate(self.passages, start=1):
            if passage.id == passage_id:
                return f"P{number}"
        return ""

    def by_id(self, passage_id: str) -> Passage | None:
        """The passage with this id; None if it is not read."""
        return next((passage for passage in self.passages if passage.id == passage_id), None)

    def passage(self, reference: str) -> Passage | None:
        """The passage that a label ("P2", "P2.1", "P2: its title"), an id or a title of its own names; None if none.

        A label wins over an id that looks like one: labels are what a policy reads. Small models like to name titles.
        """
        match = _LABEL.match(reference) or _LABEL_AND_TITLE.match(reference)
        if match is not None and 1 <= int(match[1]) <= len(self.passages):
            return self.passages[int(match[1]) - 1]
        return self.by_id(reference) or self._titled(reference)

    def _titled(self, title: str) -> Passage | None:
        wanted = one_line(title).casefold()
        found = [item for item in self.passages if wanted and one_line(item.title).casefold() == wanted]
        return found[0] if len(found) == 1 else None

    def sentence(self, label: str) -> Quote | None:
        """The sentence that a label like "P2.1" names; None if it is no such label or there is none."""
        match = _LABEL.match(label)
        if match is None or match[2] is None or not 1 <= int(match[1]) <= len(self.passages):
            return None
        passage = self.passages[int(match[1]) - 1]
        spans = sentence_spans(passage.text)
        number = int(match[2])
        if not 1 <= number <= len(spans):
            return None
        start, end = spans[number - 1]
        return Quote(passage.id, passage.text[start:end], start, end)

    def text(self, excerpts: Mapping[str, Set[int]] | None = None) -> str:
        """The passages as a policy with an LM reads them: one block each, one labelled sentence a line.

        Args:
            excerpts: Numbers, from 1, of the sentences that are read, by passage id; of other passages all.
        """
        only = excerpts or {}
        blocks = (_block(number, item, only.get(item.id)) for number, item in enumerate(self.passages, start=1))
        return "\n\n".join(blocks)


def _block(number: int, passage: Passage, only: Set[int] | None) -> str:
    lines = [f"P{number}: {one_line(passage.title)}" if passage.title.strip() else f"P{number}"]
    for index, (start, end) in enumerate(sentence_spans(passage.text), start=1):
        if only is None or index in only:
            lines.append(f"P{number}.{index} {one_line(passage.text[start:end])}")
    return "\n".join(lines)


def one_line(text: str) -> str:
    """Text of a passage as one line of a prompt.

    It cannot open a field of the prompt: DSPy's adapters mark fields with "[[ ## name ## ]]".
    """
    return no_field(" ".join(text.split()))


def no_field(text: str) -> str:
    """The text, line breaks kept, without marks that would open a field of the prompt."""
    return _FIELD.sub("[ [", text)
