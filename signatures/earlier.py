"""Signatures as compiled programs of earlier versions have them; what they say comes with the compiled program."""

from __future__ import annotations

import dspy


class PruneInTwo(dspy.Signature):
    """Prune before passages were sorted into four grades."""

    question: str = dspy.InputField()
    facts: str = dspy.InputField()
    passages: str = dspy.InputField()
    useful: list[str] = dspy.OutputField()
    leads_on: list[str] = dspy.OutputField()
