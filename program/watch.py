"""How an app follows a run and ends it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from hopstop.program.records import Round


@dataclass(frozen=True, slots=True)
class Watch:
    """What an app gives along with a question.

    Attributes:
        cancel: Set by the app to end the run before its next search or LM call.
        on_round: Called with each round as it is closed, in the thread of the run; the last one included.
    """

    cancel: threading.Event | None = None
    on_round: Callable[[Round], None] | None = None

    @property
    def cancelled(self) -> bool:
        """Whether the app has asked to end the run."""
        return self.cancel is not None and self.cancel.is_set()

    def closed(self, item: Round) -> None:
        """Tell the app of a round."""
        if self.on_round is not None:
            self.on_round(item)
