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


class RewriteFaultsLast(dspy.Signature):
    """Rewrite before the missing fact became the last thing that is read."""

    question: str = dspy.InputField()
    facts: str = dspy.InputField()
    titles: list[str] = dspy.InputField()
    queries: list[str] = dspy.InputField()
    missing: str = dspy.InputField()
    faults: str = dspy.InputField()
    query: str = dspy.OutputField()
