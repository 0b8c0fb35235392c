"""What a faultless reader would decide: the answer sheet from which labels are made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hopstop.eval.questions import Question
from hopstop.optimize.steps import Step, names, showing, wording
from hopstop.program.judge import judge
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Judgement, Limits, Passage

LIMITS = Limits()
_YES_NO = frozenset({"yes", "no"})


@dataclass(frozen=True, slots=True)
class Reader:
    """Decides by the labels of one question.

    Attributes:
        question: With its answers.
        steps: The facts that it needs.
    """

    question: Question
    steps: tuple[Step, ...]

    @property
    def compares(self) -> bool:
        """Whether the answer follows from the facts instead of standing in one."""
        answers = self.question.answers
        if "comparison" in self.question.type or _YES_NO.issuperset(answer.casefold() for answer in answers):
            return True
        return not any(names(text, answer) for answer in answers for step in self.steps for text in _texts(step))

    def shown(self, reading: Reading) -> tuple[int, ...]:
        """Places of the steps that the passages state."""
        found = []
        for place, step in enumerate(self.steps):
            passage = reading.by_id(step.passage_id) if step.passage_id else None
            if passage is not None and showing(step, passage):
                found.append(place)
        return tuple(found)

    def decide(self, state: State, *, by_label: bool = True) -> Decision:
        """The right decision in a state.

        Args:
            state: Its facts are none, or those of an earlier decision of this reader.
            by_label: Quote by the label of the sentence ("P2.1"), or by its words.
        """
        shown = self.shown(state.reading)
        claims = [
            self._claim(place, state, shown, by_label=by_label)
            for place in range(len(self.steps))
            if not (place < len(state.facts) and state.facts[place].quote is not None)
        ]
        if self.compares and self.question.answerable:
            claims.append(self._conclusion(state, shown))
        stop = self.question.answerable and len(shown) == len(self.steps)
        return Decision(stop, tuple(claims), self.answer(state.reading) if stop else "")

    def answer(self, reading: Reading) -> str:
        """The shortest form of the answer that stands in the passages; the first of all forms if none does."""
        texts = [f"{passage.title} {passage.text}" for passage in reading.passages]
        standing = [form for form in self.question.answers if any(names(text, form) for text in texts)]
        return min(standing, key=len) if standing else self.question.answers[0]

    def judged(self, state: State, decision: Decision | None = None) -> Judgement:
        """What code makes of a decision, of the right one by default."""
        return judge(state.question, decision or self.decide(state), state.facts, state.reading, LIMITS)

    def agrees(self, state: State, decision: Decision) -> bool:
        """Whether code accepts exactly what a decision says: every quote found, and a STOP only where it is one."""
        judgement = self.judged(state, decision)
        quoted = sum(fact.quote is not None for fact in judgement.facts)
        listed = len(self.steps) + (self.compares and self.question.answerable)
        return (
            judgement.accepted is decision.stop
            and quoted == len(self.shown(state.reading))
            and len(judgement.facts) == listed
        )

    def start(self, reading: Reading) -> State:
        """The state of round 1."""
        asked = self.question.question
        return State(asked, reading, queries=(asked,), groups=self.question.groups)

    def next(self, state: State, query: str, found: Sequence[Passage]) -> State:
        """The state of the next round, in which a query has found these passages."""
        judgement = self.judged(state)
        return replace(
            state,
            reading=Reading((*state.reading.passages, *found)),
            facts=judgement.facts,
            queries=(*state.queries, query),
            draft=self.decide(state).draft,
            objections=judgement.objections,
        )

    def _claim(self, place: int, state: State, shown: Sequence[int], *, by_label: bool) -> Claim:
        need = wording(self.steps, place, shown)
        if place < len(state.facts):
            old = state.facts[place].need
            need = f"F{place + 1}" if old == need else f"F{place + 1} {need}"
        if place not in shown:
            return Claim(need)
        return Claim(need, quote=self._quote(self.steps[place], state.reading, by_label=by_label))

    def _quote(self, step: Step, reading: Reading, *, by_label: bool) -> str:
        passage = reading.by_id(step.passage_id or "")
        if passage is None:
            return ""
        label = f"{reading.label(passage.id)}.{showing(step, passage)[0]}"
        quote = reading.sentence(label)
        return label if by_label or quote is None else quote.text

    def _conclusion(self, state: State, shown: Sequence[int]) -> Claim:
        used = {place for step in self.steps for place in step.references}
        ends = [place for place in range(len(self.steps)) if place not in used]
        if len(state.facts) > len(self.steps):
            sources = [f"F{place + 1}" for place in ends]
            return Claim(f"F{len(self.steps) + 1}", follows_from=tuple(sources))
        return Claim(
            self.question.question.strip(" ?"),
            follows_from=tuple(wording(self.steps, place, shown) for place in ends),
        )


def _texts(step: Step) -> tuple[str, ...]:
    return (*step.sentences, step.result)
