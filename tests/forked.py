"""Processes of Python for tests, forked from one that has imported already what takes seconds.

Each is as separate as one that was started anew: it has an environment, a working directory and output of its own, and
nothing of the process of the tests. Only what a process reads when it starts or when it imports (the hash seed, DSPy's
cache folder) is that of the test run; a test of these starts its process the usual way.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    ["pytest", "fakes", "hopstop.eval.registry", "hopstop.optimize.cli", "anthropic", "mlflow.pyfunc", "pandas"]
)


class Forked:
    """A process like `subprocess.Popen([sys.executable, *words])`; its output is kept in files."""

    def __init__(self, *words: object, environment: Mapping[str, str] | None = None) -> None:
        self._scratch = tempfile.TemporaryDirectory()
        self._files = [Path(self._scratch.name) / name for name in ("out", "err")]
        where = {**(os.environ if environment is None else environment)}, os.getcwd()
        self._process = _SERVER.Process(target=_run, args=([*map(str, words)], *where, [*map(str, self._files)]))
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """Its exit code once it has ended."""
        return self._process.exitcode

    def finish(self, timeout: float) -> subprocess.CompletedProcess[str]:
        """Wait for its end.

        Raises:
            subprocess.TimeoutExpired: It was killed after so many seconds.
        """
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            self._process.kill()
            self._process.join()
            raise subprocess.TimeoutExpired("forked", timeout)
        out, err = (path.read_text(encoding="utf-8") if path.exists() else "" for path in self._files)
        self._scratch.cleanup()
        return subprocess.CompletedProcess([], code, out, err)


def run_forked(command: Sequence[str], *, env: Mapping[str, str], timeout: float, **_: Any) -> Any:  # noqa: ANN401
    """In the place of `subprocess.run`, for a command that runs Python."""
    assert command[0] == sys.executable
    done = Forked(*(word for word in command[1:] if word != "-P"), environment=env).finish(timeout)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.encode(), done.stderr.encode())


def _run(words: list[str], environment: dict[str, str], folder: str, files: list[str]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate(files, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    option, what, *rest = words
    sys.argv = [what, *rest]
    if option == "-m":
        sys.modules.pop(what, None)  # or it would warn that it is there
        runpy.run_module(what, run_name="__main__", alter_sys=True)
    else:
        assert option == "-c"
        exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
