"""Options that several commands share. Imports nothing heavy, so that --help and wrong usage answer at once."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

DEFAULT_REPLY_TOKENS = 1000  # a long reply of Decide has about 400
LIMITS = {
    "max_rounds": "max_rounds",
    "max_passages": "max_read",
    "max_tokens": "max_tokens",
    "max_seconds": "max_seconds",
    "max_cost": "max_cost_usd",
}
"""Option -> field of `Limits`."""

LEFT_TO_CODE = {"prune": "prune", "search": "search", "precheck": "precheck", "hints": "hints"}
"""Option -> field of `LMOptions`."""

_TEXTS = ("policy", "lm", "decide_lm", "answer_lm")


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """Who decides, and within which limits, as the user chose.

    Attributes:
        policy: "offline" or "lm"; of a compiled program its own.
        lm: DSPy's name of the model; empty for the offline policy.
        artifact: Folder of a compiled program; None: the program as it is delivered.
        api_base: Address of a server of one's own, for models of the provider of `lm`; None for the provider's.
        max_reply_tokens: Tokens of one reply of the model, >= 1.
        decide_lm: Name of another model for Decide; empty: the same for all.
        answer_lm: Name of a model that reads once more what another would answer; empty: none.
        limits: Fields of `Limits` that differ from the policy's own.
        options: Fields of `LMOptions` that differ likewise.
    """

    policy: str = "offline"
    lm: str = ""
    artifact: Path | None = None
    api_base: str | None = None
    max_reply_tokens: int = DEFAULT_REPLY_TOKENS
    decide_lm: str = ""
    answer_lm: str = ""
    limits: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)


def choose(choice: Choice) -> Choice:
    """Fill in what the user left open.

    Raises:
        click.UsageError: The options contradict each other, or no model is named.
    """
    if choice.artifact is not None:
        if choice.policy:
            raise click.UsageError("--artifact brings its own policy; leave --policy out")
        return choice
    policy = choice.policy or ("lm" if choice.lm else "offline")
    if policy == "offline" and (choice.lm or choice.api_base or choice.decide_lm or choice.answer_lm):
        raise click.UsageError("--lm, --decide-lm, --answer-lm and --api-base need --policy lm, not offline")
    if policy == "offline" and choice.options:
        given = ", ".join(f"--{name}" for name in choice.options)
        raise click.UsageError(f"{given}: only a language model leaves things to code; give --lm MODEL as well")
    model = "" if policy == "offline" else choice.lm or os.environ.get("LLM_MODEL", "")
    if policy == "lm" and not model:
        raise click.UsageError("--policy lm needs a model: give --lm MODEL or set LLM_MODEL")
    return replace(choice, policy=policy, lm=model)


def policy_options(command: Command) -> Command:
    """Options of policy and limits; the command gets them as one argument, `choice`."""

    @wraps(command)
    def gathered(**given: Any) -> Any:  # noqa: ANN401 - click's own signature
        limits, options = (
            {to: value for name, to in names.items() if (value := given.pop(name)) is not None}
            for names in (LIMITS, LEFT_TO_CODE)
        )
        others = ("artifact", "api_base", "max_reply_tokens")
        named = {name: given.pop(name) for name in (*_TEXTS, *others)}
        texts = {name: named[name] or "" for name in _TEXTS}
        return command(choice=choose(Choice(**{**named, **texts}, limits=limits, options=options)), **given)

    for option in reversed((*_policy_options(), *_code_options(), *_limit_options())):
        gathered = option(gathered)
    return gathered  # type: ignore[return-value]


def with_options(options: tuple[Any, ...]) -> Callable[[Command], Command]:
    """Many options at once, in the order of the help."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def json_option(command: Command) -> Command:
    """--json; the command gets it as `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")(command)


def trace_option(command: Command) -> Command:
    """--trace-to; the command gets it as `trace_to`."""
    return click.option(
        "--trace-to",
        metavar="URI",
        help="Send a trace of each question to this MLflow store, e.g. sqlite:///mlflow.db: a span for every round and "
        "step, with counts and no text.",
    )(command)


def budget_options(command: Command) -> Command:
    """--budget-tokens and --budget-usd; the command gets them by these names."""
    tokens = click.option(
        "--budget-tokens", type=click.IntRange(min=1), metavar="N", help="Tokens of all questions together."
    )
    dollars = click.option(
        "--budget-usd",
        type=click.FloatRange(min=0, min_open=True),
        metavar="USD",
        help="Dollars of all questions together.",
    )
    return tokens(dollars(command))


def _policy_options() -> tuple[Callable[[Command], Command], ...]:
    return (
        click.option(
            "--policy",
            type=click.Choice(["offline", "lm"]),
            help="Who decides: the offline policy (default) or a language model (default with --lm).",
        ),
        click.option(
            "--lm",
            metavar="MODEL",
            help="Any model that DSPy knows, e.g. anthropic/claude-sonnet-4-6 or openai/gpt-4o-mini; its key is taken "
            "from the environment. With --policy lm alone: the one named in LLM_MODEL.",
        ),
        click.option(
            "--decide-lm", metavar="MODEL", help="Another model for Decide, so that a small --lm can do the rest."
        ),
        click.option(
            "--answer-lm",
            metavar="MODEL",
            help="A model that reads once more, before the answer, what Decide has read.",
        ),
        click.option(
            "--artifact",
            metavar="DIR",
            type=click.Path(path_type=Path),
            help="A compiled program, e.g. artifacts/NAME/v001; its models are used unless --lm names another.",
        ),
        click.option(
            "--api-base",
            metavar="URL",
            help="Address of a server of your own, e.g. http://localhost:8000/v1; also for --decide-lm and --answer-lm "
            "where they are of the same provider as --lm.",
        ),
        click.option(
            "--max-reply-tokens",
            metavar="N",
            type=click.IntRange(min=1),
            default=DEFAULT_REPLY_TOKENS,
            show_default=True,
            help="Tokens of one reply of the model.",
        ),
    )


def _code_options() -> tuple[Callable[[Command], Command], ...]:
    return (
        click.option(
            "--prune",
            type=click.Choice(["lm", "code"]),
            help="With a model: who grades the passages found; code costs no call.",
        ),
        click.option(
            "--search",
            type=click.Choice(["words", "walk"]),
            help="With a model: search the queries that it writes, or walk along names as the offline policy does.",
        ),
        click.option(
            "--precheck",
            is_flag=True,
            default=None,
            help="With a model: ask the offline policy first; what it can prove costs no call.",
        ),
        click.option(
            "--hints",
            is_flag=True,
            default=None,
            help="With a model: show Rewrite the names that the offline policy would follow.",
        ),
    )


def _limit_options() -> tuple[Callable[[Command], Command], ...]:
    whole, positive = click.IntRange(min=1), click.FloatRange(min=0, min_open=True)
    return (
        click.option("--max-rounds", type=whole, metavar="N", help="Rounds of one question."),
        click.option(
            "--max-passages", type=whole, metavar="N", help="Passages read for one question, all rounds together."
        ),
        click.option(
            "--max-tokens", type=whole, metavar="N", help="Tokens of all calls of the model for one question."
        ),
        click.option("--max-seconds", type=positive, metavar="S", help="Seconds for one question."),
        click.option("--max-cost", type=positive, metavar="USD", help="Dollars for one question."),
    )


def print_json(value: Mapping[str, Any]) -> None:
    """Print one JSON document on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
