"""`hopstop compile`: better prompts from labelled questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import Choice, json_option, policy_options, print_json, with_options

if TYPE_CHECKING:
    from hopstop.eval.tracking import Tracked
    from hopstop.optimize.compile import Compiled, Job
    from hopstop.optimize.compiling import Order

_FILE, _WHOLE = click.Path(path_type=Path), click.IntRange(min=1)
# As `recipes` has them, which takes a second to import.
BUDGETS = {"labeled": 300, "bootstrap": 200, "mipro": 600, "gepa": 600}
EXAMPLES, INSTRUCTION = 4, 4_000
THREADS = 4  # as of an evaluation with a model: they wait for its replies
JOINT_QUESTIONS = 20  # whole loops for each trial; fewer tell programs apart by luck only
TEACHER_REPLY_TOKENS = 4000  # an instruction with the thoughts before it


def _data_options() -> tuple[Any, ...]:
    return (
        click.option("--corpus", metavar="FILE", type=_FILE, help="The passages: JSON lines, text or Markdown."),
        click.option("--index", metavar="INDEX", type=_FILE, help="The passages: made by hopstop index."),
        click.option(
            "--hold-out",
            "held_out",
            multiple=True,
            metavar="FILE",
            type=_FILE,
            help="Questions that you evaluate on: an error if one of them is compiled on.",
        ),
        click.option(
            "--train",
            type=click.IntRange(min=3),
            default=150,
            show_default=True,
            metavar="N",
            help="Labels a predictor, to learn from and to choose by.",
        ),
        click.option(
            "--dev",
            type=_WHOLE,
            default=60,
            show_default=True,
            metavar="N",
            help="Labels a predictor, of other questions, to measure on.",
        ),
        click.option(
            "--quotes",
            type=click.Choice(["labels", "words"]),
            default="labels",
            show_default=True,
            help="How examples quote: by the label of a sentence, or its words.",
        ),
    )


def _recipe_options() -> tuple[Any, ...]:
    return (
        click.option(
            "--recipe", type=click.Choice([*BUDGETS]), required=True, help="How; see above. Try labeled first."
        ),
        click.option(
            "--predictors", metavar="A,B", help="Some of decide,rewrite,prune; by default all that the program asks."
        ),
        click.option(
            "--teacher-lm",
            metavar="MODEL",
            help="Answers examples and writes instructions; by default the model that the predictor asks.",
        ),
        click.option("--teacher-api-base", metavar="URL", help="Address of the teacher's server."),
    )


def _search_options() -> tuple[Any, ...]:
    return (
        click.option(
            "--budget",
            type=_WHOLE,
            metavar="N",
            help="Answers scored for a predictor, those to measure on aside; by default "
            + ", ".join(f"{budget} for {name}" for name, budget in BUDGETS.items())
            + ".",
        ),
        click.option(
            "--examples",
            type=_WHOLE,
            default=EXAMPLES,
            show_default=True,
            metavar="N",
            help="Examples in one prompt, at most.",
        ),
        click.option(
            "--max-instruction",
            type=_WHOLE,
            default=INSTRUCTION,
            show_default=True,
            metavar="N",
            help="Characters of an instruction, at most: it is paid in every round.",
        ),
        click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Of labels and search."),
        click.option(
            "--joint",
            is_flag=True,
            help="At the end, run whole loops on some of the questions, and keep what makes them better.",
        ),
        click.option(
            "--joint-questions",
            type=_WHOLE,
            default=JOINT_QUESTIONS,
            show_default=True,
            metavar="N",
            help="Of whole loops, with --joint.",
        ),
    )


def _work_options() -> tuple[Any, ...]:
    return (
        click.option(
            "--threads",
            type=_WHOLE,
            default=THREADS,
            show_default=True,
            metavar="N",
            help="Calls at once; 1 for a server that takes one at a time. The result is the same.",
        ),
        click.option(
            "--out", type=_FILE, default=Path("artifacts"), show_default=True, metavar="DIR", help="Of all artifacts."
        ),
        click.option("--name", metavar="NAME", help="Of the artifact; by default that of the data."),
        click.option("--work", type=_FILE, metavar="DIR", help="Folder for replies; by default below runs/."),
        click.option("--fresh", is_flag=True, help="Start again instead of going on where an earlier one left off."),
        click.option(
            "--batch",
            is_flag=True,
            help="Mark labels, and run the loops of --joint, in batches, at half the price; each can take up to a day. "
            "Needs --lm anthropic/...",
        ),
        click.option("--yes", is_flag=True, help="Do not ask before calls are made."),
        click.option("--track/--no-track", default=True, show_default=True, help="Log to MLflow."),
    )


@click.command("compile", short_help="Better prompts from labelled questions.")
@click.argument("questions", nargs=-1, required=True, type=_FILE)
@with_options(_data_options())
@policy_options
@with_options((*_recipe_options(), *_search_options(), *_work_options()))
@json_option
def command(choice: Choice, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - the options above
    """Compile the prompts of Decide, Rewrite and Prune on files of labelled QUESTIONS.

    Labels are made from the gold passages, with hard negatives from the index. Each predictor is compiled on its own:
    one call for each label, of the model that it asks. Files after the first may be contrast sets. What it costs at
    most is shown before; the result is measured on labels that nothing was chosen by, and a predictor that became no
    better stays as it is. A stopped compile goes on where it was when you run the same command again, and pays for no
    call twice.

    \b
    Recipes:
      labeled    examples from the labels, the best of several sets
      bootstrap  examples that the teacher answers right
      mipro      both, with instructions that the teacher writes (MIPROv2)
      gepa       instructions rewritten from feedback (GEPA)

    \b
    Examples:
      hopstop compile dev.jsonl --corpus corpus.jsonl --lm openai/gpt-4o-mini --recipe labeled
      hopstop compile dev.jsonl --index my.index --lm openai/local --api-base http://localhost:8000/v1
          --recipe gepa --teacher-lm anthropic/claude-sonnet-4-6 --predictors decide
      hopstop compile dev.jsonl --index my.index --recipe bootstrap --joint --batch
          --lm anthropic/claude-haiku-4-5 --decide-lm anthropic/claude-sonnet-4-6
    """
    if given["corpus"] and given["index"]:
        raise click.UsageError("give --corpus or --index, not both")
    if choice.artifact is None and choice.policy != "lm":
        raise click.UsageError("a compile needs a model: give --lm MODEL, or --policy lm with LLM_MODEL set")
    if given["teacher_api_base"] and not given["teacher_lm"]:
        raise click.UsageError("--teacher-api-base needs --teacher-lm")
    _compile(choice, given, as_json=as_json)


def _compile(choice: Choice, given: Mapping[str, Any], *, as_json: bool) -> None:
    from hopstop.optimize import compiling
    from hopstop.optimize.compile_table import planned
    from hopstop.optimize.evaluation import track
    from hopstop.optimize.show import stderr

    order = _order(choice, given)
    with stderr().status("reading the questions and making labels"):
        job = compiling.prepare(order)
    name = given["name"] or compiling.default_name(job)
    work = given["work"] or compiling.default_work(order, job, name)
    for line in planned(job, work, batch=given["batch"]):
        click.echo(line, err=True)
    if not given["yes"]:
        click.confirm("Go on? (--yes answers this)", abort=True, err=True)
    if given["fresh"]:
        compiling.clear(work, job)
    compiled = _in_batches(job, work) if given["batch"] else compiling.run(job, work)
    folder = compiling.save(job, compiled, given["out"], name)
    compiling.note(job, compiled, folder, work)
    report = compiling.document(job, compiled, folder, work)
    _print(report, track(work) if given["track"] else None, as_json=as_json)
    _tell(report, given, as_json=as_json)


def _order(choice: Choice, given: Mapping[str, Any]) -> Order:
    from hopstop.optimize.compiling import Order
    from hopstop.optimize.labels import Amount
    from hopstop.optimize.recipes import RECIPES

    fields = {
        name: given[name] for name in ("budget", "examples", "max_instruction", "seed") if given[name] is not None
    }
    if given["predictors"]:
        fields["predictors"] = tuple(part.strip() for part in given["predictors"].split(","))
    joint = given["joint_questions"] if given["joint"] else 0
    teacher = None
    if given["teacher_lm"]:
        teacher = Choice(
            policy="lm",
            lm=given["teacher_lm"],
            api_base=given["teacher_api_base"],
            max_reply_tokens=TEACHER_REPLY_TOKENS,
        )
    return Order(
        questions=given["questions"],
        corpus=given["corpus"],
        index=given["index"],
        held_out=given["held_out"],
        choice=choice,
        teacher=teacher,
        recipe=replace(RECIPES[given["recipe"]], joint=joint, **fields),
        amount=Amount(train=given["train"], dev=given["dev"], seed=given["seed"], by_label=given["quotes"] == "labels"),
        named=bool(given["predictors"]),
        threads=given["threads"],
    )


def _in_batches(job: Job, work: Path) -> Compiled:
    from hopstop.optimize import compiling
    from hopstop.optimize.batching import marking_in_batches

    if job.recipe.name != "labeled":
        click.echo(
            f"Note: {job.recipe.name} looks for its prompts with live calls, one after the other, at the full price; "
            "labels are marked in batches before and after.",
            err=True,
        )
    with marking_in_batches(job, work) as batched:
        return compiling.run(batched, work)


def _print(report: Mapping[str, Any], sent: Tracked | None, *, as_json: bool) -> None:
    if as_json:
        print_json(report)
    else:
        from hopstop.optimize.compile_table import compile_table, cost_of
        from hopstop.optimize.show import stdout

        console = stdout()
        console.print(compile_table(report))
        console.print(cost_of(report))
        console.print(f"Artifact: {report['artifact']}", soft_wrap=True)
    if sent is not None:
        click.echo(f"MLflow: {sent.message}", err=as_json or sent.run_id is None)


def _tell(report: Mapping[str, Any], given: Mapping[str, Any], *, as_json: bool) -> None:
    from hopstop.optimize.compile_table import NOTHING_KEPT, kept, next_steps

    if not kept(report):
        click.echo(f"Note: {NOTHING_KEPT}.", err=True)
    elif not as_json:
        for step in next_steps(report, corpus=given["corpus"], index=given["index"]):
            click.echo(step, err=True)
