from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fakes import ScriptedPolicy
from hopstop.program import question_covered
from hopstop.program.bm25 import BM25Index
from hopstop.program.guards import DEFAULT, Guards
from hopstop.program.judge import judge
from hopstop.program.loop import IterativeQA
from hopstop.program.open_part import refused, released
from hopstop.program.question_covered import left_out, said_by
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Fact, Limits, Outcome, Passage, StopBy, StopReason

CASES: dict[str, list[Any]] = json.loads(
    (Path(__file__).parent / "cases" / "question_covered.json").read_text(encoding="utf-8")
)
FILLER = [
    Passage(f"f{n}", f"Meeting {n} spoke of a {thing}, of who wrote it and in which city it is.", f"Note {n}")
    for n, thing in enumerate(("bridge", "team", "service", "fix", "change", "castle", "museum", "river") * 3)
]


def passages(case: list[Any]) -> list[Passage]:
    return [Passage(f"{title}/{quote}", quote, title) for _, title, quote in case[1]]


INDEX = BM25Index.build(
    [*{item.id: item for case in [*CASES["positive"], *CASES["negative"]] for item in passages(case)}.values(), *FILLER]
)


def left(case: list[Any]) -> tuple[str, ...]:
    question, facts, answer = case
    reading = Reading(tuple(passages(case)))
    claims = tuple(Claim(need, quote=quote) for need, _, quote in facts)
    decision = Decision(stop=True, claims=claims, draft=answer)
    judged = judge(question, decision, (), reading, Limits()).facts
    assert all(fact.quote is not None for fact in judged)
    return left_out(question, said_by(question, decision, judged, reading), INDEX)


def test_stop_that_hides_a_part_of_the_question_is_refused_and_a_whole_one_is_not() -> None:
    assert [len(CASES[side]) for side in ("positive", "negative")] == [20, 20]
    assert [case[0] for case in CASES["negative"] if left(case)] == []
    # One short word of many that is left out is not enough: "reviewed", "born".
    assert sum(bool(left(case)) for case in CASES["positive"]) >= 14


def test_words_that_are_left_out_are_told_in_their_order_but_for_those_that_no_passage_holds() -> None:
    case = next(case for case in CASES["positive"] if "stadium" in case[0])
    assert left(case) == ("seats",)
    assert left([case[0].replace("seats", "seats and turnstiles"), *case[1:]]) == ("seats",)
    leaves_two = next(case for case in CASES["positive"] if "atomic" not in case[0] and len(left(case)) > 1)
    assert list(left(leaves_two)) == sorted(left(leaves_two), key=leaves_two[0].find)


def test_quote_about_another_one_of_its_kind_says_nothing_of_the_question() -> None:
    question, facts, answer = CASES["positive"][-1]
    assert "4410" in question
    assert "4433" in facts[0][1]
    reading = Reading(tuple(passages([question, facts, answer])))
    found = judge(question, Decision(stop=True, claims=(Claim(facts[0][0], quote=facts[0][2]),)), (), reading, Limits())
    said = said_by(question, Decision(stop=True, draft=answer), found.facts, reading)
    assert said.texts == (answer,)
    named = said_by(question, Decision(stop=True, draft="incident 4433"), found.facts, reading)
    assert facts[0][2] in named.texts[-1]


def test_both_steps_of_a_relation_speak_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_covered, "MOST", 0.2)
    question = "Who is the paternal grandmother of Ivo Karst?"
    reading = Reading(
        (
            Passage("a", "Ivo Karst was a son of Jan Karst.", "Ivo Karst"),
            Passage("b", "Jan Karst was born to Uwe and Ada Karst.", "Jan Karst"),
        )
    )
    claims = (Claim("father of Ivo Karst", quote="son of Jan Karst"), Claim("mother of Jan Karst", quote="Ada Karst"))
    decision = Decision(stop=True, claims=claims, draft="Ada Karst")
    index = BM25Index.build([*reading.passages, Passage("c", "A paternal grandmother tells.", "Tale"), *FILLER])
    facts = judge(question, decision, (), reading, Limits()).facts
    assert left_out(question, said_by(question, decision, facts, reading), index) == ()
    assert left_out(question, said_by(question, decision, facts[:1], Reading(reading.passages[:1])), index)


FIX, TEAM = (
    Passage("fix", "Incident 5120 was closed by Oda Brenner.", "Incident 5120"),
    Passage("team", "Oda Brenner is with the Harbour team.", "Oda Brenner"),
)
WORLD = BM25Index.build([FIX, TEAM, *FILLER])
ASKED = "Which team is the person with who closed incident 5120?"
HIDING = Decision(stop=True, claims=(Claim("incident 5120", quote=FIX.text),), draft="Oda Brenner")
WHOLE = Decision(stop=True, claims=(Claim("team of Oda Brenner", quote=TEAM.text),), draft="Harbour")


def run(decisions: list[Decision], guards: Guards = DEFAULT) -> Outcome:
    policy = ScriptedPolicy(decisions, queries=["Oda Brenner team", "Harbour team", "Meeting 3"])
    return IterativeQA(WORLD, policy, Limits(max_rounds=2), guards=guards)(ASKED)  # type: ignore[arg-type]


def test_run_refuses_and_says_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_covered, "MOST", 0.2)
    outcome = run([HIDING, HIDING])
    assert outcome.answer is None
    assert outcome.missing == ("asked for: team",)
    assert "asked for: team" in outcome.explain()
    assert any('"team"' in objection for objection in outcome.rounds[0].objections)
    assert run([HIDING], DEFAULT.without("question_covered")).answer == "Oda Brenner"


@pytest.mark.parametrize("stop", [True, False])
def test_run_that_code_ends_is_held_to_it_whatever_the_verdict(stop: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_covered, "MOST", 0.2)
    policy = ScriptedPolicy([replace(HIDING, stop=stop)])
    outcome = IterativeQA(WORLD, policy, Limits(max_rounds=1, stop_by=StopBy.EVIDENCE))(ASKED)
    assert (outcome.answer, outcome.missing) == (None, ("asked for: team",))


def test_what_was_left_out_is_open_no_more_once_a_fact_speaks_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_covered, "MOST", 0.2)
    outcome = run([HIDING, WHOLE])
    assert outcome.reason is StopReason.ANSWERED
    assert [fact.need for fact in outcome.facts] == ["incident 5120", "team of Oda Brenner"]


def test_claim_may_speak_of_what_was_left_out_by_its_label() -> None:
    judged = judge(ASKED, HIDING, (), Reading((FIX, TEAM)), Limits())
    known = refused(judged, ["team"]).facts
    assert known[-1] == Fact("asked for: team")
    assert released(known) == known[:-1]
    assert released(known, (Claim("F1 incident"),)) == known[:-1]
    assert released(known, (Claim("F2", quote=TEAM.text),)) == known
    labelled = Decision(stop=True, claims=(Claim("F2", quote=TEAM.text),), draft="Harbour")
    assert judge(ASKED, labelled, known, Reading((FIX, TEAM)), Limits()).accepted


def test_refusal_counts_what_is_open() -> None:
    judged = judge(ASKED, HIDING, (), Reading((FIX, TEAM)), Limits())
    found = refused(judged, ["team", "person"])
    assert (judged.accepted, judged.coverage) == (True, 1.0)
    assert (found.accepted, found.coverage) == (False, 0.5)
