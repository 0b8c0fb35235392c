from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from hopstop.program.faults import FaultKind, QueryContext, faults
from hopstop.program.guards import ALL_ON
from hopstop.program.records import NO_GROUPS


@dataclass(frozen=True)
class Index:
    """Statistics of an index: how many passages hold a word; `secret` ones are readable by the group "staff" only."""

    size: int
    frequency: dict[str, int]
    secret: frozenset[str] = frozenset()

    def __len__(self) -> int:
        return self.size

    def document_frequency(self, term: str, groups: frozenset[str] = NO_GROUPS) -> int:
        return 0 if term in self.secret and "staff" not in groups else self.frequency.get(term.casefold(), 0)


COMMON_WORDS = (
    "reviewer",
    "fix",
    "name",
    "person",
    "incident",
    "prüfer",
    "wer",
    "hat",
    "das",
    "geprüft",
    "確認",
    "修正",
    "した",
)
INDEX = Index(1000, dict.fromkeys(COMMON_WORDS, 400) | {"ortiz": 3, "timeout": 7, "佐藤": 2, "störung": 5})
CONTEXT = QueryContext(
    "Who reviewed the fix of incident 4471?",
    needs=("the fix of incident 4471", "where Dana Ortiz was born"),
    known=("the fix of incident 4471", "Change CH-77 fixed a timeout in payment-gw."),
    statistics=INDEX,
)


def kinds(query: str, context: QueryContext = CONTEXT) -> set[FaultKind]:
    return {fault.kind for fault in faults(query, context, ALL_ON)}


def has(kind: FaultKind, query: str, **changes: object) -> bool:
    return kind in kinds(query, replace(CONTEXT, **changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "who is it",
        "the name of the person",
        "Name of the person",
        "reviewer fix",
        "wer hat das geprüft",
        "確認",
        "?!",
    ],
)
def test_a_query_with_nothing_to_hold_on_to_is_vague(query: str) -> None:
    assert has(FaultKind.VAGUE, query)


@pytest.mark.parametrize(
    "query",
    [
        "reviewer Dana Ortiz",
        "reviewer timeout",
        "incident 4471",
        "ERR_4471 payment-gw",
        "ch-77",
        "Wer hat die Störung geprüft",
        "佐藤の確認",
        "fix by Ridley Scott",
        "zyzzyva",
    ],
)
def test_a_name_a_number_or_a_rare_word_is_something_to_hold_on_to(query: str) -> None:
    assert not has(FaultKind.VAGUE, query)


def test_without_statistics_only_function_words_are_vague() -> None:
    assert has(FaultKind.VAGUE, "who is it", statistics=None)
    assert not has(FaultKind.VAGUE, "reviewer fix", statistics=None)


@pytest.mark.parametrize(
    "query", ["reviewer of the fix", "incident person", "wer hat das geprüft", "修正した", "reviewer zyzzyva"]
)
def test_a_query_of_common_words_is_over_broad(query: str) -> None:
    assert has(FaultKind.OVER_BROAD, query)


@pytest.mark.parametrize("query", ["reviewer Ortiz", "Störung Prüfer", "timeout fix", "佐藤 修正", "zyzzyva", ""])
def test_one_word_that_few_passages_hold_is_enough(query: str) -> None:
    assert not has(FaultKind.OVER_BROAD, query)


def test_a_small_index_makes_no_word_common() -> None:
    small = Index(12, {"reviewer": 9, "fix": 10})
    assert not has(FaultKind.OVER_BROAD, "reviewer fix", statistics=small)
    assert not has(FaultKind.VAGUE, "reviewer fix", statistics=small)


def test_a_word_is_common_above_a_tenth_of_the_index() -> None:
    assert not has(FaultKind.OVER_BROAD, "fix", statistics=Index(1000, {"fix": 100}))
    assert has(FaultKind.OVER_BROAD, "fix", statistics=Index(1000, {"fix": 101}))


def test_statistics_tell_nothing_about_passages_that_the_user_may_not_read() -> None:
    index = replace(INDEX, secret=frozenset({"incident", "person"}))
    assert not has(FaultKind.OVER_BROAD, "incident person", statistics=index)
    assert has(FaultKind.OVER_BROAD, "incident person", statistics=index, groups=frozenset({"staff"}))


@pytest.mark.parametrize(
    "query",
    [
        "fix of incident 4471 and where Dana Ortiz was born",
        "born Dana Ortiz incident 4471 fix",
        "Who fixed it? Where born?",
        "誰が直した？どこで？",
    ],
)
def test_asking_for_two_facts_is_a_fusion_and_only_a_warning(query: str) -> None:
    (fault,) = [fault for fault in faults(query, CONTEXT, ALL_ON) if fault.kind is FaultKind.FUSION]
    assert fault.warning


