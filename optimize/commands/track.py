"""`hopstop track`: send a report to MLflow that could not be sent before."""

from __future__ import annotations

from pathlib import Path

import click

from hopstop.optimize.options import json_option, print_json


@click.command("track", short_help="Send a report to MLflow later.")
@click.argument("report_dir", type=click.Path(path_type=Path))
@json_option
def command(report_dir: Path, *, as_json: bool) -> None:
    """Send what is in the folder REPORT_DIR to MLflow, e.g. because it could not be sent when it was run.

    It holds an evaluation (hopstop eval), or is the folder of a compile (--work) or calibration (--runs).

    It goes to the server or file in MLFLOW_TRACKING_URI, or else to the file mlflow.db in this folder.

    \b
    Example:
      MLFLOW_TRACKING_URI=http://mlflow.example.org hopstop track runs/hotpotqa-offline-1a2b3c4d
    """
    from hopstop.optimize.evaluation import track

    sent = track(report_dir)
    if as_json:
        print_json({"run_id": sent.run_id, "message": sent.message, "report": str(report_dir)})
    if sent.run_id is None:
        raise click.ClickException(sent.message)
    if not as_json:
        click.echo(sent.message)
