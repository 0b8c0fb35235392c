"""The guards of a run: checks that code makes of queries and of answers, each of which can be turned off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from hopstop.program.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Guards:
    """Which guards are on. Part of the artifact.

    Defaults are those that `hopstop ablate` and `python -m hopstop.optimize.refusals` keep; eval/GUARDS.md tells what
    each earns.

    Attributes:
        vague: See faults.vague.
        over_broad: See faults.over_broad.
        fusion: See faults.fusion; a warning, which changes no run and hence earns nothing: off unless asked for.
        off_topic: See faults.off_topic.
        carry_drop: See faults.carry_drop.
        repeat: See faults.repeat.
        near_miss: See lookalike.near_misses.
        fact_near_miss: The same for each fact and the passage of its quote.
        latch: See latch.latched.
        answer_read: Names and numbers of the answer must stand in a quoted passage: composition.not_read.
        answer_quoted: They must stand in a quote or the title of its passage: composition.not_quoted.
        merged_answer: See composition.merged.
        vague_answer: See composition.says_nothing.
        both_sides: See composition.unquoted_sides.
        lone_derivation: See composition.lone_derivations.
        question_covered: What is listed must speak of most of the question: question_covered.left_out.
        ask_again: A STOP of which only the answer is refused is asked once more, with the objection, before the next
            search; for policies that write freely.

    Raises:
        BadInput: A value is neither true nor false.
    """

    vague: bool = True
    over_broad: bool = True
    fusion: bool = False
    off_topic: bool = True
    carry_drop: bool = True
    repeat: bool = True
    near_miss: bool = True
    fact_near_miss: bool = True
    latch: bool = True
    answer_read: bool = True
    answer_quoted: bool = True
    merged_answer: bool = True
    vague_answer: bool = True
    both_sides: bool = True
    lone_derivation: bool = True
    question_covered: bool = True
    ask_again: bool = True

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, bool):
                raise BadInput(f"guard {name} must be true or false, not {value!r}")

    def without(self, *names: str) -> Guards:
        """The same guards with some turned off.

        >>> Guards().without("latch").latch
        False
        """
        return replace(self, **dict.fromkeys(names, False))

    def only(self, *names: str) -> Guards:
        """The guards of these names that are on here; all others are off."""
        return self.without(*(name for name in GUARDS if name not in names))


def guards_from(values: Mapping[str, Any]) -> Guards:
    """Guards as an artifact keeps them; one that it does not name has its default.

    Raises:
        BadInput: A name is unknown, or a value is neither true nor false.
    """
    for name in sorted(values.keys() - set(GUARDS)):
        raise BadInput(f"guard {name} is unknown; the guards are: {', '.join(GUARDS)}")
    return Guards(**values)


GUARDS = tuple(item.name for item in fields(Guards))
"""Names of all guards."""

QUERY_GUARDS = ("vague", "over_broad", "fusion", "off_topic", "carry_drop", "repeat")
"""Names of those that look at queries: the values of faults.FaultKind."""

ALL_ON = Guards(**dict.fromkeys(GUARDS, True))
ALL_OFF = Guards(**dict.fromkeys(GUARDS, False))
DEFAULT = Guards()
