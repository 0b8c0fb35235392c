"""What is left in a process once the program has answered: nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import dspy
import pytest
from chat_server import ChatServer
from skilled import desk_job

from fakes import FILMS, QUESTION
from hopstop.eval.questions import Dataset, Question
from hopstop.eval.run import evaluate
from hopstop.eval.system import System
from hopstop.optimize.compile import compile_program
from hopstop.optimize.recipes import RECIPES
from hopstop.program import BM25Index, IterativeQA, Limits, LMPolicy

DATA = Dataset.of("made", [Question(f"q{number}", QUESTION, ("South Shields",)) for number in range(6)])


def once(program: IterativeQA, folder: Path) -> None:
    program(QUESTION)


def awaited(program: IterativeQA, folder: Path) -> None:
    asyncio.run(program.acall(QUESTION))


def left_early(program: IterativeQA, folder: Path) -> None:
    events = program.stream(QUESTION)
    next(events)
    events.close()  # type: ignore[attr-defined]


def evaluated(program: IterativeQA, folder: Path) -> None:
    evaluate(System(answers=program, policy="lm"), DATA, folder, threads=4)


def compiled(program: IterativeQA, folder: Path) -> None:
    recipe = replace(RECIPES["labeled"], budget=40, candidates=1, predictors=("prune",))
    compile_program(replace(desk_job(recipe), threads=4), folder)


def left_since(before: set[int | None], *, seconds: float) -> list[str]:
    """Names of threads that were not there and still run after so long; those that the server starts are its own."""
    mine = [thread for thread in threading.enumerate() if thread.ident not in before]
    ours = [thread for thread in mine if "process_request_thread" not in thread.name]
    end = time.monotonic() + seconds
    for thread in ours:
        thread.join(max(0.0, end - time.monotonic()))
    return [thread.name for thread in ours if thread.is_alive()]


@pytest.mark.parametrize("use", [once, awaited, left_early, evaluated, compiled])
def test_no_thread_is_left(use: Callable[[IterativeQA, Path], None], chat_server: ChatServer, tmp_path: Path) -> None:
    chat_server.reply = lambda prompt: "nothing that can be read"
    lm = dspy.LM("openai/local", api_base=chat_server.base, api_key="none")
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(lm, schema=False), Limits(max_rounds=2))
    before = {thread.ident for thread in threading.enumerate()}
    use(program, tmp_path)
    # A stream that is left ends before its next call; nothing else has anything to wait for.
    assert left_since(before, seconds=10.0 if use is left_early else 0.0) == []


def test_a_call_that_outlasts_its_question_is_left_until_its_client_gives_up(chat_server: ChatServer) -> None:
    chat_server.reply = lambda prompt: time.sleep(1.5) or "too late"  # type: ignore[func-returns-value]
    chat_server.handle_error = lambda request, client_address: None  # type: ignore[method-assign]
    lm = dspy.LM("openai/local", api_base=chat_server.base, api_key="none", num_retries=0)
    program = IterativeQA(BM25Index.build(FILMS), LMPolicy(lm, schema=False), Limits(max_seconds=0.3))
    before = {thread.ident for thread in threading.enumerate()}
    assert program(QUESTION).reason == "TIME_LIMIT"
    assert left_since(before, seconds=10.0) == []
