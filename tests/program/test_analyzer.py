import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.analyzer import Analyzer
from hopstop.program.errors import AnalyzerMismatch, BadInput

ANALYZER = Analyzer()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Vitamin C", ["vitamin", "c"]),
        ("INC-4471 max_rounds", ["inc", "4471", "max", "rounds"]),
        ("Anna's and Björn’s dogs' tails, O'Brien", ["anna", "and", "bjorn", "dogs", "tails", "o", "brien"]),
        ("ANNA'S", ["anna"]),
        ("Łódź, Straße, İstanbul, Ærø", ["lodz", "strasse", "istanbul", "aero"]),
        ("co\u00adoperate Windows™ ﬁsh ＡＢＣ", ["cooperate", "windows", "fish", "abc"]),
        ("हिन्दी भाषा", ["हिन्दी", "भाषा"]),
        ("Ελλάδα Ёлка", ["ελλαδα", "елка"]),
        ("", []),
        ("... — !?", []),
    ],
)
def test_words_of_any_script_become_folded_tokens(text: str, tokens: list[str]) -> None:
    assert ANALYZER.tokens(text) == tokens


def test_a_run_of_chinese_becomes_its_characters_and_pairs() -> None:
    assert ANALYZER.tokens("東京塔2020年 x") == ["東", "京", "塔", "東京", "京塔", "2020", "年", "x"]


@pytest.mark.parametrize(("part", "whole"), [("茶", "紅茶を飲む"), ("ครับ", "สวัสดีครับ"), ("서울", "서울에서")])
def test_a_part_of_a_text_without_spaces_is_found_in_the_whole(part: str, whole: str) -> None:
    assert set(ANALYZER.tokens(part)) <= set(ANALYZER.tokens(whole))


@given(st.text())
def test_composed_and_decomposed_text_give_the_same_tokens(text: str) -> None:
    for analyzer in (ANALYZER, Analyzer(fold_accents=False)):
        composed = analyzer.tokens(unicodedata.normalize("NFC", text))
        assert composed == analyzer.tokens(unicodedata.normalize("NFD", text))


@given(st.text())
def test_ascii_text_takes_no_other_way_than_the_rest(text: str) -> None:
    assert ANALYZER.tokens(text + " é")[-1:] == ["e"]
    ascii_text = text.encode("ascii", "ignore").decode()
    assert [*ANALYZER.tokens(ascii_text), "é"] == Analyzer(fold_accents=False).tokens(ascii_text + " é")


def test_accents_are_kept_apart_on_demand() -> None:
    assert ANALYZER.tokens("Gábor") == ANALYZER.tokens("Gabor")
    assert Analyzer(fold_accents=False).tokens("Gábor") == ["gábor"]


def test_stop_words_leave_a_query_only_if_other_words_stay() -> None:
    assert ANALYZER.tokens("the cat") == ["the", "cat"]
    assert ANALYZER.content_tokens("The cat is at the door") == ["cat", "door"]
    assert ANALYZER.content_tokens("It is not to be") == ["it", "is", "not", "to", "be"]
    assert ANALYZER.content_tokens("") == []


def test_stop_words_can_be_given_in_any_form() -> None:
    analyzer = Analyzer(stopwords=("Où", "the"))
    assert analyzer.is_stopword("où")
    assert analyzer.is_stopword("THE")
    assert not analyzer.is_stopword("is")
    assert not analyzer.is_stopword("")
    assert not Analyzer(stopwords=()).is_stopword("the")


@pytest.mark.parametrize(
    ("word", "singular"),
    [("parties", "party"), ("bridges", "bridge"), ("dogs", "dog"), ("bus", "bus"), ("glass", "glass"), ("gas", "gas"),
     ("heroes", "heroe")],
)  # fmt: skip
def test_plural_stemmer_follows_harmans_three_rules_and_is_stable(word: str, singular: str) -> None:
    analyzer = Analyzer(stemmer="plural")
    assert analyzer.tokens(word) == [singular]
    assert analyzer.tokens(singular) == [singular]


@pytest.mark.parametrize("analyzer", [Analyzer(), Analyzer(fold_accents=False, stemmer="plural", stopwords=("a", "b"))])
def test_settings_describe_the_analyzer_wholly(analyzer: Analyzer) -> None:
    assert Analyzer.from_settings(analyzer.settings()) == analyzer


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"version": 0}, "version"),
        ({"stemmer": "klingon"}, "stemmer"),
        ({"extra": 1}, "extra"),
        ({"stopwords": "xx"}, "stopwords"),
    ],
)
def test_settings_of_another_analyzer_are_refused_by_field(change: dict[str, object], field: str) -> None:
    with pytest.raises(AnalyzerMismatch, match=field):
        Analyzer.from_settings(ANALYZER.settings() | change)


def test_missing_setting_is_refused() -> None:
    settings = ANALYZER.settings()
    del settings["fold_accents"]
    with pytest.raises(AnalyzerMismatch, match="fold_accents"):
        Analyzer.from_settings(settings)


def test_unknown_stemmer_and_stop_word_list_are_refused() -> None:
    with pytest.raises(BadInput, match="stemmer"):
        Analyzer(stemmer="porter")
    with pytest.raises(BadInput, match="stopwords"):
        Analyzer(stopwords="de")
