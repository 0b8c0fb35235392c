"""Why a run ends."""

from __future__ import annotations

from enum import StrEnum


class StopReason(StrEnum):
    """Why a run ended."""

    ANSWERED = "ANSWERED"
    NO_NEW_PASSAGES = "NO_NEW_PASSAGES"
    ROUND_LIMIT = "ROUND_LIMIT"
    PASSAGE_LIMIT = "PASSAGE_LIMIT"
    TOKEN_LIMIT = "TOKEN_LIMIT"
    TIME_LIMIT = "TIME_LIMIT"
    COST_LIMIT = "COST_LIMIT"
    NO_HITS = "NO_HITS"
    LM_ERROR = "LM_ERROR"
    LM_REFUSED = "LM_REFUSED"
    SEARCH_ERROR = "SEARCH_ERROR"
    CANCELLED = "CANCELLED"
