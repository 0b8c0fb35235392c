import gzip
import json
import os
from pathlib import Path

import pytest

from hopstop.program.bm25 import BM25Index
from hopstop.program.corpus import passed_over, read_corpus
from hopstop.program.errors import BadCorpus
from hopstop.program.passages_of_text import MAX_WORDS, split_text
from hopstop.program.records import Passage

GOOD = {"id": "a", "text": "Anna fixed it."}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def written(tmp_path: Path, data: bytes, name: str = "c.jsonl") -> Path:
    file = tmp_path / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data)
    return file


def test_json_lines_become_passages_and_other_keys_are_ignored(tmp_path: Path) -> None:
    record = {"id": "b", "text": "Ben saw it.", "title": "Ben", "groups": ["hr"], "sentences": ["Ben saw it."], "n": 1}
    file = written(tmp_path, lines(GOOD, record))
    assert read_corpus([file]) == [
        Passage(id="a", text="Anna fixed it."),
        Passage(id="b", text="Ben saw it.", title="Ben", groups=frozenset({"hr"})),
    ]


def test_gzip_bom_windows_line_ends_and_blank_lines_are_read(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + lines(GOOD).replace(b"\n", b"\r\n") + b"\r\n" + lines(GOOD | {"id": "é", "title": None})
    plain = read_corpus([written(tmp_path, data)])
    zipped = read_corpus([written(tmp_path, gzip.compress(data), "c.jsonl.gz")])
    assert [passage.id for passage in plain] == ["a", "é"]
    assert zipped == plain


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (b'{"id": "b", "text": "x"', "broken JSON"),
        (b"[1, 2]", "not a JSON object"),
        (b"[" * 100_000, "JSON that cannot be read"),
        (b'{"id": "b"}', "'text' is missing"),
        (b'{"text": "x"}', "'id' is missing"),
        (b'{"id": 7, "text": "x"}', "'id' must be a string, not int"),
        (b'{"id": "b", "text": " "}', "'text' is empty"),
        (b'{"id": "b", "text": null}', "'text' must be a string"),
        (b'{"id": "b", "text": "x", "title": 3}', "'title' must be a string"),
        (b'{"id": "b", "text": "x", "groups": "hr"}', "'groups' must be a list"),
        (b'{"id": "b", "text": "x", "groups": null}', "'groups' must be a list"),
        (b'{"id": "b", "text": "x", "groups": [1]}', "'groups' must be a list"),
        (b'{"id": "b", "text": "x", "group": ["hr"]}', "'group' is not known; write 'groups'"),
        (b'{"id": "b", "text": "x", "Groups": ["hr"]}', "'Groups' is not known; write 'groups'"),
        (b'{"id": "b", "text": "x", "groups": ["hr"], "gruops": ["it"]}', "'gruops' is not known"),
        (b'{"id": "b", "text": "\\ud800"}', "'text' holds half of a surrogate pair"),
        (b'{"id": "a", "text": "again"}', "id 'a' was used before, in .*line 1"),
        (b'{"id": "b\xff"}', "byte 10: not valid UTF-8"),
    ],
)
def test_a_bad_line_is_named_with_its_field(tmp_path: Path, bad: bytes, words: str) -> None:
    file = written(tmp_path, lines(GOOD) + b"\n" + bad + b"\n")
    with pytest.raises(BadCorpus, match=words) as caught:
        read_corpus([file])
    assert f"{file}, line 3" in str(caught.value)


def test_an_id_in_two_files_is_named_with_both_lines(tmp_path: Path) -> None:
    first = written(tmp_path, lines(GOOD), "1.jsonl")
    second = written(tmp_path, lines(GOOD | {"id": "z"}, GOOD), "2.jsonl")
    with pytest.raises(BadCorpus) as caught:
        read_corpus([first, second])
    assert f"{first}, line 1" in str(caught.value)
    assert f"{second}, line 2" in str(caught.value)


@pytest.mark.parametrize("name", ["e.jsonl", "e.txt", "e.md", "folder/.hidden.md"])
def test_a_source_without_passages_is_named(tmp_path: Path, name: str) -> None:
    file = written(tmp_path, b"\n \n", name)
    source = file.parent if file.name.startswith(".") else file
    with pytest.raises(BadCorpus, match="no passages") as caught:
        read_corpus([source])
    assert str(source) in str(caught.value)


def test_no_source_missing_source_and_unknown_kind_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadCorpus, match="no source was given"):
        read_corpus([])
    with pytest.raises(BadCorpus, match=r"gone\.jsonl: there is no such file"):
        read_corpus([tmp_path / "gone.jsonl"])
    with pytest.raises(BadCorpus, match=r"this kind of file cannot be read.*\.jsonl\.gz"):
        read_corpus([written(tmp_path, b"x", "c.pdf")])


def test_a_gzip_file_cut_short_or_plain_is_named(tmp_path: Path) -> None:
    data = gzip.compress(os.urandom(2000).hex().encode())
    for broken in (data[:-100], b"plain text"):
        with pytest.raises(BadCorpus, match=r"c\.jsonl\.gz: not a whole gzip file"):
            read_corpus([written(tmp_path, broken, "c.jsonl.gz")])


