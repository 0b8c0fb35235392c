"""Predictors in the form that compiled programs of earlier versions have, so that these still load and ask the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dspy

from hopstop.program.manifest import PredictorFields
from hopstop.program.predictor_state import fields_of
from hopstop.signatures.earlier import DecideQuestionFirst, PruneInTwo, PruneQuestionFirst, RewriteFaultsLast

EARLIER: Mapping[str, tuple[type[dspy.Signature], ...]] = {
    "decider": (DecideQuestionFirst,),
    "pruner": (PruneInTwo, PruneQuestionFirst),
    "rewriter": (RewriteFaultsLast,),
}
"""Attribute of the LM policy -> signatures that it had."""


def take_form(policy: Any, saved: Mapping[str, PredictorFields]) -> None:  # noqa: ANN401 - DSPy modules are untyped
    """Give a policy those earlier predictors whose fields are the saved ones; what they say is restored afterwards."""
    for name, signatures in EARLIER.items():
        for signature in signatures:
            predictor = dspy.Predict(signature)
            if fields_of(predictor) == saved.get(name):
                setattr(policy, name, predictor)
