"""The parts of the program that `hopstop ablate` turns off one at a time. A new part is one more entry in `PARTS`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopstop.program.answering import Method
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.guards import ALL_OFF, GUARDS, QUERY_GUARDS
from hopstop.program.links import build_links
from hopstop.program.lists import Lists
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Reply, State
from hopstop.program.records import Hit, Passage, Query
from hopstop.program.relevance import RELATED
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime

Change = Callable[[IterativeQA], IterativeQA | None]
"""Makes the program without a part; None if it has no such part. The program that it is given stays as it is."""

GROUPS = {
    "question hits": ("d_bm25", "d_rank", "d_best", "d_top", "l_bm25"),
    "title signals": ("d_title", "d_titleq", "d_whole", "l_titled", "l_title", "l_titleq", "l_whole", "l_soft"),
    "nearness": ("l_near",),
    "early sentences": ("l_lead_read", "l_lead"),
    "words gained": ("l_here", "l_read", "l_gain"),
    "name rarity": ("l_nidf", "l_mass"),
    "names asked for": ("l_inq",),
    "names as spelled": ("l_whole_read", "l_whole_here"),
    "shared names": ("l_shared",),
    "depth and probability": ("l_depth", "l_logp"),
    "same title": ("s_same",),
    "new words": ("s_new",),
}
"""Features of the walk by what they tell; each but the constant of links, `l_one`, is in one group."""


GUARD_TEXTS = {
    "vague": "a query without a name or rare word goes back",
    "over_broad": "a query of common words goes back",
    "fusion": "a query for two facts is told so",
    "off_topic": "a query that shares nothing with the question and what was found goes back",
    "carry_drop": "a query that keeps nothing of what was found goes back",
    "repeat": "a query that was searched already goes back",
    "near_miss": "a STOP that quotes a look-alike of what was asked for is refused",
    "fact_near_miss": "so is one whose fact names something and quotes a look-alike of it",
    "latch": "an answer that turns into a look-alike needs a quote for both",
    "answer_read": "names and numbers of the answer stand in a quoted passage",
    "answer_quoted": "they stand in a quote or its title",
    "merged_answer": "an answer joined from two names is refused",
    "vague_answer": 'an answer like "a person" is refused',
    "both_sides": "a comparison needs a quote for each side",
    "lone_derivation": "a new name that follows from one fact alone needs a quote",
    "question_covered": "a STOP whose facts leave out much of the question is refused",
    "ask_again": "a STOP refused for its answer alone is asked once more in its round",
}
"""Guard -> what it does, in words for a table."""


@dataclass(frozen=True, slots=True)
class Part:
    """Something that can be turned off.

    Attributes:
        name: Of the part.
        what: What it does, in words for a table.
        off: Makes the program without it.
        features: Features of the walk that are gone with it; with --refit the others are learned anew.
    """

    name: str
    what: str
    off: Change
    features: frozenset[str] = frozenset()


def walk_part(name: str, features: Collection[str]) -> Part:
    """Some features of the walk; without the part their weights are 0."""
    gone = frozenset(features)

    def off(program: IterativeQA) -> IterativeQA | None:
        policy = program.policy
        if not isinstance(policy, OfflinePolicy):
            return None
        return weighted(program, {name: 0.0 if name in gone else value for name, value in policy.state().items()})

    return Part(name, f"the walk weighs {', '.join(sorted(gone))}", off, gone)


def method_part(method: Method, what: str) -> Part:
    """A way to an answer."""

    def off(program: IterativeQA) -> IterativeQA | None:
        policy = program.policy
        if not isinstance(policy, OfflinePolicy) or method not in policy.methods:
            return None
        return changed(program, OfflinePolicy(_index(program), policy.state(), methods=policy.methods - {method}))

    return Part(f"answer by {method}", what, off)


def weighted(program: IterativeQA, weights: dict[str, float]) -> IterativeQA:
    """The program with other weights of the walk; a program that does not walk as it is."""
    policy = program.policy
    if not isinstance(policy, OfflinePolicy):
        return program
    return changed(program, OfflinePolicy(_index(program), weights, methods=policy.methods))


def changed(program: IterativeQA, policy: Any, retriever: Retriever | None = None) -> IterativeQA:  # noqa: ANN401
    """The program with another policy, and over another retriever if one is given."""
    return program.like(policy=policy, retriever=retriever)


def without_links(program: IterativeQA) -> IterativeQA | None:
    """No name leads anywhere: the hits of one search with the question are all there is to choose from."""
    if not isinstance(program.policy, OfflinePolicy):
        return None
    links, nothing = _index(program).links, np.zeros(0, np.int64)
    none = replace(
        links,
        unit_names=Lists(np.zeros(len(links.unit_passage) + 1, np.int64), nothing),
        unit_name_at=nothing,
        unit_name_whole=nothing.astype(np.bool_),
        name_units=Lists(np.zeros(len(links.names) + 1, np.int64), nothing),
        name_unit_whole=nothing.astype(np.bool_),
    )
    return _over(program, _index(program).relinked(none))


def without_identifiers(program: IterativeQA) -> IterativeQA | None:
    """Links built anew, in which "payment-gw" and the like are names only where they are written like others."""
    if not isinstance(program.policy, OfflinePolicy):
        return None
    index = _index(program)
    passages = [index.at(place) for place in range(len(index))]
    return _over(program, index.relinked(build_links(passages, identifiers=False)))


def without_walk(program: IterativeQA) -> IterativeQA | None:
    """One search with the question as it was asked; its hits are read in their order."""
    policy = program.policy
    if not isinstance(policy, OfflinePolicy):
        return None
    return changed(program, _OneSearch(_index(program), policy.state(), methods=policy.methods))


def without_prune(program: IterativeQA) -> IterativeQA | None:
    """Every passage is kept, and graded the same; the offline policy keeps all of them as it is."""
    return _with_lm(program, _Unpruned)


def guard_part(name: str, what: str, guards: Collection[str]) -> Part:
    """Some guards. A program that has none of them on, or whose queries are not checked, has no such part."""
    gone = frozenset(guards)

    def off(program: IterativeQA) -> IterativeQA | None:
        mine = gone if program.policy.writes_freely else gone - {*QUERY_GUARDS, "ask_again"}
        if not any(getattr(program.guards, guard) for guard in mine):
            return None
        return program.like(guards=program.guards.without(*gone))

    return Part(name, what, off)


def without_judge(program: IterativeQA) -> IterativeQA:
    """The plain loop: a STOP counts because it was said."""
    return program.like(limits=replace(program.limits, min_coverage=0.0, min_sufficiency=0.0), guards=ALL_OFF)


def lone_guard(name: str) -> Part:
    """All guards but one: beside "all guards" it shows what that one brings by itself."""

    def off(program: IterativeQA) -> IterativeQA | None:
        if guard_part(name, "", [name]).off(program) is None:
            return None
        return program.like(guards=program.guards.only(name))

    return Part(f"all but {name}", f"every guard but {name}", off)


class _OneSearch(OfflinePolicy):
    """Reads the hits of one search and answers like the offline policy."""

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        return tuple(f"hit {len(state.read) + number}" for number in range(1, width + 1))

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        return Reply(state.question)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        return list(retriever.search(state.question, k + len(state.read), state.groups))


class _Unpruned(LMPolicy):
    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        return Reply({passage.id: RELATED for passage in new})


def _with_lm(program: IterativeQA, kind: type[LMPolicy]) -> IterativeQA | None:
    """The program with this kind of LM policy, of the same model and predictors; None if it has none."""
    policy = program.policy
    if not isinstance(policy, LMPolicy):
        return None
    made = kind(policy.caller.lm)
    made.__dict__.update(policy.__dict__)  # its predictors, options, and models of one predictor alone
    return changed(program, made)


def _index(program: IterativeQA) -> BM25Index:
    if not isinstance(program.retriever, BM25Index):
        raise TypeError("the offline policy needs an index of Hopstop")
    return program.retriever


def _over(program: IterativeQA, index: BM25Index) -> IterativeQA:
    policy = program.policy
    if not isinstance(policy, OfflinePolicy):
        raise TypeError("only the offline policy walks along links")
    return changed(program, OfflinePolicy(index, policy.state(), methods=policy.methods), index)


PARTS: tuple[Part, ...] = (
    Part("walk", "the whole walk, against one BM25 search", without_walk),
    Part("links", "names lead from passage to passage", without_links),
    *(walk_part(name, features) for name, features in GROUPS.items()),
    Part("identifiers", 'what is written like "payment-gw" is a name', without_identifiers),
    method_part(Method.COMPARISON, "two sides compared by code"),
    method_part(Method.CHAIN, "known relations followed from a name"),
    method_part(Method.REACH, "any question followed over the names in sentences"),
    method_part(Method.RANKED, "the best name, date or number of the best sentence"),
    Part("prune", "the model drops passages that do not help", without_prune),
    guard_part("query faults", "a faulty query goes back to the model", QUERY_GUARDS),
    *(guard_part(f"guard {name}", what, [name]) for name, what in GUARD_TEXTS.items()),
    # What stands in no quoted passage stands in no quote: alone the first of the two tells no more than why.
    guard_part("answer guards", "names and numbers of the answer are looked up", ["answer_read", "answer_quoted"]),
    guard_part("all guards", "every check of queries and answers but the thresholds", GUARDS),
    Part("judge", "the guards, and every fact quoted and the answer in the quotes: else STOP is STOP", without_judge),
)
"""All parts, in the order of the table."""

LONE = tuple(map(lone_guard, GUARDS))
"""Parts that are turned off only where they are named."""

CHECKS = (*(f"guard {name}" for name in GUARDS), "query faults", "answer guards", "all guards", "judge")
"""Names of the parts that check what a policy says."""


def choose_parts(names: Sequence[str]) -> tuple[Part, ...]:
    """The parts of these names, in the order of the table; all if none is named.

    Raises:
        BadInput: There is no such part.
    """
    known = [part.name for part in (*PARTS, *LONE)]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"there is no part {unknown[0]!r}; the parts are: {', '.join(known)}")
    return tuple(part for part in (*PARTS, *LONE) if part.name in names) if names else PARTS
