"""`hopstop artifact`: what a compiled program holds, and what changed between two."""

from __future__ import annotations

from pathlib import Path

import click

from hopstop.optimize.options import json_option, print_json

_FOLDER = click.Path(path_type=Path)


@click.group("artifact", short_help="Look into compiled programs.")
def command() -> None:
    """Look into compiled programs: the folders that --artifact takes.

    \b
    Examples:
      hopstop artifact show artifacts/offline/v001
      hopstop artifact diff artifacts/desk/v001 artifacts/desk/v002
    """


@command.command("show")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@json_option
def show(folder: Path, *, as_json: bool) -> None:
    """Show what the compiled program in DIR holds: prompts, examples, limits, scores, how it was made.

    \b
    Example:
      hopstop artifact show artifacts/offline/v001
    """
    from hopstop.program.artifact_view import describe

    found = describe(folder)
    if as_json:
        print_json(found.to_json())
    else:
        click.echo(found.text(), nl=False)


@command.command("diff")
@click.argument("before", metavar="A", type=_FOLDER)
@click.argument("after", metavar="B", type=_FOLDER)
@json_option
def compare(before: Path, after: Path, *, as_json: bool) -> None:
    """Show what changed from the compiled program in A to the one in B.

    \b
    Example:
      hopstop artifact diff artifacts/desk/v001 artifacts/desk/v002
    """
    from hopstop.program.artifact_diff import diff

    changes = diff(before, after)
    if as_json:
        print_json(changes.to_json())
    else:
        click.echo(changes.text(), nl=False)
