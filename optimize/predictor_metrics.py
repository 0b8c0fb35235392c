"""How good one answer of one predictor is, and what to tell the one who writes its prompt."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import dspy

from hopstop.eval.metrics import em
from hopstop.optimize.cases import KEY, Case, DecideCase, Label, PruneCase, RewriteCase, Sentence
from hopstop.optimize.label_rewrite import grave_faults, rank_of
from hopstop.program.bm25 import BM25Index
from hopstop.program.facts import merge
from hopstop.program.lm_policy import decision_of, grades_of, query_of
from hopstop.program.records import Decision, Limits, Passage, Quote
from hopstop.program.sentences import sentence_spans

HIT_K = 3  # passages that a later query reads, `Limits.next_k`
CARRY_K = Limits().carry_k
UNREAD = "unread"
"""Mark of a prediction that stands for a reply which could not be read."""

# Shares of a Decide score: the loop ends on verdict and quotes, and a right answer without them is refused.
VERDICT, QUOTES, ANSWER = 0.4, 0.4, 0.2


@dataclass(frozen=True, slots=True)
class Mark:
    """What one answer is worth.

    Attributes:
        score: In [0, 1], higher is better; what optimisers climb.
        feedback: What was wrong and what would have been right, in words for the writer of the prompt.
        measures: Its parts by name, each in [0, 1]; those that do not apply are left out.
    """

    score: float
    feedback: str
    measures: Mapping[str, float]


class Tally:
    """Counts, from many threads."""

    def __init__(self) -> None:
        self.count = 0
        self._lock = threading.Lock()

    def add(self) -> None:
        """Count one more."""
        with self._lock:
            self.count += 1


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks answers to the labels it knows.

    Attributes:
        labels: By id.
        index: Where queries run.
        calls: How many answers were scored; feedback to an answer that was scored does not count again.
    """

    labels: Mapping[str, Label]
    index: BM25Index
    calls: Tally = field(default_factory=Tally)

    def mark(self, label: Label, reply: Any) -> Mark:  # noqa: ANN401 - a DSPy prediction is untyped
        """Mark one reply, uncounted."""
        return mark(label.case, reply, self.index)

    def __call__(
        self,
        example: Any,  # noqa: ANN401
        reply: Any,  # noqa: ANN401
        trace: object = None,
        pred_name: str | None = None,
        pred_trace: object = None,
    ) -> Any:  # noqa: ANN401
        """The mark as GEPA takes it: a prediction of score and feedback. There is one predictor, hence one feedback."""
        if pred_name is None:
            self.calls.add()
        found = self.mark(self.labels[example[KEY]], reply)
        return dspy.Prediction(score=found.score, feedback=found.feedback)

    def score(self, example: Any, reply: Any, trace: object = None) -> float:  # noqa: ANN401
        """The score alone, as the other optimisers take it."""
        self.calls.add()
        return self.mark(self.labels[example[KEY]], reply).score


def mark(case: Case, reply: Any, index: BM25Index) -> Mark:  # noqa: ANN401
    """Mark a reply of the predictor that the case is for."""
    if reply is None or reply.get(UNREAD):
        told = "The reply could not be read: it must hold every output field in the form asked for, and end in time."
        return Mark(0.0, told, dict.fromkeys(_MEASURES[type(case)], 0.0))
    if isinstance(case, DecideCase):
        return mark_decision(case, decision_of(reply))
    if isinstance(case, RewriteCase):
        return mark_query(case, query_of(reply), index)
    return mark_grades(case, grades_of(reply, case.new))


_MEASURES: Mapping[type, tuple[str, ...]] = {
    DecideCase: ("verdict", "quote_f1"),
    RewriteCase: ("hit_at_3", "reciprocal_rank", "faultless"),
    PruneCase: ("f2", "recall", "precision", "carried"),
}


