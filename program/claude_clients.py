"""The SDK's clients behind an LM: shared by all its copies, the missing one made when it is first used."""

from __future__ import annotations

import asyncio
import inspect
import threading
from typing import Any

import anthropic
from dspy import lm15

from hopstop.program.claude_cache import Prefixes
from hopstop.program.claude_connections import awaiting_http, blocking_http
from hopstop.program.errors import BadInput

_TO_ASYNC = "Async"
_CREDENTIALS = ("api_key", "auth_token", "credentials")  # a client takes one of them
_HTTP = {True: awaiting_http, False: blocking_http}  # by whether the client is asynchronous
_NOT_COPIED = frozenset({"self", "http_client", "middleware", "max_retries", "open_telemetry", "timeout"})
_KEPT_AS = {"default_headers": "_custom_headers", "default_query": "_custom_query", "region": "region"}
NO_KEY = "no key for the API: set ANTHROPIC_API_KEY, or pass a client of the anthropic package"
LOST = "this LM was made with a client of its own, which no copy of it keeps: make the LM anew with that client"


class Clients:
    """A client for threads and one for each event loop. Holds the key; never copied, never pickled.

    Args:
        given: A client of the SDK, of either kind; None makes one from the environment when it is first used.
        asynchronous: An asynchronous client, for the first event loop that calls.
        lost: Whether a client was given in another process, from where none can come.

    Attributes:
        prefixes: Looks at what is sent through them.
    """

    def __init__(self, given: Any = None, asynchronous: Any = None, *, lost: bool = False) -> None:  # noqa: ANN401
        if given is not None and _is_async(given):
            given, asynchronous = None, asynchronous or given
        self._given = (given, asynchronous)
        self._lost = lost
        self._lock = threading.Lock()
        self._blocking: Any = None
        self.prefixes = Prefixes()
        self._made: list[Any] = []
        self._loops: dict[asyncio.AbstractEventLoop, Any] = {}  # a client holds its loop: weak keys would never go
        self._lent = False  # whether the asynchronous client has its loop

    def blocking(self) -> Any:  # noqa: ANN401
        """The client for threads; it makes no retries of its own.

        Raises:
            NotConfiguredError: DSPy's own; there is no key, or the client stayed in another process.
        """
        with self._lock:
            if self._blocking is None:
                given, asynchronous = self._given
                client = given or self._keep(counterpart(asynchronous) if asynchronous else self._new("Anthropic"))
                self._blocking = client.with_options(max_retries=0)
            return self._blocking

    def awaiting(self) -> Any:  # noqa: ANN401
        """The client of the running event loop, see `blocking`; connections cannot move from one loop to another."""
        loop = asyncio.get_running_loop()
        with self._lock:
            for ended in [item for item in self._loops if item.is_closed()]:
                del self._loops[ended]
            client = self._loops.get(loop)
            if client is None:
                client = self._loops[loop] = self._for_loop().with_options(max_retries=0)
            return client

    def settings(self) -> list[dict[str, Any]]:
        """What its clients were given, keys and addresses among it."""
        with self._lock:
            clients = [*self._given, self._blocking, *self._loops.values()]
        return [_held(client, _sdk_class(client)) for client in clients if client is not None]

    def close(self) -> None:
        """Close the client for threads, if it was made here; it is made again when it is used again."""
        with self._lock:
            client, self._blocking = self._blocking, None
            mine = client is not None and any(client._client is made._client for made in self._made)
            self._made.clear()
        if mine:
            client.close()

    async def aclose(self) -> None:
        """Close the client of the running event loop, if it was made here."""
        with self._lock:
            client = self._loops.pop(asyncio.get_running_loop(), None)
        given = self._given[1]
        if client is not None and (given is None or client._client is not given._client):
            await client.close()

    def _keep(self, client: Any) -> Any:  # noqa: ANN401
        self._made.append(client)
        return client

    def _for_loop(self) -> Any:  # noqa: ANN401
        given, asynchronous = self._given
        if asynchronous is not None:
            lent, self._lent = self._lent, True
            return counterpart(asynchronous, same_kind=True) if lent else asynchronous
        return counterpart(given) if given is not None else self._new("AsyncAnthropic")

    def _new(self, kind: str) -> Any:  # noqa: ANN401
        if self._lost:
            raise lm15.NotConfiguredError(LOST, provider="anthropic")
        client = getattr(anthropic, kind)(http_client=_HTTP[kind.startswith(_TO_ASYNC)]())
        if not any(getattr(client, name, None) for name in _CREDENTIALS):
            raise lm15.NotConfiguredError(NO_KEY, provider="anthropic")
        return client


def counterpart(client: Any, *, same_kind: bool = False) -> Any:  # noqa: ANN401
    """A client of the other kind with the same credentials, address and headers; an HTTP client of one's own is lost.

    Raises:
        NotConfiguredError: DSPy's own; the SDK has no counterpart of this class.
    """
    kind = _sdk_class(client)
    name = kind.__name__
    if not same_kind:
        name = name.removeprefix(_TO_ASYNC) if name.startswith(_TO_ASYNC) else _TO_ASYNC + name
    other = getattr(anthropic, name, None)
    if other is None:
        raise lm15.NotConfiguredError(f"the SDK has no {name}: pass both clients", provider="anthropic")
    return other(**_settings(client, other), http_client=_HTTP[name.startswith(_TO_ASYNC)]())


def _held(client: Any, kind: type) -> dict[str, Any]:  # noqa: ANN401
    names = [name for name in inspect.signature(kind).parameters if name not in _NOT_COPIED and name[0] != "_"]
    held = {name: getattr(client, _KEPT_AS.get(name, name), None) for name in names}
    return {name: value for name, value in held.items() if value}


def _settings(client: Any, kind: type) -> dict[str, Any]:  # noqa: ANN401
    found = _held(client, kind)
    for name in [name for name in _CREDENTIALS if name in found][1:]:
        del found[name]
    return found


def _sdk_class(client: Any) -> type:  # noqa: ANN401
    kinds = [kind for kind in type(client).__mro__ if getattr(anthropic, kind.__name__, None) is kind]
    if not kinds:
        raise BadInput(f"{type(client).__name__} is no client of the anthropic package")
    kind: type = kinds[0]
    return kind


def _is_async(client: Any) -> bool:  # noqa: ANN401
    return _sdk_class(client).__name__.startswith(_TO_ASYNC)
