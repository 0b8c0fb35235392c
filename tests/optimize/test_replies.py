from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import dspy
import pytest

from fakes import ScriptedEngine, chat, scripted_lm
from hopstop.optimize.replies import Kept, ModelFailed, RecordedLM, ReplyBook
from hopstop.optimize.single import Single
from hopstop.program.errors import BadInput
from hopstop.program.lm_policy import LMPolicy, rewrite_inputs
from hopstop.program.policy import State
from hopstop.program.records import Usage

ASKED = rewrite_inputs(State("Who directed Alien?"), "the director of Alien", ())
REQUEST = dspy.lm15.Request(model="m", messages=(dspy.lm15.Message.user("hello"),))


def query(lm: dspy.LM, **changes: object) -> str:
    with dspy.context(lm=lm):
        return str(Single(LMPolicy().rewriter, schema=False)(**{**ASKED, **changes}).query)


def counting() -> dspy.LM:
    """Numbers its replies, so that a reply that was asked for again shows."""
    made: list[str] = []

    def answer(asked: str, prompt: str) -> str:
        made.append(prompt)
        return chat(query=f"reply {len(made)}")

    return scripted_lm(answer)


def test_reply_is_asked_for_once_and_again_never(tmp_path: Path) -> None:
    lm = counting()
    book = ReplyBook(tmp_path / "replies.jsonl")
    assert query(RecordedLM(lm, book)) == query(RecordedLM(lm, book)) == "reply 1"
    assert query(RecordedLM(lm, book), missing="another") == "reply 2"
    assert (len(lm.engine.requests), book.replayed, book.paid.calls) == (2, 1, 2)
    later = ReplyBook(tmp_path / "replies.jsonl")
    assert query(RecordedLM(lm, later)) == "reply 1"
    assert (len(lm.engine.requests), later.paid.calls) == (2, 0)
    assert later.total == book.total
    assert later.total.calls == 2


def test_rollout_and_temperature_ask_for_another_reply(tmp_path: Path) -> None:
    recorded = RecordedLM(counting(), ReplyBook(tmp_path / "replies.jsonl"))
    others = [recorded.copy(rollout_id=1, temperature=1.0), recorded.copy(rollout_id=2, temperature=1.0)]
    assert [query(lm) for lm in (recorded, *others, recorded, *others)] == [
        "reply 1", "reply 2", "reply 3", "reply 1", "reply 2", "reply 3",
    ]  # fmt: skip


def test_line_that_a_kill_has_torn_is_asked_for_again(tmp_path: Path) -> None:
    path, lm = tmp_path / "replies.jsonl", counting()
    book = ReplyBook(path)
    query(RecordedLM(lm, book))
    query(RecordedLM(lm, book), missing="another")
    path.write_bytes(path.read_bytes()[:-20])
    later = ReplyBook(path)
    assert query(RecordedLM(lm, later)) == "reply 1"
    assert query(RecordedLM(lm, later), missing="another") == "reply 3"
    assert [json.loads(line)["text"] for line in path.read_text().splitlines()] == [
        chat(query="reply 1"),
        chat(query="reply 3"),
    ]


def test_line_that_is_no_reply_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"request": "x"}\n')
    with pytest.raises(BadInput, match="line 1: not a reply"):
        ReplyBook(tmp_path / "replies.jsonl")


