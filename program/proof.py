"""Whether the sentence of an answer shows it: said as a fact, in the direction asked, of the name asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from hopstop.program.asked_role import AskedRole, asked_role, described_role, name_in
from hopstop.program.asked_value import asked_value
from hopstop.program.asserted import is_question, negates, stated
from hopstop.program.clauses import clause_texts, has_verb
from hopstop.program.contradiction import contradicting
from hopstop.program.direction import against_direction, against_other, named_other, names_another, not_named_with
from hopstop.program.longer_names import longer_names
from hopstop.program.other_subject import of_other_subject
from hopstop.program.outright_value import says_behind
from hopstop.program.profile import fold, stems, written
from hopstop.program.question_form import Asks, QuestionForm
from hopstop.program.tense import is_past
from hopstop.program.value_clause import of_other_clause
from hopstop.program.verb_places import says_verb
from hopstop.program.whole_words import mentions

# Of these one can say "the sister of A is B" as well as "A is the sister of B".
_MUTUAL = frozenset(
    "sister brother sibling cousin twin husband wife spouse partner friend rival colleague neighbour neighbor".split()  # noqa: SIM905
)
_IS_NOUN_OF = re.compile(
    r"^(?:who|what|which [\w -]+?) (?:is|was|are|were) (?:the )?(?:[\w-]+ )?([a-z]{3,}) of ", re.IGNORECASE
)

_IS_OWN_NOUN = re.compile(
    r"^(?:who|what|which [\w -]+?) (?:is|was|are|were) .+['’]s? (?:[\w-]+ )?([a-z]{3,})\W*$", re.IGNORECASE
)
# "Who led it before Ann?": what is said of Ann does not tell; a month or a year is no name.
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_CAPITAL = r"[^\W\da-z_][\w.’'-]*"
_SEQUENCE = re.compile(
    rf"(?<!named )(?<!called )\b(?:before|after) (?:the )?(?!{_MONTH}\b){_CAPITAL}(?: {_CAPITAL})*\W*$"
)
_BEHIND_BY = re.compile(r"\bby (?:[a-z-]+ ){0,4}$")
_AND_VERB = re.compile(r"[, ]*(?:and|or) ([a-z]+) ")


class Quoted(NamedTuple):
    """A sentence that is quoted, and the title and text of its passage."""

    sentence: str
    title: str
    text: str


def doubt(question: str, form: QuestionForm, last: Quoted, answer: str, entry: str = "") -> str:
    """What the sentence that holds an answer does not show, in words that name the missing fact; "" if nothing.

    Args:
        question: As it was asked.
        form: Of the question.
        last: Where the answer is taken from.
        answer: As it is given.
        entry: The folded name that leads to that sentence; "" if it is not known.
    """
    asked = asked_role(question)
    if is_question(last.sentence) or not (negates(question) or stated(last.sentence, answer)):
        return f'that "{answer}" is so, said as a fact'
    if form.asks is Asks.THING and not says_behind(asked_value(question), last.sentence, answer):
        return f'what "{answer}" has to do with it'
    if _SEQUENCE.search(question):
        return "who or what came before or after, in that order"
    if asked is not None and is_past(asked, question, last.sentence):
        return f'that "{asked.verb}" is still so'
    if longer := _of_longer(question, [last]):
        return longer
    if asked is not None and entry and not asked.other:
        asked = replace(asked, other=written(last.sentence, entry))
    valued = form.asks in (Asks.DATE, Asks.PLACE, Asks.NUMBER)
    if form.asks is Asks.PLACE and asked_value(question) and _is_no_place(last.sentence, answer):
        return f'where "{answer}" is'
    asked_for = " ".join(word for word in last.title.split() if stems(word) & stems(question))
    other = of_other_subject(question, form, last.sentence, answer, f"{entry} {asked_for}")
    if other or (valued and asked is None and _of_another_doer(question, last.sentence)):
        return f'that "{answer}" is of what is asked for'
    if asked is not None and against_direction(asked, last.sentence, answer):
        return f'who or what "{asked.verb}" is said of, in the direction asked'
    if _noun_of_answer(question, last.sentence, answer):
        return f'what "{answer}" is to whom is asked for, the other way round'
    if _noun_of_other_clause(question, last.sentence, answer):
        return f'that "{answer}" is what is asked for'
    if of_other_clause(question, form.asks, last.sentence, answer):
        return f'that "{answer}" belongs to what is asked'
    return ""


def _is_no_place(sentence: str, answer: str) -> bool:
    """Whether an answer is the subject of its sentence, or stands behind "by" as who did it."""
    return sentence.startswith(answer) or _BEHIND_BY.search(sentence[: max(sentence.find(answer), 0)]) is not None


def _of_another_doer(question: str, sentence: str) -> bool:
    """Whether a sentence says the verb of "when did A buy B" or "when was A sold" of another than A."""
    ways = [way for way in asked_value(question) if way.subject]
    if any(not_named_with(AskedRole(way.verb, doer=True), sentence, way.subject) for way in ways):
        return True
    roles = [(AskedRole(way.verb, True, name_in(way.rest)), way.subject) for way in ways if not way.passive]
    named = [(role, subject) for role, subject in roles if role.other and says_verb(role, sentence)]
    return any(against_direction(role, sentence, subject) for role, subject in named)


def _noun_of_answer(question: str, sentence: str, answer: str) -> bool:
    """Whether "who is the manager of A" is answered from "the manager of the answer is A", or "her manager is A"."""
    match = _IS_NOUN_OF.match(question) or _IS_OWN_NOUN.match(question)
    if match is None or match[1].casefold() in _MUTUAL or answer[:1].isdigit():
        return False
    noun, name = re.escape(match[1]), re.escape(answer)
    if fold(answer) not in fold(sentence):
        return re.search(rf"\b(?:his|her|its|their) (?:[\w-]+ )?{noun}\b", sentence, re.IGNORECASE) is not None
    return re.search(rf"\b{noun} of (?:the )?{name}\b|\b{name}['’]s? {noun}\b", sentence, re.IGNORECASE) is not None


def _noun_of_other_clause(question: str, sentence: str, answer: str) -> bool:
    """Whether the noun of "who is the head of A" stands in another clause than the answer, which has its own verb."""
    match = _IS_NOUN_OF.match(question) or _IS_OWN_NOUN.match(question)
    parts = clause_texts(sentence)
    own = [part for part in parts if answer in part]
    if match is None or not own:
        return False
    wanted = stems(match[1])
    saying = [part for part in parts if wanted <= stems(part)]
    follows = [found[1] for part in saying if (found := _AND_VERB.match(part))]
    goes_on = any(not stems(word) <= wanted for word in follows)  # "and is its head": the subject is the same
    return bool(saying) and not goes_on and not any(part in saying or not has_verb(part) for part in own)


def _of_longer(question: str, quotes: Sequence[Quoted]) -> str:
    texts = [text for quote in quotes for text in (quote.title, quote.sentence)]
    longer = longer_names(question, texts)
    found = next((pair for pair in longer if not any(_opens_with(quote, pair[0]) for quote in quotes)), None)
    return "" if found is None else f'that it is said of "{found[0]}", not of "{found[1]}"'


def _opens_with(quote: Quoted, name: str) -> bool:
    """Whether a passage titled by a longer name begins with the short one alone: they are the same."""
    return re.match(rf"(?:The )?{re.escape(name)} (?:is|was|are|were|has|had)\b", quote.text) is not None


def missing_proof(question: str, form: QuestionForm, quotes: Sequence[Quoted], answer: str, read: Sequence[str]) -> str:
    """What the quotes of an answer do not show; "" if nothing.

    Args:
        question: As it was asked.
        form: Of the question.
        quotes: In the order of the facts.
        answer: As it is given.
        read: All sentences read.
    """
    longer = _of_longer(question, quotes)
    if longer:
        return longer
    if any(is_question(quote.sentence) for quote in quotes):
        return "what is only asked in a quote, said as a fact"
    asked = asked_role(question)
    if form.asks is Asks.PERSON and asked and not any(says_verb(asked, quote.sentence) for quote in quotes):
        return f'who "{asked.verb}" is said of'
    described = described_role(question)
    if described is not None and _of_another(described, quotes, answer):
        return f'what "{described.verb}" is said of with "{described.other}"'
    holding = [quote for quote in quotes if fold(answer) in fold(quote.sentence)]
    if not holding and not any(stems(answer) & stems(quote.text) for quote in quotes):
        return f'what "{answer}" is'  # no more than a title: "FAQ", "Notes"
    titled = [quote for quote in quotes if fold(answer) in fold(quote.title)]
    if verb := _said_without(question, quotes, holding or titled):
        return f'that "{answer}" is what "{verb}" is said of'
    doubts = [doubt(question, form, quote, answer, _entry(quote, quotes)) for quote in holding or titled]
    if doubts and all(doubts):
        return doubts[-1]
    if (
        asked is not None
        and asked.described_by
        and all(_of_other(question, asked, quotes, at, answer) for at in holding)
    ):
        return f'what "{asked.verb}" is said of'
    rivals = (contradicting(quote.sentence, answer, read, stems(question)) for quote in holding)
    rival = next(filter(None, rivals), "")
    return f'whether it is "{answer}" or "{rival}"' if rival else ""


def _said_without(question: str, quotes: Sequence[Quoted], holding: Sequence[Quoted]) -> str:
    """The verb asked for, if quotes say it and none of those that hold the answer does; else ""."""
    asked = asked_role(question)
    ways = [asked] if asked is not None else [AskedRole(way.verb, doer=True) for way in asked_value(question)[-1:]]
    said = [(way.verb, quote in holding) for way in ways for quote in quotes if says_verb(way, quote.sentence)]
    return said[0][0] if said and not any(held for _, held in said) else ""


def _entry(last: Quoted, quotes: Sequence[Quoted]) -> str:
    """The folded title of a quote's passage, if another quote names it and so leads there; else ""."""
    title = fold(last.title)
    return title if any(mentions(fold(quote.sentence), title) for quote in quotes if quote != last) else ""


