"""The desk company: who and what there is, and the notes that state it, one note for each fact that chains ask for."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from hopstop.eval import desk_names
from hopstop.eval.desk_forms import FACTS, FILLER, MENTIONS, TITLES
from hopstop.program.records import NO_GROUPS, Passage

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
FINANCE = frozenset({"finance"})
SECURITY = frozenset({"security"})

Told = tuple[str, str, str]  # relation, subject, value


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact and the one passage that states it.

    Attributes:
        relation: Which fact, a name in `desk_forms.FACTS`.
        subject: What it is about.
        value: What is said of the subject.
        passage_id: The passage.
        sentence: The sentence of the passage that states it, word for word.
        groups: Who may read the passage.
    """

    relation: str
    subject: str
    value: str
    passage_id: str
    sentence: str
    groups: frozenset[str]


@dataclass(frozen=True, slots=True)
class World:
    """Everything that is stated about the company.

    Attributes:
        passages: The notes.
        facts: By relation and subject. A pair that is not there is stated nowhere.
        twins: The look-alike of each incident, change and contract.
    """

    passages: tuple[Passage, ...]
    facts: Mapping[tuple[str, str], Stated]
    twins: Mapping[str, str]

    def subjects(self, relation: str) -> list[str]:
        """All subjects of which this fact is stated, in a fixed order."""
        return sorted(subject for name, subject in self.facts if name == relation)


@dataclass(slots=True)
class _Notebook:
    """Writes notes and remembers what they state."""

    rng: random.Random
    passages: list[Passage] = field(default_factory=list)
    facts: dict[tuple[str, str], Stated] = field(default_factory=dict)

    def note(self, kind: str, subject: str, told: Sequence[Told], groups: frozenset[str] = NO_GROUPS) -> None:
        name = f"desk-{len(self.passages):04d}"
        filler = "contract" if kind == "penalty" else kind
        stated = [(fact, self._sentence(FACTS[fact[0]], s=fact[1], o=fact[2])) for fact in told]
        count = self.rng.randint(1, 3)
        sentences = [sentence for _, sentence in stated] + self._some(FILLER[filler], count, subject)
        self.rng.shuffle(sentences)
        title = TITLES[kind].format(s=subject)
        self.passages.append(Passage(name, " ".join(sentences), title, groups))
        for (relation, about, value), sentence in stated:
            self.facts[relation, about] = Stated(relation, about, value, name, sentence, groups)

    def minutes(self, names: Mapping[str, Sequence[str]]) -> None:
        """Minutes that name two things of different kinds and state no fact."""
        name = f"desk-{len(self.passages):04d}"
        kinds = self.rng.sample(sorted(names), 2)
        sentences = [self._sentence(MENTIONS[kind], s=self.rng.choice(names[kind])) for kind in kinds]
        sentences += self._some(FILLER["minutes"], 2, "")
        self.rng.shuffle(sentences)
        title = TITLES["minutes"].format(s=desk_names.date(self.rng, self.rng.choice((2023, 2024))))
        self.passages.append(Passage(name, " ".join(sentences), title))

    def _some(self, forms: Sequence[str], count: int, subject: str) -> list[str]:
        return [self._sentence([form], s=subject) for form in self.rng.sample(forms, count)]

    def _sentence(self, forms: Sequence[str], **slots: str) -> str:
        rng = self.rng
        loose = {
            "n": rng.randint(4, 29), "digit": rng.randint(1, 6), "day": rng.choice(DAYS),
            "year": rng.randint(2012, 2022), "time": f"{rng.randint(6, 22)}:{rng.randint(10, 59)}",
        }  # fmt: skip
        return rng.choice(forms).format(**loose, **slots)


@dataclass(frozen=True, slots=True)
class _Cast:
    """Names of everything, drawn once."""

    people: list[str]
    teams: list[str]
    services: list[str]
    suppliers: list[str]
    incidents: list[tuple[str, str]]
    changes: list[tuple[str, str]]
    contracts: list[tuple[str, str]]


def build_world(rng: random.Random, size: float) -> World:
    """Invent the company and write its notes.

    Args:
        rng: Decides everything.
        size: About 400 passages for each 1.0; must be in [0.1, 8].
    """
    cast = _draw_cast(rng, size)
    book = _Notebook(rng)
    _write_incidents(book, cast)
    _write_changes(book, cast)
    _write_people(book, cast)
    _write_suppliers(book, cast)
    names = {
        "incident": _flat(cast.incidents), "change": _flat(cast.changes), "contract": _flat(cast.contracts),
        "person": cast.people, "service": cast.services, "supplier": cast.suppliers,
    }  # fmt: skip
    # A person next to an incident, change or supplier in one note could be read as its reviewer or account manager.
    without_people = {kind: named for kind, named in names.items() if kind != "person"}
    only_services = {kind: names[kind] for kind in ("person", "service")}
    for number in range(round(78 * size)):
        book.minutes(only_services if number % 4 == 0 else without_people)
    twins = {
        **_twins(cast.incidents), **_twins(cast.changes), **_twins(cast.contracts)
    }  # fmt: skip
    return World(tuple(book.passages), MappingProxyType(book.facts), MappingProxyType(twins))


