"""Every LM reply of a long job, kept on disk: a job that was killed goes on and pays for no reply twice."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from math import fsum
from pathlib import Path
from typing import Any

import dspy
from dspy import lm15
from dspy.clients.backend_selection import CLIENT_KEYS
from dspy.utils.exceptions import ContextWindowExceededError, LMError

from hopstop.program.errors import BadInput
from hopstop.program.meter import metered
from hopstop.program.records import Usage

_rollout: ContextVar[object] = ContextVar("hopstop_rollout", default=None)


class ModelFailed(BaseException):
    """A call failed for good.

    Not an Exception, because DSPy's optimisers catch those and go on with a score of 0, which would be taken for a
    judgement of the prompt. `compile_program` turns it into an error of ours.
    """


@dataclass(frozen=True, slots=True)
class Kept:
    """One reply as it is kept.

    Attributes:
        text: What the model wrote.
        finish_reason: As the provider names it.
        input_tokens: Of the prompt.
        output_tokens: Of the reply.
        cost_usd: Price of the call; None if unknown.
    """

    text: str
    finish_reason: str
    input_tokens: int
    output_tokens: int
    cost_usd: float | None = None


class ReplyBook:
    """The replies of a job by request, in memory and in a file of JSON lines. Safe in many threads.

    A request is known by its SHA-256 alone: prompts are not kept, and keys and addresses are no part of it.

    Args:
        path: The file; what a kill has torn at its end is cut off.
        listener: Called after each reply, in the thread that asked.

    Raises:
        BadInput: A whole line of the file is no reply; names it.

    Attributes:
        replayed: Requests that were answered from the file or asked twice.
    """

    def __init__(self, path: Path, listener: Callable[[], None] = lambda: None) -> None:
        self.replayed = 0
        self._paid = Usage()
        self._costs: list[float] = []  # of the calls paid: their sum must not hang on the order in which threads end
        self._path = path
        self._listener = listener
        self._lock = threading.Lock()
        self._locks: dict[str, threading.Lock] = {}
        self._kept = _read(path)

    def reply(self, request: lm15.Request, rollout: object, ask: Callable[[], tuple[Kept, Usage]]) -> Kept:
        """The kept reply to a request; it is asked for if there is none. One request is never asked twice at once."""
        key = sha256(f"{request!r} {rollout!r}".encode("utf-8", "surrogatepass")).hexdigest()
        with self._lock:
            mine = self._locks.setdefault(key, threading.Lock())
        with mine:
            found = self._kept.get(key)
            if found is None:
                found, usage = ask()
                self._keep(key, found, usage)
            else:
                with self._lock:
                    self.replayed += 1
        self._listener()
        return found

    @property
    def paid(self) -> Usage:
        """What the calls that were really made have used."""
        with self._lock:
            return replace(self._paid, cost_usd=_dollars(self._costs))

    @property
    def total(self) -> Usage:
        """What all kept replies have used, those of earlier runs included; the same however often a job was killed."""
        with self._lock:
            every = list(self._kept.values())
        return Usage(
            calls=len(every),
            input_tokens=sum(item.input_tokens for item in every),
            output_tokens=sum(item.output_tokens for item in every),
            cost_usd=_dollars([item.cost_usd for item in every if item.cost_usd is not None]),
        )

    def _keep(self, key: str, reply: Kept, usage: Usage) -> None:
        line = json.dumps({"request": key, **asdict(reply)}).encode("ascii") + b"\n"
        with self._lock:
            with self._path.open("ab") as file:  # closed, hence handed to the system, before anyone uses the reply
                file.write(line)
            self._kept[key] = reply
            self._paid += usage
            self._costs += [] if usage.cost_usd is None else [usage.cost_usd]


def _dollars(costs: Sequence[float]) -> float | None:
    """The sum, the same in any order; None if no price is known."""
    return fsum(costs) if costs else None


def _read(path: Path) -> dict[str, Kept]:
    if not path.exists():
        return {}
    lines = path.read_bytes().split(b"\n")[:-1]
    with path.open("r+b") as file:
        file.truncate(sum(len(line) + 1 for line in lines))
    return dict(_row(line, f"{path}, line {number}") for number, line in enumerate(lines, start=1))


def _row(line: bytes, place: str) -> tuple[str, Kept]:
    try:
        row = json.loads(line)
        return row.pop("request"), Kept(**row)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(f"{place}: not a reply that Hopstop has kept; start again (--fresh)") from None


class RecordedLM(dspy.LM):
    """An LM whose replies go through a book. Holds neither key nor address: the LM that is asked keeps them.

    Args:
        lm: The LM that is asked, with its own cache and retries.
        book: Where replies are kept.
    """

    def __init__(self, lm: Any, book: ReplyBook) -> None:  # noqa: ANN401 - a DSPy LM is untyped
        options = {name: value for name, value in lm.kwargs.items() if name not in CLIENT_KEYS}
        engine = _Recorder(lm, book)
        super().__init__(lm.model, engine=engine, model_type=lm.model_type, cache=False, num_retries=0, **options)

    def __call__(self, *given: Any, **options: Any) -> Any:  # noqa: ANN401 - as DSPy declares it
        """See dspy.LM; a `rollout_id` asks for another reply to the same request."""
        token = _rollout.set(options.get("rollout_id", self.kwargs.get("rollout_id")))
        try:
            return super().__call__(*given, **options)
        finally:
            _rollout.reset(token)


class _Recorder:
    """An engine of DSPy that asks another LM, through a book."""

    def __init__(self, lm: Any, book: ReplyBook) -> None:  # noqa: ANN401
        self._lm = lm
        self._book = book

    def __deepcopy__(self, memo: dict[int, Any]) -> _Recorder:
        return self

    @property
    def supports_response_schema(self) -> bool:
        """Whether replies can be had under a JSON schema: DSPy asks this, and whole loops ask as in the app."""
        return bool(self._lm.supports_response_schema)

    def complete(self, request: lm15.Request) -> lm15.Response:
        """The reply to a request.

        Raises:
            ModelFailed: The LM cannot be asked.
        """
        rollout = _rollout.get()
        kept = self._book.reply(request, rollout, lambda: self._ask(request, rollout))
        return lm15.Response(
            id="kept",
            model=request.model,
            message=lm15.Message(role="assistant", parts=(lm15.TextPart(kept.text),)),
            finish_reason=kept.finish_reason,
            usage=lm15.Usage(
                input_tokens=kept.input_tokens,
                output_tokens=kept.output_tokens,
                total_tokens=kept.input_tokens + kept.output_tokens,
            ),
        )

    def _ask(self, request: lm15.Request, rollout: object) -> tuple[Kept, Usage]:
        with metered(self._lm) as (private, meter):
            try:
                response = private(request, **({} if rollout is None else {"rollout_id": rollout}))
            except ContextWindowExceededError:
                return Kept("", "length", 0, 0), meter.usage
            except LMError as error:
                raise ModelFailed(type(error).__name__) from error
        used = meter.usage
        text = "".join(map(_written, response.message.parts))
        return Kept(text, str(response.finish_reason), used.input_tokens, used.output_tokens, used.cost_usd), used


def _written(part: Any) -> str:  # noqa: ANN401
    """What a part of a reply says; DSPy reads JSON itself where a field of the schema is one of a few values."""
    if part.type == "data":
        return json.dumps(part.value, ensure_ascii=False)
    return str(part.text) if part.type == "text" else ""
