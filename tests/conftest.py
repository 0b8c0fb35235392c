"""Fixtures of all tests."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from forked import Forked

if TYPE_CHECKING:
    from hopstop.program import BM25Index

# Before anything imports dspy: without a network its first LM call would wait for a price map.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "true")
# DSPy's disk cache outlives a test run; a reply of an earlier run must not answer for a fake of this one.
_CACHE = tempfile.TemporaryDirectory(prefix="hopstop-tests-")
os.environ["DSPY_CACHEDIR"] = _CACHE.name
# A job in the background of a shell ignores Ctrl-C, and so do its children; tests that press it would wait for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def data() -> Path:
    """Folder of the labelled questions; tests that need it are skipped where it is absent."""
    folder = Path(__file__).parents[1] / ".." / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the labelled questions are not beside this checkout (../shared/data)")
    return folder


@pytest.fixture(scope="session")
def mlflow_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the tables of MLflow, to copy: it takes MLflow seconds to make them."""
    path = tmp_path_factory.mktemp("tables") / "mlflow.db"
    code = f"import mlflow; mlflow.MlflowClient('sqlite:///{path}').search_experiments()"
    done = Forked("-c", code).finish(timeout=90)
    assert done.returncode == 0, done.stderr
    return path


@pytest.fixture(scope="session")
def musique(data: Path) -> BM25Index:
    """Index of all passages of that set."""
    from hopstop.program import BM25Index, read_corpus

    return BM25Index.build(read_corpus([data / "musique_corpus.jsonl.gz"]))
