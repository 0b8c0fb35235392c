from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hopstop.program.answer_weights import NAMES, AnswerWeights
from hopstop.program.bm25 import BM25Index
from hopstop.program.corpus import read_corpus
from hopstop.program.errors import ArtifactMismatch
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy, shipped_weights
from hopstop.program.records import Outcome, Passage, StopReason
from hopstop.program.ways import FEATURES

MOON = Passage("moon", "Blue Moon is a 1950 film directed by Ada Roe.", "Blue Moon")
ROE = Passage("roe", "Ada Roe (5 May 1901 – 2 June 1970) was an Austrian director. She was born in Linz.", "Ada Roe")
SUN = Passage("sun", "Red Sun is a 1960 film directed by Ben Oak.", "Red Sun")
OAK = Passage("oak", "Ben Oak (born June 1, 1920 in Bern) was a Swiss director.", "Ben Oak")
FILMS = (MOON, ROE, SUN, OAK)
QUESTION = "Where was the director of Blue Moon born?"


def asked(question: str, *passages: Passage, groups: frozenset[str] = frozenset(), **limits: int) -> Outcome:
    index = BM25Index.build(passages)
    policy = OfflinePolicy(index)
    return IterativeQA(index, policy, replace(policy.limits, **limits))(question, groups=groups)


def read(outcome: Outcome) -> list[str]:
    return [passage.id for passage in outcome.evidence]


def test_two_hops_are_read_and_answered_with_quotes() -> None:
    outcome = asked(QUESTION, *FILMS)
    assert (outcome.reason, outcome.answer) == (StopReason.ANSWERED, "Linz")
    assert {quote.passage_id for fact in outcome.facts if (quote := fact.quote)} == {"moon", "roe"}


def test_round_that_goes_on_searching_says_what_is_open_and_nothing_of_its_draft() -> None:
    outcome = asked("Which prize did the director of Blue Moon win?", *FILMS)
    assert outcome.reason is not StopReason.ANSWERED
    assert not any(item.stop for item in outcome.rounds)
    objections = {text for item in outcome.rounds for text in item.objections}
    assert objections
    assert all(text.startswith("not shown by a quote: ") for text in objections)
    assert {f"not shown by a quote: {need}" for need in outcome.missing} <= objections
    assert outcome.policy == "offline"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who owns Foo?", "Team Beacon"),
        ("Who leads the team that owns Foo?", "Dana Ortiz"),
        ("Who led the team owning Foo?", "Dana Ortiz"),
        ("Who owns Mint?", None),
    ],
)
def test_short_verb_is_known_in_its_other_forms(question: str, answer: str | None) -> None:
    foo = Passage("foo", "Foo is a service owned by Team Beacon. It runs in Graz.", "Foo")
    beacon = Passage("beacon", "Team Beacon is led by Dana Ortiz.", "Team Beacon")
    mint = Passage("mint", "Mint owns Fern Works.", "Mint")
    assert asked(question, foo, beacon, mint).answer == answer


def test_few_passages_then_twice_as_many_then_the_rest_are_read() -> None:
    many = [Passage(f"x{number:02}", f"Film {number} was directed in Graz by Ada Roe.") for number in range(30)]
    outcome = asked("Who painted the film that was directed in Graz?", *many)
    assert [len(item.new) for item in outcome.rounds] == [2, 2, 6]
    queries = [query.need for item in outcome.rounds for query in item.queries]
    assert len(set(queries)) == len(queries) == 9


def test_what_is_read_stays_within_the_limits() -> None:
    many = [Passage(f"x{number:02}", f"Film {number} was directed in Graz by Ada Roe.") for number in range(30)]
    outcome = asked("Who painted the film that was directed in Graz?", *many)
    assert len(read(outcome)) == OfflinePolicy.limits.max_read == 10
    assert len(asked("Who painted the film that was directed in Graz?", *many, max_read=3).evidence) == 3


def test_run_that_has_nothing_left_to_search_for_ends_as_that() -> None:
    outcome = asked("Who painted the film Blue Moon?", MOON, ROE)
    assert outcome.reason is StopReason.NO_NEW_PASSAGES
    assert [item.new for item in outcome.rounds] == [("moon",), ("roe",)]


