"""Run a system over labelled questions, in threads, so that a killed run goes on where it was."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import dataclass, replace
from pathlib import Path

from hopstop.eval.folder import OUTCOMES, held, open_folder, start_fresh
from hopstop.eval.outcomes import Row, drop_torn_line, read_rows
from hopstop.eval.questions import Dataset, Question
from hopstop.eval.score import Crash, Score, score
from hopstop.eval.system import System
from hopstop.program.errors import BadInput, HopstopError

__all__ = ["Interrupted", "Progress", "System", "evaluate", "start_fresh"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an evaluation is.

    Attributes:
        done: Questions with a result, those of an earlier run included.
        total: All questions.
        crashed: Of these, the ones that crashed.
        stopping: Whether the user asked to stop, and only the questions in work are still finished.
        note: What else there is to show; may be empty.
    """

    done: int
    total: int
    crashed: int = 0
    stopping: bool = False
    note: str = ""


Listener = Callable[[Progress], None]


class Interrupted(KeyboardInterrupt):
    """The user stopped the evaluation; what was done is on disk. The message says how to go on."""


def evaluate(
    system: System, data: Dataset, out: str | Path, *, threads: int = 4, progress: Listener | None = None
) -> list[Score | Crash]:
    """Run a system over the questions of a data set and keep each result in a folder.

    A second call with the same folder runs only what has no result yet, and what was cut short (see `Row`). Each
    question runs in a thread under a copy of the caller's context, so that `dspy.context` holds there too.

    Args:
        system: What is evaluated.
        data: Questions; their passages are not looked at.
        out: Folder for `run.json` (what was run) and `outcomes.jsonl` (one line for each question, see `Row`).
            `start_fresh(out)` removes an earlier run from it.
        threads: Questions in work at once, >= 1.
        progress: Called in this thread, once at the start and after each question.

    Returns:
        One result for each question, in the order of the data set: the same, times aside, for any number of threads.

    Raises:
        BadInput: threads is below 1, the folder cannot be written, it holds a run of something else, or another run
            works in it.
        Interrupted: Ctrl-C. The questions in work are finished and kept first.
    """
    if threads < 1:
        raise BadInput(f"threads must be >= 1, not {threads}; 1 runs one question after the other")
    with held(Path(out)), writing(out):
        ledger = open_ledger(system, data, out, progress)
        _run(system, ledger.todo(data), threads, ledger)
    return [ledger.rows[question.id].result for question in data.questions]


def open_ledger(system: System, data: Dataset, out: str | Path, progress: Listener | None) -> Ledger:
    """Open the folder of an evaluation, and tell how far it is.

    Raises:
        BadInput: It cannot be used, or holds a run of something else.
    """
    open_folder(Path(out), system, data)
    ledger = Ledger(Path(out) / OUTCOMES, len(data.questions), progress or (lambda _: None))
    ledger.tell()
    return ledger


@contextmanager
def writing(out: str | Path) -> Iterator[None]:
    """Turn an error of the file system into one of ours.

    Raises:
        BadInput: Something inside could not be written.
    """
    try:
        yield
    except OSError as error:
        raise BadInput(
            f"{out}: results cannot be written ({error.strerror}); make room or set its rights, "
            "then run the same command again to go on"
        ) from error


class Ledger:
    """The results so far, in memory and on disk. Used by one thread only.

    Attributes:
        rows: By id of the question; those of an earlier run that were cut short are left out, so that they run again.
    """

    def __init__(self, path: Path, total: int, listener: Listener) -> None:
        drop_torn_line(path)
        self.rows = {name: row for name, row in read_rows(path).items() if not row.cut_short}
        self._progress = Progress(len(self.rows), total)
        self._listener = listener
        self._path = path

    def todo(self, data: Dataset) -> list[Question]:
        """Questions without a result."""
        return [question for question in data.questions if question.id not in self.rows]

    def add(self, row: Row) -> None:
        """Keep a row; a question that has one already stays as it is."""
        if row.id not in self.rows:
            with self._path.open("ab") as file:  # closed, hence handed to the system, before anyone hears of it
                file.write(row.to_line())
            self.rows[row.id] = row
            crashed = self._progress.crashed + row.crashed
            self._progress = replace(self._progress, done=len(self.rows), crashed=crashed)
            self.tell()

    def tell(self, *, stopping: bool = False, note: str = "") -> None:
        """Tell the listener how far it is."""
        self._listener(replace(self._progress, stopping=stopping, note=note))


def _run(system: System, todo: Sequence[Question], threads: int, ledger: Ledger) -> None:
    pool = ThreadPoolExecutor(threads, thread_name_prefix="hopstop-eval")
    tasks = {pool.submit(copy_context().run, _answer, system, question): question for question in todo}
    try:
        for task in as_completed(tasks):
            ledger.add(row_of(tasks[task], task))
    except KeyboardInterrupt:
        ledger.tell(stopping=True)
        pool.shutdown(cancel_futures=True)
        for task, question in tasks.items():
            if not task.cancelled():
                ledger.add(row_of(question, task))
        left = sum(question.id not in ledger.rows for question in todo)
        raise Interrupted(f"stopped with {left} questions left; run the same command again to go on") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _answer(system: System, question: Question) -> Row:
    outcome = system.answers(question.question, groups=question.groups)
    return Row.of(question, score(question, outcome), outcome)


def row_of(question: Question, task: Future[Row] | asyncio.Future[Row]) -> Row:
    """The row of a question whose task has ended; of one that crashed, without the words of its error.

    Raises:
        BaseException: The task was not ended by an `Exception`.
    """
    error = task.exception()
    if error is None:
        return task.result()
    if not isinstance(error, Exception):
        raise error
    return Row.of(question, Crash(question.id, _describe(error)))


def _describe(error: Exception) -> str:
    # The message of somebody else's error may hold a key, an address or text of a passage: only ours are kept.
    kind = type(error).__name__
    if isinstance(error, HopstopError):
        return f"{kind}: {error}"
    frames = [(frame.f_globals.get("__name__", "?"), line) for frame, line in traceback.walk_tb(error.__traceback__)]
    module, line = frames[-1]
    return f"{kind} in {module}, line {line}"
