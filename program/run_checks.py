"""The checks of a STOP that need more than the judge knows: the drafts of earlier rounds, and the index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hopstop.program.faults import Statistics
from hopstop.program.guards import Guards
from hopstop.program.latch import unlatched
from hopstop.program.open_part import refused
from hopstop.program.policy import State
from hopstop.program.question_covered import left_out, said_by
from hopstop.program.records import Decision, Judgement


@dataclass(frozen=True, slots=True)
class RunChecks:
    """What a run adds to the judgement of a decision.

    Attributes:
        guards: Which checks are on.
        statistics: Of the index, if it has any.
    """

    guards: Guards
    statistics: Statistics | None

    def applied(
        self, judgement: Judgement, decision: Decision, state: State, before: Sequence[str], *, ends: bool
    ) -> Judgement:
        """The judgement, with an objection if the draft turned into a look-alike or leaves out what was asked.

        Args:
            judgement: Of the judge.
            decision: What the policy said.
            state: What it was asked with.
            before: The drafts of earlier decisions, in order.
            ends: Whether the decision would end the run if it is accepted.
        """
        if self.guards.latch:
            judgement = unlatched(judgement, before, decision.draft, state.reading, state.facts)
        if self.guards.question_covered and judgement.accepted and ends and self.statistics is not None:
            said = said_by(state.question, decision, judgement.facts, state.reading)
            left = left_out(state.question, said, self.statistics, state.groups)
            judgement = refused(judgement, left) if left else judgement
        return judgement
