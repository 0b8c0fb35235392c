from __future__ import annotations

import re
import sys
import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hopstop.program.quotes import find_quote, resolve
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Passage, Quote
from hopstop.program.text import content_words, normalise


def found(words: str, text: str) -> str | None:
    quote = find_quote(words, Passage("p", text))
    if quote is None:
        return None
    assert quote.passage_id == "p"
    assert text[quote.start : quote.end] == quote.text
    return quote.text


@pytest.mark.parametrize(
    ("words", "text", "stored"),
    [
        ("Dana's fix", "It was Dana’s fix.", "Dana’s fix"),
        ('"the fix"', "He said “the fix” works.", "the fix"),
        ("'the fix'", "He said “the fix” works.", "the fix"),
        ("1914-1918", "The war (1914–1918) ended.", "1914–1918"),
        ("a well known fix", "It is a  well\n known\u00a0fix.", "a  well\n known\u00a0fix"),
        ("café closed", "The cafe\u0301 closed.", "cafe\u0301 closed"),
        ("cafe\u0301 closed", "The café closed.", "café closed"),
        ("한국", unicodedata.normalize("NFD", "그는 한국 사람"), unicodedata.normalize("NFD", "한국")),
        ("オルティスが確認した", "修正はオルティスが確認した。", "オルティスが確認した"),
        ("다나 오르티스", "다나 오르티스가 검토했다.", "다나 오르티스"),
        ("हिन्दी में", "यह हिन्दी में है।", "हिन्दी में"),
        ("4471", "Incident 4471.", "4471"),
        ("fix of fix", "prefix of fix of fix.", "fix of fix"),
    ],
)
def test_words_are_found_however_they_were_copied(words: str, text: str, stored: str) -> None:
    assert found(words, text) == stored


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("dana ortiz", "Dana Ortiz reviewed it."),
        ("Ana Ortiz", "Dana Ortiz reviewed it."),
        ("447", "Incident 4471."),
        ("Müller", "Die Müllerin kam."),
        ("été", "Il a répété cela."),
        ("cafe", "The cafe\u0301 closed."),
        ("q 1", "q\u0307 1"),
        ("fix ... works", "The fix really works."),
        ("the", "the fix"),
        ("it was", "it was the fix"),
        ("", "anything"),
        ("''", "anything ''"),
        (".", "end."),
        ("anything", ""),
        ("Alien", "the film"),
    ],
)
def test_other_words_are_not_found(words: str, text: str) -> None:
    assert found(words, text) is None


def test_title_is_not_quoted() -> None:
    assert find_quote("Alien", Passage("p", "A film.", "Alien")) is None


CHARS = st.one_of(
    st.sampled_from(
        "ab Ñé’'“\"«–—-…\u00a0\n\t\u3000.,1한글ก็ำ漢字あいकि॑ा\u0301\u0308\u0327\u1100\u1161\u11a8\u09c7\u09be\u0344"
    ),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.text(CHARS, max_size=60)
RESPELLINGS = st.lists(
    st.sampled_from(
        [
            lambda text: unicodedata.normalize("NFD", text),
            lambda text: unicodedata.normalize("NFC", text),
            lambda text: text.replace("’", "'").replace("“", '"'),
            lambda text: text.replace("'", "‘").replace('"', "”"),
            lambda text: re.sub("[–—-]", "−", text),
            lambda text: re.sub(r"\s+", "\u00a0\n ", text),
        ]
    ),
    max_size=3,
)


def begins_a_word(part: str) -> bool:
    return not unicodedata.category(part[:1] or " ").startswith("M")


@settings(max_examples=400, deadline=None)
@given(TEXTS, TEXTS.filter(begins_a_word), TEXTS.filter(begins_a_word), RESPELLINGS)
def test_whatever_stands_between_spaces_is_found_in_any_spelling(
    before: str, wanted: str, after: str, respell: list[Callable[[str], str]]
) -> None:
    text = f"{before} {wanted} {after}"
    for change in respell:
        wanted = change(wanted)
    assume(content_words(normalise(wanted).strip("' ")))
    stored = found(wanted, text)
    assert stored is not None
    assert normalise(wanted).strip("' ") == normalise(stored)


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.integers(0, 60), st.integers(0, 60))
def test_a_quote_never_says_what_the_passage_does_not(text: str, start: int, end: int) -> None:
    for words in (text[start:end], text[start:end].swapcase(), text[end:] + text[:start]):
        stored = found(words, text)
        if stored is not None:
            assert normalise(stored) == normalise(words).strip("' ")
            assert normalise(stored) in normalise(text)


