"""A sentence that was read for a question."""

from __future__ import annotations

from dataclasses import dataclass

from hopstop.program.profile import Profile, Sentence
from hopstop.program.records import Passage


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence that was read, with what of the question it speaks of.

    Attributes:
        passage: Where it stands.
        view: The profile of that passage.
        number: Number of the sentence in its passage, from 0.
        rank: Place of the passage in the order read, from 0.
        own: Stems of the question in the sentence or the title, as bits; see `lines.Lines`.
        partner: The sentence of another passage, linked by a name, that adds most of the question; None if none does.
        joint: Weight of the stems of both, as a share of the question's, in [0, 1].
        led_to: Whether the partner names this passage, so that the chain leads from there to here.
    """

    passage: Passage
    view: Profile
    number: int
    rank: int
    own: int
    partner: Line | None = None
    joint: float = 0.0
    led_to: bool = False

    @property
    def sentence(self) -> Sentence:
        """The sentence itself."""
        return self.view.sentences[self.number]

    @property
    def title(self) -> str:
        """The title of its passage without brackets; "" if it has none."""
        return self.view.title if self.passage.title.strip() else ""

    @property
    def subject(self) -> str:
        """What it is about, in words: the title of its passage, else the first name in it."""
        return self.passage.title.strip() or (self.sentence.names or ("the passage",))[0]
