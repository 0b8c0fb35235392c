"""Invented names of the desk company: people, teams, services, suppliers, cities, causes."""

from __future__ import annotations

import random
from itertools import product
from typing import TypeVar

from hopstop.program.errors import BadDataset

T = TypeVar("T")

FIRST_NAMES = (
    "Mara", "Jonas", "Ines", "Tobias", "Priya", "Emre", "Lucia", "Henrik", "Aiko", "Samuel", "Nadia", "Piotr",
    "Leila", "Oskar", "Chiara", "Daniel", "Ruth", "Viktor", "Amara", "Felix", "Sofia", "Mateo", "Hanna",
    "Idris", "Clara", "Bruno", "Yuki", "Stefan", "Elif", "Marcus", "Greta", "Rafael", "Noor", "Anton", "Selma",
    "Liam", "Marta", "Kofi", "Judith", "Pavel",
)  # fmt: skip
LAST_NAMES = (
    "Lind", "Okafor", "Brandt", "Ferreira", "Sato", "Novak", "Haddad", "Keller", "Moreau", "Iyer", "Vance",
    "Petrov", "Castell", "Dahl", "Arslan", "Whitlock", "Romano", "Fischer", "Adeyemi", "Sorensen", "Quint",
    "Varga", "Holm", "Delgado",
)  # fmt: skip
TEAMS = (
    "Harbour", "Ledger", "Compass", "Granite", "Lantern", "Orchard", "Tideline", "Foundry", "Meridian",
    "Juniper", "Beacon", "Saffron", "Cobalt", "Willow", "Summit", "Cinder", "Falcon", "Marble", "Delta",
    "Rosewood",
)  # fmt: skip
SERVICE_HEADS = (
    "invoice", "parcel", "payment", "stock", "ticket", "label", "route", "refund", "price", "catalog",
    "session", "audit",
)  # fmt: skip
SERVICE_TAILS = (
    "router", "gateway", "planner", "balancer", "queue", "mailer", "cache", "resolver", "scheduler",
    "importer", "export", "archive",
)  # fmt: skip
SUPPLIER_HEADS = (
    "Nor", "Ters", "Kel", "Alm", "Brix", "Vand", "Ost", "Cal", "Dray", "Fen", "Hald", "Ivar", "Jor", "Lunt",
    "Mer", "Pell", "Quor", "Rav", "Stell", "Thorn",
)  # fmt: skip
SUPPLIER_TAILS = (
    "vale", "sand", "brook", "mont", "field", "wick", "gate", "stream", "mark", "haven", "line", "croft",
)  # fmt: skip
CITIES = (
    "Rotterdam", "Gdansk", "Porto", "Leipzig", "Turin", "Bergen", "Graz", "Nantes", "Aarhus", "Valencia",
    "Brno", "Tampere", "Ghent", "Basel", "Zadar", "Cork", "Malmo", "Varna", "Riga", "Bilbao",
)  # fmt: skip
CAUSES = (
    "an expired certificate", "a full disk on the primary node", "a wrong time zone in the nightly job",
    "a stuck database lock", "a missing index on the orders table", "a typo in the firewall rules",
    "a memory leak in the parser", "a duplicated message key", "an unpinned library version",
    "a misread currency code", "a loop in the retry logic", "a stale feature flag", "a broken leap-day check",
    "a mistyped host name", "an overflow in the page counter", "a half-finished schema migration",
    "a leaked deploy token", "an open debug port", "a forged webhook call", "a reused service password",
)  # fmt: skip
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip


def people(rng: random.Random, count: int) -> list[str]:
    """Full names, each once; surnames come back, as they do in a company."""
    return _draw(rng, [f"{first} {last}" for first, last in product(FIRST_NAMES, LAST_NAMES)], count, "people")


def teams(rng: random.Random, count: int) -> list[str]:
    """Team names, each once; at most as many as there are."""
    return _draw(rng, list(TEAMS), min(count, len(TEAMS)), "teams")


def services(rng: random.Random, count: int) -> list[str]:
    """Service names, each once, sharing their halves."""
    return _draw(rng, [f"{head}-{tail}" for head, tail in product(SERVICE_HEADS, SERVICE_TAILS)], count, "services")


def suppliers(rng: random.Random, count: int) -> list[str]:
    """Supplier names, each once, alike in their halves."""
    return _draw(rng, [head + tail for head, tail in product(SUPPLIER_HEADS, SUPPLIER_TAILS)], count, "suppliers")


def twin_numbers(rng: random.Random, pairs: int, numbers: range) -> list[tuple[int, int]]:
    """Pairs of numbers that differ in the order of their last two digits, every number once."""
    used: set[int] = set()
    found: list[tuple[int, int]] = []
    for number in rng.sample(numbers, len(numbers)):
        tens, ones = number // 10 % 10, number % 10
        twin = number - tens * 10 - ones + ones * 10 + tens
        if tens != ones and not {number, twin} & used and len(found) < pairs:
            used |= {number, twin}
            found.append((number, twin))
    return found


def date(rng: random.Random, year: int) -> str:
    """A day of the year, as in "14 May 2024"."""
    return f"{rng.randint(1, 28)} {rng.choice(MONTHS)} {year}"


def amounts(rng: random.Random, count: int, low: int, high: int, step: int) -> list[str]:
    """Sums of money, each once, as in "12,500 EUR"."""
    return [f"{value:,} EUR" for value in _draw(rng, list(range(low, high, step)), count, "amounts")]


def _draw(rng: random.Random, pool: list[T], count: int, what: str) -> list[T]:
    if count > len(pool):
        raise BadDataset(f"the desk corpus has only {len(pool)} {what}, {count} are needed; choose a smaller size")
    return rng.sample(pool, count)
