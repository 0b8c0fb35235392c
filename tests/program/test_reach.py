from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.answering import decide
from hopstop.program.judge import judge
from hopstop.program.lines import Cover, lines_of
from hopstop.program.paths import LONGEST, Path, find_paths, start
from hopstop.program.profile import stems
from hopstop.program.question_form import question_form
from hopstop.program.reach import reach
from hopstop.program.reading import Reading
from hopstop.program.records import Limits, Passage

FIX = Passage("fix", "The fix for incident 4471 shipped as CHG-8934.", "Closing note, incident 4471")
TWIN = Passage("twin", "The fix for incident 4417 shipped as CHG-8943.", "Closing note, incident 4417")
CHANGE = Passage("chg", "Ben Oak wrote CHG-8934. The reviewer of CHG-8934 was Ada Roe.", "Change CHG-8934")
OTHER = Passage("other", "The reviewer of CHG-8943 was Cleo Dunn.", "Change CHG-8943")
ROE = Passage("roe", "Ada Roe is a member of the Harbour team. She joined in 2019.", "Ada Roe")
OAK = Passage("oak", "Ben Oak is a member of the Ledger team.", "Ben Oak")
DUNN = Passage("dunn", "Cleo Dunn is a member of the Granite team.", "Cleo Dunn")
TEAM = Passage("team", "Emil Fern leads the Harbour team.", "Harbour team")
SIGNED = Passage("reg", "Contract C-310 was signed with Norvale. It costs 901 EUR a month.", "Contract register: C-310")
TERMS = Passage("terms", "The penalty in contract C-310 is 12,500 EUR for each breach.", "Terms of contract C-310")
MORE = Passage("more", "The penalty in contract C-301 is 30,000 EUR for each breach.", "Terms of contract C-301")
LONG = Passage("long", "Incident 4471 hit the mailer. It took 95 minutes to contain incident 4471.", "Incident 4471")
SHORT = Passage("short", "Incident 4417 hit the router. Incident 4417 lasted 30 minutes.", "Incident 4417")


def ways(question: str, telling: str, *passages: Passage) -> list[Path]:
    lines = lines_of(question, Reading(passages))
    return find_paths(lines, Cover(lines, dict.fromkeys(stems(telling), 1.0)), start(question))


@pytest.mark.parametrize(
    ("question", "answer", "facts"),
    [
        ("Which team does the reviewer of the fix for incident 4471 belong to?", "Harbour", 3),
        ("Who leads the team of the person who was the reviewer of the fix for incident 4471?", "Emil Fern", 4),
        ("What is the penalty in our contract with Norvale?", "12,500 EUR", 2),
        ("How high is the penalty in contract C-310?", "12,500 EUR", 1),
        ("Which contract has the higher penalty, C-310 or C-301?", "C-301", 2),
        ("Of contracts C-310 and C-301, which has the higher penalty?", "C-301", 2),
        ("Which lasted longer, incident 4471 or incident 4417?", "incident 4471", 2),
        ("Were the fixes for incidents 4471 and 4417 reviewed by the same person?", "no", 4),
    ],
)
def test_chain_over_names_is_answered_with_a_quote_for_each_step(question: str, answer: str, facts: int) -> None:
    reading = Reading((FIX, TWIN, CHANGE, OTHER, OAK, ROE, DUNN, TEAM, SIGNED, TERMS, MORE, LONG, SHORT))
    decision = decide(question, reading)
    judgement = judge(question, decision, (), reading, Limits())
    assert (decision.draft, decision.stop) == (answer, True)
    assert judgement.accepted, judgement.objections
    assert sum(fact.quote is not None for fact in judgement.facts) == facts


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("Which team does the reviewer of the fix for incident 4471 belong to?", (TWIN, OTHER, DUNN, TEAM)),
        ("Which team does the reviewer of the fix for incident 4471 belong to?", (FIX, TWIN, OTHER, DUNN)),
        ("Which team does the reviewer of the fix for incident 4471 belong to?", (FIX, CHANGE, DUNN, OAK)),
        ("What is the penalty in our contract with Norvale?", (SIGNED, MORE)),
        ("Which lasted longer, incident 4471 or incident 4417?", (SHORT, TWIN, FIX)),
        ("Were the fixes for incidents 4471 and 4417 reviewed by the same person?", (FIX, TWIN, CHANGE)),
    ],
)
def test_broken_chain_is_not_answered_from_a_look_alike(question: str, passages: tuple[Passage, ...]) -> None:
    assert not decide(question, Reading(passages)).stop


def test_path_starts_at_the_number_asked_for_and_passes_no_other_of_its_kind() -> None:
    question = "Which team does the reviewer of the fix for incident 4471 belong to?"
    paths = ways(question, "fix reviewer team incident 4471", TWIN, FIX, OTHER, CHANGE, ROE, DUNN)
    assert [line.passage.id for line in paths[0].lines] == ["fix", "chg", "roe"]
    assert all(path.lines[0].passage.id == "fix" for path in paths)
    assert all("4417" not in line.sentence.text for path in paths for line in path.lines)


def test_of_two_ways_that_cover_the_same_the_shorter_is_first() -> None:
    note = Passage("note", "Norvale owes a penalty of 12,500 EUR.", "Summary")
    paths = ways("What penalty does Norvale owe?", "Norvale penalty", SIGNED, TERMS, note)
    assert [line.passage.id for line in paths[0].lines] == ["note"]


@settings(deadline=None)
@given(st.permutations([FIX, TWIN, CHANGE, OTHER, ROE, OAK, DUNN, TEAM]), st.integers(0, 8))
def test_paths_are_short_and_visit_a_passage_once(passages: list[Passage], count: int) -> None:
    question = "Who leads the team of the reviewer of the fix for incident 4471?"
    for path in ways(question, "leads team reviewer fix incident 4471", *passages[:count]):
        ids = [line.passage.id for line in path.lines]
        assert len(ids) == len(set(ids)) <= LONGEST
        assert len(path.via) == len(ids) - 1
        assert 0 <= path.joint <= 1
    reached = reach(question_form(question), lines_of(question, Reading(tuple(passages[:count]))))
    assert reached is None or 0 <= reached.p <= 1


def test_what_no_sentence_of_the_way_speaks_of_stays_open() -> None:
    reading = Reading((FIX, CHANGE))
    decision = decide("Who audited the fix for incident 4471?", reading)
    judgement = judge("Who audited the fix for incident 4471?", decision, (), reading, Limits())
    assert not decision.stop
    assert not judgement.accepted
    assert any("audited" in fact.need for fact in judgement.facts if fact.quote is None)
