"""Which model each predictor of a program asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hopstop.optimize.cases import PREDICTORS
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA

ANSWER = "answer"
"""Beside the names of predictors: the model that reads once more before an answer."""

_OPTIONS = ("max_tokens", "max_completion_tokens", "temperature", "top_p", "reasoning_effort")


def policy_of(program: IterativeQA) -> LMPolicy:
    """The LM policy of a program.

    Raises:
        BadInput: It has another one, or no LM of its own.
    """
    policy = program.policy
    if not isinstance(policy, LMPolicy) or policy.caller.lm is None:
        raise BadInput("only a program whose LM policy has its LM can be compiled: LMPolicy(lm=...)")
    return policy


def index_of(program: IterativeQA) -> BM25Index:
    """The index of a program.

    Raises:
        BadInput: It searches something else.
    """
    if not isinstance(program.retriever, BM25Index):
        raise BadInput("labels and queries are scored on a BM25Index: give one as retriever")
    return program.retriever


def lm_of(policy: LMPolicy, predictor: str) -> Any:  # noqa: ANN401 - a DSPy LM is untyped
    """The LM that a predictor, by its name in `PREDICTORS`, asks."""
    return policy.decide_lm if predictor == "decide" else policy.caller.lm


def asked_of(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The predictors that an LM policy of these options asks; the work of the others is left to code."""
    idle = {"prune": options.get("prune") == "code", "rewrite": options.get("search") == "walk"}
    return tuple(name for name in PREDICTORS if not idle.get(name, False))


def models_of(policy: LMPolicy) -> dict[str, str]:
    """Name of the model that each predictor asks, and under `ANSWER` of the one that reads once more, if any."""
    named = {name: str(lm_of(policy, name).model) for name in PREDICTORS}
    return named if policy.answer_lm is None else {**named, ANSWER: str(policy.answer_lm.model)}


def reply_options(lm: Any) -> dict[str, Any]:  # noqa: ANN401
    """What else determines the replies of an LM, as far as it was set; no key, no address."""
    return {name: lm.kwargs[name] for name in _OPTIONS if lm.kwargs.get(name) is not None}


def uses_schema(policy: LMPolicy, predictor: str) -> bool:
    """Whether replies of a predictor are asked for under a JSON schema."""
    schema = policy.caller.schema
    return bool(lm_of(policy, predictor).supports_response_schema) if schema is None else schema


def with_lms(policy: LMPolicy, change: Callable[[Any], Any]) -> LMPolicy:
    """A policy like another one, with copies of its predictors, and each LM changed; the one given stays as it is.

    Args:
        policy: Has its LM.
        change: LM -> the one in its place; called once for each LM there is.
    """
    made: dict[int, Any] = {}

    def changed(lm: Any) -> Any:  # noqa: ANN401
        if id(lm) not in made:
            made[id(lm)] = change(lm)
        return made[id(lm)]

    new = policy.like(changed(policy.caller.lm))
    new.route(changed(policy.decide_lm), None if policy.answer_lm is None else changed(policy.answer_lm))
    for attribute in PREDICTORS.values():
        setattr(new, attribute, getattr(policy, attribute).deepcopy())
    return new