def test_two_threads_that_ask_the_same_pay_once(tmp_path: Path) -> None:
    book, asked = ReplyBook(tmp_path / "replies.jsonl"), []

    def ask() -> tuple[Kept, Usage]:
        asked.append(1)
        time.sleep(0.05)
        return Kept("x", "stop", 1, 1), Usage(calls=1)

    threads = [threading.Thread(target=book.reply, args=(REQUEST, None, ask)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(asked) == 1
    assert book.replayed == 3


def test_prompts_are_not_kept(tmp_path: Path) -> None:
    query(RecordedLM(counting(), ReplyBook(tmp_path / "replies.jsonl")))
    assert "Alien" not in (tmp_path / "replies.jsonl").read_text()


def test_recorded_lm_holds_neither_key_nor_address(tmp_path: Path) -> None:
    lm = dspy.LM(
        "openai/m", api_key="sk-secret-4711", api_base="http://secret.example/v1", max_tokens=77, temperature=0
    )
    recorded = RecordedLM(lm, ReplyBook(tmp_path / "replies.jsonl"))
    assert recorded.kwargs == {"temperature": 0, "max_tokens": 77}


@pytest.mark.parametrize("takes", [True, False])
def test_replies_are_asked_for_in_the_form_that_the_lm_takes(takes: bool, tmp_path: Path) -> None:
    class Engine(ScriptedEngine):
        supports_response_schema = takes

    lm = dspy.LM("scripted/test", engine=Engine(lambda asked, prompt: ""), cache=False)
    assert RecordedLM(lm, ReplyBook(tmp_path / "replies.jsonl")).supports_response_schema is takes


def test_reply_that_dspy_has_read_as_data_is_kept_whole(tmp_path: Path) -> None:
    class Engine(ScriptedEngine):
        def complete(self, request: dspy.lm15.Request) -> dspy.lm15.Response:
            self.requests.append(request)
            data = dspy.lm15.DataPart(value={"query": "Größe \u2713", "more": [1]})
            message = dspy.lm15.Message(role="assistant", parts=(data,))
            usage = dspy.lm15.Usage(input_tokens=1, output_tokens=1, total_tokens=2)
            return dspy.lm15.Response(id="1", model="m", message=message, finish_reason="stop", usage=usage)

    lm = dspy.LM("scripted/test", engine=Engine(lambda asked, prompt: ""), cache=False)
    for _ in range(2):
        reply = RecordedLM(lm, ReplyBook(tmp_path / "replies.jsonl"))("hello")[0]
        assert json.loads(reply) == {"query": "Größe \u2713", "more": [1]}
    assert len(lm.engine.requests) == 1


def test_call_that_fails_for_good_ends_the_job_instead_of_scoring_nothing(tmp_path: Path) -> None:
    class Down(ScriptedEngine):
        def complete(self, request: dspy.lm15.Request) -> dspy.lm15.Response:
            raise dspy.lm15.AuthError("no such key")

    lm = dspy.LM("scripted/down", engine=Down(lambda asked, prompt: ""), cache=False, num_retries=0)
    with pytest.raises(ModelFailed, match="LMAuthError"):
        query(RecordedLM(lm, ReplyBook(tmp_path / "replies.jsonl")))
    assert not (tmp_path / "replies.jsonl").exists()


def test_prompt_that_is_too_long_for_the_model_is_an_unread_reply(tmp_path: Path) -> None:
    class Short(ScriptedEngine):
        def complete(self, request: dspy.lm15.Request) -> dspy.lm15.Response:
            raise dspy.lm15.ContextLengthError("too long")

    lm = dspy.LM("scripted/short", engine=Short(lambda asked, prompt: ""), cache=False, num_retries=0)
    recorded = RecordedLM(lm, ReplyBook(tmp_path / "replies.jsonl"))
    with dspy.context(lm=recorded):
        assert Single(LMPolicy().rewriter, schema=False)(**ASKED).unread


def test_unread_reply_enters_the_trace_for_reflection(tmp_path: Path) -> None:
    lm = scripted_lm(lambda asked, prompt: "no field at all")
    with dspy.context(lm=lm, trace=[]):
        reply = Single(LMPolicy().decider, schema=False)(
            question="q", passages="", facts="", queries=[], draft="", objection=""
        )
        assert (reply.unread, reply.needed, reply.verdict) == (True, [], "")
        assert [step[2] for step in dspy.settings.trace] == [reply]


def test_cost_is_the_same_in_whatever_order_the_replies_came(tmp_path: Path) -> None:
    books = [ReplyBook(tmp_path / name) for name in ("one", "two")]
    for book, costs in zip(books, ((0.1, 0.2, 0.3), (0.3, 0.2, 0.1)), strict=True):
        for number, cost in enumerate(costs):
            asked = Kept("a", "stop", 1, 1, cost), Usage(calls=1, cost_usd=cost)
            book.reply(REQUEST, number, lambda asked=asked: asked)  # type: ignore[misc]
    assert books[0].paid == books[1].paid
    assert books[0].total == books[1].total
