"""One labelled example of one predictor: what it is given, what is right, and how the answer is scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import dspy

from hopstop.program.policy import State
from hopstop.program.records import Passage

Sentence = tuple[str, int]
"""A sentence: id of its passage, and its number from 1."""

PREDICTORS: Mapping[str, str] = {"decide": "decider", "rewrite": "rewriter", "prune": "pruner"}
"""Name of a predictor on the command line -> attribute of the LM policy."""

KEY = "label"
"""Field of an example that names its label; no field of a signature, so that no prompt shows it."""


@dataclass(frozen=True, slots=True)
class DecideCase:
    """What is right to decide in a state.

    Attributes:
        state: What Decide is given.
        stop: Whether every fact is shown.
        answers: All forms of the right answer; empty unless it is right to stop.
        gold: For each open fact that is shown, the sentences of which one shows it.
        missing: Open facts that nothing read shows, in words.
        absent: Titles or ids of the gold passages that were not read.
    """

    state: State
    stop: bool
    answers: tuple[str, ...]
    gold: tuple[frozenset[Sentence], ...]
    missing: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RewriteCase:
    """What the next query is to find.

    Attributes:
        state: What Rewrite is given.
        need: The fact to search for.
        target: The passage that states it.
    """

    state: State
    need: str
    target: Passage


@dataclass(frozen=True, slots=True)
class PruneCase:
    """What is worth keeping of the passages just found.

    Attributes:
        new: What Prune is given, in order.
        gold: Ids of those that state a fact; never empty.
        bridging: Ids of those about a name on the way.
        mentions: Ids of those that mention a name on the way. To keep or to drop these and the ones about it is both
            right, as long as gold passages are graded higher.
        state: What Prune is given besides.
    """

    new: tuple[Passage, ...]
    gold: frozenset[str]
    bridging: frozenset[str] = frozenset()
    mentions: frozenset[str] = frozenset()
    state: State = field(default_factory=lambda: State(""))


Case = DecideCase | RewriteCase | PruneCase


@dataclass(frozen=True, slots=True)
class Label:
    """A labelled example.

    Attributes:
        id: Unique in its set: question, predictor and kind.
        question_id: Of the question that it was made from.
        kind: How it was made, e.g. "whole", "taken", "look-alike".
        fields: The fields of the signature, inputs and outputs, as the LM policy fills them.
        inputs: Names of the input fields.
        case: What the answer is scored against.
    """

    id: str
    question_id: str
    kind: str
    fields: Mapping[str, Any]
    inputs: tuple[str, ...]
    case: Case

    def example(self) -> Any:  # noqa: ANN401 - a DSPy example is untyped
        """The label as DSPy's optimisers take it."""
        return dspy.Example(**self.fields, **{KEY: self.id}).with_inputs(*self.inputs)


@dataclass(frozen=True, slots=True)
class Split:
    """The labels of one predictor. No question has labels on two sides.

    Attributes:
        train: Shown in prompts, and searched over.
        val: Chosen by: which of several prompts is best.
        dev: Measured on, before and after; nothing is chosen by them.
    """

    train: tuple[Label, ...] = ()
    val: tuple[Label, ...] = ()
    dev: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Made:
    """A label with its own answer, before it is known on which side it goes."""

    question_id: str
    kind: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    case: Case = field(repr=False)

    def named(self, predictor: str) -> Label:
        """The label of this predictor."""
        return Label(
            f"{self.question_id}/{predictor}/{self.kind}",
            self.question_id,
            self.kind,
            {**self.inputs, **self.outputs},
            tuple(self.inputs),
            self.case,
        )
