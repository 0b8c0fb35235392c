from __future__ import annotations

import pytest

from hopstop.program.longer_names import longer_names


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which team owns Atlas?", ["Atlas Pro is owned by Birch."]),
        ("Who maintains Atlas?", ["Atlas 2", "Atlas 2 is maintained by Ines."]),
        ("Where does Sextant run?", ["Sextant Lite", "It runs in Bari."]),
        ("Who ruled under Philip?", ["Philip II ruled."]),
        ("Who owns CHG-88?", ["CHG-88-B was written."]),
        ("Who plans the Delta tour?", ["Delta Blue", "It is planned by Ann."]),
        ("How old is Router R7?", ["Router R7 Max is 3 years old."]),
        ("Where is Orion hosted?", ["Orion Next is hosted in Graz.", "Orion Old is hosted in Linz."]),
        ("Who leads Amber?", ["Amber West is led by Bo."]),
        ("Who owns Line 3?", ["Line 3-A is owned by Bo."]),
    ],
)
def test_name_held_only_inside_a_longer_one_is_told(question: str, texts: list[str]) -> None:
    assert len(list(longer_names(question, texts))) == 1


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Who founded Disney?", ["Walter Elias Disney founded it."]),
        ("Who acquired Beta?", ["Alpha acquired Beta AG."]),
        ("Who runs the Atlas service?", ["The Atlas Service is run by Birch."]),
        ("Where was Ann Lee born?", ["Ann Lee Jr. was born in Oslo."]),
        ("Where does Sextant run?", ["Sextant", "Sextant Lite runs in Bari. Sextant runs in Graz."]),
        ("Who leads Atlas?", ["Project Atlas is led by Ines."]),
        ("Who won in Paris?", ["Paris 2024 was won by Ann."]),
        ("Which team owns Atlas?", ["Atlas (Rust) is owned by Birch."]),
        ("Who owns Atlas?", ["It is owned by Birch."]),
        ("Who owns Atlas?", ["Atlas, Pro and Mini are owned by Birch."]),
        ("Who owns Atlas?", ["The owner of Atlas is Birch."]),
        ("Who owns Atlas?", ["Atlas's owner is Birch."]),
        ("Who leads the Birch team?", ["The Birch Team is led by Ann."]),
    ],
)
def test_name_that_stands_alone_or_with_its_kind_is_held(question: str, texts: list[str]) -> None:
    assert not list(longer_names(question, texts))


def test_the_longer_name_is_given_as_it_stands() -> None:
    assert list(longer_names("Who owns Atlas?", ["Atlas Pro is owned by Birch."])) == [("Atlas", "Atlas Pro")]
