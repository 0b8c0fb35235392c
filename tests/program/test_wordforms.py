from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.wordforms import missing, plain, same_word


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("actor", "actors"),
        ("die", "died"),
        ("bombed", "bombing"),
        ("north", "northern"),
        ("Films", "film"),
        ("Beyonce", "Beyoncé"),
        ("Straße", "strasse"),
        ("reviewed", "reviewer"),
        ("5120", "5120"),
        ("город", "города"),
    ],
)
def test_forms_of_a_word_are_the_same_either_way(left: str, right: str) -> None:
    assert same_word(left, right)
    assert same_word(right, left)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Iran", "Iraq"),
        ("Karin", "Karim"),
        ("Austria", "Australia"),
        ("4471", "4412"),
        ("man", "may"),
        ("port", "portrait"),
        ("art", "arms"),
        ("東京", "東北"),
    ],
)
def test_other_words_are_not(left: str, right: str) -> None:
    assert not same_word(left, right)
    assert not same_word(right, left)


@settings(deadline=None)  # machines of tests are busy
@given(st.text(max_size=12), st.text(max_size=12))
def test_any_two_texts_can_be_compared_and_in_any_order(left: str, right: str) -> None:
    assert same_word(left, right) == same_word(right, left)
    assert same_word(left, left)


def test_marks_of_other_scripts_are_kept() -> None:
    assert plain("हिन्दी") == "हिन्दी"
    assert plain("한국") == "한국"


def test_words_of_which_no_form_is_said_are_missing_in_order() -> None:
    assert missing(["team", "reviewed", "fix"], ["reviewer", "Harbour"]) == ["team", "fix"]
