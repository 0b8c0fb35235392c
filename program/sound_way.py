"""Whether a way through sentences says what the question asks, and not only names the right things beside it.

Each sentence of a way is entered by a name and left by another. The relation that the question names has to join just
these two: where a sentence has several clauses, the name that leads on stands in the clause that says the relation, and
not in one beside it with somebody else in the first. Nothing is left over a relation that nobody asked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from hopstop.program.asked_way import AskedWay
from hopstop.program.clauses import clause_texts
from hopstop.program.direction import against_direction
from hopstop.program.leads import inner_leads
from hopstop.program.profile import fold, stems, written
from hopstop.program.text import FUNCTION_WORDS, stem
from hopstop.program.whole_words import mentions

_ENTERS = re.compile(r"\W*(?:who|which|whose|where|that|and|but|he|she|it|they|his|her|its|their)\b", re.IGNORECASE)
_BRACKET = re.compile(r"\([^()]*\)")
_OPENING = 5  # characters: an article may stand before the subject
_RELATIVE = (", who", " who", ", which", " which", " that", ", whose", " whose", ", where", " where")
_WORD_BEHIND = re.compile(r" ([^\W\d_]{3,}(?: [^\W\d_]{3,})?)")
_NAME = r"((?:[A-Z0-9][\w-]*|[a-z]+[-_][\w-]+)(?: [A-Z0-9][\w-]*)*)"


@dataclass(frozen=True, slots=True)
class Step:
    """A sentence of a way.

    Attributes:
        text: The sentence.
        title: Of its passage, "" if it has none.
        entry: The folded name that leads here; "" for the first, which a name of the question leads to.
        leaves: The folded name that leads on, or the answer in the last.
        own: Whether the sentence speaks of what its passage is about; see own_sentences.py.
    """

    text: str
    title: str
    entry: str
    leaves: str
    own: bool = True


def is_sound(way: AskedWay, steps: Sequence[Step], *, spare: bool = False) -> bool:
    """Whether each step joins what leads to it and what it leads to by a relation that the question names.

    Args:
        way: What the question says.
        steps: First to last; the last leaves for the answer.
        spare: Whether a step may be left over a relation that no sentence says, if the question names one more than
            they say: for the two ends of a comparison, each of which tells that the other is of the right kind.
    """
    last = steps[-1]
    return (
        _begins_at_name(way, steps[0])
        and _leads_on(way, steps, spare=spare)
        and all(_is_bound(way, step) and (step.own or _is_entered(way, step)) for step in steps)
        and not any(_leads_astray(way, step) for step in steps[:-1])
        and _says_asking(way, last)
        and not _is_of_other_kind(way, last)
        and (len(steps) > 1 or _reaches_inner(way, last))
    )


def _begins_at_name(way: AskedWay, first: Step) -> bool:
    """Whether the first sentence or its title holds a name of the question, or most of one that has capitals."""
    text = fold(f"{first.title} {first.text}")
    return not way.names or any(
        mentions(text, name) if name in way.coded else _holds(stems(text), name) for name in way.names
    )


def _holds(held: frozenset[str], name: str) -> bool:
    """Whether a text has the last word of a name (a surname, what a service is called) or most of it."""
    wanted, last = stems(name), stems(name.rsplit(" ", 1)[-1])
    return bool(last & held) or 3 * len(wanted & held) >= 2 * len(wanted) > 0


def _leads_on(way: AskedWay, steps: Sequence[Step], *, spare: bool) -> bool:
    """Whether each step is left over a relation, or for a kind of thing, that the question names and none before it."""
    left = set(way.leading) - way.asking
    for step, onward in pairwise(steps):
        kinds = stems(onward.title) - stems(step.leaves) if mentions(fold(onward.title), step.leaves) else frozenset()
        said = left & (stems(step.text) | kinds | {_kind(step)})
        if not said and spare:
            said = left - frozenset().union(*(stems(item.text) for item in steps))
        if not said:
            return False
        left -= said
    return True


def _leads_astray(way: AskedWay, step: Step) -> bool:
    """Whether a sentence says what describes the thing asked for, but not of the name that it leads on to."""
    if way.described is None:
        return False
    return against_direction(way.described, step.text, written(step.text, step.leaves))


def _kind(step: Step) -> str:
    """Stem of the word behind the name that leads on ("the Graz site")."""
    text = fold(step.text)
    match = _WORD_BEHIND.match(text, text.find(step.leaves) + len(step.leaves))
    return stem(match[1].split()[0]) if match else ""


class _Parted(NamedTuple):
    """The clauses of a step: as they stand, folded, the places of those that hold what leads on or what leads here."""

    raw: Sequence[str]
    folded: Sequence[str]
    leaving: Sequence[int]
    entered: Sequence[int]


def _parted(way: AskedWay, step: Step) -> _Parted:
    raw = clause_texts(step.text)
    folded = list(map(fold, raw))
    entries = [step.entry] if step.entry else list(way.names)
    leaving = [at for at, part in enumerate(folded) if mentions(part, step.leaves)]
    return _Parted(
        raw, folded, leaving, [at for at, part in enumerate(folded) if any(mentions(part, n) for n in entries)]
    )


def _is_entered(way: AskedWay, step: Step) -> bool:
    """Whether a sentence itself says what leads to it, and not its title alone."""
    text = fold(step.text)
    return mentions(text, step.entry) if step.entry else any(mentions(text, name) for name in way.names)


def _is_bound(way: AskedWay, step: Step) -> bool:
    """Whether the name that leads on stands in the clause that says the relation, not in one about another."""
    found = _parted(way, step)
    if not found.leaving or step.leaves == step.entry:
        return True
    held = stems(step.text)
    key = next((key for key in way.leading if key in held), "")
    if key and _is_of_another(way, step, found.raw, key):
        return False
    return len(found.raw) == 1 or (_is_said_of(way, step, found, key) and _shares_entry(way, step, found))


def _is_said_of(way: AskedWay, step: Step, found: _Parted, key: str) -> bool:
    """Whether no other clause says the relation, at least not of another name."""
    saying = [at for at, part in enumerate(found.folded) if key and key in stems(part)]
    if not saying or set(saying) & set(found.leaving):
        return True
    more = set(way.leading).intersection(*(stems(found.folded[at]) for at in found.leaving))
    if any(_others(way, step, found.raw[at]) and not (at in found.entered and more) for at in saying):
        return False
    return bool(more) or not set(saying) & set(found.entered) or _is_subject(found, saying[0], step.leaves)


def _shares_entry(way: AskedWay, step: Step, found: _Parted) -> bool:
    """Whether what leads here is in the same clause, if anywhere, or that clause names nobody else."""
    return not found.entered or any(
        at in found.entered or not _others(way, step, found.raw[at]) or _inherits(found.raw[at]) for at in found.leaving
    )


def _inherits(part: str) -> bool:
    """Whether a clause has its subject from the one before it: it opens with a pronoun or a verb."""
    word = part.lstrip(" ,;.").split(" ")[0]
    return bool(_ENTERS.match(part)) or (word.isalpha() and word.islower() and word not in ("the", "a", "an"))


def _is_subject(found: _Parted, saying: int, name: str) -> bool:
    """Whether a name in another clause may be the subject of the one that says the relation: it opens the sentence."""
    opens = found.folded[0].find(name) <= _OPENING
    return found.leaving[0] < saying and (opens or found.folded[saying].startswith(_RELATIVE))


def _others(way: AskedWay, step: Step, part: str) -> list[str]:
    """Names in a clause beside those that lead to this sentence and on from it."""
    own = (step.leaves, step.entry or fold(step.title))
    return [
        name
        for name in inner_leads(_BRACKET.sub("", part))
        if not any(name in key or (key and key in name) for key in (*own, *way.names)) and not name.isdigit()
    ]


def _is_of_another(way: AskedWay, step: Step, parts: Sequence[str], key: str) -> bool:
    """Whether the relation is said of another than what leads here: "the owner of B is A" for the owner of A."""
    entry = step.entry or dict(way.of).get(key, "")
    if not entry:
        return False
    for part in parts:
        for match in re.finditer(rf"([^\W\d_]+) of (?:the )?(?:[a-z]+ )?{_NAME}", part):
            named = fold(match[2])
            if named[0].isdigit() and named.isalnum():
                continue  # an amount or a year
            if stem(match[1]) == key and mentions(fold(part), entry) and named not in entry and entry not in named:
                return True
    return False


def _says_asking(way: AskedWay, last: Step) -> bool:
    """Whether the sentence with the answer says the verb of "who does ... report to"."""
    return not way.asking or bool(way.heads) or not way.asking.isdisjoint(stems(last.text))


def _is_of_other_kind(way: AskedWay, last: Step) -> bool:
    """Whether the answer is called by a noun of the question that is not the one asked for ("the Graz data centre")."""
    if not way.heads or way.heads & stems(last.leaves):
        return False
    text = fold(last.text)
    match = _WORD_BEHIND.match(text, text.find(last.leaves) + len(last.leaves))
    words = [word for word in match[1].split() if word not in FUNCTION_WORDS] if match else []
    called = set(map(stem, words[:1]))
    return bool(called & set(way.leading)) and not way.heads & set(map(stem, words))


def _reaches_inner(way: AskedWay, only: Step) -> bool:
    """Whether one sentence alone says "the X of NAME", and "the X that NAME VERB" with the verb behind the name."""
    if any(noun in way.leading and noun not in stems(f"{only.title} {only.text}") for noun, _ in way.of):
        return False
    parts = list(map(fold, clause_texts(only.text)))
    for verb, name in way.that:
        saying = [part for part in parts if verb in stems(part)]
        near = [part for part in parts if mentions(part, name)]
        if not saying or any(mentions(part, only.leaves) and part not in saying for part in near):
            return False
        if set(saying) & set(near) and not any(_does(part, name, verb) for part in saying):
            return False
    return True


def _does(part: str, name: str, verb: str) -> bool:
    """Whether in a clause a name stands before a verb, or behind it and "by"."""
    match = re.search(rf"\b{re.escape(verb)}", part)
    return f"by {name}" in part or (match is not None and 0 <= part.find(name) < match.start())
