"""Signatures as compiled programs of earlier versions have them; what they say comes with the compiled program."""

from __future__ import annotations

from typing import Literal

import dspy

from hopstop.signatures.decide import FactClaim


class PruneInTwo(dspy.Signature):
    """Prune before passages were sorted into four grades."""

    question: str = dspy.InputField()
    facts: str = dspy.InputField()
    passages: str = dspy.InputField()
    useful: list[str] = dspy.OutputField()
    leads_on: list[str] = dspy.OutputField()


class PruneQuestionFirst(dspy.Signature):
    """Prune before the passages became the first thing that is read."""

    question: str = dspy.InputField()
    facts: str = dspy.InputField()
    passages: str = dspy.InputField()
    direct: list[str] = dspy.OutputField()
    related: list[str] = dspy.OutputField()
    tangential: list[str] = dspy.OutputField()


class DecideQuestionFirst(dspy.Signature):
    """Decide before the passages became the first thing that is read."""

    question: str = dspy.InputField()
    passages: str = dspy.InputField()
    facts: str = dspy.InputField()
    queries: list[str] = dspy.InputField()
    draft: str = dspy.InputField()
    objection: str = dspy.InputField()
    needed: list[FactClaim] = dspy.OutputField()
    answer: str = dspy.OutputField()
    verdict: Literal["STOP", "SEARCH"] = dspy.OutputField()


class RewriteFaultsLast(dspy.Signature):
    """Rewrite before the missing fact became the last thing that is read."""

    question: str = dspy.InputField()
    facts: str = dspy.InputField()
    titles: list[str] = dspy.InputField()
    queries: list[str] = dspy.InputField()
    missing: str = dspy.InputField()
    faults: str = dspy.InputField()
    query: str = dspy.OutputField()
