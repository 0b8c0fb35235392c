from __future__ import annotations

import pytest

from hopstop.program.verb_forms import forms, is_finite, is_participle, root


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("acquire", "acquired"),
        ("calls", "call"),
        ("plan", "planned"),
        ("owns", "owning"),
        ("supply", "supplied"),
        ("wrote", "written"),
        ("leads", "led"),
        ("uses", "used"),
        ("manages", "managing"),
        ("oversees", "oversaw"),
    ],
)
def test_forms_of_one_verb_have_one_root(one: str, two: str) -> None:
    assert root(one) == root(two)


@pytest.mark.parametrize(
    ("one", "two"), [("acquire", "require"), ("write", "wrong"), ("lead", "leave"), ("use", "user"), ("call", "calm")]
)
def test_other_verbs_have_other_roots(one: str, two: str) -> None:
    assert root(one) != root(two)


def test_kinds_of_forms() -> None:
    assert all(map(is_finite, ("owns", "acquired", "wrote")))
    assert not any(map(is_finite, ("process", "team", "Owns")))
    assert all(map(is_participle, ("acquired", "written", "led")))
    assert not any(map(is_participle, ("owns", "calling")))


@pytest.mark.parametrize(
    ("one", "two"),
    [("filed", "filled"), ("scraped", "scrapped"), ("planes", "plans"), ("founded", "found"), ("sawed", "saw"),
     ("rebuilt", "built"), ("rated", "rats"), ("hoped", "hopped")],
)  # fmt: skip
def test_verbs_that_look_alike_in_a_form_have_other_roots(one: str, two: str) -> None:
    assert root(one) != root(two)


@pytest.mark.parametrize(
    "family",
    ["file files filed filing", "fill fills filled", "add adds added adding", "pass passes passed", "fix fixes fixed",
     "control controls controlled", "recall recalled", "visit visited", "hope hoped", "hop hopped", "manage managed"],
)  # fmt: skip
def test_forms_of_one_word_share_its_root(family: str) -> None:
    assert len(set(map(root, family.split()))) == 1


@pytest.mark.parametrize(
    ("word", "others"),
    [
        ("owns", {"own", "owned", "owning"}),
        ("owned", {"own", "owns"}),
        ("wrote", {"write", "writes", "writing", "written"}),
        ("teams", {"team"}),
        ("fixes", {"fix", "fixed"}),
        ("based", {"base", "basing"}),
        ("plans", {"planned", "planning"}),
        ("stopped", {"stop", "stops"}),
        ("studies", {"study", "studied"}),
        ("dies", {"die", "died"}),
    ],
)
def test_forms_of_a_word_are_found_from_each_of_them(word: str, others: set[str]) -> None:
    assert forms(word) >= others | {word}


@pytest.mark.parametrize(("word", "other"), [("wine", "win"), ("glass", "glas"), ("plane", "plan"), ("red", "re")])
def test_another_word_is_no_form(word: str, other: str) -> None:
    assert other not in forms(word)
