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
        reply, usage = await self._caller.call(
            runtime,
            self.decider,
            question=state.question,
            passages=state.reading.text(),
            facts=listing(state.facts),
            queries=list(state.queries),
            draft=state.draft,
            objection="\n".join(state.objections),
        )
        if reply is None:
            return Reply(Decision(stop=False, draft=state.draft), usage)
        claims = tuple(
            Claim(item.need, quote=_said(item.quote), follows_from=tuple(item.follows_from)) for item in reply.needed
        )
        return Reply(Decision(reply.verdict == "STOP", claims, _said(reply.answer)), usage)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune. A reply that cannot be read, or that names no passage at all, keeps everything."""
        reading = Reading(tuple(new))
        reply, usage = await self._caller.call(
            runtime, self.pruner, question=state.question, facts=listing(state.facts), passages=reading.text()
        )
        grades: dict[str, float] = {}
        if reply is not None:
            for labels, grade in ((reply.leads_on, LEADS_ON), (reply.useful, USEFUL)):
                grades |= {passage.id: grade for label in labels if (passage := reading.passage(label)) is not None}
        return Reply(grades or {passage.id: LEADS_ON for passage in new}, usage)

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """See Policy.rewrite. A reply that cannot be read is an empty query, which is faulty."""
        reply, usage = await self._caller.call(
            runtime,
            self.rewriter,
            question=state.question,
            facts=listing(state.facts),
            titles=list(dict.fromkeys(item.title for item in state.reading.passages if item.title)),
            queries=list(state.queries),
            missing=need,
            faults="\n".join(faults),
        )
        return Reply(" ".join(reply.query.split()) if reply is not None else "", usage)

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


def _said(text: str) -> str:
    """What a model wrote, "" for the ways in which models write nothing."""
    return "" if _NONE.match(text) else text.strip()