def test_invalid_utf8_of_a_text_file_is_named_with_line_and_byte(tmp_path: Path) -> None:
    file = written(tmp_path, b"one\ntwo \xff", "t.txt")
    with pytest.raises(BadCorpus, match="line 2, byte 5: not valid UTF-8"):
        read_corpus([file])


def test_a_folder_gives_its_text_files_in_order_of_paths(tmp_path: Path) -> None:
    written(tmp_path, b"\xef\xbb\xbf# Guide\r\n\r\nIntro.\r\n\r\n## Use\r\n\r\nRun it.", "b/guide.md")
    written(tmp_path, b"# no heading here", "a.txt")
    for left_out in (".git/x.md", "b/data.json", "b/.draft.md"):
        written(tmp_path, b"x", left_out)
    written(tmp_path, b"", "b/empty.md")
    assert [(passage.id, passage.title, passage.text) for passage in read_corpus([tmp_path])] == [
        ("a.txt#1", "a", "# no heading here"),
        ("b/guide.md#1", "Guide", "Intro."),
        ("b/guide.md#2", "Guide — Use", "Run it."),
    ]


def test_an_index_within_a_folder_is_no_source(tmp_path: Path) -> None:
    written(tmp_path, b"Anna fixed it.", "a.txt")
    BM25Index.build(read_corpus([tmp_path])).save(tmp_path / "deep" / "idx")
    assert [passage.id for passage in read_corpus([tmp_path])] == ["a.txt#1"]
    assert not passed_over(tmp_path)


def test_files_that_a_folder_does_not_give_are_counted(tmp_path: Path) -> None:
    for name in ("a.txt", "b.pdf", "c/d.pdf", "c/e.jsonl.gz", "c/LICENSE", ".git/config"):
        written(tmp_path, b"x", name)
    assert passed_over(tmp_path) == {".pdf": 2, ".jsonl.gz": 1, "LICENSE": 1}
    assert not passed_over(tmp_path / "a.txt")


def test_a_folder_of_json_lines_alone_is_refused_with_what_to_name(tmp_path: Path) -> None:
    written(tmp_path, lines(GOOD))
    with pytest.raises(BadCorpus, match="name each of its 1 files of JSON lines"):
        read_corpus([tmp_path])


def test_paragraphs_of_a_section_are_packed_up_to_the_limit() -> None:
    paragraphs = [" ".join(f"w{number}x{at}" for at in range(80)) for number in range(5)]
    text = "# H\n" + "\n\n".join(paragraphs)
    assert split_text(text, name="n", markdown=True) == [
        ("H", "\n\n".join(paragraphs[:2])),
        ("H", "\n\n".join(paragraphs[2:4])),
        ("H", paragraphs[4]),
    ]


def test_a_long_paragraph_is_split_between_sentences_and_a_long_sentence_between_words() -> None:
    sentences = " ".join(f"Sentence {at} has exactly six words." for at in range(100))
    pieces = [body for _, body in split_text(sentences, name="n")]
    assert all(body.endswith("words.") and len(body.split()) <= MAX_WORDS for body in pieces)
    assert " ".join(pieces) == sentences
    endless = " ".join(f"word{at}" for at in range(500))
    pieces = [body for _, body in split_text(endless, name="n")]
    assert " ".join(pieces) == endless
    assert max(len(body.split()) for body in pieces) <= MAX_WORDS


def test_a_long_text_without_spaces_is_split_too() -> None:
    text = "漢字" * 5000
    pieces = [body for _, body in split_text(text, name="n")]
    assert "".join(pieces) == text
    assert max(len(body) for body in pieces) <= 8 * MAX_WORDS


@pytest.mark.parametrize("end", ["\n```\n\nAfter.", ""])
def test_fenced_code_is_kept_whole_and_its_comments_are_no_headings(end: str) -> None:
    code = "```sh\n" + "# not a heading\n\nrun me\n" * 150
    passages = split_text(f"# T\n\nBefore.\n\n{code}{end}", name="n", markdown=True)
    assert {title for title, _ in passages} == {"T"}
    assert any(body.startswith("```sh") and body.count("run me") == 150 for _, body in passages)
    assert (passages[-1][1] == "After.") == bool(end)


def test_sections_of_the_same_name_stay_apart_and_bare_headings_are_left_out() -> None:
    text = "## Notes ##\none\n## Notes\ntwo\n## Bare\n# C#\nthree"
    assert split_text(text, name="n", markdown=True) == [
        ("Notes", "one"),
        ("Notes", "two"),
        ("Notes — C#", "three"),
    ]


def test_every_passage_stands_in_the_file_word_for_word() -> None:
    text = "Intro  with   spaces.\n\n* item\n  more\n\n" + "Long one. " * 300 + "\n\nEnd."
    assert all(body in text for _, body in split_text(text, name="n", markdown=True))
