from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner

from hopstop.eval.datasets import read_questions
from hopstop.eval.desk import make_desk
from hopstop.eval.questions import Question, Support
from hopstop.optimize.made_stops import KINDS, RIGHT, MadeStop, StopMaker
from hopstop.optimize.refusals import ANY, DEFAULTS, JUDGED, THRESHOLDS, main, refusals, refused_by
from hopstop.program.bm25 import BM25Index
from hopstop.program.corpus import read_corpus
from hopstop.program.guards import ALL_OFF, DEFAULT
from hopstop.program.records import Passage

NOTE = Passage("note", "The fix of incident 4471 is CHG-8216.", "Closing note, incident 4471")
CHANGE = Passage("change", "Dana Ortiz reviewed CHG-8216.", "Change CHG-8216")
TWIN = Passage("twin", "Bo Kim reviewed CHG-8274.", "Change CHG-8274")
FILLER = tuple(Passage(f"x{n}", f"Meeting {n} spoke of fixes and Eve Stone.", f"Meeting {n}") for n in range(6))
INDEX = BM25Index.build([NOTE, CHANGE, TWIN, *FILLER])
QUESTION = Question(
    "q",
    "Who reviewed the fix of incident 4471?",
    ("Dana Ortiz",),
    supports=(Support("note", (NOTE.text,)), Support("change", (CHANGE.text,))),
    meta={
        "decomposition": [
            {"question": "the fix of incident 4471", "answer": "CHG-8216", "passage_id": "note"},
            {"question": "who reviewed #1", "answer": "Dana Ortiz", "passage_id": "change"},
        ]
    },
)


def made() -> dict[str, MadeStop]:
    maker = StopMaker.of(QUESTION, INDEX)
    assert maker is not None
    return {stop.kind: stop for stop in maker.make()}


def test_right_stop_is_refused_by_nobody() -> None:
    assert set(refused_by(made()[RIGHT], DEFAULT, INDEX)) == set()


@pytest.mark.parametrize(
    ("kind", "who"),
    [
        ("look-alike", "fact_near_miss"),
        ("guessed", THRESHOLDS),
        ("unquoted", THRESHOLDS),
        ("elsewhere", THRESHOLDS),
        ("vague", THRESHOLDS),
    ],
)
def test_wrong_stops_are_refused(kind: str, who: str) -> None:
    stop = made()[kind]
    assert stop.decision.draft != "Dana Ortiz" or kind in ("guessed", "unquoted")
    assert {who, DEFAULTS, ANY} <= set(refused_by(stop, DEFAULT, INDEX))


def test_with_all_guards_off_only_the_thresholds_count_by_default() -> None:
    found = set(refused_by(made()["look-alike"], ALL_OFF, INDEX))
    assert DEFAULTS not in found
    assert ANY in found


def test_no_stop_is_made_of_a_question_without_an_answer() -> None:
    assert StopMaker.of(Question("u", "Who?", (), answerable=False), INDEX) is None


def test_on_the_desk_few_right_stops_are_refused_and_most_wrong_ones_are() -> None:
    desk = make_desk()
    found = refusals(desk.questions, BM25Index.build(desk.passages or ()))
    assert found[RIGHT].n > 100
    for name in JUDGED:
        assert found[RIGHT].refused[name] <= 0.03 * found[RIGHT].n, found[RIGHT].examples
    for kind in ("merged", "guessed", "unquoted", "elsewhere", "look-alike"):
        assert found[kind].refused[DEFAULTS] >= 0.7 * found[kind].n, kind
    assert found["look-alike"].refused["fact_near_miss"] > 0


def test_right_answers_of_real_questions_are_seldom_refused() -> None:
    folder = Path(__file__).parents[2] / ".." / "shared" / "data"
    if not folder.exists():
        pytest.skip("the labelled questions are not here")
    asked = [item for item in read_questions(folder / "musique_questions.jsonl.gz").questions if item.answerable][:80]
    gold = {name for item in asked for name in item.gold_ids}
    passages = read_corpus([folder / "musique_corpus.jsonl.gz"])
    index = BM25Index.build([item for number, item in enumerate(passages) if item.id in gold or number < 200])
    makers = [maker for item in asked if (maker := StopMaker.of(item, index)) is not None]
    stops = [next(maker.make(), None) for maker in makers]
    refused = Counter(name for stop in stops if stop is not None for name in refused_by(stop, DEFAULT, index))
    assert len(stops) > 60
    assert {name: n for name, n in refused.items() if name in JUDGED and n > 0.03 * len(stops)} == {}


def test_command_prints_tables_or_json() -> None:
    shown = CliRunner().invoke(main, ["--desk", "--limit", "8"])
    assert shown.exit_code == 0, shown.output
    assert all(kind in shown.output for kind in KINDS)
    data = json.loads(CliRunner().invoke(main, ["--desk", "--limit", "8", "--json"]).stdout)
    assert data["desk"][RIGHT]["n"] > 0
    assert data["desk"][RIGHT]["latch"] == 0


def test_each_file_needs_its_index(tmp_path: Path) -> None:
    result = CliRunner().invoke(main, [str(tmp_path / "q.jsonl")])
    assert result.exit_code == 2
    assert "--index" in result.output
