"""The part of a question that a refused STOP has left out, as a fact that is open until something speaks of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hopstop.program.records import Claim, Fact, Judgement

_OPEN = "asked for: "  # how the need of such a fact begins


def refused(judgement: Judgement, left: Sequence[str]) -> Judgement:
    """The judgement of a STOP that leaves out words of the question: they become a fact, and it is open."""
    told = ", ".join(f'"{word}"' for word in left)
    objection = f"no fact listed speaks of {told} of the question: list what that asks for, with its quote"
    facts = (*judgement.facts, Fact(f"{_OPEN}{' '.join(left)}"))
    coverage = judgement.coverage * len(judgement.facts) / len(facts)
    objections = (*judgement.objections, objection)
    return replace(judgement, accepted=False, facts=facts, coverage=coverage, objections=objections)


def released(facts: Sequence[Fact], claims: Sequence[Claim] = ()) -> tuple[Fact, ...]:
    """The facts without those that `refused` has added, but for those a claim names ("F3 ...") or replaces.

    Other facts may say what was left out, and a decision is looked at as a whole.
    """
    named = {int(match[1]) for claim in claims if (match := re.match(r"\W*F(\d{1,3})\b", claim.need))}
    replaced = {claim.replaces for claim in claims}
    return tuple(
        fact
        for place, fact in enumerate(facts, start=1)
        if fact.quote is not None
        or fact.follows_from
        or not fact.need.startswith(_OPEN)
        or place in named
        or fact.need in replaced
    )
