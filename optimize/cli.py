"""The command `hopstop`. Light: what a command needs is imported when that command runs."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

COMMANDS = {
    "index": "hopstop.optimize.commands.index",
    "ask": "hopstop.optimize.commands.ask",
    "eval": "hopstop.optimize.commands.evaluate",
    "demo": "hopstop.optimize.commands.demo",
    "track": "hopstop.optimize.commands.track",
    "gaps": "hopstop.optimize.commands.gaps",
    "artifact": "hopstop.optimize.commands.artifact",
    "compile": "hopstop.optimize.commands.compile",
    "calibrate": "hopstop.optimize.commands.calibrate",
    "compare": "hopstop.optimize.commands.compare",
    "ablate": "hopstop.optimize.commands.ablate",
    "register": "hopstop.optimize.commands.register",
}
"""Name of a command -> its module, which calls it `command`; in the order in which they are listed."""


class Stopped(click.ClickException):
    """The user pressed Ctrl-C."""

    exit_code = 130  # 128 + SIGINT, as shells have it

    def show(self, file: Any = None) -> None:  # noqa: ANN401 - as click declares it
        """Say how to go on."""
        click.echo(f"\n{self.format_message()}", err=True)


class Hopstop(click.Group):
    """Loads a command when it is asked for, and turns errors of ours into one line and exit code 1."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click declares it
        """Run the command.

        Raises:
            click.ClickException: An error of ours, with its message on one line.
            Stopped: Ctrl-C.
        """
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            raise Stopped(str(stop) or "stopped; run the same command again to go on") from None
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except _our_errors() as error:  # evaluated, hence imported, only when something was raised
            raise click.ClickException(" ".join(str(error).split())) from error


def _our_errors() -> type[Exception]:
    from hopstop.program.errors import HopstopError

    return HopstopError


@click.group(
    cls=Hopstop,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Try `hopstop demo` first. `hopstop COMMAND --help` has examples.",
)
@click.version_option(package_name="hopstop", message="%(prog)s %(version)s")
def main() -> None:
    """Answer questions that need several searches, each built on what the last one found.

    An answer comes with a quote for every fact that it needs, found word for word in your passages; otherwise you are
    told what is missing. No language model is needed; with --lm one decides.
    """
    # Without it the first LM call waits up to 5 s for a price map from the network.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a passage may hold what the terminal cannot show