def _draw_cast(rng: random.Random, size: float) -> _Cast:
    def count(at_one: int, least: int) -> int:
        return max(least, round(at_one * size))

    incidents = desk_names.twin_numbers(rng, count(22, 3), range(3010, 7000))
    changes = desk_names.twin_numbers(rng, count(22, 3), range(7010, 10000))
    contracts = desk_names.twin_numbers(rng, count(12, 3), range(110, 1000))
    return _Cast(
        people=desk_names.people(rng, count(60, 12)),
        teams=desk_names.teams(rng, count(12, 4)),
        services=desk_names.services(rng, count(14, 4)),
        suppliers=desk_names.suppliers(rng, 2 * len(contracts)),
        incidents=[(str(one), str(two)) for one, two in incidents],
        changes=[(f"CHG-{one}", f"CHG-{two}") for one, two in changes],
        contracts=[(f"C-{one}", f"C-{two}") for one, two in contracts],
    )


def _write_incidents(book: _Notebook, cast: _Cast) -> None:
    rng = book.rng
    for pair, changes in zip(cast.incidents, cast.changes, strict=True):
        service = rng.choice(cast.services)
        minutes = rng.sample(range(12, 240), 2)
        origins, causes = rng.sample(cast.suppliers, 2), rng.sample(desk_names.CAUSES, 2)
        for i, incident in enumerate(pair):
            opened, lasted = desk_names.date(rng, 2023 + i), f"{minutes[i]} minutes"
            report = [("service", incident, service), ("opened", incident, opened), ("duration", incident, lasted)]
            book.note("incident", incident, report)
            _write_analysis(book, incident, origins[i], causes[i])
            if rng.random() < 0.94:  # else the fix is stated nowhere
                book.note("resolution", incident, [("fix", incident, changes[i])])


def _write_analysis(book: _Notebook, incident: str, origin: str, cause: str) -> None:
    kind = book.rng.random()
    if kind < 0.55:
        book.note("analysis", incident, [("origin", incident, origin)])
    elif kind < 0.92:  # else neither is stated anywhere
        book.note("analysis", incident, [("cause", incident, cause)], SECURITY if kind < 0.67 else NO_GROUPS)


def _write_changes(book: _Notebook, cast: _Cast) -> None:
    rng = book.rng
    reviewers = rng.sample(cast.people, max(4, len(cast.people) // 2))
    authors = cast.people[len(cast.teams) :]  # no lead: a lead's name in the note would look like the end of a chain
    for pair in cast.changes:
        for change, reviewer in zip(pair, rng.sample(reviewers, 2), strict=True):
            author = rng.choice([person for person in authors if person != reviewer])
            told = [("author", change, author)]
            if rng.random() < 0.9:  # else the reviewer is stated nowhere
                told.append(("reviewer", change, reviewer))
            book.note("change", change, told)


def _write_people(book: _Notebook, cast: _Cast) -> None:
    leads = cast.people[: len(cast.teams)]
    for i, person in enumerate(cast.people):
        known = person in leads or book.rng.random() < 0.9  # else the team is stated nowhere
        book.note("person", person, [("team", person, cast.teams[i % len(cast.teams)])] if known else [])
    for team, lead in zip(cast.teams, leads, strict=True):
        book.note("team", team, [("lead", team, lead)])
    for service in cast.services:
        book.note("service", service, [("owner", service, book.rng.choice(cast.teams))])


def _write_suppliers(book: _Notebook, cast: _Cast) -> None:
    rng = book.rng
    contracts = _flat(cast.contracts)
    penalties = desk_names.amounts(rng, len(contracts), 2_000, 90_000, 250)
    for supplier, contract, penalty in zip(cast.suppliers, contracts, penalties, strict=True):
        told = [("city", supplier, rng.choice(desk_names.CITIES)), ("manager", supplier, rng.choice(cast.people))]
        book.note("supplier", supplier, told)
        fee = f"{rng.randrange(301, 1_999, 2)} EUR"
        book.note("contract", contract, [("contract", supplier, contract), ("fee", contract, fee)])
        kind = rng.random()
        if kind < 0.85:  # else the penalty is stated nowhere
            book.note("penalty", contract, [("penalty", contract, penalty)], FINANCE if kind < 0.25 else NO_GROUPS)


def _flat(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return [name for pair in pairs for name in pair]


def _twins(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    return {name: other for one, two in pairs for name, other in ((one, two), (two, one))}
