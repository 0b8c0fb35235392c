import pytest

from hopstop.eval.baselines import OnePass
from hopstop.program.errors import BadLimits
from hopstop.program.records import NO_GROUPS, Hit, Passage, StopReason

PASSAGES = [Passage("p1", "one"), Passage("p2", "two", groups=frozenset({"finance"})), Passage("p3", "three")]


class AllPassages:
    def search(self, query: str, k: int, groups: frozenset[str] = NO_GROUPS) -> list[Hit]:
        readable = [item for item in PASSAGES if query != "nothing" and item.readable_by(groups)]
        return [Hit(item, 1.0 / rank) for rank, item in enumerate(readable, start=1)][:k]


def test_one_pass_reads_k_passages_and_answers_nothing() -> None:
    outcome = OnePass(AllPassages(), k=2)("Who?", groups=frozenset({"finance"}))
    assert outcome.ranking == ("p1", "p2")
    assert [item.id for item in outcome.evidence] == ["p1", "p2"]
    assert (outcome.answer, outcome.reason, outcome.policy) == (None, StopReason.NO_NEW_PASSAGES, "one-pass")
    (only,) = outcome.rounds
    assert (only.hits, only.new, only.kept, only.stop) == (("p1", "p2"),) * 3 + (None,)
    assert [query.text for query in only.queries] == ["Who?"]


def test_one_pass_without_groups_reads_public_passages_only() -> None:
    assert OnePass(AllPassages(), k=10)("Who?").ranking == ("p1", "p3")


def test_one_pass_without_hits_says_so() -> None:
    outcome = OnePass(AllPassages(), k=2)("nothing")
    assert (outcome.reason, outcome.evidence) == (StopReason.NO_HITS, ())


def test_one_pass_must_read_something() -> None:
    with pytest.raises(BadLimits, match="at least 1 passage, not 0"):
        OnePass(AllPassages(), k=0)
