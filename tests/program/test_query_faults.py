"""Each query fault on twenty queries that have it and twenty that do not, of several domains and languages."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hopstop.program.faults import QueryContext, faults
from hopstop.program.guards import ALL_ON, QUERY_GUARDS
from hopstop.program.records import NO_GROUPS

TABLE: dict[str, Any] = json.loads((Path(__file__).parent / "cases" / "query_faults.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Index:
    size: int
    frequency: dict[str, int]

    def __len__(self) -> int:
        return self.size

    def document_frequency(self, term: str, groups: frozenset[str] = NO_GROUPS) -> int:
        return self.frequency.get(term.casefold(), 0)


def context(name: str) -> QueryContext:
    world = TABLE["worlds"][name]
    index = Index(world["index"]["size"], world["index"]["common"] | world["index"]["rare"])
    parts = {key: tuple(world[key]) for key in ("needs", "known", "anchors", "tried")}
    return QueryContext(world["question"], **parts, statistics=index)


def flagged(kind: str, cases: list[list[str]]) -> list[str]:
    found = {query: [fault.kind.value for fault in faults(query, context(world), ALL_ON)] for world, query in cases}
    return [query for query, kinds in found.items() if kind in kinds]


def figures(kind: str) -> tuple[float, float]:
    """Precision and recall."""
    cases = TABLE["cases"][kind]
    assert len(cases["positive"]) == len(cases["negative"]) == 20
    right, wrong = (len(flagged(kind, cases[side])) for side in ("positive", "negative"))
    return right / max(1, right + wrong), right / 20


@pytest.mark.parametrize(
    ("kind", "precision", "recall"),
    [
        ("vague", 1.0, 0.95),
        ("over_broad", 1.0, 1.0),
        ("fusion", 1.0, 1.0),
        ("off_topic", 1.0, 0.9),
        ("carry_drop", 1.0, 0.9),
        ("repeat", 1.0, 1.0),
    ],
)
def test_fault_finds_what_it_should_and_little_else(kind: str, precision: float, recall: float) -> None:
    found = figures(kind)
    assert found[0] >= precision, flagged(kind, TABLE["cases"][kind]["negative"])
    assert found[1] >= recall, sorted(
        {query for _, query in TABLE["cases"][kind]["positive"]} - set(flagged(kind, TABLE["cases"][kind]["positive"]))
    )


@pytest.mark.parametrize("kind", QUERY_GUARDS)
def test_fault_whose_guard_is_off_is_not_looked_for(kind: str) -> None:
    world, query = TABLE["cases"][kind]["positive"][0]
    assert kind in [fault.kind for fault in faults(query, context(world), ALL_ON)]
    assert kind not in [fault.kind for fault in faults(query, context(world), ALL_ON.without(kind))]
