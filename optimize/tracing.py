"""Traces of what a command runs."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager

from hopstop.eval.sender import STORE_DEFAULTS, without_password
from hopstop.program.errors import BadInput
from hopstop.program.loop import IterativeQA


@contextmanager
def traced(program: IterativeQA, store: str | None) -> Iterator[None]:
    """Send a trace of each question that is asked inside to an MLflow store; None: to none.

    Raises:
        BadInput: The store cannot be used.
    """
    if store is None:
        yield
        return
    for name, value in STORE_DEFAULTS.items():
        os.environ.setdefault(name, value)
    from hopstop.eval.tracing import MlflowTracer, StoreError

    for name in ("alembic", "mlflow"):  # they tell of each table of a new store, and that they are about to end
        logging.getLogger(name).setLevel(logging.WARNING)

    try:
        program.tracer = tracer = MlflowTracer(store)
    except StoreError as error:
        raise BadInput(
            f"--trace-to {without_password(store)}: MLflow cannot use this store ({error}); "
            "give e.g. sqlite:///mlflow.db, or leave it out"
        ) from error
    try:
        yield
    finally:
        tracer.flush()