def mark_decision(case: DecideCase, decision: Decision) -> Mark:
    """Mark a decision: verdict, quotes against the gold sentences, and the answer where it is right to stop.

    quote_f1 = 2PR / (P + R), with P = quotes that stand in a gold sentence / quotes given, and R = shown facts of which
    a gold sentence is quoted / shown facts; quotes that code does not find, or that do not speak of their fact, count
    as given. It is 1 where nothing is to be quoted and nothing is.
    """
    quoted, lost = _quoted(case, decision)
    allowed = frozenset[Sentence]().union(*case.gold)
    precision = sum(bool(found & allowed) for found in quoted) / (len(quoted) + len(lost)) if quoted or lost else 1.0
    hit = [any(found & gold for found in quoted) for gold in case.gold]
    recall = sum(hit) / len(hit) if hit else 1.0
    quote_f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    if not case.gold:
        quote_f1 = precision
    verdict = float(decision.stop is case.stop)
    measures = {"verdict": verdict, "quote_f1": quote_f1}
    score = (VERDICT * verdict + QUOTES * quote_f1) / (VERDICT + QUOTES)
    if case.stop:
        measures["answer_em"] = em(decision.draft, case.answers)
        score = VERDICT * verdict + QUOTES * quote_f1 + ANSWER * measures["answer_em"]
    return Mark(score, _told_of_decision(case, decision, measures, quoted, lost), measures)


def quotes_given(case: DecideCase, decision: Decision) -> tuple[int, int, int]:
    """How many quotes a decision gives, how many the judge would take, and how many stand in a gold sentence."""
    quoted, lost = _quoted(case, decision)
    allowed = frozenset[Sentence]().union(*case.gold)
    return len(quoted) + len(lost), len(quoted), sum(bool(found & allowed) for found in quoted)


def _quoted(case: DecideCase, decision: Decision) -> tuple[list[frozenset[Sentence]], list[str]]:
    """Sentences of each quote that the judge would take, and in words those that it would not."""
    quoted: list[frozenset[Sentence]] = []
    lost: list[str] = []
    for claim in decision.claims:
        if not claim.quote:
            continue
        # One claim at a time, over the listed facts: what one claim does to them is not to change the next.
        facts, objections = merge(case.state.facts, [claim], case.state.reading)
        known = {fact.quote for fact in case.state.facts}
        fresh = [fact.quote for fact in facts if fact.quote is not None and fact.quote not in known]
        if fresh:
            quoted.append(_sentences(fresh[0], case.state.reading.by_id(fresh[0].passage_id)))
        elif objections:
            lost += objections
    return quoted, lost


def _sentences(quote: Quote, passage: Passage | None) -> frozenset[Sentence]:
    spans = sentence_spans(passage.text) if passage is not None else ()
    return frozenset(
        (quote.passage_id, n) for n, (start, end) in enumerate(spans, 1) if start < quote.end and quote.start < end
    )


def _told_of_decision(
    case: DecideCase,
    decision: Decision,
    measures: Mapping[str, float],
    quoted: list[frozenset[Sentence]],
    lost: list[str],
) -> str:
    told = []
    if decision.stop and not case.stop:
        told.append(f"Stopped early: no passage read states {_listed(case.missing)}.")
        told += [f"The passage that does was not read: {_listed(case.absent)}."] if case.absent else []
    if case.stop and not decision.stop:
        told.append("Stopped late: every fact stands in the passages, STOP was right.")
    told += [f"Not counted: {text}." for text in lost]
    open_gold = [gold for gold in case.gold if not any(found & gold for found in quoted)]
    told += [f"{_label(case, gold)} states a fact and was not quoted for it." for gold in open_gold]
    allowed = frozenset[Sentence]().union(*case.gold)
    told += [f"{_label(case, found)} was quoted and shows no fact." for found in quoted if not found & allowed]
    if measures.get("answer_em") == 0.0:
        told.append(f'The answer was "{decision.draft}", right is "{case.answers[0]}", and nothing more.')
    return " ".join(told) or "Right: verdict, quotes and answer."


def _label(case: DecideCase, sentences: frozenset[Sentence]) -> str:
    name, number = min(sentences, default=("", 0))
    return f"{case.state.reading.label(name)}.{number}"


