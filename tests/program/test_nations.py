from __future__ import annotations

import pytest

from hopstop.program.nations import nations


@pytest.mark.parametrize(
    ("text", "countries"),
    [
        ("an Iranian village in Iran", ["Iran", "Iran"]),
        ("a South Korean singer from South Africa", ["South Korea", "South Africa"]),
        ("an English poet", ["United Kingdom"]),
        ("born in the U.S. to a Swiss", ["United States", "Switzerland"]),
        ("an English-language film", []),
        ("Bosnia and Herzegovina", ["Bosnia and Herzegovina"]),
        ("a Niger delta, a Nigerian", ["Niger", "Nigeria"]),
        ("turkey and china with polish", []),
    ],
)
def test_names_and_adjectives_stand_for_their_country(text: str, countries: list[str]) -> None:
    found = nations(text)
    assert [country for country, _, _ in found] == countries


def test_offsets_are_those_of_the_form() -> None:
    text = "the New Zealand coast"
    ((_, start, end),) = nations(text)
    assert text[start:end] == "New Zealand"
