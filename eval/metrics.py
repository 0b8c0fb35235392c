"""Definitions of the measures of one answer. Each says what it means, its range and its source."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from hopstop.program.records import Round

_PUNCTUATION = frozenset(string.punctuation)
_SPECIAL = frozenset({"yes", "no", "noanswer"})


def normalize_answer(text: str) -> str:
    """Lower case, no ASCII punctuation, no articles, single spaces.

    Source: `normalize_answer` of the official hotpot_evaluate_v1.py, taken over from SQuAD 1.1's evaluation script.

    >>> normalize_answer("The  Eiffel-Tower!")
    'eiffeltower'
    """
    letters = "".join(char for char in text.lower() if char not in _PUNCTUATION)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", letters).split())


def em(prediction: str, answers: Sequence[str]) -> float:
    """Exact match after normalisation: 1 if the prediction equals any of the answers, else 0.

    Source: `exact_match_score` of hotpot_evaluate_v1.py; best of several answers as in SQuAD and MuSiQue.
    """
    normal = normalize_answer(prediction)
    return float(any(normal == normalize_answer(answer) for answer in answers))


def f1(prediction: str, answers: Sequence[str]) -> float:
    """Word overlap with the closest answer, in [0, 1]: harmonic mean of precision and recall of normalised words.

    If either side is "yes", "no" or "noanswer" and the sides differ, it is 0.
    Source: `f1_score` of hotpot_evaluate_v1.py; best of several answers as in SQuAD and MuSiQue.
    """
    return max((_f1(normalize_answer(prediction), normalize_answer(answer)) for answer in answers), default=0.0)


def _f1(prediction: str, answer: str) -> float:
    if prediction != answer and not _SPECIAL.isdisjoint((prediction, answer)):
        return 0.0
    predicted, wanted = prediction.split(), answer.split()
    shared = sum((Counter(predicted) & Counter(wanted)).values())
    if shared == 0:
        return 0.0
    precision, recall = shared / len(predicted), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


def recall_at_k(ranking: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold passages among the first k of a ranking, in [0, 1].

    Source: recall@k as in HippoRAG 2 (Gutiérrez et al., 2025, section 4): mean over questions of this share.

    Args:
        ranking: Passage ids, best first.
        gold: Ids of the gold passages, at least one.
        k: How deep to look, >= 1.
    """
    wanted = set(gold)
    return len(wanted & set(ranking[:k])) / len(wanted)


def all_support(read: Collection[str], gold: Collection[str]) -> bool:
    """Whether every gold passage is among the passages read.

    Source: the all-recall of Xiong et al., "Answering Complex Open-Domain Questions with Multi-Hop Dense Retrieval"
    (ICLR 2021), taken over all passages read instead of a fixed k.
    """
    return set(gold) <= set(read)


def proven(quoted: Collection[str], gold: Collection[str], *, answered: bool, correct: bool) -> bool:
    """Answered, correct, and every gold passage among the quoted ones."""
    return answered and correct and set(gold) <= set(quoted)


def wrong_stop(*, answered: bool, correct: bool) -> bool:
    """Answered and not correct; every answer to an unanswerable question is one."""
    return answered and not correct


def early_stop(retrieved: Collection[str], gold: Collection[str], *, answered: bool) -> bool:
    """Answered while a gold passage had never been retrieved."""
    return answered and not set(gold) <= set(retrieved)


def false_refusal(rounds: Sequence[Round], answers: Sequence[str], gold: Collection[str]) -> bool:
    """Whether code refused a STOP whose draft was right while every gold passage was in the evidence read then.

    A STOP counts as refused if the judge raised an objection, whatever was answered when it was asked again. Right
    means em = 1.
    """
    return any(em(draft, answers) == 1.0 and set(gold) <= set(item.kept) for item in rounds for draft in _refused(item))


def _refused(item: Round) -> Iterator[str]:
    """Drafts of the refused STOPs of a round."""
    yield from (refusal.draft for refusal in item.refused)
    if item.stop is True and item.objections:
        yield item.draft


def abstain_right(*, answered: bool) -> bool:
    """Of an unanswerable question: whether it was left unanswered."""
    return not answered
