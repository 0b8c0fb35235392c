"""Send the spans of runs to MLflow, in the form of OpenTelemetry.

Token counts are named as OpenTelemetry names them for generative AI (`gen_ai.usage.input_tokens`, see its semantic
conventions), everything else `hopstop.*`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hopstop.eval.tracking import opened
from hopstop.program.tracing import DECIDE, PRUNE, REWRITE, SEARCH

_KINDS = {SEARCH: "RETRIEVER", DECIDE: "LLM", PRUNE: "LLM", REWRITE: "LLM"}
_OPENTELEMETRY = {"input_tokens": "gen_ai.usage.input_tokens", "output_tokens": "gen_ai.usage.output_tokens"}
_NANO = 1_000_000_000


class StoreError(Exception):
    """MLflow cannot use the store; the message names the class of its own error, which may hold an address."""


class MlflowSpan:
    """A span that MLflow keeps. See `hopstop.program.tracing.Span`."""

    def __init__(self, live: Any) -> None:  # noqa: ANN401 - MLflow's spans are untyped
        self.live = live

    def note(self, values: Mapping[str, Any]) -> None:
        """Add attributes; what is not known is left out."""
        named = {_OPENTELEMETRY.get(name, f"hopstop.{name}"): value for name, value in values.items()}
        self.live.set_attributes({name: value for name, value in named.items() if value is not None})

    def show(self, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> None:
        """Set text of question, passages and model."""
        self.live.set_inputs(dict(inputs))
        self.live.set_outputs(dict(outputs))

    def end(self, at: float, *, failed: bool = False) -> None:
        """End it at this time, in seconds since the epoch."""
        self.live.end(status="ERROR" if failed else "OK", end_time_ns=int(at * _NANO))


class MlflowTracer:
    """Gives every question a trace in MLflow: `IterativeQA(..., tracer=MlflowTracer())`.

    MLflow has one store for all traces of a process. `mlflow.dspy.autolog` is not needed.

    Args:
        tracking_uri: The store, set for the whole process; None: the one that the app has set.
        content: Whether spans hold the text of question, passages, queries and answers. Without it they hold counts.

    Raises:
        StoreError: The store cannot be used.
    """

    def __init__(self, tracking_uri: str | None = None, *, content: bool = False) -> None:
        import mlflow
        from sqlalchemy.exc import SQLAlchemyError

        if tracking_uri is not None:
            mlflow.set_tracking_uri(tracking_uri)
        self._start = mlflow.start_span_no_context
        self._flush = mlflow.flush_trace_async_logging
        try:
            self._experiment = opened(mlflow.get_tracking_uri())[1]
        except (mlflow.exceptions.MlflowException, SQLAlchemyError) as error:
            raise StoreError(type(error).__name__) from error
        self._content = content

    @property
    def content(self) -> bool:
        """See Tracer.content."""
        return self._content

    def __deepcopy__(self, memo: dict[int, Any]) -> MlflowTracer:
        """Itself: copies of a program share it."""
        return self

    def start(self, name: str, parent: MlflowSpan | None) -> MlflowSpan:
        """Begin a span now."""
        kind = _KINDS.get(name, "CHAIN")
        if parent is None:
            return MlflowSpan(self._start(name, span_type=kind, experiment_id=self._experiment))
        return MlflowSpan(self._start(name, span_type=kind, parent_span=parent.live))

    def flush(self) -> None:
        """Wait until all traces that have ended are in the store."""
        self._flush()