def _listed(texts: tuple[str, ...]) -> str:
    return "; ".join(f'"{text}"' for text in texts)


def mark_query(case: RewriteCase, query: str, index: BM25Index) -> Mark:
    """Mark a query by what it finds, whatever its words.

    Score: mean of hit@3 and the reciprocal rank of the wanted passage among hits not read yet (0 below rank 10); 0 with
    a fault for which the loop sends a query back.
    """
    found = grave_faults(query, case, index)
    rank = rank_of(query, case, index)
    hit = float(rank is not None and rank <= HIT_K)
    reciprocal = 1 / rank if rank else 0.0
    measures = {"hit_at_3": 0.0 if found else hit, "reciprocal_rank": 0.0 if found else reciprocal}
    title = case.target.title or case.target.id
    if found:
        told = f'The query "{query}" would be sent back: {"; ".join(found)}.'
    elif rank is None:
        told = f'The query "{query}" does not find the passage "{title}" among the first hits.'
    else:
        told = f'The query "{query}" finds the passage "{title}" at rank {rank}.'
    told += "" if hit and not found else f' For "{case.need}" use names that were found and words of that passage.'
    score = (measures["hit_at_3"] + measures["reciprocal_rank"]) / 2
    return Mark(score, told, {**measures, "faultless": float(not found)})


def mark_grades(case: PruneCase, grades: Mapping[str, float]) -> Mark:
    """Mark what is kept and what is carried into later rounds.

    f2: what is kept against the gold passages; passages about a name on the way, or that mention one, count neither
    way. F2 = 5PR / (4P + R) weighs recall twice as much as precision: a dropped passage is lost, a kept one costs
    tokens. Source: van Rijsbergen, "Information Retrieval" (1979), chapter 7, with beta = 2.

    carried: of the gold passages that could be among the best `CARRY_K` kept, by grade and then in the order read as
    the loop has it, the share that is. Score: the mean of both.
    """
    kept = [passage.id for passage in case.new if grades.get(passage.id, 0.0) > 0]
    best = sorted(kept, key=lambda name: -grades[name])[:CARRY_K]
    counted = set(kept) - case.bridging - case.mentions
    right = len(counted & case.gold)
    precision = right / len(counted) if counted else 0.0
    recall = right / len(case.gold)
    f2 = 5 * precision * recall / (4 * precision + recall) if right else 0.0
    carried = len(case.gold & set(best)) / min(CARRY_K, len(case.gold))
    measures = {"f2": f2, "recall": recall, "precision": precision, "carried": carried}
    return Mark((f2 + carried) / 2, _told_of_grades(case, grades, best), measures)


def _told_of_grades(case: PruneCase, grades: Mapping[str, float], best: Sequence[str]) -> str:
    titles = {passage.id: passage.title or passage.id for passage in case.new}
    kept = {name for name, grade in grades.items() if grade > 0}
    missed = case.gold & kept - set(best) if len(case.gold) <= CARRY_K else frozenset()
    wrong = [f'Dropped "{titles[name]}", which states a needed fact.' for name in sorted(case.gold - kept)]
    wrong += [f'"{titles[name]}" states a needed fact and must be direct.' for name in sorted(missed)]
    idle = kept - case.gold - case.bridging - case.mentions
    wrong += [f'Kept "{titles[name]}", which states none.' for name in sorted(idle)]
    return " ".join(wrong) or "Right: all needed passages kept and graded highest, no other."


def own_answer(label: Label) -> Any:  # noqa: ANN401
    """The label's own answer as a reply: what a faultless model would say."""
    return dspy.Prediction(**{name: value for name, value in label.fields.items() if name not in label.inputs})


def teachable(label: Label, index: BM25Index) -> bool:
    """Whether a label may be shown as an example: its own answer must score what is asked of a model.

    Fields stay whole; only labels whose query finds nothing, or whose quote is not gold, are left out.
    """
    return mark(label.case, own_answer(label), index).score >= FIT


FIT = 0.6  # a query that finds its passage third scores 0.67; the others score 1 or are wrong
