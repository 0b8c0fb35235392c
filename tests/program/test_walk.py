from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.links import LinkIndex, build_links
from hopstop.program.lists import Floats
from hopstop.program.offline import shipped_weights
from hopstop.program.records import Passage
from hopstop.program.units import terms_of
from hopstop.program.walk import Walk
from hopstop.program.ways import FEATURES

WEIGHTS = np.array([shipped_weights()[name] for name in FEATURES])
FIRST = ("Arlo", "Bette", "Cyrus", "Delia", "Edgar", "Fiona", "Gustav", "Hilde", "Ivo", "Jutta", "Karel", "Lotte")
LAST = (
    "Marsk",
    "Nordel",
    "Ostrow",
    "Pavlik",
    "Quarles",
    "Renner",
    "Sabin",
    "Tolle",
    "Ulmer",
    "Vance",
    "Wexler",
    "Zahn",
)
PEOPLE = [f"{first} {last}" for first, last in zip(FIRST, LAST, strict=True)]
PLACES = ("Dunmore", "Eskdal", "Farum", "Gelting", "Harlau", "Imst", "Jelling", "Kolding", "Lunden", "Mölln", "Nykirk")

MILL = Passage("mill", "The Orla Mill was built by Tarn Voss in two years.", "Orla Mill")
VOSS = Passage("voss", "Tarn Voss was a pupil of Ilse Brandt. He liked to row.", "Tarn Voss")
BRANDT = Passage("brandt", "Ilse Brandt was born in Quelm.", "Ilse Brandt")
CHAIN = (MILL, VOSS, BRANDT)
QUESTION = "Where was the teacher of the man who built the Orla Mill born?"


def company(form: str, other: str = "") -> list[Passage]:
    """Passages that say of others what those of a chain say: words alone do not tell them apart."""
    return [
        Passage(
            f"other{number:02}",
            form.format(a=PEOPLE[number], b=PEOPLE[number - 1], place=PLACES[number - 1]),
            other.format(a=PEOPLE[number], place=PLACES[number - 1]),
        )
        for number in range(1, len(PEOPLE))
    ]


MILLS = company("The {place} Mill was built by {a}. {a} was a pupil of {b}, born in {place}.", "{place} Mill")


def walked(passages: Sequence[Passage], question: str, k: int, weights: Floats = WEIGHTS) -> list[str]:
    """Ids of the first k passages read."""
    ordered = sorted(passages, key=lambda item: item.id)
    walk = Walk(build_links(ordered), question, weights)
    while len(walk.read) < k and walk.choose(1):
        pass
    return [ordered[place].id for place in walk.read]


def without_names(passages: Sequence[Passage], question: str, k: int) -> list[str]:
    """The same where no link is ever worth following."""
    return walked(passages, question, k, np.where(np.array(FEATURES) == "l_one", -1e6, WEIGHTS))


def untitled(passages: Sequence[Passage]) -> list[Passage]:
    return [replace(item, title="") for item in passages]


def test_chain_of_three_is_followed_by_names() -> None:
    corpus = [*CHAIN, *MILLS]
    assert walked(corpus, QUESTION, 3) == ["mill", "voss", "brandt"]
    assert not {"voss", "brandt"} <= set(without_names(corpus, QUESTION, 6))


def test_function_words_of_a_question_lead_nowhere() -> None:
    talk = Passage("talk", "Who would you be, and what would you do if it were not so?", "Talk")
    question = "What would you do if it were not the builder who drew the Orla Mill?"
    assert walked([talk, MILL, *MILLS], question, 1) == ["mill"]
    assert walked([talk, MILL, *MILLS], "Who would you be?", 1) == ["talk"]


def test_chain_is_followed_where_nothing_has_a_title() -> None:
    corpus = untitled([*CHAIN, *MILLS])
    assert set(walked(corpus, QUESTION, 4)) >= {"mill", "voss", "brandt"}
    assert not {"voss", "brandt"} <= set(without_names(corpus, QUESTION, 6))


