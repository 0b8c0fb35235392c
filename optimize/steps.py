"""The facts that a labelled question needs, in order, with the passages and sentences that state them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hopstop.eval.questions import Question, Support
from hopstop.program.quotes import find_quote
from hopstop.program.records import Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import content_words, normalise
from hopstop.program.text import names as names_in

_REFERENCE = re.compile(r"#(\d{1,2})\b")
_BRACKET = re.compile(r"\s*\([^)]*\)")
_SHORTEST = 2  # letters of a result that another step can name; one letter stands anywhere

Said = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One fact that a question needs.

    Attributes:
        said: Its words; a number stands for the result of the step in that place.
        result: What it finds; empty if unknown.
        passage_id: The passage that states it; None if no passage does.
        sentences: Sentences of that passage that state it, as labelled or guessed.
    """

    said: Said
    result: str
    passage_id: str | None
    sentences: tuple[str, ...] = ()

    @property
    def references(self) -> tuple[int, ...]:
        """Places of the steps whose results it needs."""
        return tuple(part for part in self.said if isinstance(part, int))


def wording(steps: Sequence[Step], place: int, known: Collection[int]) -> str:
    """What a step needs, in words: results that are known by name, others by what they are."""
    parts = []
    for part in steps[place].said:
        if isinstance(part, str):
            parts.append(part)
        elif part in known and steps[part].result:
            parts.append(steps[part].result)
        else:
            parts.append(f"the {wording(steps, part, known)}")
    return " ".join(" ".join(parts).split())


def steps_of(question: Question, passages: Mapping[str, Passage]) -> tuple[Step, ...]:
    """The facts that a question needs.

    From the decomposition where the data set has one, else from its triples, else one for each gold passage: its name
    and the words that it shares with the question. A fact that no passage states comes last.

    Args:
        question: With labels.
        passages: The gold passages by id.
    """
    gold = {support.passage_id: support for support in question.supports if support.passage_id in passages}
    steps: tuple[Step, ...] | None = None
    if rows := question.meta.get("decomposition"):
        steps = _decomposed(rows, gold)
    elif triples := question.meta.get("evidences"):
        steps = _from_triples(triples, gold, passages)
    if steps is None or (not steps and gold):
        steps = _from_passages(question, gold, passages)
    return steps if question.answerable or any(step.passage_id is None for step in steps) else (*steps, _open(question))


def showing(step: Step, passage: Passage) -> tuple[int, ...]:
    """Numbers, from 1, of the sentences of its passage that state a fact, the best first; empty if none is found."""
    spans = sentence_spans(passage.text)
    found = []
    for text in step.sentences:
        quote = find_quote(text, passage)
        if quote is not None:
            found += [number for number, (start, _) in enumerate(spans, 1) if quote.start <= start < quote.end]
    if not found and step.result:
        found = [n for n, (start, end) in enumerate(spans, 1) if names(passage.text[start:end], step.result)]
    held = {n: names(passage.text[slice(*spans[n - 1])], step.result) if step.result else True for n in found}
    return tuple(sorted(held, key=lambda number: (not held[number], number)))


def names(text: str, name: str) -> bool:
    """Whether a text holds a name as whole words, in any case."""
    pattern = rf"(?<!\w){re.escape(normalise(name).casefold())}(?!\w)"
    return bool(name.strip()) and re.search(pattern, normalise(text).casefold()) is not None


def _decomposed(rows: Sequence[Mapping[str, Any]], gold: Mapping[str, Support]) -> tuple[Step, ...]:
    steps: list[Step] = []
    for row in rows:
        subject, arrow, relation = str(row["question"]).partition(">>")
        text = f"{relation.strip()} of {subject.strip()}" if arrow else subject
        support = gold.get(row.get("passage_id", ""))
        steps.append(_step(_linked(text, steps), str(row.get("answer") or ""), support))
    return tuple(steps)


