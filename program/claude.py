"""Claude through the official SDK, as a DSPy LM.

lm = claude("claude-sonnet-4-6")                                 key from ANTHROPIC_API_KEY
lm = claude("claude-sonnet-4-6", client=anthropic.AnthropicVertex(region=..., project_id=...))
program = IterativeQA(index, LMPolicy(lm))
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Self

import dspy
from dspy import lm15
from dspy.clients.errors import error_boundary

from hopstop.program.claude_clients import NO_KEY, Clients
from hopstop.program.claude_engine import AsyncClaudeEngine, ClaudeEngine, Settings
from hopstop.program.claude_wire import DEFAULT_MAX_TOKENS, PREFIX, bare, count_body_of
from hopstop.program.errors import BadInput
from hopstop.program.secrets import secrets_in

MODEL_VARIABLE = "LLM_MODEL"
PUBLIC = "https://api.anthropic.com"  # the address of a client that is given none


class ClaudeLM(dspy.LM):
    """A DSPy LM over the official SDK; make it with `claude`.

    Copies share the connections. DSPy's cache knows a reply by model and prompt, not by key or address; a copy in
    another process (pickle, saved state) finds its key in the environment.
    """

    def copy(self, **kwargs: Any) -> Self:  # noqa: ANN401 - any setting of an LM
        """A copy with other settings.

        Besides DSPy's: `timeout`, the seconds of each call of the copy with all its tries, > 0; and `num_retries`,
        further tries of a request that failed for the moment.
        """
        changes = {to: kwargs.pop(name) for name, to in _ENGINE_SETTINGS.items() if name in kwargs}
        if changes:
            settings = replace(self.engine.settings, **changes)
            kwargs["engine"] = ClaudeEngine(settings, self.engine.clients)
            kwargs["async_engine"] = AsyncClaudeEngine(settings, self.engine.clients)
        copied: Self = super().copy(**kwargs)
        return copied

    def count_tokens(self, messages: list[dict[str, Any]]) -> int:
        """Tokens of a prompt, as the service counts them; free of charge, and bounded by the question's deadline.

        Args:
            messages: As DSPy's adapters make them.

        Raises:
            LMError: DSPy's own, by what went wrong.
        """
        with error_boundary(self.model):
            return int(self.engine.count_tokens(count_body_of(self.model, messages)))

    def secrets(self) -> frozenset[str]:
        """The keys, headers and addresses of its clients, which no file may hold; see `hopstop.program.secrets`."""
        held = [
            {name: str(value) if name == "base_url" else value for name, value in client.items()}
            for client in self.engine.clients.settings()
        ]
        return frozenset(secret.rstrip("/") for secret in secrets_in(held)) - {PUBLIC}

    def close(self) -> None:
        """Close the connections for threads, unless they belong to a client that was handed over."""
        super().close()
        self.engine.close()

    async def aclose(self) -> None:
        """Close the connections of the running event loop, and those for threads; see `close`."""
        await super().aclose()
        await self._async_engine_spec.aclose()


_ENGINE_SETTINGS = {"timeout": "seconds", "num_retries": "retries"}


def claude(
    model: str | None = None,
    *,
    client: Any = None,  # noqa: ANN401 - any client of the SDK
    async_client: Any = None,  # noqa: ANN401
    schema: bool | None = None,
    **settings: Any,  # noqa: ANN401
) -> ClaudeLM:
    """A DSPy LM that calls Claude through the official `anthropic` package.

    Args:
        model: With or without "anthropic/"; None: the one named in LLM_MODEL.
        client: Any client of the SDK, of either kind: Anthropic, AnthropicBedrock, AnthropicVertex, one with a
            `base_url`. None: one made from the environment (ANTHROPIC_API_KEY).
        async_client: An asynchronous client beside it. A missing one is made from the other's credentials, address
            and headers when it is first used.
        schema: Whether replies can be asked for under a JSON schema; None: if DSPy knows that the model takes one.
        **settings: Of `dspy.LM`: `max_tokens` (4096 a reply), `cache`, `temperature` (none is sent unless given),
            `num_retries` (3), `timeout` (seconds of one call with all its tries).

    Raises:
        BadInput: No model is named, or there is neither a client nor a key.
    """
    name = bare(model or os.environ.get(MODEL_VARIABLE, ""))
    if not name:
        raise BadInput(f"no model is named: claude('claude-...'), or set {MODEL_VARIABLE}")
    given = client is not None or async_client is not None
    made = Settings(
        name, schema, retries=settings.pop("num_retries", 3), seconds=settings.pop("timeout", None), own=given
    )
    clients = Clients(client, async_client)
    if not given:
        try:
            clients.blocking()
        except lm15.NotConfiguredError as error:
            raise BadInput(NO_KEY) from error
    return ClaudeLM(
        PREFIX + name,
        engine=ClaudeEngine(made, clients),
        async_engine=AsyncClaudeEngine(made, clients),
        num_retries=0,  # the engines try again themselves: DSPy would not know the seconds that are left
        **{"max_tokens": DEFAULT_MAX_TOKENS, **settings},
    )
