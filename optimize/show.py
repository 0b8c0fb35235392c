"""How an outcome looks: in a terminal, and as a JSON document."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hopstop.eval.outcomes import summary
from hopstop.program.records import Fact, Outcome, Passage, Query, Round

MAX_ID = 32  # characters of an id in a list of passages; of longer ones the end, which tells them apart
_CONTROLS = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0)), " ")
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "")  # they reorder what follows


def stdout() -> Console:
    """Where data goes."""
    return Console(highlight=False, markup=False, emoji=False)


def stderr() -> Console:
    """Where progress and remarks go."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def typed(name: str) -> str:
    """How a person types a command that was installed with this one: with its folder where the PATH lacks it."""
    here = Path(sys.argv[0])
    return name if shutil.which(name) or here.stem != "hopstop" else str(here.with_name(name))


def plain(text: str) -> str:
    """Text of a passage or a model on one line, without the control characters that a terminal would obey."""
    return " ".join(text.translate(_CONTROLS).split())


def document(outcome: Outcome) -> dict[str, Any]:
    """The outcome as plain JSON values.

    Returns:
        question, answer (null unless proven), explanation, what `summary` holds (reason, missing, citations, rounds,
        usage ...), with the title of its passage in each citation, and derived: the facts that follow from quoted ones.
    """
    titles = {passage.id: passage.title for passage in outcome.evidence}
    parts = summary(outcome)
    cited = [{**item, "title": titles.get(item["passage_id"], "")} for item in parts.pop("citations")]
    derived = [{"need": fact.need, "follows_from": list(fact.follows_from)} for fact in _derived(outcome)]
    return {
        "question": outcome.question,
        "answer": parts.pop("answer"),
        "explanation": outcome.explain(),
        "citations": cited,
        "derived": derived,
        **parts,
    }


def answer(outcome: Outcome) -> RenderableType:
    """The answer with its quotes and their sources; or why there is none, what was found and what is missing."""
    parts: list[RenderableType] = [_head(outcome)]
    if outcome.citations or _derived(outcome):
        parts += [Text("\nProof" if outcome.answer is not None else "\nFound", style="bold"), _proof(outcome)]
    if outcome.answer is None:
        parts += [Text("\nMissing", style="bold"), _bullets(_missing(outcome))]
    if outcome.answer is None and outcome.draft:
        parts.append(Text.assemble(("\nDraft, not proven: ", "bold"), plain(outcome.draft)))
    return Group(*parts, Text("\n" + _spent(outcome), style="dim"))


def trace(outcome: Outcome) -> RenderableType:
    """Every round: its queries, what it read, the decision, and the quotes that were found in what it read."""
    passages = {passage.id: passage for passage in outcome.evidence}
    rounds = [_round(item, outcome, passages) for item in outcome.rounds]
    return Group(*(part for item in rounds for part in (item, Text())))


def _head(outcome: Outcome) -> Text:
    if outcome.answer is not None:
        return Text.assemble("Answer: ", (plain(outcome.answer), "bold green"))
    return Text.assemble(("Not answered", "bold yellow"), f" ({outcome.reason})", f" {outcome.note}".rstrip())


def _missing(outcome: Outcome) -> Sequence[str]:
    """Open facts; or, where each has its quote and the STOP was refused or not dared all the same, why."""
    refused = next((item.objections for item in reversed(outcome.rounds) if item.objections), ())
    unsure = "each fact has its quote, but none says the answer for certain"
    return outcome.missing or refused or (unsure if outcome.facts else "no fact of the question could be named",)


def _derived(outcome: Outcome) -> tuple[Fact, ...]:
    return tuple(fact for fact in outcome.facts if fact.follows_from and fact.need not in outcome.missing)


def _proof(outcome: Outcome) -> RenderableType:
    titles = {passage.id: passage.title for passage in outcome.evidence}
    items: list[Text] = []
    for fact in outcome.citations:
        items.append(Text.assemble(plain(fact.need), "\n", *_quote(fact, titles)))
    for fact in _derived(outcome):
        items.append(Text.assemble(plain(fact.need), ("\nfollows from: ", "dim"), plain("; ".join(fact.follows_from))))
    return _rows((f"{number}.", item) for number, item in enumerate(items, start=1))


