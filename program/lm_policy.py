"""The policy with an LM: three predictors that a DSPy optimiser can compile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import dspy

from hopstop.program.facts import listing, sound
from hopstop.program.lm import Caller
from hopstop.program.policy import Reply, State
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Hit, Passage, Query
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.text import content_words
from hopstop.signatures import Decide, Prune, Rewrite

USEFUL, LEADS_ON = 2.0, 1.0
_NONE = re.compile(r"^\W*(?:none|n/?a|null|unknown|not (?:stated|known|found)|empty)?\W*$", re.IGNORECASE)


class LMPolicy(dspy.Module):
    """Decides, prunes and rewrites by asking a language model.

    Args:
        lm: A DSPy LM; None uses the one that the app has configured with `dspy.configure` or `dspy.context`.
        schema: Ask for replies under a JSON schema. None: if DSPy knows that the model supports it. Small models need
            it.

    Attributes:
        decider: Predictor of the Decide signature.
        pruner: Predictor of the Prune signature.
        rewriter: Predictor of the Rewrite signature.
    """

    def __init__(self, lm: Any = None, *, schema: bool | None = None) -> None:  # noqa: ANN401
        super().__init__()
        self.decider = dspy.Predict(Decide)
        self.pruner = dspy.Predict(Prune)
        self.rewriter = dspy.Predict(Rewrite)
        self._caller = Caller(lm, schema)

    @property
    def name(self) -> str:
        """See Policy.name."""
        lm = self._caller.lm or dspy.settings.lm
        return f"lm:{getattr(lm, 'model', 'none')}"

    @property
    def caller(self) -> Caller:
        """Calls the predictors; holds the LM."""
        return self._caller

    @property
    def writes_freely(self) -> bool:
        """See Policy.writes_freely."""
        return True

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide. A reply that cannot be read is a decision to search on with nothing shown."""
        reply, usage = await self._caller.call(runtime, self.decider, **decide_inputs(state))
        return Reply(Decision(stop=False, draft=state.draft) if reply is None else decision_of(reply), usage)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune. A reply that cannot be read, or that names no passage at all, keeps everything."""
        reply, usage = await self._caller.call(runtime, self.pruner, **prune_inputs(state, new))
        return Reply(grades_of(reply, new), usage)

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """See Policy.rewrite. A reply that cannot be read is an empty query, which is faulty."""
        reply, usage = await self._caller.call(runtime, self.rewriter, **rewrite_inputs(state, need, faults))
        return Reply(query_of(reply), usage)

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """The first open facts that can be searched for now; the question itself if there is none.

        A fact waits while another open one is part of its words: "where the director of Alien was born" waits for "the
        director of Alien".
        """
        still_open = [fact.need for fact in state.facts if not sound(fact, state.facts) and not fact.follows_from]
        parts = {need: set(content_words(need)) for need in still_open}
        ready = [need for need in still_open if not any(other < parts[need] for other in parts.values())]
        return tuple(ready[:width]) or (state.question,)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """See Policy.search: the search engine's order stands."""
        return list(await runtime.run(partial(retriever.search, query.text, k, state.groups)))

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """Passages with a verified quote, then those still read, then the rest; each in the order read."""
        quoted = {fact.quote.passage_id for fact in state.facts if fact.quote is not None}
        read = {passage.id for passage in state.reading.passages}
        return tuple(sorted((item.id for item in seen), key=lambda name: (name not in quoted, name not in read)))


def decide_inputs(state: State) -> dict[str, Any]:
    """The input fields of Decide."""
    return {
        "question": state.question,
        "passages": state.reading.text(),
        "facts": listing(state.facts),
        "queries": list(state.queries),
        "draft": state.draft,
        "objection": "\n".join(state.objections),
    }


def decision_of(reply: Any) -> Decision:  # noqa: ANN401 - a DSPy prediction is untyped
    """The decision that a reply of Decide states."""
    claims = tuple(
        Claim(item.need, quote=_said(item.quote), follows_from=tuple(item.follows_from)) for item in reply.needed
    )
    return Decision(reply.verdict == "STOP", claims, _said(reply.answer))


def prune_inputs(state: State, new: Sequence[Passage]) -> dict[str, Any]:
    """The input fields of Prune."""
    return {"question": state.question, "facts": listing(state.facts), "passages": Reading(tuple(new)).text()}


def grades_of(reply: Any, new: Sequence[Passage]) -> dict[str, float]:  # noqa: ANN401
    """Usefulness by passage id that a reply of Prune states; no reply, or one that names no passage, keeps all."""
    reading = Reading(tuple(new))
    grades: dict[str, float] = {}
    if reply is not None:
        for labels, grade in ((reply.leads_on, LEADS_ON), (reply.useful, USEFUL)):
            grades |= {passage.id: grade for label in labels if (passage := reading.passage(label)) is not None}
    return grades or {passage.id: LEADS_ON for passage in new}


def rewrite_inputs(state: State, need: str, faults: Sequence[str]) -> dict[str, Any]:
    """The input fields of Rewrite."""
    return {
        "question": state.question,
        "facts": listing(state.facts),
        "titles": list(dict.fromkeys(item.title for item in state.reading.passages if item.title)),
        "queries": list(state.queries),
        "missing": need,
        "faults": "\n".join(faults),
    }


def query_of(reply: Any) -> str:  # noqa: ANN401
    """The query that a reply of Rewrite states; empty, hence faulty, if there is none."""
    return "" if reply is None else " ".join(reply.query.split())


def _said(text: str) -> str:
    """What a model wrote, "" for the ways in which models write nothing."""
    return "" if _NONE.match(text) else text.strip()
