"""A compiled program for tests, as an optimiser leaves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy

from fakes import FILMS, chat, scripted_lm
from hopstop.program import BM25Index, IterativeQA, Limits, LMPolicy
from hopstop.program.offline import OfflinePolicy
from hopstop.program.ways import FEATURES
from hopstop.signatures import FactClaim

LIMITS = Limits(first_k=1, max_rounds=3, min_sufficiency=0.5, stop_by="evidence", max_cost_usd=0.25)  # type: ignore[arg-type]
DEMO = {
    "question": "Who directed Café?",
    "passages": "P1 Café\nP1.1 Café is a film by Ann Lee.",
    "facts": "",
    "queries": ["Café"],
    "draft": "",
    "objection": "",
    "needed": [FactClaim(need="the director of Café", quote="P1.1")],
    "answer": "Ann Lee",
    "verdict": "STOP",
}


def searching(asked: str, prompt: str) -> str:
    """Never finds anything, so that every predictor is asked several times."""
    if asked == "decide":
        return chat(needed=[{"need": "x", "quote": "", "follows_from": []}], answer="", verdict="SEARCH")
    if asked == "prune":
        return chat(direct=["P1"], related=[], tangential=[], useful=["P1"], leads_on=[])  # new form and old
    return chat(query=f"Ridley Scott {len(prompt) % 7}")


def compiled(lm: Any = None) -> IterativeQA:  # noqa: ANN401
    """A program as an optimiser leaves it: other instructions, examples with more fields than the predictor has."""
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(lm or scripted_lm(searching)), LIMITS)
    decider, rewriter = program.policy.decider, program.policy.rewriter
    decider.signature = decider.signature.with_instructions("Answer.\n  Indented – “quoted”.")
    decider.demos = [dspy.Example(augmented=True, gold="not for prompts", **DEMO).with_inputs("question")]
    rewriter.demos = [{"question": "q", "missing": "who reviewed it", "query": "fix 4471 reviewer"}]
    rewriter.signature = rewriter.signature.with_updated_fields("query", desc="Two words")
    return program


def requests(lm: dspy.LM) -> list[str]:
    """What was asked, in a fixed order: Prune and Rewrite are asked side by side."""
    return sorted(repr(request) for request in lm.engine.requests)


def snapshot(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def walking(index: BM25Index) -> IterativeQA:
    """A program with an offline policy of odd weights."""
    weights = {name: (number + 1) / 7 for number, name in enumerate(FEATURES)}
    return IterativeQA(index, OfflinePolicy(index, weights), Limits(max_read=3))
