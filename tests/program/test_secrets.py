from __future__ import annotations

import copy
import logging
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path

import anthropic
import cloudpickle
import dspy
import pytest
from chat_server import ChatServer, serving

from fakes import BIRTH, DIRECTOR, FILMS, QUESTION, WordRetriever, chat, scripted_lm
from hopstop.program import IterativeQA, LMPolicy, save
from hopstop.program.claude import claude
from hopstop.program.errors import BadInput
from hopstop.program.records import StopReason

KEY = "sk-planted-NOT-REAL-4713"


def answering(prompt: str) -> str:
    facts = [{"need": item.need, "quote": item.quote, "follows_from": []} for item in (DIRECTOR, BIRTH)]
    return chat(needed=facts, answer="South Shields", verdict="STOP")


def failing(prompt: str) -> str:
    raise ConnectionError


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as made:
        made.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
        yield made


def program_of(server: ChatServer) -> IterativeQA:
    lm = dspy.LM("openai/local", api_key=KEY, api_base=server.base, cache=False, num_retries=0)
    return IterativeQA(WordRetriever(FILMS), LMPolicy(lm, schema=False))


def traced(program: IterativeQA) -> Iterator[str]:
    """All that a run tells: its outcome, its rounds and its trace."""
    outcome = program(QUESTION)
    yield from (repr(outcome), outcome.explain())
    yield from map(repr, program.stream(QUESTION))
    with dspy.context(trace=[]):
        program(QUESTION)
        yield from (f"{predictor!r} {inputs} {outputs}" for predictor, inputs, outputs in dspy.settings.trace)


@pytest.mark.parametrize(
    ("reply", "reason"), [(answering, StopReason.ANSWERED), (failing, StopReason.LM_ERROR)], ids=["answers", "fails"]
)
def test_the_key_is_in_no_pickle_state_log_trace_or_outcome(
    reply: Callable[[str], str],
    reason: StopReason,
    server: ChatServer,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    server.reply = reply
    program = program_of(server)
    with caplog.at_level(logging.DEBUG):
        told = list(traced(program))
    assert reason.value in told[0]
    assert set(server.keys) <= {f"Bearer {KEY}"}
    assert KEY not in "\n".join(told)
    assert KEY not in caplog.text
    for part in (program, program.policy, copy.deepcopy(program)):
        assert KEY.encode() not in pickle.dumps(part)
        assert KEY.encode() not in cloudpickle.dumps(part)
    program.save(str(tmp_path / "state.json"))
    program.save(str(tmp_path / "whole"), save_program=True)
    save(program, tmp_path, name="films")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"state.json", "program.pkl", "manifest.json"} <= {path.name for path in files}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []


def test_a_program_from_a_pickle_asks_the_lm_of_its_app(server: ChatServer) -> None:
    other = pickle.loads(pickle.dumps(program_of(server)))
    assert other(QUESTION).reason is StopReason.LM_ERROR  # none is set
    with dspy.context(lm=scripted_lm(lambda asked, prompt: answering(prompt))):
        assert other(QUESTION).answer == "South Shields"
    assert server.sent == []


def test_a_key_of_a_client_of_claude_is_refused_in_a_file(tmp_path: Path) -> None:
    client = anthropic.Anthropic(api_key=KEY, base_url="http://internal.example:1234")
    for number, secret in enumerate((KEY, "http://internal.example:1234")):
        program = IterativeQA(WordRetriever(FILMS), LMPolicy(claude("claude-x", client=client)))
        program.policy.rewriter.demos = [{"question": f"call {secret}", "missing": "m", "query": "q"}]
        with pytest.raises(BadInput, match="key or address"):
            save(program, tmp_path, name=f"leak{number}")