@pytest.mark.parametrize(
    ("question", "chain", "form"),
    [
        (
            "Wo wurde der Architekt der Nordhalle geboren?",
            ("Die Nordhalle entwarf Jörg Käuffel.", "Jörg Käuffel", "Jörg Käuffel stammt aus Überlingen."),
            "Die Halle {place} wurde von {a} entworfen. {b} wurde in {place} geboren.",
        ),
        (
            "Où est né l’architecte de la halle Béranger ?",
            ("La halle Béranger est due à Éloïse d’Aubray.", "Éloïse d’Aubray", "Éloïse d’Aubray a grandi à Lormont."),
            "La halle {place} a été dessinée par {a}. {b} est né à {place}.",
        ),
        (
            "Где родился архитектор моста Северный?",
            ("Архитектор моста Северный — Илья Громов.", "Илья Громов", "Илья Громов вырос в деревне Липовка."),
            "Архитектор моста {place} — {a}. {b} родился в деревне {place}.",
        ),
        (
            "青木橋を設計した人はどこで生まれたか？",
            ("青木橋は田中健二が設計した。", "田中健二", "田中健二は長崎の出身だ。"),
            "{place}橋は{a}が設計した。{b}は{place}で生まれた。",
        ),
        (
            "设计青木桥的人在哪里出生？",
            ("青木桥由林健平设计。", "林健平", "林健平出生于长沙。"),
            "{place}桥由{a}设计。{b}出生于{place}。",
        ),
    ],
    ids=["German", "French", "Russian", "Japanese", "Chinese"],
)
@pytest.mark.parametrize("titles", [True, False], ids=["titles", "no titles"])
def test_two_hops_are_found_in_other_languages(
    question: str, chain: tuple[str, str, str], form: str, *, titles: bool
) -> None:
    one, name, two = chain
    first, second = Passage("first", one), Passage("second", two, name if titles else "")
    corpus = [first, second, *company(form, "{a}" if titles else "")]
    assert set(walked(corpus, question, 3)) >= {"first", "second"}
    assert "second" not in without_names(corpus, question, 3)


def test_other_passages_do_not_hide_a_plain_look_up() -> None:
    assert walked([*CHAIN, *MILLS], "Who built the Orla Mill?", 1) == ["mill"]


def test_both_sides_of_a_comparison_are_read() -> None:
    corpus = [*CHAIN, *MILLS]
    found = walked(corpus, "Who built more, the architect of the Orla Mill or that of the Farum Mill?", 2)
    assert set(found) == {"mill", next(item.id for item in MILLS if item.title == "Farum Mill")}


def test_step_tells_the_name_and_what_is_still_asked() -> None:
    corpus = sorted([*CHAIN, *MILLS], key=lambda item: item.id)
    walk = Walk(build_links(corpus), "Where was the teacher of the man who built the Orla Mill born?", WEIGHTS)
    first, second = walk.choose(1)[0], walk.choose(1)[0]
    assert (first.via, first.query) == ("", "Where was the teacher of the man who built the Orla Mill born?")
    assert second.via == "tarn voss"
    assert second.query.startswith("tarn voss")
    assert "Orla" not in second.query  # the way has met it
    assert 0 < second.p <= 1


def test_links_count_their_way_from_the_question() -> None:
    corpus = sorted([*CHAIN, *MILLS], key=lambda item: item.id)
    walk = Walk(build_links(corpus), QUESTION, WEIGHTS)
    _, second = walk.choose(1)[0], walk.choose(1)[0]
    assert corpus[second.passage].id == "voss"
    walk.follow()
    to_brandt = walk.features()[walk.places() == corpus.index(BRANDT)]
    assert to_brandt[:, FEATURES.index("l_depth")].max() == 2
    assert to_brandt[:, FEATURES.index("l_logp")].min() == pytest.approx(np.log(second.p))


def test_no_passage_is_read_twice_and_all_are_found_in_the_end() -> None:
    corpus = [*CHAIN, *MILLS]
    found = walked(corpus, QUESTION, 100)
    assert len(found) == len(set(found))
    assert set(found) >= {"mill", "voss", "brandt"}


def test_question_that_shares_no_word_reads_nothing() -> None:
    assert walked(CHAIN, "zzz qqq", 5) == []


def test_more_terms_than_bits_still_walk() -> None:
    long = " ".join([QUESTION, *(f"word{number}" for number in range(100)), *PEOPLE, *PLACES])
    assert walked([*CHAIN, *MILLS, Passage("long", long)], long, 2)[0] == "long"


