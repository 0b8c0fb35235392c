"""The policy that needs no language model: the embedded default, and the baseline for every LM."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources

import numpy as np

from hopstop.program.answer_weights import NAMES, AnswerWeights
from hopstop.program.answering import ALL_METHODS, Method, decide
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import ArtifactMismatch
from hopstop.program.lines import lines_of
from hopstop.program.lists import Floats
from hopstop.program.policy import Reply, State
from hopstop.program.records import Decision, Hit, Limits, Passage, Query
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.walk import Step, Walk
from hopstop.program.ways import FEATURES

WEIGHTS_FILE = "walk_weights.json"
PAIR = 2  # steps of the walk before the names in what they found are followed, as its weights were measured


class OfflinePolicy:
    """Follows names from passage to passage, quotes the sentences that show the facts, and answers where it is sure.

    Args:
        index: Where to search; its links lead the way.
        weights: Weight of each of `ways.FEATURES`, and of each of `answer_weights.NAMES` unless it is the default; None
            takes those that Hopstop ships.
        methods: Ways to an answer that are tried.

    Attributes:
        limits: Recommended bounds: ten passages in rounds of two, two and six, all of them read again in each. On dev
            424 of 450 answers are found in the first four passages, and none is lost by reading the rest at once.

    Raises:
        ArtifactMismatch: The weights are not those of this program's features.
    """

    name = "offline"
    writes_freely = False
    limits = Limits(max_rounds=3, first_k=2, next_k=1, width=6, carry_k=10, max_read=10, patience=0)

    def __init__(
        self,
        index: BM25Index,
        weights: Mapping[str, float] | None = None,
        *,
        methods: frozenset[Method] = ALL_METHODS,
    ) -> None:
        self.methods = methods
        self._index = index
        given = weights if weights is not None else shipped_weights()
        self._answers = AnswerWeights.of(given)
        self._weights = _vector({name: weight for name, weight in given.items() if name not in NAMES})

    def state(self) -> dict[str, float]:
        """The weights, as an artifact keeps them."""
        return {**dict(zip(FEATURES, self._weights.tolist(), strict=True)), **self._answers.state()}

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        """See Policy.decide."""
        lines = state.memory["lines"] = lines_of(state.question, state.reading, state.memory.get("lines"))
        found = decide(
            state.question, state.reading, state.facts, weights=self._answers, methods=self.methods, lines=lines
        )
        return Reply(found)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        """Keeps every passage, the first read as the best: the walk reads the most useful first."""
        start = len(state.read) - len(new)
        return Reply({passage.id: 1 / (1 + start + place) for place, passage in enumerate(new)})

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        """The step in words: the name that leads on, and what the question asks that its way has not met."""
        return Reply(state.memory["planned"][need].query)

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        """The next steps of the walk: a pair at first, as most answers are near; after that as many as are allowed."""
        number = len(state.queries)
        steps = self._ahead(state, width if number > 1 else min(width, PAIR))
        state.memory["planned"] = {_need(place, step): step for place, step in enumerate(steps, start=number + 1)}
        return tuple(state.memory["planned"])

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        """The planned step's passage, then the next best of the walk; other sources are searched with the words."""
        if retriever is not self._index:
            return list(retriever.search(query.text, k + len(state.read), state.groups))
        walk = self._walk(state)
        planned = state.memory.get("planned", {}).get(query.need)
        steps = ([planned] if planned is not None else []) + walk.choose(k - (planned is not None))
        return [Hit(self._index.at(step.passage), step.p, _source(step)) for step in steps]

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        """Passages in the order read: the walk reads the best first."""
        return tuple(passage.id for passage in seen)

    def _ahead(self, state: State, count: int) -> list[Step]:
        walk = self._walk(state)
        return [step for done in range(0, count, PAIR) for step in walk.choose(min(PAIR, count - done))]

    def _walk(self, state: State) -> Walk:
        walk = state.memory.get("walk")
        if walk is None:
            mask = self._index.readable(state.groups)
            walk = state.memory["walk"] = Walk(self._index.links, state.question, self._weights, mask)
        kept: Walk = walk
        return kept


def _need(number: int, step: Step) -> str:
    return f'step {number}: where "{step.via}" leads' if step.via else f"step {number}: the next hit of the question"


def _source(step: Step) -> str:
    return "link" if step.via else "bm25"


def _vector(weights: Mapping[str, float]) -> Floats:
    unknown = sorted(set(weights) ^ set(FEATURES))
    if unknown:
        raise ArtifactMismatch(
            f"weights of the offline policy do not fit its features: {', '.join(unknown)} differ; "
            "calibrate again with this version of hopstop"
        )
    return np.array([weights[name] for name in FEATURES], dtype=np.float64)


@lru_cache(maxsize=1)
def shipped_weights() -> Mapping[str, float]:
    """The weights in the package, with how they were made beside them in the same file."""
    text = resources.files("hopstop.program").joinpath(WEIGHTS_FILE).read_text(encoding="utf-8")
    weights: dict[str, float] = json.loads(text)["weights"]
    return weights
