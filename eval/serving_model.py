"""The program as an MLflow model. MLflow keeps this file and runs it where the model is loaded; nothing is pickled.

A row of the input is a question and the groups of the user who asks: whoever calls has to know that they are. The model
of a compiled program gets its key from the environment of the process that serves it, as its provider names it, e.g.
OPENAI_API_KEY; LLM_MODEL and LLM_API_BASE name another model, and a server of one's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from typing import Any

import dspy
import mlflow.models
import mlflow.pyfunc
import pandas as pd  # comes with MLflow, which gives inputs in its form

from hopstop.program.artifact import load
from hopstop.program.artifact_folder import read_version
from hopstop.program.bm25 import BM25Index
from hopstop.program.errors import BadInput, HopstopError
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.manifest import TIERS, Manifest
from hopstop.program.records import Outcome

PROGRAM, INDEX = "program", "index"  # names of the two folders that come with the model
REPLY_TOKENS = 1000  # a long reply of Decide has about 400
NO_KEY = "none"  # what servers of one's own are sent; clients refuse to send nothing
THREADS = 8  # questions of one request in work at once


class ServedProgram(mlflow.pyfunc.PythonModel):
    """Answers the questions of a request; never touches `dspy.settings`."""

    def load_context(self, context: Any) -> None:  # noqa: ANN401 - MLflow's types are not known
        """Load the index and the program, all checked; see `artifact.load`."""
        folder = Path(context.artifacts[PROGRAM])
        index = BM25Index.load(Path(context.artifacts[INDEX]))
        manifest = read_version(folder).manifest
        self._program = load(folder, retriever=index, lm=_model(manifest))
        if isinstance(self._program.policy, LMPolicy):
            self._program.policy.route(*_tiers(manifest))

    def predict(self, context: Any, model_input: pd.DataFrame, params: Any = None) -> list[dict[str, Any]]:  # noqa: ANN401
        """One answer for each row.

        Args:
            context: Of MLflow.
            model_input: A data frame with `question` and, if given, `groups`, a list of names.
            params: Not used.

        Returns:
            For each row answer, reason, quotes (need, passage_id, title, text, start, end), missing, draft, explanation
            and error: what was wrong with the question, or None.
        """
        rows = model_input.to_dict("records")
        with ThreadPoolExecutor(min(THREADS, max(1, len(rows))), thread_name_prefix="hopstop-serve") as pool:
            tasks = [pool.submit(copy_context().run, self._answer, row) for row in rows]
        return [task.result() for task in tasks]

    def _answer(self, row: dict[str, Any]) -> dict[str, Any]:
        try:
            return _document(self._program(str(row["question"]), groups=_groups(row.get("groups"))))
        except HopstopError as error:
            return {**_NOTHING, "error": str(error)}


_NOTHING: dict[str, Any] = {
    "answer": None, "reason": None, "quotes": [], "missing": [], "draft": "", "explanation": "",
}  # fmt: skip


def _document(outcome: Outcome) -> dict[str, Any]:
    titles = {passage.id: passage.title for passage in outcome.evidence}
    quotes = [
        {
            "need": fact.need,
            "passage_id": fact.quote.passage_id,
            "title": titles.get(fact.quote.passage_id, ""),
            "text": fact.quote.text,
            "start": fact.quote.start,
            "end": fact.quote.end,
        }
        for fact in outcome.citations
        if fact.quote is not None
    ]
    return {
        "answer": outcome.answer,
        "reason": outcome.reason.value,
        "quotes": quotes,
        "missing": list(outcome.missing),
        "draft": outcome.draft,
        "explanation": outcome.explain(),
        "error": None,
    }


def _groups(value: Any) -> frozenset[str]:  # noqa: ANN401 - JSON of a request
    """Names of groups; anything but a list of names gives no rights."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return frozenset()
    return frozenset(item for item in value if isinstance(item, str))


def _model(manifest: Manifest) -> Any:  # noqa: ANN401 - a DSPy LM is untyped
    if manifest.policy != "lm":
        return None
    name = os.environ.get("LLM_MODEL") or manifest.lm
    if not name:
        raise BadInput("this program was compiled without naming a model: set LLM_MODEL, e.g. to openai/gpt-4o-mini")
    return _lm(name, of=name)


def _tiers(manifest: Manifest) -> list[Any]:
    """The models besides the first, as compiled; another first one, named in LLM_MODEL, does all."""
    first = os.environ.get("LLM_MODEL") or manifest.lm
    named = manifest.tiers if first == manifest.lm else {}
    return [_lm(named[tier], of=str(first)) if tier in named else None for tier in TIERS]


def _lm(name: str, *, of: str) -> Any:  # noqa: ANN401
    """A model; LLM_API_BASE is the address of the provider of the first one."""
    provider = name.partition("/")[0]
    server: dict[str, Any] = {}
    base = os.environ.get("LLM_API_BASE")
    if base and provider == of.partition("/")[0]:
        server["api_base"] = base
        if not os.environ.get(f"{provider.upper()}_API_KEY"):
            server["api_key"] = NO_KEY
    return dspy.LM(name, max_tokens=REPLY_TOKENS, **server)


mlflow.models.set_model(ServedProgram())
