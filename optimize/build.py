"""Build the program from what the user chose."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

import anthropic
import dspy

from hopstop.eval.system import System
from hopstop.optimize.options import Choice
from hopstop.optimize.workbench import digest
from hopstop.program import artifact
from hopstop.program.artifact_folder import read_version
from hopstop.program.bm25 import BM25Index
from hopstop.program.claude import claude
from hopstop.program.claude_wire import PREFIX
from hopstop.program.errors import BadInput
from hopstop.program.guards import DEFAULT, GUARDS, Guards, guards_from
from hopstop.program.lm import takes_schema
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.offline import OfflinePolicy
from hopstop.program.records import Limits

NO_KEY = "none"  # what servers of one's own are sent; clients refuse to send nothing


def resolve(choice: Choice) -> Choice:
    """The choice with the policy and the model of its artifact, if it has one.

    Raises:
        ArtifactMismatch: The artifact is missing or damaged.
        BadInput: It needs a model, and none is named.
    """
    if choice.artifact is None:
        return choice
    manifest = read_version(choice.artifact).manifest
    if manifest.policy != "lm":
        if choice.lm or choice.api_base or choice.decide_lm or choice.answer_lm or choice.options:
            raise BadInput(
                f"{choice.artifact}: its policy is {manifest.policy}; leave out the models, --api-base "
                "and what a model leaves to code"
            )
        return replace(choice, policy=manifest.policy)
    model = choice.lm or manifest.lm or os.environ.get("LLM_MODEL", "")
    if not model:
        raise BadInput(f"{choice.artifact}: it was compiled without naming a model; give --lm MODEL or set LLM_MODEL")
    tiers = manifest.tiers if model == manifest.lm else {}
    return replace(
        choice,
        policy="lm",
        lm=model,
        decide_lm=choice.decide_lm or tiers.get("decide_lm", ""),
        answer_lm=choice.answer_lm or tiers.get("answer_lm", ""),
    )


def make_program(choice: Choice, index: BM25Index, *, lm_of: Callable[[Choice], Any] | None = None) -> IterativeQA:
    """The loop over an index, with the policy and the limits of a resolved choice.

    Args:
        choice: See Choice.
        index: Where it searches.
        lm_of: Makes the model of a choice; None: `make_lm`.

    Raises:
        ArtifactMismatch: The artifact does not fit this Hopstop or this index.
        BadInput: The name of the model cannot be one.
        BadLimits: A limit lies outside its range.
    """
    made = lm_of or make_lm
    lm = made(choice) if choice.policy == "lm" else None
    schema = takes_schema(lm) if choice.api_base else None
    if choice.artifact is not None:
        program = artifact.load(choice.artifact, retriever=index, lm=lm, schema=schema)
    elif choice.policy == "lm":
        program = IterativeQA(index, LMPolicy(lm, schema=schema), Limits())
    else:
        policy = OfflinePolicy(index)
        program = IterativeQA(index, policy, policy.limits)
    if isinstance(program.policy, LMPolicy):
        program.policy.options = replace(program.policy.options, **choice.options)
        tiers = (choice.decide_lm, choice.answer_lm)
        program.policy.route(*(made(of_tier(choice, model)) if model else None for model in tiers))
    program.limits = replace(program.limits, **choice.limits)
    return program


def of_tier(choice: Choice, model: str) -> Choice:
    """The choice of another model; the address is that of a server of one provider, which alone gets its key."""
    same = _provider(model) == _provider(choice.lm)
    return replace(choice, lm=model, api_base=choice.api_base if same else None)


def servers(choice: Choice) -> str:
    """What tells the servers of a resolved choice from others, and not where they are.

    Returns:
        Eight hexadecimal digits for the addresses that options or environment name; empty if they name none.
    """
    tiers = [of_tier(choice, model) for model in (choice.lm, choice.decide_lm, choice.answer_lm) if model]
    found = [_address(tier) for tier in tiers]
    return digest({}, *found) if any(found) else ""


def _address(choice: Choice) -> str:
    names = (f"{_provider(choice.lm)}_{ending}" for ending in ("API_BASE", "BASE_URL"))
    address = choice.api_base or next(filter(None, map(os.environ.get, names)), "")
    return address.rstrip("/")


def _provider(model: str) -> str:
    """As the environment names it."""
    return model.partition("/")[0].upper()


def make_lm(choice: Choice) -> Any:  # noqa: ANN401 - a DSPy LM is untyped
    """The model of the choice: Claude through the official SDK, any other one as DSPy calls it.

    Raises:
        BadInput: The name of the model cannot be one, or there is no key for it.
    """
    if choice.lm.startswith(PREFIX) and choice.lm != PREFIX:
        client = _client(choice.api_base) if choice.api_base else None
        return claude(choice.lm, client=client, max_tokens=choice.max_reply_tokens)
    if "/" not in choice.lm:
        raise BadInput(f"--lm {choice.lm!r}: name a model as provider/model, e.g. openai/{choice.lm}")
    server: dict[str, Any] = {}
    if choice.api_base:
        server["api_base"] = choice.api_base
        if not os.environ.get(f"{_provider(choice.lm)}_API_KEY"):
            server["api_key"] = NO_KEY
    try:
        return dspy.LM(choice.lm, max_tokens=choice.max_reply_tokens, **server)
    except ValueError as error:
        raise BadInput(f"--lm {choice.lm!r}: {error}; name a model as provider/model") from error


def _client(api_base: str) -> anthropic.Anthropic:
    """For a server of one's own; the SDK adds the version to the address by itself."""
    address = api_base.rstrip("/").removesuffix("/v1")
    return anthropic.Anthropic(api_key=os.environ.get("ANTHROPIC_API_KEY") or NO_KEY, base_url=address)


def make_system(choice: Choice, program: IterativeQA) -> System:
    """The program as evaluations describe it: no key, no address."""
    manifest = None if choice.artifact is None else read_version(choice.artifact).manifest
    limits = asdict(program.limits)
    if choice.policy == "lm":
        limits["max_reply_tokens"] = choice.max_reply_tokens
        tiers = {"decide_lm": choice.decide_lm, "answer_lm": choice.answer_lm}
        limits |= {name: model for name, model in tiers.items() if model} | dict(choice.options)
    if guards := _switched(program.guards, DEFAULT if manifest is None else guards_from(manifest.guards)):
        limits["guards"] = guards
    server = servers(choice) if choice.policy == "lm" else ""
    system = System(answers=program, policy=choice.policy, lm=choice.lm, limits=limits, server=server)
    if manifest is None:
        return system
    return replace(
        system,
        version=f"{manifest.name}/{manifest.version}",
        artifact=manifest.digest(),
        trained_on=frozenset(manifest.training.ids) or None if manifest.training else None,
    )


def _switched(guards: Guards, usual: Guards) -> str:
    """The guards that differ from the usual ones, in words."""
    differing = [name for name in GUARDS if getattr(guards, name) != getattr(usual, name)]
    return ", ".join(f"{name} {'on' if getattr(guards, name) else 'off'}" for name in differing)
