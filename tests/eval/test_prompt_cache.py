from __future__ import annotations

from hopstop.eval.prompt_cache import measure


def test_most_of_a_second_question_could_be_read_from_the_cache() -> None:
    found = measure()
    assert set(found["predictors"]) == {"decide", "prune", "rewrite"}
    for told in found["predictors"].values():
        assert 0.5 < told["share"] < 1
        assert told["prefix_tokens"] <= told["prompt_tokens"]
    assert 0.5 < found["share_read"] < 1
