"""Quotes as words against quotes as labels of sentences, asked of the same model with the same questions.

python -m hopstop.optimize.quote_forms QUESTIONS --index INDEX --lm MODEL [--api-base URL] [--dev 20] [--json]

Both forms get the same examples in front, written in their form; where the server of one's own takes a schema, that of
the labels admits nothing else. Reported for each: tokens of a reply, replies that
could not be read, quotes given, and the share of them that code found in a passage and that stand in a gold sentence;
and the paired difference, labels minus words, with its 95 % bootstrap interval.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import click
import dspy
from rich.console import Console
from rich.table import Table

from hopstop.eval.stats import bootstrap_interval
from hopstop.optimize.build import make_lm
from hopstop.optimize.cases import DecideCase, Label
from hopstop.optimize.labels import Amount, make_labels
from hopstop.optimize.material import Material, Selection, gather
from hopstop.optimize.options import Choice, json_option, print_json
from hopstop.optimize.predictor_metrics import quotes_given
from hopstop.program.errors import HopstopError
from hopstop.program.lm import Caller, LMFailed, takes_schema
from hopstop.program.lm_policy import decision_of
from hopstop.program.runtime import Blocking, run_blocking
from hopstop.signatures import Decide

FORMS = ("words", "labels")
MEASURES = ("output_tokens", "unread", "quotes", "found", "right")


@dataclass(frozen=True, slots=True)
class Asked:
    """What one reply was like.

    Attributes:
        output_tokens: Of all tries.
        unread: 1 if the reply could not be read, else 0.
        quotes: Quotes given.
        found: Of them, those that code found in a passage and that speak of their fact.
        right: Of them, those in a gold sentence.
    """

    output_tokens: int
    unread: int
    quotes: int = 0
    found: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class Model:
    """What is asked, and how.

    Attributes:
        lm: A DSPy LM.
        schema: See `LMPolicy`.
        examples: In each prompt, >= 0.
        labels: Whether a schema of a server of one's own holds quotes to labels.
    """

    lm: Any
    schema: bool | None = None
    examples: int = 3
    labels: bool = False


def ask(model: Model, label: Label, shown: Sequence[Label]) -> Asked:
    """Ask for one decision, with examples in the prompt.

    Args:
        model: What is asked.
        label: Of Decide.
        shown: Examples, of which the first ones are used; all in one form.

    Raises:
        LMFailed: The model cannot be reached.
    """
    predictor = dspy.Predict(Decide)
    predictor.demos = [item.example() for item in shown[: model.examples]]
    inputs = {name: label.fields[name] for name in label.inputs}
    call = Caller(model.lm, model.schema, tries=1, labels=model.labels).call(
        Blocking(parallel=False), predictor, **inputs
    )
    reply, usage = run_blocking(call)
    if reply is None:
        return Asked(usage.output_tokens, 1)
    if not isinstance(label.case, DecideCase):
        raise TypeError("a label of Decide is needed")
    given, found, right = quotes_given(label.case, decision_of(reply))
    return Asked(usage.output_tokens, 0, given, found, right)


def measure(model: Model, material: Material, amount: Amount, told: Callable[[int], None]) -> dict[str, Any]:
    """Ask every dev label in both forms, in turn.

    Returns:
        n; forms (form -> means of `Asked`, with precision = right / quotes and reliability = found / quotes, null where
        none was given); difference (measure -> value, low, high; labels minus words).
    """
    sides = {}
    for form in FORMS:
        wanted = Amount(train=amount.train, dev=amount.dev, seed=amount.seed, by_label=form == "labels")
        sides[form] = make_labels(material.data, material.index, wanted, predictors=("decide",)).splits["decide"]
    replies: dict[str, list[Asked]] = {form: [] for form in FORMS}
    for number, pair in enumerate(zip(*(sides[form].dev for form in FORMS), strict=True), start=1):
        for form, label in zip(FORMS, pair, strict=True):
            asked = replace(model, labels=form == "labels")
            replies[form].append(ask(asked, label, sides[form].train))
        told(number)
    return {
        "n": len(replies["words"]),
        "forms": {form: _means(replies[form]) for form in FORMS},
        "difference": {name: _difference(name, replies) for name in MEASURES},
    }


def _means(replies: Sequence[Asked]) -> dict[str, float | None]:
    sums = {name: sum(asdict(reply)[name] for reply in replies) for name in MEASURES}
    quotes = sums["quotes"]
    shares = {"precision": sums["right"] / quotes, "reliability": sums["found"] / quotes} if quotes else {}
    means = {name: total / len(replies) for name, total in sums.items()}
    return {**means, "precision": None, "reliability": None, **shares}


def _difference(name: str, replies: dict[str, list[Asked]]) -> dict[str, float]:
    words, labels = ([float(asdict(reply)[name]) for reply in replies[form]] for form in FORMS)
    parts = [label - word for word, label in zip(words, labels, strict=True)]
    low, high = bootstrap_interval(parts)
    return {"value": sum(parts) / len(parts), "low": low, "high": high}


def as_table(document: dict[str, Any]) -> Table:
    """The document as a table."""
    table = Table("a reply", *FORMS, "labels minus words (95 %)")
    for name in (*MEASURES, "precision", "reliability"):
        cells = [document["forms"][form][name] for form in FORMS]
        gap = document["difference"].get(name)
        shown = f"{gap['value']:+.2f} [{gap['low']:.2f}, {gap['high']:.2f}]" if gap else ""
        table.add_row(name, *("-" if cell is None else f"{cell:.2f}" for cell in cells), shown)
    return table


@click.command(help=__doc__)
@click.argument("questions", type=click.Path(path_type=Path, exists=True))
@click.option("--corpus", type=click.Path(path_type=Path, exists=True), help="The passages: JSON lines.")
@click.option("--index", type=click.Path(path_type=Path, exists=True), help="The passages: made by hopstop index.")
@click.option("--lm", required=True, metavar="MODEL", help="Any model that DSPy knows.")
@click.option("--api-base", metavar="URL", help="Address of a server of your own.")
@click.option("--dev", default=20, show_default=True, type=click.IntRange(min=1), help="Labels that are asked.")
@click.option("--examples", default=3, show_default=True, type=click.IntRange(min=0), help="Shown in each prompt.")
@click.option("--max-reply-tokens", default=500, show_default=True, type=click.IntRange(min=1))
@click.option("--seed", default=0, show_default=True)
@json_option
def main(
    questions: Path, corpus: Path | None, index: Path | None, lm: str, api_base: str | None,
    dev: int, examples: int, max_reply_tokens: int, seed: int, as_json: bool,
) -> None:  # fmt: skip
    """Run it from the command line."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")  # or the first call waits for a map from the network
    try:
        material = gather(questions, Selection(), corpus=corpus, folder=index)
        lm_made = make_lm(Choice(policy="lm", lm=lm, api_base=api_base, max_reply_tokens=max_reply_tokens))
        model = Model(lm_made, takes_schema(lm_made) if api_base else None, examples)
        amount = Amount(train=max(3, 3 * examples), dev=dev, seed=seed)
        with Console(file=sys.stderr).status("asking") as status:
            document = measure(
                model, material, amount, lambda done: status.update(f"asking: {done} of {dev} labels in both forms")
            )
    except (HopstopError, LMFailed) as error:
        raise click.ClickException(str(error)) from error
    if as_json:
        print_json(document)
    else:
        Console().print(as_table(document))


if __name__ == "__main__":
    main()