def hidden_from(corpus: Sequence[Passage], groups: frozenset[str]) -> tuple[LinkIndex, np.ndarray]:
    mask = np.array([item.readable_by(groups) for item in corpus])
    return build_links(corpus), mask


def test_chain_through_a_hidden_passage_ends_there() -> None:
    hidden = replace(VOSS, groups=frozenset({"hr"}))
    corpus = sorted([MILL, hidden, BRANDT, *MILLS], key=lambda item: item.id)
    for groups, readable in ((frozenset[str](), False), (frozenset({"hr"}), True)):
        index, mask = hidden_from(corpus, groups)
        walk = Walk(index, QUESTION, WEIGHTS, mask)
        steps = [step for _ in corpus for step in walk.choose(1)]
        assert ("voss" in {corpus[step.passage].id for step in steps}) is readable
        assert any("ilse brandt" in step.query for step in steps) is readable


names = st.sampled_from(["Ada Roe", "Ben Oak", "Blue Moon", "Quelm", "payment-gw", "Илья Громов"])
bodies = st.tuples(names, names, names).map(lambda three: "{} met {} near {}. It rained.".format(*three))
passages = st.builds(
    Passage, id=st.just(""), text=bodies, title=st.one_of(st.just(""), names),
    groups=st.sampled_from([frozenset(), frozenset({"hr"}), frozenset({"it"}), frozenset({"hr", "it"})]),
)  # fmt: skip
corpora = st.lists(passages, min_size=1, max_size=12).map(
    lambda found: [replace(item, id=f"{number:02}") for number, item in enumerate(found)]
)


@given(corpora, st.sampled_from([frozenset(), frozenset({"hr"}), frozenset({"nobody"})]), names)
@settings(max_examples=60, deadline=None)
def test_user_sees_nothing_of_what_they_may_not_read(corpus: list[Passage], groups: frozenset[str], asked: str) -> None:
    question = f"Who met {asked}?"
    index, mask = hidden_from(corpus, groups)
    walk = Walk(index, question, WEIGHTS, mask)
    seen = set(terms_of(question))
    while steps := walk.choose(2):
        for step in steps:
            assert corpus[step.passage].readable_by(groups)
            assert set(terms_of(f"{step.via} {step.query}")) <= seen
        for step in steps:
            seen |= set(terms_of(f"{corpus[step.passage].title} {corpus[step.passage].text}"))


@given(corpora, names)
@settings(max_examples=30, deadline=None)
def test_no_way_leads_to_a_hidden_passage(corpus: list[Passage], asked: str) -> None:
    index, mask = hidden_from(corpus, frozenset())
    walk = Walk(index, f"Who met {asked}?", WEIGHTS, mask)
    walk.choose(3)
    walk.follow()
    assert mask[walk.places()].all()
    assert np.isfinite(walk.features()).all()
    assert walk.features().shape == (len(walk.places()), len(FEATURES))


WALK = """
from hopstop.program.links import build_links
from hopstop.program.records import Passage
import numpy as np
from hopstop.program.walk import Walk
from hopstop.program.ways import FEATURES
names = ["Ada Roe", "Ben Oak", "Blue Moon", "Red Sun", "Quelm Hall", "Ilse Brandt"]
texts = [f"{one} met {two} at {three}." for one in names for two in names for three in names if one < two < three]
index = build_links([Passage(f"{at:02}", text, names[at % 6]) for at, text in enumerate(texts)])
walk = Walk(index, "Whom did Ada Roe meet at the place where Ben Oak met Ilse Brandt?", np.linspace(1, 2, len(FEATURES)))
print([(step.passage, step.via, step.query, step.p) for _ in range(4) for step in walk.choose(2)])
"""  # noqa: E501


def test_walk_is_the_same_whatever_the_hash_seed() -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", WALK],
            env={**os.environ, "PYTHONHASHSEED": seed},
            check=True,
            timeout=60,
            capture_output=True,
            text=True,
        ).stdout
        for seed in ("0", "1")
    ]
    assert runs[0].startswith("[(")
    assert runs[1] == runs[0]
