import copy
import gzip
import json
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hopstop.program import bm25
from hopstop.program.analyzer import Analyzer
from hopstop.program.bm25 import BM25Index, best_positions
from hopstop.program.errors import BadCorpus, BadInput, BadQuestion
from hopstop.program.records import Passage

HR = frozenset({"hr"})
PASSAGES = [
    Passage(id="fix", title="Fix 88", text="Fix 88 of incident 4471 was reviewed by Dana Kovács."),
    Passage(id="inc", title="Incident 4471", text="Incident 4471 was caused by a late deploy."),
    Passage(id="pay", title="Pay", text="Dana Kovács earns more than the reviewers.", groups=HR),
    Passage(id="vit", title="Vitamin C", text="An acid found in lemons."),
    Passage(id="tea", title="", text="紅茶を飲む"),
]


@pytest.fixture(scope="module")
def index() -> BM25Index:
    return BM25Index.build(PASSAGES)


def ids(index: BM25Index, query: str, k: int = 10, groups: frozenset[str] = frozenset()) -> list[str]:
    return [hit.passage.id for hit in index.search(query, k, groups)]


@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("who reviewed fix 88", "fix"),
        ("C", "vit"),
        ("Dana KOVACS", "fix"),
        (unicodedata.normalize("NFD", "Kovács"), "fix"),
        ("茶", "tea"),
        ("incident 4471's cause", "inc"),
    ],
)
def test_the_passage_meant_comes_first(index: BM25Index, query: str, best: str) -> None:
    assert ids(index, query)[0] == best


def test_decomposed_passages_are_found_by_composed_queries() -> None:
    text = unicodedata.normalize("NFD", "Café Ångström")
    index = BM25Index.build(
        [Passage(id="n", text=text), Passage(id="o", text="other")], analyzer=Analyzer(fold_accents=False)
    )
    assert ids(index, "ångström") == ["n"]
    assert index.passage("n").text == text


@pytest.mark.parametrize("query", ["", "   ", "?!", "zebra", "\x00"])
def test_a_query_that_matches_nothing_finds_nothing(index: BM25Index, query: str) -> None:
    assert index.search(query, 5) == []


def test_a_query_of_stop_words_only_is_searched_with_them(index: BM25Index) -> None:
    assert sorted(ids(index, "by")) == ["fix", "inc"]
    assert index.search("such", 5) == []


def test_k_above_the_corpus_and_below_one_are_fine(index: BM25Index) -> None:
    assert sorted(ids(index, "incident 4471 lemons", 1000)) == ["fix", "inc", "vit"]
    assert index.search("incident", 0) == []


def test_a_query_of_fifty_thousand_characters_is_searched(index: BM25Index) -> None:
    assert ids(index, "lemons " * 7200)[0] == "vit"


def test_equal_scores_are_ordered_by_id_whatever_the_order_given() -> None:
    same = [Passage(id=name, text="same words") for name in ("c", "a", "é", "b")]
    assert ids(BM25Index.build(same), "words", 3) == ["a", "b", "c"]


def test_titles_are_searched_and_weigh_more_than_text() -> None:
    passages = [
        Passage(id="1", text="red blue green", title="x y z"),
        Passage(id="2", text="x y z", title="red blue green"),
    ]
    assert ids(BM25Index.build(passages), "red") == ["2", "1"]
    assert ids(BM25Index.build(passages, title_weight=0), "red") == ["1"]


def test_a_passage_of_another_group_is_never_returned_or_counted(index: BM25Index) -> None:
    assert "pay" not in ids(index, "Dana Kovács earns", 10)
    assert ids(index, "Dana Kovács earns", 1, HR) == ["pay"]
    assert "pay" not in ids(index, "earns Dana", 10, frozenset({"sales", "HR"}))
    assert (index.document_frequency("earns"), index.document_frequency("earns", HR)) == (0, 1)


@given(
    st.lists(st.frozensets(st.sampled_from("abc")), min_size=1, max_size=12),
    st.frozensets(st.sampled_from("abcd")),
    st.integers(1, 15),
)
def test_a_search_sees_exactly_what_the_user_may_read(
    owners: list[frozenset[str]], user: frozenset[str], k: int
) -> None:
    passages = [Passage(id=f"{at:02}", text="word " * (at % 3 + 1), groups=groups) for at, groups in enumerate(owners)]
    index = BM25Index.build(passages)
    readable = {passage.id for passage in passages if passage.readable_by(user)}
    everything = ids(index, "word", 100, frozenset("abc"))
    assert ids(index, "word", k, user) == [name for name in everything if name in readable][:k]
    assert index.document_frequency("word", user) == len(readable)


def test_frequency_and_rarity_count_passages_that_hold_the_whole_term(index: BM25Index) -> None:
    assert index.document_frequency("4471") == 2
    assert index.document_frequency("Dana Kovács") == 1
    assert index.document_frequency("Dana lemons") == 0
    assert index.document_frequency("zebra") == index.document_frequency("") == 0
    assert 0 < index.idf("4471") < index.idf("lemons") < index.idf("zebra")
    assert index.idf("4471") == pytest.approx(np.log(1 + (4 - 2 + 0.5) / (2 + 0.5)))


