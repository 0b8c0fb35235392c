from __future__ import annotations

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


def test_pinning_brings_back_what_was_dropped() -> None:
    evidence = Evidence().admit(passages("a", "b")).drop(["a"]).pin(["a"])
    assert read(evidence) == ["a", "b"]
    assert evidence.dropped == frozenset()


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


IDS = st.lists(st.sampled_from("abcdefghijkl"), unique=True)


@settings(deadline=None)
@given(IDS, st.integers(1, 4), st.sets(st.sampled_from("abcdefghijkl")), st.sets(st.sampled_from("abcdefghijkl")),
       st.integers(0, 3), st.integers(1, 8))  # fmt: skip
def test_reading_keeps_every_pin_and_the_cap(
    ids: list[str], size: int, pinned: set[str], dropped: set[str], carry_k: int, max_passages: int
) -> None:
    evidence = Evidence()
    for at in range(0, len(ids), size):
        evidence = evidence.admit(passages(*ids[at : at + size]))
    evidence = evidence.drop(dropped).pin(pinned & set(ids))
    found = read(evidence, carry_k=carry_k, max_passages=max_passages)
    assert found == [name for name in ids if name in found]
    assert pinned & set(ids) <= set(found)
    assert not (dropped - pinned) & set(found)
    assert len(set(found) - pinned) <= max(0, max_passages - len(pinned & set(ids)))
