"""The policy with an LM: three predictors that a DSPy optimiser can compile."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import dspy

from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.excerpts import context
from hopstop.program.facts import listing, sound
from hopstop.program.hints import hints
from hopstop.program.lm import Caller
from hopstop.program.lm_options import LMOptions
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Reply, State
from hopstop.program.precheck import precheck
from hopstop.program.reading import Reading, no_field, one_line
from hopstop.program.records import Claim, Decision, Hit, Passage, Query
from hopstop.program.relevance import DIRECT, RELATED, TANGENTIAL, relevance
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.text import content_words
from hopstop.signatures import Decide, Prune, Rewrite

GRADES = {
    "tangential": TANGENTIAL,
    "leads_on": RELATED,  # of programs compiled before there were four grades
    "related": RELATED,
    "useful": DIRECT,  # likewise
    "direct": DIRECT,
}
"""Output field of Prune -> grade of the passages in it, ascending; those in none have grade 0."""

_INDEX, _WALKER, _HINTS = "lm policy: index", "lm policy: walker", "lm policy: hints"  # keys in State.memory
_NONE = re.compile(r"^\W*(?:none|n/?a|null|unknown|not (?:stated|known|found)|empty)?\W*$", re.IGNORECASE)


class LMPolicy(dspy.Module):
    """Decides, prunes and rewrites by asking a language model.

    Args:
        lm: A DSPy LM; None uses the one that the app has configured with `dspy.configure` or `dspy.context`.
        schema: Ask for replies under a JSON schema. None: if DSPy knows that the model supports it. Small models need
            it.
        options: What is left to code.
        decide_lm: Another LM for Decide; a small `lm` can prune and rewrite for it.
        answer_lm: An LM that reads the same evidence once more where Decide says STOP, and whose decision counts.

    Attributes:
        options: What is left to code.
        decider: Predictor of the Decide signature.
        pruner: Predictor of the Prune signature.
        rewriter: Predictor of the Rewrite signature.
    """

    def __init__(
        self,
        lm: Any = None,  # noqa: ANN401
        *,
        schema: bool | None = None,
        options: LMOptions | None = None,
        decide_lm: Any = None,  # noqa: ANN401
        answer_lm: Any = None,  # noqa: ANN401
    ) -> None:
        super().__init__()
        self.options = options or LMOptions()
        self.decider = dspy.Predict(Decide)
        self.pruner = dspy.Predict(Prune)
        self.rewriter = dspy.Predict(Rewrite)
        self._caller = Caller(lm, schema)
        self.route(decide_lm, answer_lm)

    def route(self, decide_lm: Any, answer_lm: Any = None) -> None:  # noqa: ANN401
        """Set the LMs of `decide_lm` and `answer_lm`; None: as without them."""
        self._decides = Caller(decide_lm or self._caller.lm, self._caller.schema)
        self._answers = None if answer_lm is None else Caller(answer_lm, self._caller.schema)

    def like(self, lm: Any) -> LMPolicy:  # noqa: ANN401
        """A policy of the same options with predictors as they are delivered, for this LM.

        The LMs of `decide_lm` and `answer_lm` stay if the LM does; another one answers for all.
        """
        made = LMPolicy(lm, schema=self._caller.schema, options=self.options)
        if lm is self._caller.lm:
            made.route(self.decide_lm, self.answer_lm)
        return made

    @property
    def name(self) -> str:
        """See Policy.name."""
        lm = self._caller.asked_by(self.rewriter)
        return f"lm:{getattr(lm, 'model', 'none')}"

    @property
    def caller(self) -> Caller:
        """Calls the predictors; holds the LM."""
        return self._caller

    @property
    def decide_lm(self) -> Any:  # noqa: ANN401
        """The LM that Decide asks: that of `caller` unless another one was given or set on its predictor."""
        return self.decider.lm or self._decides.lm

    @property
    def answer_lm(self) -> Any:  # noqa: ANN401
        """The LM that reads once more before an answer; None if there is none."""
        return None if self._answers is None else self._answers.lm

    @property
    def writes_freely(self) -> bool:
        """See Policy.writes_freely; the queries of the walk are not the model's."""
        return self.options.search != "walk"

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide. A reply that cannot be read is a decision to search on with nothing shown."""
        if self.options.precheck and (found := precheck(state)) is not None:
            return Reply(found)
        inputs = decide_inputs(state)
        reply, usage = await self._decides.call(runtime, self.decider, **inputs)
        if self._answers is not None and reply is not None and reply.verdict == "STOP":
            reply, more = await self._answers.call(runtime, self.decider, **inputs)
            usage += more
        return Reply(Decision(stop=False, draft=state.draft) if reply is None else decision_of(reply), usage)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """See Policy.prune. Where a reply cannot be read, or names no passage at all, code grades; or always."""
        if self.options.prune == "code":
            return Reply(relevance(state, new))
        reply, usage = await self._caller.call(runtime, self.pruner, **prune_inputs(state, new))
        return Reply(grades_of(reply, new) or relevance(state, new), usage)

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """See Policy.rewrite. A reply that cannot be read is an empty query, which is faulty."""
        walker = _walker(state)
        if walker is not None:
            return await walker.rewrite(state, need, faults, runtime)
        need = f"{need}{_hinted(state)}"
        reply, usage = await self._caller.call(runtime, self.rewriter, **rewrite_inputs(state, need, faults))
        return Reply(query_of(reply), usage)

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """The first open facts that can be searched for now; the question itself if there is none.

        A fact waits while another open one is part of its words: "where the director of Alien was born" waits for "the
        director of Alien". Where the walk searches, its next steps.
        """
        walker = _walker(state)
        if walker is not None:
            return walker.needs(state, width)
        still_open = [fact.need for fact in state.facts if not sound(fact, state.facts) and not fact.follows_from]
        parts = {need: set(content_words(need)) for need in still_open}
        ready = [need for need in still_open if not any(other < parts[need] for other in parts.values())]
        return tuple(ready[:width]) or (state.question,)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """See Policy.search: the search engine's order stands, or the walk's.

        The passages read already are among the hits of a good query: k more are asked for, so that k can be new.

        Raises:
            BadInput: The walk is to search, and the retriever of the program is not a BM25Index.
        """
        self._look_round(state, retriever)
        walker = _walker(state)
        if walker is not None:
            return await walker.search(state, query, k, retriever, runtime)
        return list(await runtime.run(partial(retriever.search, query.text, k + len(state.read), state.groups)))

    def _look_round(self, state: State, retriever: Retriever) -> None:
        """Keep for the run what the first search is asked of: the index that the walk or the hints follow."""
        if _INDEX in state.memory:
            return
        index = state.memory[_INDEX] = retriever if isinstance(retriever, BM25Index) else None
        if self.options.search == "walk":
            if index is None:
                raise BadInput("LM option search='walk' follows the links of a BM25Index: give one as retriever")
            state.memory[_WALKER] = OfflinePolicy(index)
        if self.options.hints and index is not None:
            state.memory[_HINTS] = partial(hints, index=index)

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """Passages with a verified quote, then those still read, then the rest; each in the order read."""
        quoted = {fact.quote.passage_id for fact in state.facts if fact.quote is not None}
        read = {passage.id for passage in state.reading.passages}
        return tuple(sorted((item.id for item in seen), key=lambda name: (name not in quoted, name not in read)))


def _walker(state: State) -> OfflinePolicy | None:
    found: OfflinePolicy | None = state.memory.get(_WALKER)
    return found


def _hinted(state: State) -> str:
    """Names that the links of the index lead to, as words behind a need; empty without hints."""
    find = state.memory.get(_HINTS)
    found = find(state) if find is not None else ()
    return f" (the index suggests, right or wrong: {one_line('; '.join(found))})" if found else ""


def decide_inputs(state: State) -> dict[str, Any]:
    """The input fields of Decide."""
    return {
        "passages": context(state),
        "queries": list(map(one_line, state.queries)),
        "draft": one_line(state.draft),
        "objection": "\n".join(map(one_line, state.objections)),
        "question": no_field(state.question),
        "facts": listing(state.facts),
    }


def decision_of(reply: Any) -> Decision:  # noqa: ANN401 - a DSPy prediction is untyped
    """The decision that a reply of Decide states."""
    claims = tuple(
        Claim(item.need, quote=_said(item.quote), follows_from=tuple(item.follows_from)) for item in reply.needed
    )
    return Decision(reply.verdict == "STOP", claims, _said(reply.answer))


def prune_inputs(state: State, new: Sequence[Passage]) -> dict[str, Any]:
    """The input fields of Prune."""
    passages = Reading(tuple(new)).text()
    return {"passages": passages, "question": no_field(state.question), "facts": listing(state.facts)}


def grades_of(reply: Any, new: Sequence[Passage]) -> dict[str, float]:  # noqa: ANN401
    """Grades by passage id that a reply of Prune states, the highest for one in several lists.

    Passages in no list are left out; empty if there is no reply or it names no passage.
    """
    reading = Reading(tuple(new))
    grades: dict[str, float] = {}
    for name, grade in GRADES.items() if reply is not None else ():
        found = (reading.passage(label) for label in reply.get(name) or ())
        grades |= {passage.id: grade for passage in found if passage is not None}
    return grades


def rewrite_inputs(state: State, need: str, faults: Sequence[str]) -> dict[str, Any]:
    """The input fields of Rewrite."""
    return {
        "question": no_field(state.question),
        "facts": listing(state.facts),
        "titles": list(dict.fromkeys(filter(None, (one_line(item.title) for item in state.reading.passages)))),
        "queries": list(map(one_line, state.queries)),
        "faults": "\n".join(map(one_line, faults)),
        "missing": one_line(need),
    }


def query_of(reply: Any) -> str:  # noqa: ANN401
    """The query that a reply of Rewrite states; empty, hence faulty, if there is none."""
    return "" if reply is None else " ".join(reply.query.split())


def _said(text: str) -> str:
    """What a model wrote, "" for the ways in which models write nothing."""
    return "" if _NONE.match(text) else text.strip()
