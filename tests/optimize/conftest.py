"""Fixtures of the tests of the command line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dspy
import pytest
from chat_server import ChatServer, lm_class, serving

import hopstop.optimize.replies  # noqa: F401 - a class in it derives from dspy.LM, which is replaced below
from fakes import FILMS
from hopstop.program.bm25 import BM25Index


@pytest.fixture
def films(tmp_path: Path) -> Path:
    """Folder of an index of the five film passages."""
    BM25Index.build(FILMS).save(tmp_path / "films.index")
    return tmp_path / "films.index"


@pytest.fixture
def chat_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    monkeypatch.setattr(dspy, "LM", lm_class(cache=False))  # the cache on disk outlives a test
    with serving() as server:
        yield server
