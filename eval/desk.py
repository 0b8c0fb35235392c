"""A made company corpus with labelled questions: incidents with look-alikes, fixes, reviewers, suppliers, contracts.

All of it is invented. Every gold passage, gold sentence and answer is exact, because the notes are written from the
facts that the questions follow. Some notes are for one group only; some facts are stated nowhere.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, TypeVar

from hopstop.eval.datasets import write_dataset
from hopstop.eval.desk_questions import CHAINS, COMPARISONS, Chain, Comparison
from hopstop.eval.desk_world import Stated, World, build_world
from hopstop.eval.questions import Dataset, Question, Support
from hopstop.program.errors import BadDataset
from hopstop.program.records import NO_GROUPS

T = TypeVar("T")

OUTSIDERS = {"finance": (NO_GROUPS, frozenset({"security"})), "security": (NO_GROUPS, frozenset({"finance"}))}
"""Groups of users who may not read the notes of a group, in turn."""

SUBJECTS_OF = {"cause": "service", "origin": "service", "fix": "service", "reviewer": "author", "penalty": "fee"}
"""A fact that is stated of every subject of which another one may be stated."""


def make_desk(seed: int = 0, size: float = 1.0) -> Dataset:
    """Make the corpus and its questions.

    Each question's `meta` has its `kind` and its `decomposition` (one step for each fact: question, answer, passage
    id); for incidents, changes and contracts with a look-alike its `twin` and `twin_answer` (null if that one has
    none); for questions without an answer what is `missing`; for those of a user who may not read a fact, which group
    may (`restricted_to`) and the id of the same question of a user who may (`insider`).

    Args:
        seed: Same seed and size, same data set in every process.
        size: About 400 passages and 150 questions for each 1.0; in [0.1, 8].

    Raises:
        BadDataset: The size lies outside its range.
    """
    if not 0.1 <= size <= 8:
        raise BadDataset(f"the size of the desk corpus must lie in [0.1, 8], not {size!r}")
    rng = random.Random(seed)
    world = build_world(rng, size)
    questions = [question for chain in CHAINS for question in _chain_questions(world, chain, rng, size)]
    questions += [question for kind in COMPARISONS for question in _comparisons(world, kind, rng, size)]
    return Dataset.of(f"desk-seed{seed}-size{size:g}", questions, world.passages)


def write_desk(folder: str | Path, seed: int = 0, size: float = 1.0) -> tuple[Path, Path | None]:
    """Write the data set as `questions.jsonl` and `corpus.jsonl`; see `make_desk` and `write_dataset`."""
    return write_dataset(make_desk(seed, size), folder)


@dataclass(frozen=True, slots=True)
class _Walk:
    """The facts met on a chain, and what broke it off."""

    subject: str
    steps: tuple[Stated, ...]
    missing: str | None = None

    @property
    def end(self) -> str | None:
        return self.steps[-1].value if self.missing is None else None

    @property
    def groups(self) -> frozenset[str]:
        return frozenset[str]().union(*(step.groups for step in self.steps))

    @property
    def whole(self) -> bool:
        """Whether it reaches its end, no name twice: a reviewer who leads the team would make a step needless."""
        names = [self.subject, *(step.value for step in self.steps)]
        return self.missing is None and len(set(names)) == len(names)


def _walk(world: World, start: str, relations: Iterable[str], readable: frozenset[str] | None = None) -> _Walk:
    """Follow the facts; as far as a user of these groups may read, if any are given."""
    steps: list[Stated] = []
    subject = start
    for relation in relations:
        fact = world.facts.get((relation, subject))
        if fact is None or (readable is not None and fact.groups and not fact.groups & readable):
            return _Walk(start, tuple(steps), f"{relation} of {subject}")
        steps.append(fact)
        subject = fact.value
    return _Walk(start, tuple(steps))


def _chain_questions(world: World, chain: Chain, rng: random.Random, size: float) -> list[Question]:
    first = chain.relations[0]
    starts = world.subjects(SUBJECTS_OF.get(first, first))
    rng.shuffle(starts)
    walks = [_walk(world, start, chain.relations) for start in starts]
    whole = [walk for walk in walks if walk.whole and _twin_differs(world, chain, walk)]
    public = _some([walk for walk in whole if not walk.groups], chain.asked, size)
    broken = _some([walk for walk in walks if _is_open(world, walk)], chain.open, size)
    questions = [_ask(world, chain, walk, rng) for walk in public + broken]
    for number, walk in enumerate(_some([walk for walk in whole if walk.groups], chain.restricted, size)):
        insider = replace(_ask(world, chain, walk, rng), groups=walk.groups)
        questions += [insider, _outsider(world, chain, insider, walk, number)]
    return questions


def _twin_differs(world: World, chain: Chain, walk: _Walk) -> bool:
    if chain.relations[0] == "service":  # look-alike incidents hit the same service
        return True
    twin = world.twins.get(walk.subject)
    return twin is None or _walk(world, twin, chain.relations).end != walk.end


def _is_open(world: World, walk: _Walk) -> bool:
    """Whether a fact is stated nowhere. An incident has a cause or an origin; the other one is not what is missing."""
    if walk.missing is None or walk.missing.startswith("origin"):
        return False
    return not (walk.missing.startswith("cause") and ("origin", walk.subject) in world.facts)


def _ask(world: World, chain: Chain, walk: _Walk, rng: random.Random) -> Question:
    return Question(
        id=f"desk-{chain.kind}-{walk.subject}".lower(),
        question=rng.choice(chain.forms).format(s=walk.subject),
        answers=_forms_of(chain.relations[-1], walk.end) if walk.end else (),
        type="bridge" if len(chain.relations) > 1 else "lookup",
        hops=len(chain.relations),
        answerable=walk.missing is None,
        supports=_supports(walk.steps),
        meta={"kind": chain.kind, **_decomposition(walk), **_twin(world, chain, walk)},
    )


def _outsider(world: World, chain: Chain, insider: Question, walk: _Walk, number: int) -> Question:
    (owner,) = walk.groups
    groups = OUTSIDERS[owner][number % 2]
    seen = _walk(world, walk.subject, chain.relations, groups)
    return replace(
        insider,
        id=f"{insider.id}-outsider",
        answers=(),
        answerable=False,
        supports=_supports(seen.steps),
        meta={"kind": chain.kind, **_decomposition(seen), "restricted_to": owner, "insider": insider.id},
        groups=groups,
    )


def _comparisons(world: World, kind: Comparison, rng: random.Random, size: float) -> list[Question]:
    first = kind.relations[0]
    walks = [_walk(world, start, kind.relations) for start in world.subjects(first)]
    usable = {walk.subject: walk for walk in walks if walk.whole and not walk.groups}
    every = list(combinations(sorted(usable), 2))
    rng.shuffle(every)
    alike = sorted(every, key=lambda pair: world.twins.get(pair[0]) != pair[1])  # look-alikes first
    if kind.yes_no:
        same = [pair for pair in every if usable[pair[0]].end == usable[pair[1]].end]
        other = [pair for pair in alike if usable[pair[0]].end != usable[pair[1]].end]
        alike = [pair for couple in zip(same, other, strict=False) for pair in couple]
    chosen = _some(alike, kind.asked, size)
    return [_compare(kind, [usable[name] for name in rng.sample(pair, 2)], rng) for pair in chosen]


def _compare(kind: Comparison, walks: Sequence[_Walk], rng: random.Random) -> Question:
    a, b = walks
    steps = a.steps + b.steps
    if kind.yes_no:
        answers: tuple[str, ...] = ("yes",) if a.end == b.end else ("no",)
    else:
        larger = max(walks, key=lambda walk: _number(walk.end or ""))
        answers = tuple(dict.fromkeys((larger.subject, kind.label.format(s=larger.subject))))
    return Question(
        id=f"desk-{kind.kind}-{a.subject}-{b.subject}".lower(),
        question=rng.choice(kind.forms).format(a=a.subject, b=b.subject),
        answers=answers,
        type="comparison",
        hops=len(steps),
        supports=_supports(steps),
        meta={"kind": kind.kind, **_decomposition(_Walk(a.subject, steps))},
    )


def _supports(steps: Sequence[Stated]) -> tuple[Support, ...]:
    sentences: dict[str, list[str]] = {}
    for step in steps:
        sentences.setdefault(step.passage_id, []).append(step.sentence)
    return tuple(Support(name, tuple(dict.fromkeys(found))) for name, found in sentences.items())


def _decomposition(walk: _Walk) -> dict[str, Any]:
    steps = [
        {"question": f"{step.relation} of {step.subject}", "answer": step.value, "passage_id": step.passage_id}
        for step in walk.steps
    ]
    return {"decomposition": steps, **({"missing": walk.missing} if walk.missing else {})}


def _twin(world: World, chain: Chain, walk: _Walk) -> dict[str, Any]:
    twin = world.twins.get(walk.subject)
    if twin is None or chain.relations[0] == "service":
        return {}
    return {"twin": twin, "twin_answer": _walk(world, twin, chain.relations).end}


def _forms_of(relation: str, value: str) -> tuple[str, ...]:
    if relation in ("team", "owner"):
        return (value, f"{value} team", f"team {value}")
    if relation == "penalty":
        return (value, value.replace("EUR", "euros"), f"EUR {value.removesuffix(' EUR')}")
    return (value,)


def _number(value: str) -> int:
    return int(re.sub(r"\D", "", value))


def _some(items: Sequence[T], at_one: int, size: float) -> list[T]:
    return list(items[: max(1, round(at_one * size))] if at_one else [])
