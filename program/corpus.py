"""Read a corpus: JSON lines, plain or gzipped, and text or Markdown files, alone or in folders."""

from __future__ import annotations

import codecs
import gzip
import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import IO, cast

from hopstop.program.errors import BadCorpus
from hopstop.program.index_folder import is_index
from hopstop.program.passages_of_text import split_text
from hopstop.program.records import NO_GROUPS, Passage

LINES = (".jsonl", ".jsonl.gz")
MARKDOWN = (".md", ".markdown")
TEXTS = (".txt", *MARKDOWN)
_KINDS = ", ".join((*LINES, *TEXTS))

Found = tuple[Passage, str]  # a passage, and where it stands: "file, line 3"


def read_corpus(sources: Sequence[Path]) -> list[Passage]:
    """All passages of the sources, in their order.

    A line of JSON holds `id` and `text`, may hold `title` and `groups` (a list of names; none means everyone); other
    keys are ignored, unless they look like `groups` written wrong. A folder is searched through for text and Markdown
    files in the order of their paths, hidden and empty ones and indexes of ours left out; `split_text` splits them. The
    id of such a passage is the path below the folder, "#" and a number from 1.

    Raises:
        BadCorpus: A source, line or field cannot be read; the message names it and what to do.
    """
    places: dict[str, str] = {}
    passages: list[Passage] = []
    for source in sources:
        before = len(passages)
        for passage, place in _read(Path(source)):
            if passage.id in places:
                raise BadCorpus(f"{place}: id {passage.id!r} was used before, in {places[passage.id]}; ids must differ")
            places[passage.id] = place
            passages.append(passage)
        if len(passages) == before:
            raise BadCorpus(f"{source}: no passages in it; {_advice(source)}")
    if not passages:
        raise BadCorpus(f"no source was given; name a folder or file of {_KINDS}")
    return passages


def passed_over(source: Path) -> Counter[str]:
    """How many files of a folder `read_corpus` does not read, by the end of their names; none if it is a file."""
    unread = (file for file in _files(source) if not _has_suffix(file, TEXTS)) if source.is_dir() else ()
    return Counter(".jsonl.gz" if _has_suffix(file, LINES[1:]) else file.suffix or file.name for file in unread)


def _advice(source: Path) -> str:
    lines = sum(_has_suffix(file, LINES) for file in _files(source)) if source.is_dir() else 0
    if lines:
        return f"of a folder only {', '.join(TEXTS)} are read: name each of its {lines} files of JSON lines as a source"
    return f"give a folder of {', '.join(TEXTS)} or a file of {_KINDS} that has text"


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder in the order of their paths, without hidden ones and those of an index."""
    for path in sorted(folder.iterdir()):
        if path.name.startswith(".") or (path.is_dir() and is_index(path)):
            continue
        if path.is_dir() and not path.is_symlink():
            yield from _files(path)
        elif path.is_file():
            yield path


def _read(source: Path) -> Iterator[Found]:
    if source.is_dir():
        for file in _files(source):
            if _has_suffix(file, TEXTS):
                yield from _read_text(file, file.relative_to(source).as_posix())
    elif not source.exists():
        raise BadCorpus(f"{source}: there is no such file or folder; check the path")
    elif _has_suffix(source, LINES):
        yield from _read_lines(source)
    elif _has_suffix(source, TEXTS):
        yield from _read_text(source, source.name)
    else:
        raise BadCorpus(f"{source}: this kind of file cannot be read; give a folder or one of {_KINDS}")


def _has_suffix(file: Path, suffixes: Sequence[str]) -> bool:
    return file.name.lower().endswith(tuple(suffixes))


def _read_text(file: Path, name: str) -> Iterator[Found]:
    with _opened(file) as stream:
        text = _decode(stream.read().removeprefix(codecs.BOM_UTF8), file)
    pieces = split_text(text, name=file.stem, markdown=_has_suffix(file, MARKDOWN))
    for number, (title, body) in enumerate(pieces, start=1):
        yield Passage(id=f"{name}#{number}", text=body, title=title), f"{file}, passage {number}"


def _read_lines(file: Path) -> Iterator[Found]:
    with _opened(file) as stream:
        for number, line in enumerate(stream, start=1):
            text = _decode(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line, file, first_line=number)
            if text.strip():
                place = f"{file}, line {number}"
                yield _passage(_record(text, place), place), place


@contextmanager
def _opened(file: Path) -> Iterator[IO[bytes]]:
    """Open a file, gzipped or not; what fails while it is read becomes an error of ours."""
    try:
        with gzip.open(file) if _has_suffix(file, (".gz",)) else file.open("rb") as stream:
            yield cast(IO[bytes], stream)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadCorpus(f"{file}: not a whole gzip file ({error}); copy or compress it again") from error
    except OSError as error:
        raise BadCorpus(f"{file}: cannot be read ({error.strerror}); check its permissions") from error


def _decode(data: bytes, file: Path, *, first_line: int = 1) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = first_line + data.count(b"\n", 0, error.start)
        column = error.start - data.rfind(b"\n", 0, error.start)
        raise BadCorpus(f"{file}, line {line}, byte {column}: not valid UTF-8; save the file as UTF-8") from None


def _record(line: str, place: str) -> dict[str, object]:
    try:
        record = json.loads(line)
    except json.JSONDecodeError as error:
        place = f"{place}, column {error.colno}"
        raise BadCorpus(f"{place}: broken JSON ({error.msg}); each line must be one whole JSON object") from None
    except (RecursionError, ValueError):  # nested without end, or a number of more than 4,300 digits
        raise BadCorpus(f"{place}: JSON that cannot be read; each line must be one flat JSON object") from None
    if not isinstance(record, dict):
        raise BadCorpus(f'{place}: not a JSON object; a line must look like {{"id": "a1", "text": "..."}}')
    return record


def _passage(record: dict[str, object], place: str) -> Passage:
    groups = _groups(record, place)
    return Passage(
        id=_string(record, "id", place),
        text=_string(record, "text", place),
        title=_string(record, "title", place) if record.get("title") not in (None, "") else "",
        groups=groups,
    )


def _groups(record: dict[str, object], place: str) -> frozenset[str]:
    """Who may read it; a field that looks like `groups` written wrong must not open the passage to everyone."""
    alike = [
        key for key in record if key != "groups" and get_close_matches(key.strip().lower(), ["groups"], cutoff=0.8)
    ]
    if alike:
        raise BadCorpus(f"{place}: field {alike[0]!r} is not known; write 'groups', or give it another name")
    groups = record.get("groups", [])
    if not isinstance(groups, list) or not all(isinstance(name, str) and name for name in groups):
        raise BadCorpus(f"{place}: field 'groups' must be a list of names; leave it out for everyone")
    return frozenset(groups) or NO_GROUPS


def _string(record: dict[str, object], field: str, place: str) -> str:
    if field not in record:
        raise BadCorpus(f"{place}: field {field!r} is missing; every passage needs 'id' and 'text'")
    value = record[field]
    if not isinstance(value, str):
        raise BadCorpus(f"{place}: field {field!r} must be a string, not {type(value).__name__}; put it in quotes")
    if not value.strip():
        raise BadCorpus(f"{place}: field {field!r} is empty; fill it or leave the line out")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadCorpus(f"{place}: field {field!r} holds half of a surrogate pair; write it as UTF-8") from None
    return value