def _linked(text: str, steps: Sequence[Step]) -> Said:
    """The words with the results of earlier steps, named by number or in full, as references."""
    if _REFERENCE.search(text):
        parts = _REFERENCE.split(text)
        numbers = {place: int(parts[place]) - 1 for place in range(1, len(parts), 2)}
        if all(0 <= number < len(steps) for number in numbers.values()):
            return tuple(numbers.get(place, part) for place, part in enumerate(parts) if part)
    for number, step in enumerate(steps):
        if len(step.result) >= _SHORTEST and names(text, step.result):
            before, after = re.split(rf"(?<!\w){re.escape(step.result)}(?!\w)", text, maxsplit=1, flags=re.I)[:2]
            return tuple(part for part in (before.strip(), number, after.strip()) if part != "")
    return (text,)


def _step(said: Said, result: str, support: Support | None) -> Step:
    if support is None:
        return Step(said, "", None)
    return Step(said, result, support.passage_id, support.sentences or support.derived_sentences)


def _from_triples(
    triples: Sequence[Sequence[str]], gold: Mapping[str, Support], passages: Mapping[str, Passage]
) -> tuple[Step, ...] | None:
    steps: list[Step] = []
    for subject, relation, result in triples:
        said = _linked(f"{relation} of {subject}", steps)
        about = [name for name in gold if _is_about(passages[name], subject)]
        steps.append(_step(said, result, gold[about[0]] if about else None))
    # Titles may spell a subject otherwise; then nobody knows which passage states what.
    whole = {step.passage_id for step in steps if step.passage_id} == set(gold)
    return tuple(steps) if whole else None


def _is_about(passage: Passage, subject: str) -> bool:
    return _plain(passage.title) == _plain(subject)


def _plain(title: str) -> str:
    return normalise(_BRACKET.sub("", title)).casefold()


def _from_passages(
    question: Question, gold: Mapping[str, Support], passages: Mapping[str, Passage]
) -> tuple[Step, ...]:
    """One step for each gold passage; one that another names, and the question does not, comes after that one."""
    order = _in_order(question, [passages[name] for name in gold])
    steps: list[Step] = []
    for place, passage in enumerate(order):
        title = _BRACKET.sub("", passage.title).strip()
        asked = names(question.question, title)
        source = next((n for n in range(place) if not asked and names(order[n].text, title)), None)
        shared = _shared(question.question, f"{passage.title} {' '.join(_gold(gold[passage.id]))}", title)
        shared = shared or _asked(question.question)
        head: tuple[str | int, ...] = (source,) if source is not None else (title,) if asked else ()
        said = tuple(part for part in (*head, shared) if part != "") or (title or question.question,)
        result = next((answer for answer in question.answers if names(passage.text, answer)), "")
        follower = order[place + 1] if place + 1 < len(order) else None
        if follower is not None and names(passage.text, _BRACKET.sub("", follower.title)):
            result = _BRACKET.sub("", follower.title).strip()
        steps.append(_step(said, result, gold[passage.id]))
    return tuple(steps)


def _gold(support: Support) -> tuple[str, ...]:
    return support.sentences or support.derived_sentences


def _in_order(question: Question, found: Sequence[Passage]) -> list[Passage]:
    """Passages that the question names first, those that hold its answer last."""

    def rank(passage: Passage) -> tuple[bool, bool]:
        asked = names(question.question, _BRACKET.sub("", passage.title))
        return any(names(passage.text, answer) for answer in question.answers), not asked

    return sorted(found, key=rank)


def _shared(question: str, text: str, title: str) -> str:
    held = set(content_words(text)) - set(content_words(title))
    return " ".join(word for word in dict.fromkeys(content_words(question, fold=False)) if word.casefold() in held)


def _asked(question: str) -> str:
    """Words of a question besides its names: what it asks of them."""
    named = {word for name in names_in(question) for word in content_words(name)}
    return " ".join(word for word in dict.fromkeys(content_words(question)) if word not in named)


def _open(question: Question) -> Step:
    missing = question.meta.get("missing")
    return Step((str(missing) if missing else question.question.strip(" ?"),), "", None)