def test_a_passage_is_found_by_its_id(index: BM25Index) -> None:
    assert len(index) == 5
    assert index.passage("pay") == PASSAGES[2]
    for missing in ("", "nope", "zzz"):
        with pytest.raises(KeyError):
            index.passage(missing)


@pytest.mark.parametrize(
    ("passages", "words"),
    [
        ([], "no passage"),
        ([Passage(id="a", text="!?"), Passage(id="b", text="…")], "none of the 2 passages has a word"),
        ([Passage(id="a", text="x"), Passage(id="b", text="y"), Passage(id="a", text="z")], "id 'a'"),
        ([Passage(id="a", text="x \ud800")], "'a' holds half of a surrogate pair"),
    ],
)
def test_a_corpus_that_cannot_be_searched_is_refused(passages: list[Passage], words: str) -> None:
    with pytest.raises(BadCorpus, match=words):
        BM25Index.build(passages)


def test_a_passage_without_words_is_kept_and_never_found() -> None:
    index = BM25Index.build([Passage(id="a", text="!?"), Passage(id="b", text="words")])
    assert ids(index, "words !?") == ["b"]
    assert index.passage("a").text == "!?"


@pytest.mark.parametrize("bad", [{"k1": -1.0}, {"b": 1.5}, {"b": float("nan")}, {"title_weight": -1}])
def test_numbers_outside_their_range_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(BadInput, match=next(iter(bad))):
        BM25Index.build(PASSAGES, **bad)  # type: ignore[arg-type]


def test_the_hash_depends_on_passages_and_analyzer_and_not_on_their_order(index: BM25Index) -> None:
    assert BM25Index.build(PASSAGES[::-1]).corpus_hash == index.corpus_hash
    assert BM25Index.build(PASSAGES[1:]).corpus_hash != index.corpus_hash
    assert BM25Index.build(PASSAGES, analyzer=Analyzer(stemmer="plural")).corpus_hash != index.corpus_hash
    public = [Passage(id=passage.id, text=passage.text, title=passage.title) for passage in PASSAGES]
    assert BM25Index.build(public).corpus_hash != index.corpus_hash


def test_copies_of_an_index_are_the_index_itself(index: BM25Index) -> None:
    assert copy.deepcopy({"retriever": index})["retriever"] is index
    assert copy.copy(index) is index


@given(st.lists(st.sampled_from([0.0, 0.1, 0.5, 1.0, 2.0, 16.0, 16.5]), min_size=1, max_size=40), st.integers(1, 45))
def test_best_positions_are_those_of_a_full_sort(values: list[float], k: int) -> None:
    scores = np.array(values, dtype=np.float32)
    full = sorted((at for at, value in enumerate(values) if value > 0), key=lambda at: (-values[at], at))
    assert best_positions(scores, k).tolist() == full[:k]


@pytest.mark.parametrize("numba_from", [0, 10**9])
def test_threads_share_an_index(numba_from: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if numba_from == 0 and not bm25s.NUMBA_AVAILABLE:
        pytest.skip("numba is not installed")
    monkeypatch.setattr(bm25, "NUMBA_FROM", numba_from)
    groups = [frozenset({f"g{number}"}) for number in range(100)]
    texts = [" ".join(f"w{(number * step) % 50}" for step in range(1, 12)) for number in range(400)]
    passages = [
        Passage(id=f"{number:03}", text=text, groups=groups[number % 100] if number % 2 else frozenset())
        for number, text in enumerate(texts)
    ]
    BM25Index.build(passages).save(tmp_path / "index")
    index = BM25Index.load(tmp_path / "index")
    jobs = [(text, 7, groups[at % 100]) for at, text in enumerate(texts)]
    with ThreadPoolExecutor(8) as pool:
        parallel = list(pool.map(lambda job: index.search(*job), jobs))
    assert parallel == [index.search(*job) for job in jobs]
    assert all(hit.passage.readable_by(job[2]) for job, found in zip(jobs, parallel, strict=True) for hit in found)


def test_questions_of_musique_find_their_passages(data: Path, musique: BM25Index) -> None:
    with gzip.open(data / "musique_questions.jsonl.gz", "rt", encoding="utf-8") as file:
        questions = [record for record in map(json.loads, file) if record["answerable"]]
    gold = [{support["passage_id"] for support in record["supports"]} for record in questions]
    found = [set(ids(musique, record["question"], 5)) for record in questions]
    recall = sum(len(want & have) / len(want) for want, have in zip(gold, found, strict=True)) / len(questions)
    assert recall > 0.5


def test_groups_given_as_one_string_open_nothing(index: BM25Index) -> None:
    secret = BM25Index.build([Passage(id="a", text="Dana earns a lot.", groups=frozenset({"h"}))])
    with pytest.raises(BadQuestion, match="groups must be a set of names"):
        secret.search("Dana", 1, "her")  # type: ignore[arg-type]
    assert ids(index, "Dana earns", groups=HR)
