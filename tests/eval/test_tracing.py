"""Traces in a real MLflow store."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from pathlib import Path

import mlflow
import pytest
from mlflow.entities import Trace

from fakes import ALIEN, FILMS, HALF, QUESTION, SCOTT, ScriptedPolicy, WordRetriever, chat, scripted_lm
from hopstop.eval.sender import EXPERIMENT
from hopstop.eval.tracing import MlflowTracer
from hopstop.program.lm_policy import LMPolicy
from hopstop.program.loop import IterativeQA
from hopstop.program.policy import Reply, State
from hopstop.program.records import Decision, Limits, StopReason
from hopstop.program.runtime import Runtime

NEED = "the birthplace of Ridley Scott"
OPEN = chat(needed=[{"need": NEED, "quote": "", "follows_from": []}], answer="", verdict="SEARCH")
SHOWN = chat(needed=[{"need": NEED, "quote": "P2.1", "follows_from": []}], answer="South Shields", verdict="STOP")


def two_rounds(asked: str, prompt: str) -> str:
    if asked == "decide":
        return SHOWN if "was born in South Shields" in prompt else OPEN
    return chat(useful=["P1"], leads_on=[]) if asked == "prune" else chat(query="Ridley Scott born")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory, mlflow_tables: Path) -> Iterator[Path]:
    before = mlflow.get_tracking_uri()
    path = tmp_path_factory.mktemp("traces") / "mlflow.db"
    shutil.copy(mlflow_tables, path)
    mlflow.set_tracking_uri(f"sqlite:///{path}")
    with chdir(path.parent):  # where MLflow keeps files
        yield path
    mlflow.set_tracking_uri(before)


def program(tracer: MlflowTracer | None) -> IterativeQA:
    return IterativeQA(
        WordRetriever(FILMS), LMPolicy(scripted_lm(two_rounds)), Limits(first_k=1, next_k=1), tracer=tracer
    )


def traces(count: int) -> list[Trace]:
    """The newest traces of our experiment, spans included."""
    experiment = mlflow.get_experiment_by_name(EXPERIMENT)
    assert experiment is not None
    return list(
        mlflow.search_traces(
            locations=[experiment.experiment_id], max_results=count, return_type="list", include_spans=True
        )
    )


def tree(trace: Trace) -> list[tuple[str, list[str]]]:
    """Each round with the names of its children, sorted."""
    spans = trace.data.spans
    (root,) = [span for span in spans if span.parent_id is None]
    assert root.name == "question"
    rounds = [span for span in spans if span.parent_id == root.span_id]
    found = [(item.name, sorted(span.name for span in spans if span.parent_id == item.span_id)) for item in rounds]
    assert 1 + len(rounds) + sum(len(names) for _, names in found) == len(spans)
    return found


TWO_ROUNDS = [("round", ["decide", "prune", "rewrite", "search"]), ("round", ["decide", "search"])]


def test_a_question_is_a_tree_of_rounds_and_steps_with_their_counts(store: Path) -> None:
    tracer = MlflowTracer()
    outcome = program(tracer)(QUESTION)
    assert outcome.reason is StopReason.ANSWERED
    tracer.flush()
    (trace,) = traces(1)
    assert tree(trace) == TWO_ROUNDS
    spans = trace.data.spans
    root = next(span for span in spans if span.parent_id is None)
    assert root.attributes["hopstop.reason"] == "ANSWERED"
    assert root.attributes["hopstop.rounds"] == 2
    total = root.attributes["gen_ai.usage.input_tokens"]
    calls = [span for span in spans if span.name in ("decide", "prune", "rewrite")]
    assert total == outcome.usage.input_tokens == sum(span.attributes["gen_ai.usage.input_tokens"] for span in calls)
    first = next(span for span in spans if span.name == "round")
    names = ("hopstop.number", "hopstop.hits", "hopstop.new", "hopstop.kept", "hopstop.objections")
    assert [first.attributes[name] for name in names] == [1, 1, 1, 1, len(outcome.rounds[0].objections)]
    search = next(span for span in spans if span.name == "search")
    assert (search.attributes["hopstop.k"], search.attributes["hopstop.hits"]) == (1, 1)
    assert all(span.status.status_code == "OK" and span.end_time_ns >= span.start_time_ns for span in spans)
    assert all(root.start_time_ns <= span.start_time_ns and span.end_time_ns <= root.end_time_ns for span in spans)


def test_nothing_that_was_asked_read_or_written_is_in_the_store(store: Path) -> None:
    tracer = MlflowTracer()
    program(tracer)(QUESTION)
    tracer.flush()
    data = b"".join(path.read_bytes() for path in store.parent.rglob("*") if path.is_file())
    assert b"hopstop.reason" in data
    for text in (ALIEN.text, SCOTT.text, QUESTION, "South Shields", "Ridley Scott", NEED, "directed by"):
        assert text.encode() not in data, text


def test_threads_and_tasks_at_once_each_get_a_tree_of_their_own(store: Path) -> None:
    tracer = MlflowTracer()
    qa = program(tracer)

    async def tasks() -> None:
        await asyncio.gather(*(qa.acall(QUESTION) for _ in range(8)))

    with ThreadPoolExecutor(9) as pool:
        waiting = [pool.submit(qa, QUESTION) for _ in range(8)]
        asyncio.run(tasks())
        assert all(task.result().reason is StopReason.ANSWERED for task in waiting)
    tracer.flush()
    found = traces(16)
    assert len({trace.info.trace_id for trace in found}) == 16
    assert all(tree(trace) == TWO_ROUNDS for trace in found)


def test_a_run_that_raises_ends_its_spans_as_failed(store: Path) -> None:
    class Broken(ScriptedPolicy):
        async def decide(self, state: State, runtime: Runtime) -> Reply[Decision]:
            raise ZeroDivisionError(f"with text: {ALIEN.text}")

    tracer = MlflowTracer()
    with pytest.raises(ZeroDivisionError):
        IterativeQA(WordRetriever(FILMS), Broken([HALF]), tracer=tracer)(QUESTION)
    tracer.flush()
    (trace,) = traces(1)
    assert tree(trace) == [("round", ["decide", "search"])]
    codes = {span.name: span.status.status_code for span in trace.data.spans}
    assert codes == {"question": "ERROR", "round": "ERROR", "search": "OK", "decide": "ERROR"}
    assert all(not span.events for span in trace.data.spans)


def test_text_is_there_when_it_is_asked_for(store: Path) -> None:
    tracer = MlflowTracer(content=True)
    program(tracer)(QUESTION)
    tracer.flush()
    (trace,) = traces(1)
    root = next(span for span in trace.data.spans if span.parent_id is None)
    assert root.inputs == {"question": QUESTION}
    assert root.outputs["answer"] == "South Shields"
    decide = [span for span in trace.data.spans if span.name == "decide"][-1]
    assert SCOTT.text.split(". ")[0] in decide.inputs["passages"]
    rewrite = next(span for span in trace.data.spans if span.name == "rewrite")
    assert rewrite.outputs == {"query": "Ridley Scott born"}


def test_a_trace_changes_nothing_of_the_outcome(store: Path) -> None:
    traced, plain = program(MlflowTracer())(QUESTION), program(None)(QUESTION)
    for name in ("reason", "answer", "facts", "usage", "policy", "ranking"):
        assert getattr(traced, name) == getattr(plain, name)
