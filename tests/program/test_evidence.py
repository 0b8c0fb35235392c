from __future__ import annotations

from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.evidence import Evidence
from hopstop.program.records import Hit, Limits, Passage


def passages(*ids: str) -> tuple[Passage, ...]:
    return tuple(Passage(name, f"Text of {name}.") for name in ids)


def hits(*ids: str) -> list[Hit]:
    return [Hit(passage, 1.0) for passage in passages(*ids)]


def read(evidence: Evidence, **limits: int) -> list[str]:
    return [passage.id for passage in evidence.reading(Limits(**limits)).passages]  # type: ignore[arg-type]


def test_a_seen_passage_is_never_unseen_again_not_even_once_dropped() -> None:
    evidence = Evidence().admit(passages("a", "b")).drop(["a"])
    assert [hit.passage.id for hit in evidence.unseen(hits("b", "c", "a", "c"))] == ["c"]
    assert [passage.id for passage in evidence.seen] == ["a", "b"]


def test_all_of_the_newest_round_and_the_best_of_each_earlier_one_are_read_in_the_order_read() -> None:
    evidence = Evidence().admit(passages("a", "b", "c")).grade({"a": 1, "c": 2, "b": 1})
    evidence = evidence.admit(passages("d", "e")).grade({"e": 1}).admit(passages("f", "g", "h"))
    assert read(evidence, carry_k=2) == ["a", "c", "d", "e", "f", "g", "h"]
    assert read(evidence, carry_k=1) == ["c", "e", "f", "g", "h"]
    assert read(evidence, carry_k=0) == ["f", "g", "h"]


def test_ungraded_passages_are_carried_in_the_order_of_the_search() -> None:
    assert read(Evidence().admit(passages("a", "b", "c")).admit(passages("d")), carry_k=2) == ["a", "b", "d"]


def test_dropped_passages_are_not_read() -> None:
    evidence = Evidence().admit(passages("a", "b")).drop(["a"])
    assert read(evidence) == ["b"]
    assert read(evidence.admit(())) == ["b"]


def test_pinned_passages_survive_pruning_caps_and_do_not_use_up_what_is_carried() -> None:
    evidence = Evidence().admit(passages("a", "b", "c", "d")).pin(["c"]).drop(["c", "a"])
    assert read(evidence) == ["b", "c", "d"]
    evidence = evidence.admit(passages("e"))
    assert read(evidence, carry_k=1) == ["b", "c", "e"]
    assert read(evidence, carry_k=0, max_passages=1) == ["c"]


def test_what_comes_first_counts_a_pin_or_a_drop() -> None:
    evidence = Evidence().admit(passages("a", "b")).drop(["a"]).pin(["a", "b"]).drop(["b"])
    assert read(evidence) == ["b"]
    assert (evidence.dropped, evidence.pinned) == (frozenset("a"), frozenset("b"))


def test_of_an_earlier_round_the_best_grades_are_carried_and_ties_go_by_rank() -> None:
    evidence = Evidence().admit(passages("a", "b", "c", "d", "e")).grade({"a": 1, "b": 2, "c": 3, "d": 2, "e": 2})
    evidence = evidence.admit(passages("f"))
    assert read(evidence, carry_k=1) == ["c", "f"]
    assert read(evidence, carry_k=3) == ["b", "c", "d", "f"]


def test_the_cap_takes_from_the_oldest_round_first_and_the_worst_of_it() -> None:
    evidence = Evidence().admit(passages("a", "b")).grade({"a": 1, "b": 2}).admit(passages("c", "d", "e"))
    assert read(evidence, max_passages=4) == ["b", "c", "d", "e"]
    assert read(evidence, max_passages=2) == ["c", "d"]


def test_the_best_hits_of_an_oversized_round_are_the_ones_kept() -> None:
    assert read(Evidence().admit(passages("a", "b", "c", "d")), max_passages=2) == ["a", "b"]


def test_a_step_leaves_the_old_evidence_as_it_was() -> None:
    old = Evidence().admit(passages("a"))
    old.drop(["a"])
    old.pin(["a"])
    old.grade({"a": 1.0})
    old.admit(passages("b"))
    assert old == Evidence((passages("a"),))


IDS = [*"abcdefghij"]
SOME = st.lists(st.sampled_from(IDS), max_size=6)
GRADES = st.dictionaries(st.sampled_from(IDS), st.sampled_from([0.0, 1.0, 2.0, 3.0]))
STEPS = st.lists(st.tuples(SOME, GRADES, SOME), max_size=6)


def after(steps: list[tuple[list[str], dict[str, float], list[str]]]) -> Iterator[Evidence]:
    """The evidence of a run: each round finds hits, quotes of what it reads are pinned, then Prune grades the new."""
    evidence = Evidence()
    for found, grades, quoted in steps:
        fresh = evidence.unseen(hits(*found))
        evidence = evidence.admit(hit.passage for hit in fresh)
        evidence = evidence.pin(set(quoted) & set(read(evidence)))
        yield evidence
        evidence = evidence.grade(grades).drop(hit.passage.id for hit in fresh if not grades.get(hit.passage.id))
        yield evidence


@settings(deadline=None)
@given(STEPS, st.integers(0, 3), st.integers(1, 6))
def test_what_is_dropped_never_returns_and_what_is_pinned_is_never_lost(
    steps: list[tuple[list[str], dict[str, float], list[str]]], carry_k: int, max_passages: int
) -> None:
    dropped: frozenset[str] = frozenset()
    pinned: frozenset[str] = frozenset()
    for evidence in after(steps):
        found = read(evidence, carry_k=carry_k, max_passages=max_passages)
        assert dropped <= evidence.dropped
        assert pinned <= evidence.pinned
        dropped, pinned = evidence.dropped, evidence.pinned
        assert dropped.isdisjoint(found)
        assert dropped.isdisjoint(hit.passage.id for hit in evidence.unseen(hits(*IDS)))
        assert pinned <= set(found)


@settings(deadline=None)
@given(STEPS, st.integers(0, 3), st.integers(1, 6))
def test_the_cap_holds_and_each_earlier_round_carries_its_best(
    steps: list[tuple[list[str], dict[str, float], list[str]]], carry_k: int, max_passages: int
) -> None:
    for evidence in after(steps):
        found = read(evidence, carry_k=carry_k, max_passages=max_passages)
        order = [passage.id for passage in evidence.seen]
        assert found == [name for name in order if name in found]
        assert len(found) <= max(max_passages, len(evidence.pinned))
        for part in evidence.rounds[:-1]:
            loose = [passage.id for passage in part if passage.id not in evidence.dropped | evidence.pinned]
            kept = [name for name in loose if name in found]
            assert len(kept) <= carry_k
            grades = evidence.grades or {}
            assert all(grades.get(name, 0) >= grades.get(other, 0) for name in kept for other in set(loose) - set(kept))
