import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program.records import NO_GROUPS, Hit, Passage
from hopstop.program.retriever import FusedRetriever, reciprocal_rank_fusion


def hits(ids: str, source: str = "bm25") -> list[Hit]:
    return [Hit(Passage(id=name, text=name), 10.0 - at, source) for at, name in enumerate(ids)]


class Fixed:
    def __init__(self, ids: str, source: str) -> None:
        self.ids = ids
        self.source = source
        self.asked: list[tuple[str, int, frozenset[str]]] = []

    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> list[Hit]:
        self.asked.append((query, k, groups))
        return hits(self.ids, self.source)[:k]


def test_fused_scores_add_up_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([hits("ab"), hits("bc")], 10)
    assert [hit.passage.id for hit in fused] == ["b", "a", "c"]
    assert [hit.score for hit in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62])


def test_ties_are_ordered_by_id_and_cut_at_k() -> None:
    fused = reciprocal_rank_fusion([hits("b"), hits("a"), hits("c")], 2)
    assert [hit.passage.id for hit in fused] == ["a", "b"]


def test_weights_count_and_must_match_the_rankings() -> None:
    fused = reciprocal_rank_fusion([hits("a"), hits("b")], 1, weights=[1.0, 2.0])
    assert fused[0].passage.id == "b"
    with pytest.raises(ValueError, match="zip"):
        reciprocal_rank_fusion([hits("a"), hits("b")], 1, weights=[1.0])


def test_nothing_found_anywhere_gives_nothing() -> None:
    assert reciprocal_rank_fusion([[], []], 5) == []
    assert reciprocal_rank_fusion([], 5) == []


@given(st.lists(st.permutations("abcdef"), min_size=1, max_size=4), st.integers(1, 8))
def test_fusion_returns_each_passage_once_best_first(rankings: list[list[str]], k: int) -> None:
    fused = reciprocal_rank_fusion([hits("".join(ids)) for ids in rankings], k)
    ids = [hit.passage.id for hit in fused]
    assert len(ids) == len(set(ids)) == min(k, 6)
    assert [hit.score for hit in fused] == sorted((hit.score for hit in fused), reverse=True)


def test_fused_retriever_searches_all_to_the_pool_depth_for_the_same_user() -> None:
    first, second = Fixed("abc", "one"), Fixed("cd", "two")
    found = FusedRetriever([first, second], pool_k=7).search("q", 3, frozenset({"hr"}))
    assert first.asked == second.asked == [("q", 7, frozenset({"hr"}))]
    assert [(hit.passage.id, hit.source) for hit in found] == [("c", "one"), ("a", "one"), ("b", "one")]


def test_fused_retriever_searches_deeper_than_its_pool_when_more_is_asked() -> None:
    only = Fixed("abc", "one")
    FusedRetriever([only], pool_k=2).search("q", 9)
    assert only.asked[0][1] == 9