@pytest.mark.parametrize("query", ["fix of incident 4471", "Dana Ortiz born?", "who??", "incident Ortiz", ""])
def test_asking_for_one_fact_is_no_fusion(query: str) -> None:
    assert not has(FaultKind.FUSION, query)


def test_a_need_within_another_is_no_second_fact() -> None:
    needs = ("the fix of incident 4471", "who reviewed the fix of incident 4471")
    assert not has(FaultKind.FUSION, "who reviewed the fix of incident 4471", needs=needs)


@pytest.mark.parametrize("query", ["weather in Lyon", "Wetter in Köln", "天気予報", "NullPointerException core.utils"])
def test_a_query_that_shares_nothing_with_the_question_is_off_topic(query: str) -> None:
    assert has(FaultKind.OFF_TOPIC, query)


@pytest.mark.parametrize(
    "query", ["reviewers of it", "Ortiz birthplace", "payment-gw outage", "CH-77", "timeout", "4471", "who"]
)
def test_a_query_that_shares_a_word_with_what_is_known_is_on_topic(query: str) -> None:
    assert not has(FaultKind.OFF_TOPIC, query)


def test_topic_is_shared_in_any_script() -> None:
    changes = {"question": "障害の修正を確認した人", "needs": (), "known": ()}
    assert not has(FaultKind.OFF_TOPIC, "修正 確認者", **changes)
    assert has(FaultKind.OFF_TOPIC, "天気はどうでした", **changes)


def test_a_query_that_keeps_no_name_found_drops_the_thread() -> None:
    changes = {"question": "Who reviewed the fix?", "known": (), "anchors": ("Dana Ortiz", "CH-77")}
    (fault,) = [item for item in faults("reviewer birthplace", replace(CONTEXT, **changes))  # type: ignore[arg-type]
                if item.kind is FaultKind.CARRY_DROP]  # fmt: skip
    assert "Dana Ortiz" in fault.message
    assert not has(FaultKind.CARRY_DROP, "Ortiz birthplace", **changes)
    assert not has(FaultKind.CARRY_DROP, "ch-77 approval", **changes)
    assert not has(FaultKind.CARRY_DROP, "reviewer birthplace", **(changes | {"anchors": ()}))


def test_names_of_the_question_and_of_passages_keep_the_thread_too() -> None:
    assert not has(FaultKind.CARRY_DROP, "incident 4471 approval", anchors=("Dana Ortiz",))
    assert not has(FaultKind.CARRY_DROP, "change ch-77 approval", anchors=("Dana Ortiz",))


@pytest.mark.parametrize(
    ("query", "tried"),
    [
        ("fix incident 4471", "incident 4471 fix"),
        ("Who made the fix of Incident 4471?", "incident 4471 fix made"),
        ("Störung Prüfer", "prüfer störung"),
        ("ERR_4471 payment-gw", "payment gw err 4471"),
        ("佐藤 修正", "修正 佐藤"),
        ("who is it", "Who is it?"),
        ("the café", "the cafe\u0301"),
    ],
)
def test_the_same_content_words_in_any_order_are_a_repeat(query: str, tried: str) -> None:
    assert has(FaultKind.REPEAT, query, tried=("something else", tried))


@pytest.mark.parametrize(
    ("query", "tried"),
    [
        ("fix incident 4471", "incident 4412 fix"),
        ("fix incident 4471", "incident 4471"),
        ("birthplace of Alexander", "birthplace of Alexandra"),
        ("who is it", "where was it"),
        ("佐藤 修正", "鈴木 修正"),
    ],
)
def test_other_words_are_no_repeat(query: str, tried: str) -> None:
    assert not has(FaultKind.REPEAT, query, tried=(tried,))


def test_a_good_query_has_no_fault() -> None:
    context = replace(CONTEXT, anchors=("Dana Ortiz",), tried=("Who reviewed the fix of incident 4471?",))
    assert faults("Dana Ortiz birthplace", context, ALL_ON) == ()


def test_all_but_fusion_send_a_query_back() -> None:
    found = faults("天気? 天気?", replace(CONTEXT, anchors=("Dana Ortiz",), tried=("天気",)), ALL_ON)
    assert {fault.kind for fault in found if not fault.warning} == {
        FaultKind.REPEAT,
        FaultKind.OFF_TOPIC,
        FaultKind.CARRY_DROP,
    }
    assert {fault.kind for fault in found if fault.warning} == {FaultKind.FUSION}