def test_offsets_are_right_for_every_pair_of_characters_that_composes() -> None:
    pairs = [
        "".join(chr(int(code, 16)) for code in parts)
        for point in range(sys.maxunicode + 1)
        if len(parts := unicodedata.decomposition(chr(point)).split()) == 2 and not parts[0].startswith("<")
    ]
    assert len(pairs) > 900
    for pair in pairs:
        text = f"word {pair} end"
        assert found(unicodedata.normalize("NFC", text), text) == text


@pytest.mark.parametrize("unit", ["word and more, ", "cafe\u0301  d’or ", "a", "aa a", "한글 \u1100\u1161 "])
def test_long_passages_take_linear_time(unit: str) -> None:
    text = unit * (50_000 // len(unit))
    start = time.process_time()
    found("a needle that is absent", text)
    found("a" * 2_000 + " x", text)
    found(text[20_000:22_000], text + "!")
    assert time.process_time() - start < 0.9  # three searches


ALIEN = Passage("alien", "Alien is a film. Ridley Scott directed it in 1979.", "Alien (film)")
SCOTT = Passage("scott", "He was born in South Shields. His brother is Frank.", "Ridley Scott")
READING = Reading((ALIEN, SCOTT))


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (Claim("director of Alien", quote="P1.2"), "Ridley Scott directed it in 1979."),
        (Claim("director of Alien", "P1", "Ridley Scott directed it"), "Ridley Scott directed it"),
        (Claim("director of Alien", "P2", "Ridley Scott directed it"), "Ridley Scott directed it"),
        (Claim("director of Alien", "P99", "Ridley Scott directed it"), "Ridley Scott directed it"),
        (Claim("director of Alien", "alien", "Ridley Scott directed it"), "Ridley Scott directed it"),
        (
            Claim("director of Alien", quote="P1.2 Ridley Scott directed it in 1979."),
            "Ridley Scott directed it in 1979.",
        ),
        (Claim("director of Alien", quote="P1.2: Ridley Scott directed it"), "Ridley Scott directed it"),
        (Claim("where Ridley Scott was born", quote="P2.1"), "He was born in South Shields."),
    ],
)
def test_quote_is_the_labelled_sentence_or_the_words_wherever_they_stand(claim: Claim, words: str) -> None:
    quote = resolve(claim, READING)
    assert quote is not None
    assert quote.text == words
    passage = READING.by_id(quote.passage_id)
    assert passage is not None
    assert passage.text[quote.start : quote.end] == words


@pytest.mark.parametrize(
    "claim",
    [
        Claim("director of Alien", "P1", ""),
        Claim("director of Alien", "P1", "James Cameron directed it"),
        Claim("director of Alien", quote="P99.1"),
        Claim("director of Alien", quote="P1.9"),
        Claim("director of Alien", quote="P1"),
        Claim("penalty of the contract", quote="P1.2"),
        Claim("penalty of the contract", "P1", "Ridley Scott directed it"),
    ],
)
def test_quote_that_is_absent_or_speaks_of_something_else_does_not_count(claim: Claim) -> None:
    assert resolve(claim, READING) is None


def test_words_are_looked_for_in_the_named_passage_first() -> None:
    reading = Reading((Passage("a", "The fix held."), Passage("b", "The fix held.")))
    assert resolve(Claim("fix", "P2", "The fix held."), reading) == Quote("b", "The fix held.", 0, 13)
    assert resolve(Claim("fix", "", "The fix held."), reading) == Quote("a", "The fix held.", 0, 13)


def test_id_that_looks_like_a_label_does_not_change_the_passage_that_is_checked() -> None:
    reading = Reading((Passage("P2", "Alien came out.", "One"), Passage("x", "Nothing.", "Two")))
    assert resolve(Claim("when Alien came out", quote="P1.1"), reading) == Quote("P2", "Alien came out.", 0, 15)
