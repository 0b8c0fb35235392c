"""The program: a bounded loop that searches, reads and decides, and code that has the last word on stopping.

Names are imported when they are used: reading a corpus does not wait for DSPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hopstop.program.lazy import lazy

if TYPE_CHECKING:
    from hopstop.program.artifact import load, save
    from hopstop.program.artifact_diff import Changes, diff
    from hopstop.program.artifact_view import Description, describe
    from hopstop.program.bm25 import BM25Index
    from hopstop.program.budget import Budget
    from hopstop.program.corpus import read_corpus
    from hopstop.program.errors import HopstopError, SearchFailed
    from hopstop.program.guards import Guards
    from hopstop.program.lm_options import LMOptions
    from hopstop.program.lm_policy import LMPolicy
    from hopstop.program.loop import IterativeQA
    from hopstop.program.manifest import Training
    from hopstop.program.offline import OfflinePolicy
    from hopstop.program.policy import Policy, Reply, State
    from hopstop.program.records import (
        Claim,
        Decision,
        Fact,
        Hit,
        Limits,
        Outcome,
        Passage,
        Query,
        Quote,
        Round,
        StopReason,
        Usage,
    )
    from hopstop.program.retriever import FusedRetriever, Retriever, reciprocal_rank_fusion

_HOMES = {
    "BM25Index": "bm25",
    "Budget": "budget",
    "Changes": "artifact_diff",
    "Claim": "records",
    "Decision": "records",
    "Description": "artifact_view",
    "Fact": "records",
    "FusedRetriever": "retriever",
    "Guards": "guards",
    "Hit": "records",
    "HopstopError": "errors",
    "IterativeQA": "loop",
    "LMOptions": "lm_options",
    "LMPolicy": "lm_policy",
    "Limits": "records",
    "OfflinePolicy": "offline",
    "Outcome": "records",
    "Passage": "records",
    "Policy": "policy",
    "Query": "records",
    "Quote": "records",
    "Reply": "policy",
    "Retriever": "retriever",
    "Round": "records",
    "SearchFailed": "errors",
    "State": "policy",
    "StopReason": "records",
    "Training": "manifest",
    "Usage": "records",
    "describe": "artifact_view",
    "diff": "artifact_diff",
    "load": "artifact",
    "read_corpus": "corpus",
    "reciprocal_rank_fusion": "retriever",
    "save": "artifact",
}

__all__ = [
    "BM25Index",
    "Budget",
    "Changes",
    "Claim",
    "Decision",
    "Description",
    "Fact",
    "FusedRetriever",
    "Guards",
    "Hit",
    "HopstopError",
    "IterativeQA",
    "LMOptions",
    "LMPolicy",
    "Limits",
    "OfflinePolicy",
    "Outcome",
    "Passage",
    "Policy",
    "Query",
    "Quote",
    "Reply",
    "Retriever",
    "Round",
    "SearchFailed",
    "State",
    "StopReason",
    "Training",
    "Usage",
    "describe",
    "diff",
    "load",
    "read_corpus",
    "reciprocal_rank_fusion",
    "save",
]


__getattr__ = lazy(__name__, _HOMES)
