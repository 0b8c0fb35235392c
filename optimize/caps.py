"""Caps above what nearly every successful question needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hopstop.optimize.labelled_sets import Item
from hopstop.optimize.replay import Replayed, Trace
from hopstop.optimize.worth import worth
from hopstop.program.records import Limits

PERCENTILE = 95
TOKEN_STEP = 500
SECONDS_STEP, SECONDS_FACTOR = 5, 2  # another machine, or the same one when it is busy, takes longer


@dataclass(frozen=True, slots=True)
class Need:
    """What a successful question needed: rounds, passages read, tokens, seconds."""

    rounds: int
    read: int
    tokens: int
    seconds: float


def capped(limits: Limits, items: Sequence[Item], runs: Mapping[str, Replayed], traces: Mapping[str, Trace]) -> Limits:
    """The limits with caps just above the 95th percentile of what successful questions needed.

    Successful is a question that was answered rightly (F1 above 1/2), and one whose gold passages were all read. Each
    set has its own percentile, and the highest counts, so that no kind of question is cut short. No cap is raised above
    what was run, for nobody knows what comes after. Time and tokens are left as they are where no model is asked: they
    would say more of the machine than of the questions.
    """
    by_set: dict[str, list[Need]] = {}
    for item in items:
        if item.key in runs and (need := _need(item, runs[item.key], traces[item.key])) is not None:
            by_set.setdefault(item.name, []).append(need)
    if not by_set:
        return limits
    rounds, read, tokens, seconds = (
        max(_percentile([getattr(need, name) for need in needs]) for needs in by_set.values())
        for name in ("rounds", "read", "tokens", "seconds")
    )
    most = int(read) + 1
    caps = replace(
        limits,
        max_rounds=max(limits.min_rounds, min(limits.max_rounds, int(rounds) + 1)),
        max_read=most if limits.max_read is None else min(limits.max_read, most),
    )
    if not tokens:
        return caps
    return replace(
        caps,
        max_tokens=min(limits.max_tokens, (int(tokens) // TOKEN_STEP + 1) * TOKEN_STEP),
        max_seconds=min(limits.max_seconds, (int(SECONDS_FACTOR * seconds) // SECONDS_STEP + 1.0) * SECONDS_STEP),
    )


def _need(item: Item, run: Replayed, trace: Trace) -> Need | None:
    if run.answer is not None:
        right = worth(item.question, run) > 0
        return Need(run.rounds, len(run.read), run.tokens, run.seconds) if right else None
    gold = set(item.question.gold_ids) if item.question.answerable else set()
    if not gold or not gold <= set(run.read):
        return None
    last = max(run.read.index(name) for name in gold)
    read = tokens = 0
    seconds = 0.0
    for number, step in enumerate(trace.steps, start=1):
        read, seconds = read + len(step.new), seconds + step.seconds
        if read > last:
            return Need(number, last + 1, tokens + step.decide_tokens, seconds)
        tokens += step.tokens
    return None


def _percentile(values: Sequence[float]) -> float:
    return float(np.percentile(values, PERCENTILE, method="higher"))
