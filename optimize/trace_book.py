"""Recorded runs on the disk: what was run once is never paid for again."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextvars import copy_context
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock

from hopstop.eval.outcomes import CUT_SHORT, drop_torn_line
from hopstop.eval.run import Interrupted
from hopstop.optimize.labelled_sets import Item
from hopstop.optimize.replay import Trace, record
from hopstop.optimize.walk_folds import Told
from hopstop.program.errors import BadInput, BadQuestion
from hopstop.program.loop import IterativeQA
from hopstop.program.records import Limits

Maker = Callable[[Item, Limits], IterativeQA]


@dataclass(frozen=True, slots=True)
class TraceBook:
    """Runs the questions under given limits, or reads how they ran before.

    Args:
        folder: One file for each set of limits, one line for each run.
        items: The questions.
        make: The program for a question, under limits.
        threads: Questions in work at once, >= 1.
        told: Hears how far it is.
    """

    folder: Path
    items: Sequence[Item]
    make: Maker
    threads: int
    told: Told

    def traces(self, name: str, limits: Limits) -> dict[str, Trace]:
        """Key of each question -> its recorded run; without those that failed.

        Args:
            name: Says in a word what is run, e.g. "before"; the same limits under another name are another record.
            limits: Of the runs.

        Raises:
            BadInput: The file of an earlier record is damaged, or every run failed.
            Interrupted: Ctrl-C; what was done is kept.
        """
        digest = sha256(json.dumps(asdict(limits), sort_keys=True).encode()).hexdigest()[:12]
        path = self.folder / f"runs-{name}-{digest}.jsonl"
        drop_torn_line(path)
        known = _read(path)
        todo = [item for item in self.items if item.key not in known]
        stage = f"running {name}"
        self.told(stage, len(self.items) - len(todo), len(self.items))
        self._run(todo, limits, _Page(path, known), stage)
        if not known:
            raise BadInput("every question failed; see that the model can be reached, then run the same command again")
        return {item.key: known[item.key] for item in self.items if item.key in known}

    def _run(self, todo: Sequence[Item], limits: Limits, page: _Page, stage: str) -> None:
        def one(item: Item) -> None:
            try:
                trace = record(self.make(item, limits), item.question.question, item.question.groups)
            except BadQuestion:
                return
            if trace.reason not in CUT_SHORT:  # else it is tried again next time
                page.add(item.key, trace)

        pool = ThreadPoolExecutor(self.threads, thread_name_prefix="hopstop-calibrate")
        tasks: list[Future[None]] = [pool.submit(copy_context().run, one, item) for item in todo]
        try:
            for number, task in enumerate(as_completed(tasks), start=1):
                task.result()
                self.told(stage, len(self.items) - len(todo) + number, len(self.items))
        except KeyboardInterrupt:
            raise Interrupted("stopped; run the same command again to go on") from None
        finally:
            pool.shutdown(cancel_futures=True)


class _Page:
    """One file of runs. Each is written as soon as it is done, by the thread that did it."""

    def __init__(self, path: Path, known: dict[str, Trace]) -> None:
        self._path = path
        self._known = known
        self._lock = Lock()

    def add(self, key: str, trace: Trace) -> None:
        line = json.dumps({"key": key, **trace.to_json()}, ensure_ascii=True).encode("ascii") + b"\n"
        with self._lock:
            with self._path.open("ab") as file:
                file.write(line)
            self._known[key] = trace


def _read(path: Path) -> dict[str, Trace]:
    found: dict[str, Trace] = {}
    lines = path.read_bytes().splitlines() if path.exists() else []
    for number, line in enumerate(lines, start=1):
        try:
            value: Mapping[str, object] = json.loads(line)
            found[str(value["key"])] = Trace.from_json(dict(value))
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{path}, line {number}: no recorded run of this version; remove it and go on") from None
    return found
