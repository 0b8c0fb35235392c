"""Build the program from what the user chose."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from typing import Any

import dspy

from hopstop.eval.system import System
from hopstop.optimize.options import Choice
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput
from hopstop.program.lm import takes_schema
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits

NO_KEY = "none"  # what servers of one's own are sent; clients refuse to send nothing


def make_program(choice: Choice, index: BM25Index) -> IterativeQA:
    """The loop over an index, with the policy and the limits of the choice.

    Raises:
        BadInput: The name of the model cannot be one.
        BadLimits: A limit lies outside its range.
    """
    if choice.policy == "lm":
        lm = make_lm(choice)
        schema = takes_schema(lm) if choice.api_base else None
        return IterativeQA(index, LMPolicy(lm, schema=schema), replace(Limits(), **choice.limits))
    policy = OfflinePolicy(index)
    return IterativeQA(index, policy, replace(policy.limits, **choice.limits))


def make_lm(choice: Choice) -> Any:  # noqa: ANN401 - a DSPy LM is untyped
    """The model of the choice. Its key is found in the environment when it is called.

    Raises:
        BadInput: The name of the model cannot be one.
    """
    server: dict[str, Any] = {}
    if choice.api_base:
        server["api_base"] = choice.api_base
        provider = choice.lm.partition("/")[0].upper()
        if not os.environ.get(f"{provider}_API_KEY"):
            server["api_key"] = NO_KEY
    try:
        return dspy.LM(choice.lm, max_tokens=choice.max_reply_tokens, **server)
    except ValueError as error:
        raise BadInput(f"--lm {choice.lm!r}: {error}; name a model as provider/model") from error


def make_system(choice: Choice, program: IterativeQA) -> System:
    """The program as evaluations describe it: no key, no address."""
    limits = asdict(program.limits)
    if choice.policy == "lm":
        limits["max_reply_tokens"] = choice.max_reply_tokens
    return System(answers=program, policy=choice.policy, lm=choice.lm, limits=limits)
