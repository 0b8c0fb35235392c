"""One predictor as a program of its own: one LM call for one example, made as the loop makes it."""

from __future__ import annotations

from typing import Any, get_origin

import dspy

from hopstop.optimize.predictor_metrics import UNREAD
from hopstop.program.lm import Caller
from hopstop.program.runtime import Blocking, run_blocking


class Single(dspy.Module):
    """Calls one predictor. The LM is the one of `dspy.context`, so that optimisers can put a teacher in its place.

    Args:
        predictor: A `dspy.Predict`.
        schema: Whether replies are asked for under a JSON schema, as in the program that is compiled.
    """

    def __init__(self, predictor: Any, *, schema: bool) -> None:  # noqa: ANN401 - DSPy is untyped
        super().__init__()
        self.predictor = predictor
        self._caller = Caller(None, schema, tries=1)

    def forward(self, **inputs: Any) -> Any:  # noqa: ANN401
        """Answer one example; a reply that cannot be read is an answer too, marked as such."""
        reply, _ = run_blocking(self._caller.call(Blocking(parallel=False), self.predictor, **inputs))
        if reply is not None:
            return reply
        unread = dspy.Prediction(**_nothing(self.predictor.signature), **{UNREAD: True})
        if dspy.settings.trace is not None:  # else GEPA has nothing to reflect on
            dspy.settings.trace.append((self.predictor, inputs, unread))
        return unread


def _nothing(signature: Any) -> dict[str, Any]:  # noqa: ANN401
    fields = signature.output_fields.items()
    return {name: [] if get_origin(item.annotation) is list else "" for name, item in fields}
