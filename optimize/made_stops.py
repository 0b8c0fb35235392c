"""Right and wrong STOPs made from labels: what the judge must let through, and what it must refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from hopstop.eval.questions import Question
from hopstop.optimize.ideal import LIMITS, Reader
from hopstop.optimize.negatives import Negatives, look_alike_names
from hopstop.optimize.right_stops import right_stop
from hopstop.optimize.steps import names as stands_in
from hopstop.optimize.steps import steps_of
from hopstop.program.bm25 import BM25Index
from hopstop.program.composition import is_yes_no
from hopstop.program.lookalike import single_names
from hopstop.program.policy import State
from hopstop.program.reading import Reading
from hopstop.program.records import Claim, Decision, Passage
from hopstop.program.sentences import sentence_spans
from hopstop.program.text import content_words

RIGHT, UNSHOWN, LABELLED = "right", "unshown", "as labelled"
KINDS: Mapping[str, str] = {
    RIGHT: "every gold fact quoted, the gold answer, which the quotes hold or from which it follows",
    UNSHOWN: "the same, but the quotes do not hold it or a guessed one does not show its fact: the label is at fault",
    LABELLED: "both of these, quoting the first labelled sentence, facts worded from words of question and passage",
    "look-alike": "the sentence of a look-alike quoted for a gold one, with its name as the answer",
    "turned": "the same after a round whose draft was right",
    "merged": "the answer joined from two names of the quoted passages",
    "guessed": "a gold passage not read, its fact not listed, the gold answer all the same",
    "unquoted": "a gold passage not read, its fact listed and open",
    "elsewhere": "every gold fact quoted, but a name of a passage that was not quoted as the answer",
    "vague": "every gold fact quoted, and the answer a kind",
}
"""Kind -> what it is; see right_stops for the first three, the others are wrong."""


@dataclass(frozen=True, slots=True)
class MadeStop:
    """A STOP made from the labels of a question.

    Attributes:
        kind: A name in `KINDS`.
        state: What was read.
        decision: The STOP.
        before: Drafts of earlier rounds.
    """

    kind: str
    state: State
    decision: Decision
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StopMaker:
    """Makes the STOPs of one answerable question with labelled gold passages.

    Attributes:
        index: Where distractors come from.
        reader: The question with its answer sheet.
        gold: Its gold passages.
    """

    index: BM25Index
    reader: Reader
    gold: tuple[Passage, ...]

    @classmethod
    def of(cls, question: Question, index: BM25Index) -> StopMaker | None:
        """The maker for a question; None if it is unanswerable or a fact of it stands in no known passage."""
        found = {name: index.passage(name) for name in question.gold_ids if index.place(name) is not None}
        steps = steps_of(question, found)
        if not question.answerable or not steps or any(step.passage_id is None for step in steps):
            return None
        ids = dict.fromkeys(step.passage_id for step in steps if step.passage_id)
        return cls(index, Reader(question, steps), tuple(found[name] for name in ids))

    def make(self) -> Iterator[MadeStop]:
        """The right STOP, also as labelled, and one wrong STOP of each kind that the question allows.

        None if a fact stands nowhere.
        """
        state = self._state(self.gold)
        labelled = self.reader.decide(state, by_label=False)
        if not labelled.stop:
            return
        found = dict.fromkeys(step.result for step in self.reader.steps if step.result)
        earlier = tuple(name for name in found if not self._is_right(name))
        made = right_stop(self.reader, state)
        yield MadeStop(RIGHT if made.shown else UNSHOWN, state, made.decision, earlier)
        yield MadeStop(LABELLED, state, labelled, earlier)
        right = made.decision
        yield from self._answers(state, right)
        yield from self._look_alikes(right)
        yield from self._missing(right)

    def _state(self, gold: Sequence[Passage]) -> State:
        n = max(LIMITS.first_k - len(gold), 2)
        asked = self.reader.question.question
        filling = self._negatives().like(asked, n, but={passage.id for passage in gold})
        return self.reader.start(Reading((*gold, *filling)))

    def _negatives(self) -> Negatives:
        return Negatives(self.index, self.reader.question, self.reader.steps)

    def _answers(self, state: State, right: Decision) -> Iterator[MadeStop]:
        """Wrong answers to facts that are rightly quoted."""
        yield MadeStop("vague", state, replace(right, draft="a person"))
        if is_yes_no(right.draft):
            return
        joined = _joined(right.draft, [f"{item.title}. {item.text}" for item in self.gold])
        if joined is not None and not self._is_right(joined):
            yield MadeStop("merged", state, replace(right, draft=joined))
        quoted = " ".join(f"{item.title} {item.text}" for item in self.gold)
        others = (name for item in state.reading.passages[len(self.gold) :] for name in single_names(item.text))
        other = next((name for name in others if not stands_in(quoted, name) and self._is_new(name)), None)
        if other is not None:
            yield MadeStop("elsewhere", state, replace(right, draft=other))

    def _look_alikes(self, right: Decision) -> Iterator[MadeStop]:
        for passage in self.gold:
            twin = self._negatives().look_alike(passage)
            names = look_alike_names(twin, passage) if twin is not None else None
            if twin is None or names is None:
                continue
            rest = [item for item in self.gold if item is not passage]
            state = self._state((*rest, twin))
            draft, quote = self._said_by(twin)
            if not draft:
                continue
            claims = [
                replace(claim, quote=quote) if step.passage_id == passage.id else claim
                for step, claim in zip(self.reader.steps, right.claims, strict=False)
            ]
            claims += right.claims[len(self.reader.steps) :]
            decision = Decision(stop=True, claims=tuple(claims), draft=draft)
            yield MadeStop("look-alike", state, decision)
            yield MadeStop("turned", state, replace(decision, draft=names[0]), before=(names[1],))
            return

    def _said_by(self, twin: Passage) -> tuple[str, str]:
        """A new name that a passage says, and its sentence; two empty strings if it says none."""
        for start, end in sentence_spans(twin.text):
            sentence = twin.text[start:end]
            for name in single_names(sentence):
                if not stands_in(twin.title, name) and self._is_new(name):
                    return name, sentence
        return "", ""

    def _missing(self, right: Decision) -> Iterator[MadeStop]:
        if len(self.gold) < 2:
            return
        gone = self.gold[-1]
        state = self._state(self.gold[:-1])
        if any(stands_in(f"{item.title} {item.text}", right.draft) for item in state.reading.passages):
            return
        pairs = list(zip(self.reader.steps, right.claims, strict=False))
        listed = [Claim(claim.need) if step.passage_id == gone.id else claim for step, claim in pairs]
        kept = [claim for step, claim in pairs if step.passage_id != gone.id]
        yield MadeStop("unquoted", state, replace(right, claims=(*listed, *right.claims[len(pairs) :])))
        if kept:
            yield MadeStop("guessed", state, replace(right, claims=tuple(kept)))

    def _is_new(self, name: str) -> bool:
        return not stands_in(self.reader.question.question, name) and not self._is_right(name)

    def _is_right(self, answer: str) -> bool:
        said = set(content_words(answer))
        return not said or any(
            said <= set(content_words(form)) or said >= set(content_words(form))
            for form in self.reader.question.answers
        )


def _joined(answer: str, texts: Sequence[str]) -> str | None:
    """The first word of an answer that is a name of two words or more, with the last word of another such name."""
    own = answer.split()
    if len(own) < 2 or list(single_names(answer)) != [answer]:
        return None
    for text in texts:
        for name in single_names(text):
            other = name.split()
            if len(other) > 1 and not set(content_words(name)) & set(content_words(answer)):
                return f"{own[0]} {other[-1]}"
    return None
