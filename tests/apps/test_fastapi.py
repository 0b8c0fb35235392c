from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from fastapi.testclient import TestClient

from apps.fastapi_app import create_app
from compiled import compiled, searching
from fakes import FILMS, QUESTION, scripted_lm
from hopstop.program import BM25Index, load, save


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    """The app over a program that was loaded from its artifact."""
    folder = save(compiled(), tmp_path, name="films")
    return TestClient(create_app(load(folder, retriever=BM25Index.build(FILMS), lm=scripted_lm(searching))))


def streamed(client: TestClient, question: str, **headers: str) -> list[dict[str, Any]]:
    with client.stream("GET", "/stream", params={"question": question}, headers=headers) as response:
        assert response.headers["content-type"] == "application/x-ndjson"
        return [json.loads(line) for line in response.iter_lines()]


def test_a_question_over_http_ends_with_a_named_reason(client: TestClient) -> None:
    reply = client.get("/ask", params={"question": QUESTION}).json()
    assert (reply["answer"], reply["reason"]) == (None, "ROUND_LIMIT")
    assert "no passage read says: x" in reply["explanation"]


def test_rounds_are_streamed_one_a_line_and_the_outcome_last(client: TestClient) -> None:
    *rounds, outcome = streamed(client, QUESTION)
    assert [item["event"] for item in rounds] == ["round"] * len(outcome["rounds"])
    assert [item["number"] for item in rounds] == [1, 2, 3]
    assert (outcome["event"], outcome["reason"]) == ("outcome", "ROUND_LIMIT")


def test_groups_of_the_user_decide_what_is_read(client: TestClient) -> None:
    paid = "What was Ridley Scott paid?"
    assert "XYZZY" not in json.dumps(streamed(client, paid))
    assert "XYZZY" not in json.dumps(streamed(client, paid, **{"x-groups": "sales"}))
    assert "XYZZY" in json.dumps(streamed(client, paid, **{"x-groups": "sales, finance"}))


@pytest.mark.parametrize("path", ["/ask", "/stream"])
def test_an_unusable_question_is_a_client_error(client: TestClient, path: str) -> None:
    reply = client.get(path, params={"question": "?"})
    assert (reply.status_code, "question is empty" in reply.json()["detail"]) == (422, True)
