from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hopstop.program.text import (
    content_words,
    has_content,
    names,
    normalise,
    numbers,
    shares_word,
    stem,
    unspaced,
    words,
)


@pytest.mark.parametrize(
    ("written", "other"),
    [
        ("the company’s own", "the company's own"),
        ("“quoted”", '"quoted"'),
        ("‘single’ and „low“", "'single' and \"low\""),
        ("«Paris»", '"Paris"'),
        ("1914–1918", "1914-1918"),
        ("yes — no", "yes - no"),
        ("minus −3", "minus -3"),
        ("two\u00a0words\n\there", "two words here"),
        ("cafe\u0301", "café"),
        (unicodedata.normalize("NFD", "한국어"), "한국어"),
    ],
)
def test_spellings_that_a_reader_calls_the_same_are_the_same(written: str, other: str) -> None:
    assert normalise(written) == normalise(other)


def test_case_is_kept() -> None:
    assert normalise("Apple") != normalise("apple")


@settings(deadline=None)
@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dana's fix, by J. R. R. Tolkien.", ["Dana", "fix", "by", "JRR", "Tolkien"]),
        ("J.R.R. Tolkien of the U.S.", ["JRR", "Tolkien", "of", "the", "US"]),
        ("payment-gw v2.3.1 failed", ["payment-gw", "v2.3.1", "failed"]),
        ("ERR_4471", ["ERR", "4471"]),
        ("1,000 and 1\u202f000 and 12,345,678", ["1000", "and", "1000", "and", "12345678"]),
        ("3.5 or 1,5", ["3.5", "or", "1", "5"]),
        ("Straße für Mädchen", ["Straße", "für", "Mädchen"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("第4471回の会議", ["第", "4471", "回の会議"]),
        ("リドリー・スコット監督", ["リドリー", "スコット監督"]),
        ("don’t", ["don't"]),
        ("... !?", []),
    ],
)
def test_words_are_as_written(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who is the reviewer of the fix?", ["reviewer", "fix"]),
        ("the British-American actor", ["british", "american", "actor"]),
        ("Which US state is it in?", ["us", "state"]),
        ("WHO IS IT", []),
        ("it gave us a state", ["gave", "state"]),
        ("修正した人", ["修正", "正し", "た人"]),
        ("さくら", ["さく", "くら"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("", []),
    ],
)
def test_content_words_leave_out_what_carries_none(text: str, found: list[str]) -> None:
    assert content_words(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("about 1,000 or 1000", {"1000"}),
        ("May 5th, 1999", {"5", "1999"}),
        ("2019–2020", {"2019", "2020"}),
        ("INC-4471 and ERR_77", {"4471", "77"}),
        ("the 1990s", {"1990s"}),
        ("3.5 million", {"3.5"}),
        ("three", set()),
        ("第4471回", {"4471"}),
    ],
)
def test_numbers_are_compared_by_value_not_by_dress(text: str, found: set[str]) -> None:
    assert numbers(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who directed Alien?", ("Alien",)),
        ("The Bank of England in London", ("Bank of England in London",)),
        ("In the film by Dr. Dana Ortiz.", ("Dr. Dana Ortiz",)),
        ("It was Dana Ortiz. The fix came later.", ("Dana Ortiz",)),
        ("written by T. J. Lavin", ("T. J. Lavin",)),
        ("in Łódź and škoda", ("Łódź",)),
        ("Фильм снял Ридли Скотт", ("Фильм", "Ридли Скотт")),
        ("geprüft von Jana Müller-Lüdenscheidt", ("Jana Müller-Lüdenscheidt",)),
        ("incident 4471", ("4471",)),
        ("nothing here", ()),
        ("映画の監督", ()),
        ("In 2022 Moor left.", ("2022", "Moor")),
        ("On 14 March 2024 Moor left Fen 2.", ("14 March 2024", "Moor", "Fen 2")),
    ],
)
def test_names_are_runs_of_capitals_and_numbers(text: str, found: tuple[str, ...]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("director", "directed", True),
        ("Reviewer", "reviewers", True),
        ("4471", "44710", False),
        ("fix", "fixed", False),
        ("alien", "film", False),
    ],
)
def test_inflections_share_a_stem_and_numbers_stay_whole(left: str, right: str, same: bool) -> None:
    assert (stem(left) == stem(right)) is same
    assert shares_word([left], ["x", right]) is same


def test_only_scripts_without_spaces_let_a_word_begin_anywhere() -> None:
    assert [unspaced(char) for char in "の한ก漢aяहع1"] == [True] * 4 + [False] * 5


@settings(deadline=None)
@given(st.text())
@example("0-ဿ")  # a script without spaces behind a hyphen
def test_any_text_can_be_taken_apart(text: str) -> None:
    assert all(word.strip() for word in [*words(text), *content_words(text), *names(text), *numbers(text)])


@given(st.text(st.sampled_from("US. theofit1,9-'\u0301é漢か "), max_size=20))
def test_text_has_content_if_it_has_content_words(text: str) -> None:
    assert has_content(text) == bool(content_words(text))
