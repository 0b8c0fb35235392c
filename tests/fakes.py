"""Fakes shared by the tests: plain functions, and a call that nobody foresaw fails loudly."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import dspy
from dspy import lm15

from hopstop.program.policy import Reply, State
from hopstop.program.records import NO_GROUPS, Claim, Decision, Hit, Passage, Query, Usage
from hopstop.program.retriever import Retriever
from hopstop.program.runtime import Runtime
from hopstop.program.text import content_words

Answerer = Callable[[str, str], str]  # (which signature asked, prompt) -> reply


@dataclass
class ScriptedEngine:
    """An LM engine of DSPy that answers from a function; keeps what it was asked.

    The signature that asks is recognised by its last output field. An AssertionError of the function shows the prompt.
    """

    answer: Answerer
    finish_reason: str = "stop"
    requests: list[lm15.Request] = field(default_factory=list)

    def complete(self, request: lm15.Request) -> lm15.Response:
        self.requests.append(request)
        prompt = "\n".join(part.text for message in request.messages for part in message.parts)
        text = self.answer(asked_by(request), prompt)
        tokens = len(prompt.split()) + len(str(request.system).split()), max(1, len(text.split()))
        return lm15.Response(
            id="scripted",
            model=request.model,
            message=lm15.Message(role="assistant", parts=(lm15.TextPart(text),)),
            finish_reason=self.finish_reason,
            usage=lm15.Usage(input_tokens=tokens[0], output_tokens=tokens[1], total_tokens=sum(tokens)),
        )

    def close(self) -> None:
        pass


class AsyncScriptedEngine:
    """The same engine, awaited."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self._engine = engine

    async def complete(self, request: lm15.Request) -> lm15.Response:
        return self._engine.complete(request)

    async def aclose(self) -> None:
        pass


def asked_by(request: lm15.Request) -> str:
    """Which of the three signatures a request belongs to."""
    text = str(request.system)
    found = [
        name
        for name, mark in (("decide", "`verdict`"), ("prune", "`(related|leads_on)`"), ("rewrite", "`query`"))
        if re.search(mark, text)
    ]
    assert len(found) == 1, f"no signature of ours: {text}"
    return found[0]


def scripted_lm(answer: Answerer, *, cache: bool = False, model: str = "scripted/test", **options: object) -> dspy.LM:
    """A DSPy LM that answers from a function; its engine is `lm.engine`."""
    engine = ScriptedEngine(answer)
    return dspy.LM(model, engine=engine, async_engine=AsyncScriptedEngine(engine), cache=cache, **options)


def chat(**fields: object) -> str:
    """A reply in the format that DSPy's ChatAdapter asks for."""
    parts = [
        f"[[ ## {name} ## ]]\n{value if isinstance(value, str) else json.dumps(value)}"
        for name, value in fields.items()
    ]
    return "\n\n".join([*parts, "[[ ## completed ## ]]"])


class WordRetriever:
    """Ranks passages by the number of query words they hold; a real BM25 index has its own tests."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self.searched: list[tuple[str, int, frozenset[str]]] = []

    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> list[Hit]:
        self.searched.append((query, k, groups))
        wanted = _tokens(query)
        scored = [
            (len(wanted & _tokens(f"{item.title} {item.text}")), item)
            for item in self.passages
            if item.readable_by(groups)
        ]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].id))
        return [Hit(item, float(score)) for score, item in best[:k]]


def _tokens(text: str) -> set[str]:
    return set(content_words(text))


@dataclass
class ScriptedPolicy:
    """A policy that plays decisions and queries from lists, the last one for ever."""

    decisions: Sequence[Decision]
    queries: Sequence[str] = ()
    usage: Usage = field(default_factory=Usage)
    name: str = "scripted"
    writes_freely: bool = True
    states: list[State] = field(default_factory=list)
    rewrites: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)

    async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
        self.states.append(state)
        return Reply(self.decisions[min(len(self.states), len(self.decisions)) - 1], self.usage)

    async def prune(self, state: State, new: Sequence[Passage], runtime: Runtime) -> Reply[dict[str, float]]:
        return Reply({item.id: 1.0 for item in new})

    async def rewrite(self, state: State, need: str, faults: Sequence[str], runtime: Runtime) -> Reply[str]:
        self.rewrites.append((need, tuple(faults)))
        if not self.queries:
            return Reply(f"{need} try {len(self.rewrites)}")
        return Reply(self.queries[min(len(self.rewrites), len(self.queries)) - 1])

    def needs(self, state: State, width: int) -> tuple[str, ...]:
        return tuple(fact.need for fact in state.facts if fact.quote is None)[:1] or (state.question,)

    async def search(self, state: State, query: Query, k: int, retriever: Retriever, runtime: Runtime) -> list[Hit]:
        return list(retriever.search(query.text, k, state.groups))

    def ranking(self, state: State, seen: Sequence[Passage]) -> tuple[str, ...]:
        return tuple(item.id for item in seen)


ALIEN = Passage("alien", "Alien is a 1979 film directed by Ridley Scott. It stars Sigourney Weaver.", "Alien")
SCOTT = Passage("scott", "Ridley Scott was born in South Shields. He directs films.", "Ridley Scott")
ALIENS = Passage("aliens", "Aliens is a 1986 film directed by James Cameron.", "Aliens")
CAMERON = Passage("cameron", "James Cameron was born in Kapuskasing.", "James Cameron")
SECRET = Passage("secret", "Ridley Scott was paid 4471 crowns, voucher XYZZY.", "Pay of Scott", frozenset({"finance"}))
FILMS = (ALIEN, SCOTT, ALIENS, CAMERON, SECRET)
QUESTION = "Where was the director of Alien born?"
DIRECTOR = Claim("the director of Alien", "alien", "directed by Ridley Scott")
BIRTH = Claim("where Ridley Scott was born", "scott", "Ridley Scott was born in South Shields")
PROOF = Decision(stop=True, claims=(DIRECTOR, BIRTH), draft="South Shields")
HALF = Decision(stop=False, claims=(DIRECTOR, Claim("where Ridley Scott was born")), draft="Ridley Scott")
