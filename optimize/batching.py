"""What `--batch` changes: models whose calls go through the Message Batches API, at half the price."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopstop.eval.batch_run import AT_ONCE, WAITING_SECONDS, InBatches
from hopstop.eval.batch_service import BatchService, BatchStopped
from hopstop.eval.batch_threads import in_thread
from hopstop.eval.batched import BatchedLM, batched
from hopstop.eval.batches import DEFAULT_PACE, Batches
from hopstop.eval.folder import held
from hopstop.eval.system import System
from hopstop.optimize.build import make_lm
from hopstop.optimize.compile import Job
from hopstop.optimize.options import Choice
from hopstop.optimize.tiers import policy_of, with_lms
from hopstop.program.claude import ClaudeLM
from hopstop.program.errors import BadInput
from hopstop.program.loop import IterativeQA

JOURNAL_LOCK = ".batches.lock"  # of its own: the journal is open before and after the compile, which holds the folder
NEEDS = "--batch goes through Anthropic's Message Batches API, which {!r} is no part of: name --lm anthropic/..."


class Batching:
    """Makes the models of one program, whose calls share batches."""

    def __init__(self) -> None:
        self._batches: Batches | None = None

    def lm(self, choice: Choice) -> BatchedLM:
        """The model of a choice, in place of `make_lm`.

        Raises:
            BadInput: It is none of Anthropic's, or see `make_lm`.
        """
        lm = _checked(make_lm(choice))
        if self._batches is None:
            self._batches = _batches_of(lm)
        return batched(lm, self._batches)

    def evaluating(self, program: IterativeQA, system: System, at_once: int | None) -> tuple[System, InBatches]:
        """The system as reports name it, and how it is evaluated. The program gets time to wait for batches.

        Raises:
            BadInput: The program calls no model.
        """
        if self._batches is None:
            raise BadInput("--batch needs a model whose calls it can send: --lm anthropic/...")
        how = InBatches(
            answers=program.acall,
            batches=self._batches,
            live_seconds=program.limits.max_seconds,
            at_once=at_once or AT_ONCE,
        )
        program.limits = replace(program.limits, max_seconds=WAITING_SECONDS)
        return replace(system, limits={**system.limits, "batch": True}), how


@contextmanager
def marking_in_batches(job: Job, work: Path) -> Iterator[Job]:
    """The job with models that mark labels, and run whole loops, in batches; single calls of optimisers stay live.

    Raises:
        BadInput: A model is none of Anthropic's, the journal is damaged or in use, or the service takes no batches.
    """
    before, policy = job.program, policy_of(job.program)
    batches = _batches_of(_checked(policy.caller.lm))
    mine = with_lms(policy, lambda lm: batched(_checked(lm), batches))
    try:
        with held(work, JOURNAL_LOCK):
            batches.keep_in(work)
            with in_thread(batches):
                yield replace(job, program=before.like(policy=mine))
    except BatchStopped as error:
        raise BadInput(str(error)) from error


def _checked(lm: Any) -> ClaudeLM:  # noqa: ANN401 - a DSPy LM is untyped
    if not isinstance(lm, ClaudeLM):
        raise BadInput(NEEDS.format(lm.model))
    return lm


def _batches_of(lm: ClaudeLM) -> Batches:
    return Batches(BatchService(lm.engine.clients, DEFAULT_PACE), DEFAULT_PACE)
