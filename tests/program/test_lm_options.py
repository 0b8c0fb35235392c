"""What an LM policy leaves to code: grading, searching, proving, hints."""

from __future__ import annotations

from pathlib import Path

import pytest

from fakes import ALIEN, CAMERON, FILMS, QUESTION, SCOTT, WordRetriever, asked_by, chat, scripted_lm
from hopstop.program.artifact import load, save
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.lm_options import LMOptions
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits, Outcome, Passage, StopReason

INDEX = BM25Index.build(FILMS)
BOTH = "Who was born first, Ada Roe or Ben Low?"
POETS = (
    Passage("ada", "Ada Roe (born 5 May 1901 in Graz) was a poet.", "Ada Roe"),
    Passage("ben", "Ben Low (born 7 June 1903) was a painter.", "Ben Low"),
)


def claim(need: str, quote: str = "") -> dict[str, object]:
    return {"need": need, "quote": quote, "follows_from": []}


def reader(asked: str, prompt: str) -> str:
    if asked == "decide":
        born = "Ridley Scott was born in South Shields" if "was born in South Shields" in prompt else ""
        director = "directed by Ridley Scott" if "directed by Ridley Scott" in prompt else ""
        needed = [claim("the director of Alien", director), claim("where Ridley Scott was born", born)]
        done = bool(born and director)
        return chat(needed=needed, answer="South Shields" if done else "", verdict="STOP" if done else "SEARCH")
    if asked == "prune":
        return chat(direct=["P1"], related=[], tangential=[])
    return chat(query="Ridley Scott born")


def run(options: LMOptions, *, retriever: object = INDEX, question: str = QUESTION) -> tuple[Outcome, list[str]]:
    lm = scripted_lm(reader)
    program = IterativeQA(retriever, LMPolicy(lm, options=options), Limits(first_k=1, next_k=1))  # type: ignore[arg-type]
    outcome: Outcome = program(question)
    return outcome, [asked_by(request) for request in lm.engine.requests]


def test_code_grades_without_a_call() -> None:
    outcome, asked = run(LMOptions(prune="code"))
    assert outcome.reason is StopReason.ANSWERED
    assert asked == ["decide", "rewrite", "decide"]


def test_where_the_walk_searches_the_model_only_decides_and_grades() -> None:
    outcome, asked = run(LMOptions(search="walk", prune="code"))
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "South Shields")
    assert set(asked) == {"decide"}
    assert not any(query.faults or query.fallback for item in outcome.rounds for query in item.queries)


def test_the_walk_needs_an_index_of_ours() -> None:
    with pytest.raises(BadInput, match="BM25Index"):
        run(LMOptions(search="walk"), retriever=WordRetriever(FILMS))


def test_what_code_can_prove_costs_no_call() -> None:
    index = BM25Index.build(POETS)
    lm = scripted_lm(reader)
    outcome = IterativeQA(index, LMPolicy(lm, options=LMOptions(precheck=True)))(BOTH)
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "Ada Roe")
    assert lm.engine.requests == []
    assert outcome.usage.calls == 0


def test_what_code_cannot_prove_is_asked_of_the_model() -> None:
    outcome, asked = run(LMOptions(precheck=True))
    assert outcome.answer == "South Shields"
    assert asked[0] == "decide"


@pytest.mark.parametrize("on", [True, False])
def test_hints_reach_the_one_who_writes_the_query(on: bool) -> None:
    lm = scripted_lm(reader)
    IterativeQA(INDEX, LMPolicy(lm, options=LMOptions(hints=on)), Limits(first_k=1, next_k=1))(QUESTION)
    prompts = [str(request.messages[-1]) for request in lm.engine.requests if asked_by(request) == "rewrite"]
    assert prompts
    assert all(("the index suggests, right or wrong: Ridley Scott" in prompt) is on for prompt in prompts)


def test_hints_of_another_search_engine_are_none() -> None:
    assert run(LMOptions(hints=True), retriever=WordRetriever(FILMS))[0].answer == "South Shields"


@pytest.mark.parametrize("reply", ["", chat(direct=[], related=[], tangential=[])])
def test_code_grades_where_the_model_names_no_passage(reply: str) -> None:
    tea = Passage("tea", "Alien tea director born tea.", "")
    lm = scripted_lm(lambda asked, prompt: reply if asked == "prune" else reader(asked, prompt))
    outcome = IterativeQA(WordRetriever([*FILMS, tea]), LMPolicy(lm), Limits(first_k=5, max_rounds=2))(
        "Where was the director of Alien born and who likes tea?"
    )
    dropped = {name for item in outcome.rounds for name in item.dropped}
    assert dropped.isdisjoint({"alien", "scott"})


def test_facts_that_do_not_wait_for_each_other_are_searched_in_one_round() -> None:
    def two(asked: str, prompt: str) -> str:
        if asked == "decide":
            return chat(needed=[claim("Ridley Scott born"), claim("James Cameron born")], answer="", verdict="SEARCH")
        if asked == "prune":
            return chat(direct=["P1"], related=[], tangential=[])
        return chat(query="Cameron born" if "missing ## ]]\nJames Cameron born" in prompt else "Scott born")

    passages = (ALIEN, SCOTT, CAMERON)
    for width in (1, 2):
        program = IterativeQA(WordRetriever(passages), LMPolicy(scripted_lm(two)), Limits(first_k=1, width=width))
        outcome = program("Alien: who was born earlier, its director or the one of its sequel?")
        assert len(outcome.rounds[1].queries) == width
        assert len({query.text for query in outcome.rounds[1].queries}) == width


def test_a_question_that_the_first_pass_proves_ends_there_with_one_call() -> None:
    def one(asked: str, prompt: str) -> str:
        assert asked == "decide"
        return chat(needed=[claim("director of Alien", "P1.1")], answer="Ridley Scott", verdict="STOP")

    lm = scripted_lm(one)
    outcome = IterativeQA(WordRetriever([ALIEN]), LMPolicy(lm))("Who directed Alien?")
    assert (outcome.answer, len(outcome.rounds), len(lm.engine.requests)) == ("Ridley Scott", 1, 1)


def test_an_artifact_keeps_the_options(tmp_path: Path) -> None:
    options = LMOptions(prune="code", search="walk", precheck=True, hints=True)
    folder = save(IterativeQA(INDEX, LMPolicy(scripted_lm(reader), options=options)), tmp_path, name="films")
    assert load(folder, retriever=INDEX).policy.options == options


@pytest.mark.parametrize("wrong", [{"prune": "both"}, {"search": "guess"}, {"precheck": 1}, {"hints": "yes"}])
def test_options_that_are_none_are_refused_by_name(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match=next(iter(wrong))):
        LMOptions(**wrong)  # type: ignore[arg-type]