def test_missing_fact_is_named_and_nothing_is_answered() -> None:
    outcome = asked(QUESTION, MOON, SUN, OAK)
    assert outcome.answer is None
    assert outcome.reason in (StopReason.NO_NEW_PASSAGES, StopReason.ROUND_LIMIT)
    assert any("Ada Roe" in need for need in outcome.missing)


NOTES = {
    "ops/incident-4471.md": "# Incident 4471\n\nThe outage began when payment-gw lost its pool.\n",
    "ops/incident-4412.md": "# Incident 4412\n\nThe outage began when search-api lost its pool.\n",
    "services.md": "The owner of payment-gw is the Harbor team.\n\nThe owner of search-api is the Delta team.\n",
    "people/harbor.md": "Nora Quist leads the Harbor team.\n",
    "people/delta.md": "Omar Rill leads the Delta team.\n",
}


def test_markdown_folder_is_followed_from_note_to_note(tmp_path: Path) -> None:
    for name, text in NOTES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    outcome = asked("Who leads the team that owns what failed in incident 4471?", *read_corpus([tmp_path]))
    assert {"ops/incident-4471.md#1", "services.md#1", "people/harbor.md#1"} <= set(read(outcome))


def test_hidden_passage_is_neither_read_nor_named() -> None:
    hidden = replace(ROE, text="Ada Roe was a pupil of Mira Zorn.", groups=frozenset({"hr"}))
    zorn = Passage("zorn", "Mira Zorn was born in Graz.", "Mira Zorn")
    question = "Where was the teacher of the director of Blue Moon born?"
    outcome = asked(question, MOON, hidden, zorn, SUN, OAK)
    assert "roe" not in read(outcome)
    assert "Zorn" not in str(outcome.rounds)
    assert "zorn" not in " ".join(query.text for item in outcome.rounds for query in item.queries)
    assert {"roe", "zorn"} <= set(read(asked(question, MOON, hidden, zorn, SUN, OAK, groups=frozenset({"hr"}))))


names = st.sampled_from(["Ada Roe", "Ben Oak", "Blue Moon", "Red Sun", "Linz", "payment-gw"])
bodies = st.tuples(names, names).map(lambda pair: "{} was directed by {}.".format(*pair))
corpora = st.lists(
    st.builds(Passage, id=st.just(""), text=bodies, title=st.one_of(st.just(""), names),
              groups=st.sampled_from([frozenset(), frozenset({"hr"}), frozenset({"hr", "it"})])),
    min_size=1, max_size=10,
).map(lambda found: [replace(item, id=str(number)) for number, item in enumerate(found)])  # fmt: skip


@given(corpora, names, st.sampled_from([frozenset(), frozenset({"it"}), frozenset({"nobody"})]))
@settings(max_examples=40, deadline=None)
def test_outcome_holds_nothing_that_the_user_may_not_read(
    corpus: list[Passage], name: str, groups: frozenset[str]
) -> None:
    outcome = asked(f"Where was the director of {name} born?", *corpus, groups=groups)
    hidden = {item.id for item in corpus if not item.readable_by(groups)}
    assert hidden.isdisjoint(read(outcome))
    assert hidden.isdisjoint(outcome.ranking)
    assert hidden.isdisjoint(found for item in outcome.rounds for found in (*item.hits, *item.new, *item.kept))


def test_two_runs_are_the_same() -> None:
    first, second = (asked(QUESTION, *FILMS) for _ in range(2))
    assert [item.queries for item in first.rounds] == [item.queries for item in second.rounds]
    assert (first.facts, first.evidence, first.ranking) == (second.facts, second.evidence, second.ranking)


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        ({**shipped_weights(), "d_magic": 1.0}, "d_magic"),
        ({name: value for name, value in shipped_weights().items() if name != "l_gain"}, "l_gain"),
        ({}, FEATURES[0]),
    ],
)
def test_weights_that_do_not_fit_the_features_are_refused(weights: dict[str, float], named: str) -> None:
    with pytest.raises(ArtifactMismatch, match=named):
        OfflinePolicy(BM25Index.build(FILMS), weights)