def _quote(fact: Fact, titles: dict[str, str]) -> Iterator[tuple[str, str]]:
    if fact.quote is not None:
        title = plain(titles.get(fact.quote.passage_id, ""))
        yield f'"{plain(fact.quote.text)}"', "green"
        yield f"\n{plain(fact.quote.passage_id)}{': ' if title else ''}{title}", "cyan"


def _bullets(lines: Sequence[str]) -> RenderableType:
    return _rows(("-", Text(plain(line))) for line in lines)


def _rows(rows: Iterable[tuple[str, Text]]) -> RenderableType:
    """Lines with a hanging indent."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for mark, text in rows:
        grid.add_row(Text(mark, style="dim"), text)
    return Padding(grid, (0, 0, 0, 2))


def _spent(outcome: Outcome) -> str:
    searches = sum(len(item.queries) for item in outcome.rounds)
    parts = [
        f"{_count(searches, 'search', 'searches')} in {_count(len(outcome.rounds), 'round')}",
        f"{_count(len(outcome.evidence), 'passage')} read",
        f"{outcome.seconds:.2f} s",
        f"policy {outcome.policy}",
    ]
    if usage := outcome.usage:
        parts += [f"{_count(usage.calls, 'call')}, {_count(usage.tokens, 'token')}"] if usage.calls else []
        parts += [f"{usage.cost_usd:.4f} USD"] if usage.cost_usd else []
        parts += (
            [_count(usage.parse_failures, "unreadable reply", "unreadable replies")] if usage.parse_failures else []
        )
    return ", ".join(parts)


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _round(item: Round, outcome: Outcome, passages: dict[str, Passage]) -> RenderableType:
    titles = {name: passage.title for name, passage in passages.items()}
    grid = Table.grid(padding=(0, 1))
    grid.add_column(style="dim", no_wrap=True, min_width=8)
    grid.add_column(overflow="fold")
    for query in item.queries:
        grid.add_row("search", _searched(query, outcome.question))
    grid.add_row("read", _read(item, passages))
    grid.add_row("decision", _decision(item, outcome))
    for fact in outcome.citations:
        if fact.quote is not None and fact.quote.passage_id in item.new:
            grid.add_row("quote", Text.assemble(*_quote(fact, titles)))
    return Group(Text(f"Round {item.number}", style="bold"), Padding(grid, (0, 0, 0, 2)))


def _searched(query: Query, question: str) -> Text:
    text = Text(plain(query.text), style="bold")
    if query.need not in (question, query.text):
        text.append(f"\nto find: {plain(query.need)}", style="not bold")
    for fault in (*query.faults, *query.warnings):
        text.append(f"\n{'sent back' if fault in query.faults else 'note'}: {plain(fault)}", style="not bold dim")
    return text


def _read(item: Round, passages: dict[str, Passage]) -> RenderableType:
    if not item.new:
        return Text("nothing new" if item.hits else "nothing found")
    width = min(MAX_ID, max(map(len, item.new)))
    lines = [_passage_line(passages[name], width, fallback=name in item.fallback) for name in item.new]
    return Group(*lines)


def _passage_line(passage: Passage, width: int, *, fallback: bool) -> Text:
    """One line: its id, its title and how it begins."""
    title = f"{passage.title}: " if passage.title else ""
    begins = plain(f"{'(fallback) ' if fallback else ''}{title}{passage.text[:200]}")
    name = plain(passage.id)
    shown = name if len(name) <= MAX_ID else f"…{name[1 - MAX_ID :]}"
    return Text.assemble((shown.ljust(width), "cyan"), "  ", begins, no_wrap=True, overflow="ellipsis")


def _decision(item: Round, outcome: Outcome) -> Text:
    if item.stop is None:
        return Text("none: nothing new to read")
    last = outcome.answer is not None and item.number == len(outcome.rounds)
    if last:
        text = Text("STOP, accepted: every fact has a quote", style="green")
    else:
        text = Text("STOP, refused" if item.stop else "SEARCH on", style="yellow")
    if item.draft:
        text.append(f"\ndraft: {plain(item.draft)}", style="default")
    for objection in () if last else item.objections:
        text.append(f"\n{plain(objection)}", style="default")
    return text