def _of_another(described: AskedRole, quotes: Sequence[Quoted], answer: str) -> bool:
    """Whether the quotes say what describes the thing asked for of another one, the wrong way round, or not at all."""
    saying = [quote.sentence for quote in quotes if says_verb(described, quote.sentence)]
    if not saying:
        return _left_out(described, quotes, answer)
    wrong_way = any(against_other(described, sentence) for sentence in saying)
    return wrong_way or all(names_another(described, sentence) for sentence in saying)


def _left_out(described: AskedRole, quotes: Sequence[Quoted], answer: str) -> bool:
    """Whether no quote says the verb that describes what is asked for, though the answer's speaks of the other one."""
    other = stems(described.other)
    return any(other <= stems(quote.sentence) for quote in quotes if fold(answer) in fold(quote.sentence))


def _of_other(question: str, asked: AskedRole, quotes: Sequence[Quoted], last: Quoted, answer: str) -> bool:
    """Whether the answer's sentence says the verb of a name that no other quote gives for what is described."""
    found = stems(named_other(asked, last.sentence, answer))
    rest = [stems(f"{quote.title} {quote.sentence}") for quote in quotes if quote != last]
    told = [held for held in rest if asked.described_as and stems(asked.described_as) <= held]
    return bool(found and rest) and not any(_same(found, held | stems(question)) for held in told or rest)


def _same(name: frozenset[str], held: frozenset[str]) -> bool:
    """Whether a text's stems hold most of a name's and all of its numbers: "Change CHG-12" in "shipped as CHG-12"."""
    numbers = {key for key in name if not key.isalpha()}
    return numbers <= held and len(name & held) * 3 >= len(name) * 2
