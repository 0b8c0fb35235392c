"""`hopstop register`: a compiled program and its index as a registered model in MLflow."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hopstop.optimize.options import json_option, print_json

if TYPE_CHECKING:
    from hopstop.eval.champion import Verdict

_FOLDER = click.Path(path_type=Path)


@click.command("register", short_help="Put a program into MLflow's registry.")
@click.argument("artifact", type=_FOLDER)
@click.option("--index", required=True, metavar="INDEX", type=_FOLDER, help="What it searches; made by hopstop index.")
@click.option("--name", required=True, metavar="NAME", help="Of the registered model.")
@click.option(
    "--alias",
    type=click.Choice(["candidate", "champion"]),
    default="candidate",
    show_default=True,
    help="That points to it from then on.",
)
@click.option(
    "--report", "reports", multiple=True, metavar="DIR", type=_FOLDER, help="Of hopstop eval --artifact ARTIFACT."
)
@click.option(
    "--against", multiple=True, metavar="DIR", type=_FOLDER, help="The same of the champion, on the same questions."
)
@click.option("--force", is_flag=True, help="Make it the champion whatever the test says.")
@json_option
def command(artifact: Path, *, as_json: bool, **given: Any) -> None:  # noqa: ANN401 - the options above
    """Register the compiled program in the folder ARTIFACT with its index as a model that MLflow can serve.

    It becomes the candidate. It becomes the champion only if it is better than the champion by a paired test on
    questions that it was not compiled on (--report, --against), or with --force. All passages of the index go into the
    store of MLflow, also those that only some groups may read. No key does: the model that decides takes its key from
    the environment of the process that serves it.

    \b
    Examples:
      hopstop register artifacts/desk/v002 --index desk.index --name desk
      hopstop register artifacts/desk/v002 --index desk.index --name desk --alias champion \\
          --report runs/test-v002 --against runs/test-v001
      mlflow models serve -m models:/desk@champion --env-manager local
    """
    from hopstop.eval.registry import CHAMPION, Registration, register
    from hopstop.optimize.show import stderr

    wanted = {name: given[name] for name in ("index", "name", "alias")}
    beaten = None
    if given["alias"] == CHAMPION and not given["force"]:
        verdict = _verdict(artifact, given)
        click.echo(verdict.words, err=True)
        if not verdict.better:
            raise click.ClickException("not better beyond chance: register it as a candidate, or use --force")
        beaten = verdict.beaten
    with stderr().status("registering in MLflow"):
        made = register(Registration(artifact=artifact, beaten=beaten, **wanted))
    if as_json:
        print_json(made)
        return
    click.echo(f"Registered {made['name']}, version {made['version']}, as {made['alias']}: {made['message']}")
    click.echo(f"Serve it: mlflow models serve -m {made['uri']} --env-manager local")


def _verdict(artifact: Path, given: dict[str, Any]) -> Verdict:
    if not given["reports"]:
        raise click.UsageError("a champion needs --report and --against, or --force")
    from hopstop.eval.champion import judge_champion
    from hopstop.program.artifact_folder import read_version

    return judge_champion(read_version(artifact).manifest, given["reports"], given["against"])
