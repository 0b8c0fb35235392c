"""How the offline policy decides: it lists facts, quotes what shows them, drafts an answer, and says STOP or SEARCH.

Questions that compare two things, and chains of relations whose words it knows, are worked out step by step, and the
answer is derived by code. Any other question is followed over the names in up to four sentences (see reach.py). Where
that leads nowhere, sentences are ranked by how much of the question they and one linked sentence speak of, and the best
name, date or number in them is the draft; that alone is a reason to stop only where it stands out.

Whatever the way, there is no STOP on an answer that its sentence does not show (see proof.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from math import exp
from operator import mul

from hopstop.program.answer_weights import DEFAULT, AnswerWeights
from hopstop.program.asked_way import asked_way
from hopstop.program.candidates import Candidate, candidates
from hopstop.program.chain import Chained, chain
from hopstop.program.comparison import compare
from hopstop.program.gaps import in_order, uncovered
from hopstop.program.lines import Lines, lines_of, ranked_lines
from hopstop.program.parallel import compare_ends
from hopstop.program.profile import fold, stems
from hopstop.program.proof import Quoted, missing_proof
from hopstop.program.question_form import Asks, QuestionForm, question_form
from hopstop.program.reach import LIKELY, reach
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Fact
from hopstop.program.sound_way import Step, is_sound
from hopstop.program.stands_for import said_of


class Method(StrEnum):
    """A way to an answer."""

    COMPARISON = "comparison"
    CHAIN = "chain"
    REACH = "reach"
    RANKED = "ranked"


ALL_METHODS = frozenset(Method)


def decide(
    question: str,
    reading: Reading,
    known: Sequence[Fact] = (),
    *,
    weights: AnswerWeights = DEFAULT,
    methods: frozenset[Method] = ALL_METHODS,
    lines: Lines | None = None,
) -> Decision:
    """Decide on the passages read so far.

    Args:
        question: As it was asked.
        reading: The passages, in the order read.
        known: The facts of earlier rounds; open ones are restated in the words of this round.
        weights: How possible answers are ranked, and when the best is a reason to stop.
        methods: Ways to an answer that are tried.
        lines: What was made of these passages, or of the first of them, in an earlier round; see `lines_of`.

    Returns:
        The facts needed, quoted or open, the draft, and STOP if code could derive the answer or the draft stands out.
    """
    form = question_form(question)
    lines = lines_of(question, reading, lines)
    found = _decided(form, lines, known, weights, methods)
    if not found.stop:
        return found
    unproven = _unproven(form, lines, found)
    if not unproven:
        return found
    return Decision(False, _restated((*found.claims, Claim(unproven)), known), found.draft)


def _unproven(form: QuestionForm, lines: Lines, found: Decision) -> str:
    """What the quotes of a decision do not show of its answer; "" if nothing. A comparison has its own checks."""
    if form.sides:
        return ""
    line_of = {(line.passage.id, line.sentence.text): line for line in lines.all}
    quoted = [line for claim in found.claims if (line := line_of.get((claim.passage, claim.quote))) is not None]
    quotes = [
        Quoted(said_of(line, lines.question, found.draft), line.passage.title, line.passage.text) for line in quoted
    ]
    return missing_proof(lines.question, form, quotes, found.draft, [line.sentence.text for line in lines.all])


def _decided(
    form: QuestionForm, lines: Lines, known: Sequence[Fact], weights: AnswerWeights, methods: frozenset[Method]
) -> Decision:
    question, reading = lines.question, lines.reading
    if Method.COMPARISON in methods and form.sides and form.asks in (Asks.CHOICE, Asks.YES_NO):
        compared = compare(form, reading)
        if not compared.draft:
            compared = compare_ends(form, lines, weights) or compared
        return _decision(compared.claims, known, compared.draft, stop=bool(compared.draft))
    chained = chain(question, form, reading) if Method.CHAIN in methods else None
    if chained is not None and chained.draft and not uncovered(question, form, chained.claims, reading):
        return _decision(chained.claims, known, chained.draft, stop=True)
    reached = reach(form, lines, weights) if Method.REACH in methods else None
    if reached is not None and reached.sure:
        return _decision(reached.claims, known, reached.text, stop=True)
    if reached is not None and reached.p >= LIKELY and chained is None:
        return Decision(False, _restated((*reached.claims, *reached.missing), known), reached.text)
    return _ranked(form, lines, (chained, known, weights if Method.RANKED in methods else None))


def _ranked(
    form: QuestionForm, lines: Lines, context: tuple[Chained | None, Sequence[Fact], AnswerWeights | None]
) -> Decision:
    chained, known, weights = context
    found = candidates(form, lines) if weights is not None else ()
    best, probability = pick(found, (weights or DEFAULT).ranked)
    draft = best.text if best is not None and form.asks is not Asks.YES_NO else ""
    claims, missing = _claims(best, lines)
    stop = (
        bool(draft)
        and not missing
        and weights is not None
        and probability >= weights.ranked_sure
        and _is_new(best, form, lines)
        and is_sound(asked_way(lines.question, form), _steps(best))
    )
    if chained is not None and len(chained.claims) > 1 and not stop:
        claims = chained.claims  # steps followed by name say better what is open than words left over
    return _decision(claims, known, draft, stop=stop)


def _decision(claims: Sequence[Claim], known: Sequence[Fact], draft: str, *, stop: bool) -> Decision:
    """A STOP is proven by its own claims alone; without one, they take the places of facts that are still open."""
    return (
        Decision(True, tuple(claims), draft, whole=True) if stop else Decision(False, _restated(claims, known), draft)
    )


def pick(found: Sequence[Candidate], weights: Sequence[float]) -> tuple[Candidate | None, float]:
    """The best candidate, and its probability among all different ones; (None, 0) if there is none."""
    scores: dict[str, tuple[float, int]] = {}
    for at, candidate in enumerate(found):
        score = sum(map(mul, weights, candidate.features))
        key = fold(candidate.text)
        if key not in scores or score > scores[key][0]:
            scores[key] = score, at
    if not scores:
        return None, 0.0
    top, at = max(scores.values(), key=lambda item: (item[0], -item[1]))
    return found[at], 1 / sum(exp(score - top) for score, _ in scores.values())


def _steps(best: Candidate | None) -> list[Step]:
    """The way to a candidate: its line, and before it the partner that leads there."""
    if best is None:
        return []
    line, partner, folded = best.line, best.line.partner, fold(best.text)
    if partner is None or not line.led_to:
        return [Step(line.sentence.text, line.title, "", folded, line.view.is_own(line.number))]
    via = fold(line.title or line.subject)
    return [
        Step(partner.sentence.text, partner.title, "", via, partner.view.is_own(partner.number)),
        Step(line.sentence.text, line.title, via, folded, line.view.is_own(line.number)),
    ]


def _is_new(best: Candidate | None, form: QuestionForm, lines: Lines) -> bool:
    """Whether a candidate is the end of a way: not a name that the question has in part or that only links sentences.

    What both sentences name and a passage is about is no mere link: the question describes it twice.
    """
    if best is None or stems(best.text) & (stems(" ".join(form.names)) | stems(" ".join(form.words))) - stems(
        " ".join(form.heads)
    ):
        return False
    folded, partner = fold(best.text), best.line.partner
    return partner is None or folded not in fold(partner.sentence.text) or folded in lines.about


def _claims(best: Candidate | None, lines: Lines) -> tuple[tuple[Claim, ...], bool]:
    """The facts that the best line and its partner show, and whether neither speaks of some word of the question."""
    ranked = ranked_lines(lines, 1) if best is None else [best.line]
    path = [item for line in ranked for item in ((line.partner, line) if line.led_to else (line, line.partner)) if item]
    claims: list[Claim] = []
    left = sum(lines.bit.values())
    for line in path:
        said = in_order(lines.question, lines.stems(line.own & left))
        if said:
            claims.append(Claim(f"{said} ({line.subject})", line.passage.id, line.sentence.text))
        left &= ~line.own
    missing = in_order(lines.question, lines.stems(left))
    if missing:
        about = f" of {path[-1].subject}" if path else ""
        claims.append(Claim(f"{missing}{about}"))
    return tuple(claims), bool(missing)


def _restated(claims: Sequence[Claim], known: Sequence[Fact]) -> tuple[Claim, ...]:
    """The claims, those that are new in words taking the places of facts that are still open.

    Facts are never dropped from the list, so an open one that this round sees differently is replaced.
    """
    needs = {claim.need for claim in claims}
    places = [fact.need for fact in known if fact.quote is None and fact.need not in needs]
    had = {fact.need for fact in known}
    restated: list[Claim] = []
    for claim in claims:
        take = claim.need not in had and places
        restated.append(replace(claim, replaces=places.pop(0)) if take else claim)
    shown = [claim for claim in claims if claim.quote]
    extra = [replace(shown[-1], replaces=place) for place in places] if shown else []
    return (*restated, *extra)
