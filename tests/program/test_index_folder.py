import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hopstop.program import bm25
from hopstop.program.analyzer import Analyzer
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import AnalyzerMismatch, BadIndex
from hopstop.program.index_folder import MANIFEST
from hopstop.program.records import Passage

HR = frozenset({"hr"})
PASSAGES = [
    Passage(id="fix", title="Fix 88", text="Fix 88 of incident 4471 was reviewed by Dana Kovács."),
    Passage(id="pay", title="Pay", text="Dana Kovács earns more than the reviewers.", groups=HR),
    Passage(id="vit", title="Vitamin C", text="An acid found in lemons."),
    Passage(id="tea", title="", text="紅茶を飲む"),
]


@pytest.fixture(scope="module")
def index() -> BM25Index:
    return BM25Index.build(PASSAGES)


@pytest.fixture
def saved(index: BM25Index, tmp_path: Path) -> Path:
    index.save(tmp_path / "index")
    return tmp_path / "index"


def ids(index: BM25Index, query: str, k: int = 10, groups: frozenset[str] = frozenset()) -> list[str]:
    return [hit.passage.id for hit in index.search(query, k, groups)]


@pytest.mark.parametrize("mmap", [True, False])
def test_a_loaded_index_gives_the_same_hits(index: BM25Index, saved: Path, mmap: bool) -> None:
    loaded = BM25Index.load(saved, mmap=mmap)
    assert loaded.info == index.info
    for query in ("Dana Kovács earns", "incident 4471", "紅茶", "the"):
        for groups in (frozenset[str](), HR):
            assert loaded.search(query, 3, groups) == index.search(query, 3, groups)
    assert [loaded.passage(passage.id) for passage in PASSAGES] == PASSAGES


def test_an_index_from_before_there_were_tables_of_words_gives_the_same_hits(index: BM25Index, saved: Path) -> None:
    manifest = json.loads((saved / MANIFEST).read_text())
    for file in (*saved.glob("tokens*"), *saved.glob("links_*_words_*")):
        file.unlink()
        del manifest["files"][file.name]
    (saved / MANIFEST).write_text(json.dumps(manifest))
    loaded = BM25Index.load(saved)
    for query in ("Dana Kovács earns", "incident 4471", "紅茶", "the"):
        assert loaded.search(query, 3, HR) == index.search(query, 3, HR)
    assert loaded.document_frequency("Dana Kovács", HR) == 2


def test_an_index_is_replaced_whole_and_an_open_one_goes_on(saved: Path) -> None:
    opened = BM25Index.load(saved)
    BM25Index.build([Passage(id="new", text="lemons")]).save(saved)
    assert ids(BM25Index.load(saved), "lemons") == ["new"]
    assert ids(opened, "lemons") == ["vit"]
    assert [path.name for path in saved.parent.iterdir()] == ["index"]


def test_a_folder_of_something_else_is_never_overwritten(index: BM25Index, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(BadIndex, match="something else"):
        index.save(tmp_path)
    with pytest.raises(BadIndex, match="is a file"):
        index.save(tmp_path / "notes.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_empty_folder_is_filled(index: BM25Index, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    index.save(tmp_path / "empty")
    assert len(BM25Index.load(tmp_path / "empty")) == 4


def test_a_save_that_fails_leaves_the_old_index(saved: Path, index: BM25Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bm25, "write_manifest", fail)
    with pytest.raises(BadIndex, match="No space left"):
        index.save(saved)
    assert len(BM25Index.load(saved)) == 4
    assert [path.name for path in saved.parent.iterdir()] == ["index"]


def test_a_missing_folder_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadIndex, match=r"no index folder .*hopstop index SOURCE --out FOLDER"):
        BM25Index.load(tmp_path / "gone")


@pytest.mark.parametrize(
    "name", [MANIFEST, "passages.jsonl", "offsets.npy", "groups.json", "vocab.index.json", "data.csc.index.npy"]
)
def test_a_half_written_index_is_refused(saved: Path, name: str) -> None:
    data = (saved / name).read_bytes()
    (saved / name).write_bytes(data[: len(data) // 2])
    with pytest.raises(BadIndex, match=rf"{name}.*hopstop index"):
        BM25Index.load(saved)
    (saved / name).unlink()
    with pytest.raises(BadIndex, match=rf"{name}.*hopstop index"):
        BM25Index.load(saved)


@pytest.mark.parametrize(
    "name",
    ["offsets.npy", "groups.json", "tokens.txt", "tokens_hashes.npy", "params.index.json", "indptr.csc.index.npy"],
)
def test_a_damaged_file_of_the_right_size_is_refused(saved: Path, name: str) -> None:
    (saved / name).write_bytes(b"\x01" * (saved / name).stat().st_size)
    with pytest.raises(BadIndex, match=r"damaged.*hopstop index"):
        BM25Index.load(saved)


def changed(folder: Path, change: dict[str, object]) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    (folder / MANIFEST).write_text(json.dumps(manifest | change))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": 99}, "schema 99"),
        ({"format": "other"}, "not the manifest of an index"),
        ({"files": None}, "no field 'files'"),
        ({"passages": 3}, "different numbers of passages"),
    ],
)
def test_a_manifest_that_does_not_fit_is_refused(saved: Path, change: dict[str, object], words: str) -> None:
    changed(saved, change)
    with pytest.raises(BadIndex, match=words):
        BM25Index.load(saved)


def test_a_manifest_without_a_field_is_refused(saved: Path) -> None:
    manifest = json.loads((saved / MANIFEST).read_text())
    del manifest["corpus_hash"]
    (saved / MANIFEST).write_text(json.dumps(manifest))
    with pytest.raises(BadIndex, match="corpus_hash"):
        BM25Index.load(saved)


def test_another_analyzer_is_refused_by_field(saved: Path) -> None:
    assert len(BM25Index.load(saved, analyzer=Analyzer())) == 4
    with pytest.raises(AnalyzerMismatch, match=r"'fold_accents' is True in the index, False here.*hopstop index"):
        BM25Index.load(saved, analyzer=Analyzer(fold_accents=False))
    changed(saved, {"analyzer": Analyzer().settings() | {"version": 0}})
    with pytest.raises(AnalyzerMismatch, match=r"'version' is 0"):
        BM25Index.load(saved)


def test_the_folder_is_the_same_to_the_byte_under_another_hash_seed(tmp_path: Path) -> None:
    script = """
import sys
from pathlib import Path
from hopstop.program.bm25 import BM25Index
from hopstop.program.records import Passage
passages = [Passage(id=str(i), text=f"word{i} shared", groups=frozenset({"x", "y", "z"})) for i in range(20)]
BM25Index.build(passages).save(Path(sys.argv[1]))
"""
    passages = [Passage(id=str(i), text=f"word{i} shared", groups=frozenset({"x", "y", "z"})) for i in range(20)]
    BM25Index.build(passages).save(tmp_path / "here")
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    command = [sys.executable, "-c", script, str(tmp_path / "there")]
    subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, check=True)
    here, there = ({file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in ("here", "there"))
    assert here == there
