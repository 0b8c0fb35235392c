"""How much of a second question's prompts a cache could read: `python -m hopstop.eval.prompt_cache [--artifact DIR]`.

Counted on the wire, by a server on this machine to which the official SDK speaks: of two different questions, the
prompt of each predictor, and which part of the second one is marked and stood in the first one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anthropic
import click

from hopstop.eval import stand_in
from hopstop.eval.fault_server import FaultServer
from hopstop.eval.prompt_meter import marked_prefixes, shared_share, tokens_of
from hopstop.program import artifact
from hopstop.program.claude import claude
from hopstop.program.claude_cache import CHARACTERS_A_TOKEN
from hopstop.program.errors import HopstopError
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA

QUESTIONS = (stand_in.QUESTION, "By whom was the change reviewed that fixed incident 4471?")
_MARKS = {"verdict": "decide", "query": "rewrite"}  # an output field that no other predictor has


def measure(folder: Path | None = None) -> dict[str, Any]:
    """Ask two questions and compare their prompts.

    Args:
        folder: Of a compiled program with the LM policy; None: the program as it is delivered.

    Returns:
        `share_read`: prompt tokens of the second question that were read from the cache / all of them, in [0, 1];
        `predictors`: for each, the tokens of its marked prefix (estimated) and that share of its first prompt.

    Raises:
        ArtifactMismatch: The folder is none, or its program does not fit.
    """
    index = stand_in.index()
    with FaultServer(stand_in.reply) as server, anthropic.Anthropic(api_key="made-up", base_url=server.url) as client:
        lm = claude("claude-stand-in", client=client, schema=True, cache=False)
        if folder is None:
            program = IterativeQA(index, LMPolicy(lm), stand_in.LIMITS)
        else:
            program = artifact.load(folder, retriever=index, lm=lm, schema=True)
        sent, read, prompt = [], 0, 0
        for question in QUESTIONS:
            before = len(server.requests)
            usage = program(question).usage
            read, prompt = usage.cache_read_tokens, usage.input_tokens
            sent.append(server.requests[before:])
    return {"share_read": read / prompt if prompt else None, "predictors": _predictors(*sent)}


def _predictors(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    earlier = {_asked_by(body): body for body in reversed(first)}
    told: dict[str, dict[str, Any]] = {}
    for body in second:
        name = _asked_by(body)
        if name not in told and name in earlier:
            prefix = len(marked_prefixes(body)[-1]) / CHARACTERS_A_TOKEN
            told[name] = {
                "prompt_tokens": tokens_of(body),
                "prefix_tokens": round(prefix),
                "share": shared_share(earlier[name], body),
            }
    return told


def _asked_by(body: Mapping[str, Any]) -> str:
    fields = body["output_config"]["format"]["schema"]["properties"]
    return next((name for field, name in _MARKS.items() if field in fields), "prune")


@click.command()
@click.option("--artifact", "folder", type=click.Path(path_type=Path), metavar="DIR", help="A compiled program.")
def main(folder: Path | None) -> None:
    """Measure what a prompt cache could read of a second question; print JSON."""
    try:
        found = measure(folder)
    except HopstopError as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
