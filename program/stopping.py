"""Why a run has to end, whatever the policy would like."""

from __future__ import annotations

from hopstop.program.records import Limits, StopReason, Usage


def why_stop(rounds: int, passages: int, usage: Usage, seconds: float, limits: Limits) -> StopReason | None:
    """The limit that forbids another round or LM call, or None.

    Args:
        rounds: Rounds that have been searched.
        passages: Passages that have been read.
        usage: What the LM calls of the question have used. Tokens of cached calls count: they were read.
        seconds: Wall clock since the question came in.
        limits: The bounds.

    Returns:
        The reason, in the order cost, tokens, time, passages, rounds: what costs money is named first.
    """
    if limits.max_cost_usd is not None and (usage.cost_usd or 0.0) >= limits.max_cost_usd:
        return StopReason.COST_LIMIT
    if usage.tokens >= limits.max_tokens:
        return StopReason.TOKEN_LIMIT
    if seconds >= limits.max_seconds:
        return StopReason.TIME_LIMIT
    if limits.max_read is not None and passages >= limits.max_read:
        return StopReason.PASSAGE_LIMIT
    return StopReason.ROUND_LIMIT if rounds >= limits.max_rounds else None
