"""Read a file of JSON records: one array, or one object a line; gzip or plain; each record with its place."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopstop.program.errors import BadDataset

GZIP_MAGIC = b"\x1f\x8b"  # RFC 1952, section 2.3.1


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object of a file and where it stands.

    Attributes:
        place: The file and line or record, as error messages name it.
        fields: The object.
    """

    place: str
    fields: Mapping[str, Any]

    def get(self, name: str, kind: type[Any]) -> Any:  # noqa: ANN401 - JSON
        """The value of a field that must be there and of this type.

        Raises:
            BadDataset: The field is missing or of another type.
        """
        if name not in self.fields:
            raise BadDataset(f"{self.place}: the field {name!r} is missing; add it or leave the record out")
        value = self.fields[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(name, f"must be {_article(kind)}, not {_article(type(value))}")
        return value

    def wrong(self, name: str, problem: str) -> BadDataset:
        """An error that names this record and the field."""
        return BadDataset(f"{self.place}: the field {name!r} {problem}; correct it or leave the record out")


def read_records(path: str | Path) -> list[Record]:
    """All records of a JSON array or of a JSONL file, gzip or plain, told apart by content.

    Raises:
        BadDataset: The file is missing, empty, not UTF-8, cut off, or holds something else than JSON objects.
    """
    raw = _read_bytes(Path(path))
    start = raw[:64].removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    records = list(_from_array(raw, path) if start == b"[" else _from_lines(raw, path))
    if not records:
        raise BadDataset(f"{path}: the file holds no record; give a file with at least one question")
    return records


def _read_bytes(path: Path) -> bytes:
    try:
        raw = path.read_bytes()
        return gzip.decompress(raw) if raw.startswith(GZIP_MAGIC) else raw
    except FileNotFoundError:
        raise BadDataset(f"{path}: there is no such file; check the path") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadDataset(f"{path}: the gzip data is damaged or cut off ({error}); copy the file again") from error
    except OSError as error:
        raise BadDataset(f"{path}: the file cannot be read ({error.strerror}); check its rights") from error


def _from_lines(raw: bytes, path: str | Path) -> Iterator[Record]:
    for number, line in enumerate(raw.split(b"\n"), start=1):
        if line.strip():
            place = f"{path}, line {number}"
            yield _record(_parse(line, place), place)


def _from_array(raw: bytes, path: str | Path) -> Iterator[Record]:
    for number, value in enumerate(_parse(raw, str(path)), start=1):
        yield _record(value, f"{path}, record {number}")


def _parse(raw: bytes, place: str) -> Any:  # noqa: ANN401 - JSON
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        where = f"byte {error.start + 1}"
        raise BadDataset(f"{place}: not valid UTF-8 at {where}; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise BadDataset(f"{place}: not valid JSON ({error.msg}, {where} of it); repair or remove it") from error
    except RecursionError as error:
        raise BadDataset(f"{place}: the JSON is nested too deeply; repair or remove it") from error


def _record(value: Any, place: str) -> Record:  # noqa: ANN401 - JSON
    if not isinstance(value, dict):
        raise BadDataset(f"{place}: must be a JSON object, not {_article(type(value))}; repair or remove it")
    return Record(place, value)


def _article(kind: type[Any]) -> str:
    names = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}
    return names.get(kind, "null" if kind is type(None) else f"a {kind.__name__}")