def test_state_is_what_makes_the_same_policy() -> None:
    index = BM25Index.build(FILMS)
    weights = {name: number / 7 for number, name in enumerate((*FEATURES, *NAMES))}
    assert OfflinePolicy(index, OfflinePolicy(index, weights).state()).state() == weights


def test_weights_of_answers_that_are_not_given_are_the_defaults() -> None:
    weights = dict.fromkeys(FEATURES, 1.0) | {"answer.right.sure": 0.9}
    state = OfflinePolicy(BM25Index.build(FILMS), weights).state()
    assert state == weights | AnswerWeights().state() | {"answer.right.sure": 0.9}


def test_what_is_sure_enough_is_a_matter_of_the_weights() -> None:
    note = Passage("note", "The fix of incident 4471 shipped as CHG-9424.", "Closing note, incident 4471")
    change = Passage("change", "Selma Arslan reviewed CHG-9424.", "Change CHG-9424")
    index, weights = BM25Index.build([note, change]), dict(shipped_weights())
    always = {name: -1.0 for name in NAMES if name.endswith("sure")}
    never = {name: 2.0 for name in NAMES if name.endswith("sure")}
    question = "Who reviewed the fix of incident 4471?"
    runs = [IterativeQA(index, OfflinePolicy(index, weights | sure))(question) for sure in (always, never)]
    assert [run.reason is StopReason.ANSWERED for run in runs] == [True, False]


def test_index_with_other_links_is_otherwise_the_same() -> None:
    index = BM25Index.build([*FILMS, replace(MOON, id="secret", groups=frozenset({"hr"}))])
    other = index.relinked(index.links)
    for groups in (frozenset[str](), frozenset({"hr"})):
        assert other.search("Blue Moon", 5, groups) == index.search("Blue Moon", 5, groups)


STAFF = (
    Passage("roe", "Helena Stroud is head of operations. Her deputy is Josip Maran.", "Helena Stroud"),
    Passage("pell", "Its chairman is Winifred Garrick, who succeeded Lord Amery in 2015.", "Harrow Pell"),
    Passage("hall", "It was installed by Kestrel Automation in 2016.", "Baggage Hall"),
    Passage(
        "depot", "Thornby Depot opened in 1987. It has ten tracks and is managed by Agnes Pollard.", "Thornby Depot"
    ),
    Passage("pike", "Pike Scheduler runs jobs. The scheduler replaced Old Crank in 2021.", "Pike Scheduler"),
    Passage("nest", "The AeroNest is a device, developed at the hospital by Lucinda Farrow.", "AeroNest Ventilator"),
    Passage("tide", "TIDEMARK is a trial. It is led by Anselm Okoro.", "TIDEMARK Study"),
    Passage("score", "The score was composed by Tove Ahlgren, and Milan Cerny wrote the dialogue.", "Ember Vale"),
)


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Who is Josip Maran's deputy?", "Helena Stroud"),
        ("Who is the deputy of Josip Maran?", "Helena Stroud"),
        ("Who was chairman of Harrow Pell before Lord Amery?", "Winifred Garrick"),
        ("Who did Lord Amery succeed?", "Winifred Garrick"),
        ("Who installed Kestrel Automation?", "Baggage Hall"),
    ],
)
def test_answer_the_other_way_round_is_not_given(question: str, wrong: str) -> None:
    outcome = asked(question, *STAFF)
    assert outcome.answer is None
    assert wrong in " ".join(f"{passage.title} {passage.text}" for passage in outcome.evidence)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is the deputy of Helena Stroud?", "Josip Maran"),
        ("Who composed the score of Ember Vale?", "Tove Ahlgren"),
        ("Who succeeded Lord Amery?", "Winifred Garrick"),
        ("Who manages Thornby Depot?", "Agnes Pollard"),
        ("What did Pike Scheduler replace?", "Old Crank"),
        ("Who developed the AeroNest ventilator?", "Lucinda Farrow"),
        ("Who leads TIDEMARK?", "Anselm Okoro"),
    ],
)
def test_plain_question_about_staff_is_answered(question: str, answer: str) -> None:
    assert asked(question, *STAFF).answer == answer
