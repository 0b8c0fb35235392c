"""Coverage gaps: what was asked and the corpus did not show, so that its owner knows what to add."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopstop.eval.folder import OUTCOMES
from hopstop.eval.json_records import Record, read_records
from hopstop.eval.outcomes import Row, read_rows
from hopstop.program.errors import BadInput
from hopstop.program.records import StopReason
from hopstop.program.text import content_words, names, numbers, stem

NOT_OF_THE_CORPUS = frozenset(
    {StopReason.ANSWERED, StopReason.LM_ERROR, StopReason.LM_REFUSED, StopReason.CANCELLED, StopReason.SEARCH_ERROR}
)
"""Ends that say nothing of what the corpus holds."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A fact that was looked for and not found.

    Attributes:
        question: As it was asked.
        missing: The fact in words; the question itself if no fact was listed.
        queries: What was searched for it, else all that was searched, in order.
        reason: Why the run ended; NO_HITS and NO_NEW_PASSAGES say that the corpus was searched to the end, limits that
            the search was cut.
        id: Of the question; empty if it has none.
    """

    question: str
    missing: str
    queries: tuple[str, ...]
    reason: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Group:
    """Gaps whose facts are asked for in the same words, names and numbers aside.

    Attributes:
        words: Those words as the first of them has them; its names if it has no other words.
        gaps: In the order found.
    """

    words: tuple[str, ...]
    gaps: tuple[Gap, ...]


def gaps_of(outcome: Mapping[str, Any], question: str, *, id: str = "") -> Iterator[Gap]:
    """The gaps of one outcome as `summary` keeps it; none if it was answered or did not end for want of passages.

    Raises:
        KeyError, TypeError, ValueError: It is no such outcome.
    """
    reason = StopReason(outcome["reason"])
    if reason in NOT_OF_THE_CORPUS:
        return
    searched = [query for item in outcome["rounds"] for query in item["queries"]]
    for missing in outcome["missing"] or [question]:
        mine = [query["text"] for query in searched if query["need"] == missing]
        queries = mine or [query["text"] for query in searched]
        yield Gap(question, str(missing), tuple(map(str, dict.fromkeys(queries))), reason.value, id)


def gaps_of_rows(rows: Iterable[Row]) -> list[Gap]:
    """The gaps of an evaluation."""
    return [
        gap for row in rows if row.outcome is not None for gap in gaps_of(row.outcome, row.asked["question"], id=row.id)
    ]


def read_gaps(path: str | Path) -> list[Gap]:
    """The gaps of an evaluation's folder, or of a log.

    Args:
        path: Folder of an evaluation, or a file of JSON lines, each an outcome as `outcome_line` writes it or a row of
            an evaluation.

    Raises:
        BadInput: A folder holds no evaluation, or a line is no outcome.
        BadDataset: The file is missing or no JSON.
    """
    place = Path(path)
    if place.is_dir():
        if not (place / OUTCOMES).exists():
            raise BadInput(f"{place}: holds no {OUTCOMES}; name a folder that `hopstop eval` has written")
        return gaps_of_rows(read_rows(place / OUTCOMES).values())
    return [gap for record in read_records(place) for gap in _of_record(record)]


def _of_record(record: Record) -> list[Gap]:
    fields = record.fields
    if "asked" in fields and fields.get("outcome") is None:
        return []  # it crashed
    try:
        asked = fields.get("asked", fields)
        return list(gaps_of(fields.get("outcome", fields), str(asked["question"]), id=str(fields.get("id", ""))))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(
            f"{record.place}: not an outcome of Hopstop ({error}); write logs with hopstop.eval.outcomes.outcome_line"
        ) from error


def grouped(gaps: Iterable[Gap]) -> list[Group]:
    """Gaps by the words of their missing facts, the most frequent group first, ties in the order found."""
    groups: dict[frozenset[str], list[Gap]] = defaultdict(list)
    for gap in gaps:
        groups[frozenset(map(stem, _words(gap.missing)))].append(gap)
    found = [Group(_words(items[0].missing), tuple(items)) for items in groups.values()]
    return sorted(found, key=lambda group: -len(group.gaps))


def _words(missing: str) -> tuple[str, ...]:
    """Content words without names and numbers; with them if there are no others."""
    named = {word for name in names(missing) for word in content_words(name)} | numbers(missing)
    said = content_words(missing)
    return tuple(dict.fromkeys([word for word in said if word not in named] or said)) or (missing,)


def as_json(groups: Sequence[Group]) -> dict[str, Any]:
    """Groups as plain JSON values: gaps (their number) and groups (words, count, gaps)."""
    return {
        "gaps": sum(len(group.gaps) for group in groups),
        "groups": [
            {"words": list(group.words), "count": len(group.gaps), "gaps": [_plain(gap) for gap in group.gaps]}
            for group in groups
        ],
    }


def _plain(gap: Gap) -> dict[str, Any]:
    return {
        "id": gap.id,
        "question": gap.question,
        "missing": gap.missing,
        "queries": list(gap.queries),
        "reason": gap.reason,
    }
