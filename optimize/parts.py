"""The parts of the program that `hopstop ablate` turns off one at a time. A new part is one more entry in `PARTS`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hopstop.program.answering import Method
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.links import build_links
from hopstop.program.lists import Lists
from hopstop.program.lm_policy import LEADS_ON, LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.policy import Reply, State
from hopstop.program.records import Hit, Passage, Query
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
    return IterativeQA(retriever or program.retriever, policy, program.limits, fallback=program.fallback)


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


def without_faults(program: IterativeQA) -> IterativeQA | None:
    """Queries of the model run as they are, unless empty; those of the offline policy are not checked as it is."""
    return _with_lm(program, _Unchecked)


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
        return Reply({passage.id: LEADS_ON for passage in new})


class _Unchecked(LMPolicy):
    @property
    def writes_freely(self) -> bool:
        return False


def _with_lm(program: IterativeQA, kind: type[LMPolicy]) -> IterativeQA | None:
    """The program with this kind of LM policy, of the same model and predictors; None if it has none."""
    policy = program.policy
    if not isinstance(policy, LMPolicy):
        return None
    made = kind(policy.caller.lm, schema=policy.caller.schema)
    made.decider, made.pruner, made.rewriter = policy.decider, policy.pruner, policy.rewriter
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
    Part("query faults", "a faulty query goes back to the model", without_faults),
)
"""All parts, in the order of the table."""


def choose_parts(names: Sequence[str]) -> tuple[Part, ...]:
    """The parts of these names, in the order of the table; all if none is named.

    Raises:
        BadInput: There is no such part.
    """
    known = [part.name for part in PARTS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BadInput(f"there is no part {unknown[0]!r}; the parts are: {', '.join(known)}")
    return tuple(part for part in PARTS if not names or part.name in names)
