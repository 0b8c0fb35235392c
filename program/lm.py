"""One call of one predictor: metered, with a JSON schema where the server takes one, its failures named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dspy
import pydantic
from dspy.utils.exceptions import AdapterParseError, LMError

from hopstop.program.meter import metered
from hopstop.program.records import Usage
from hopstop.program.runtime import Runtime


class LMFailed(Exception):
    """An LM call failed for good; the loop turns it into a named end.

    Attributes:
        refused: Whether the model declined to reply.
        kind: Class of the error, without its message, which may hold an address or a key.
        usage: What the failed call used.
    """

    def __init__(self, kind: str, usage: Usage, *, refused: bool = False) -> None:
        super().__init__(kind)
        self.kind = kind
        self.usage = usage
        self.refused = refused


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls predictors.

    Attributes:
        lm: A DSPy LM; None uses the one that the app has configured.
        schema: Whether replies are asked for as JSON under a schema; None asks DSPy whether the model supports it.
        tries: How often a reply that cannot be read is asked for, >= 1. Another try gets past DSPy's cache, which keeps
            unreadable replies.
    """

    lm: Any = None
    schema: bool | None = None
    tries: int = 2

    def __deepcopy__(self, memo: dict[int, Any]) -> Caller:
        """Itself: DSPy's optimisers copy programs, and copies share the LM with its connections."""
        return self

    async def call(self, runtime: Runtime, predictor: Any, **inputs: Any) -> tuple[Any, Usage]:  # noqa: ANN401
        """Call a predictor.

        Returns:
            The prediction, or None if no reply could be read or the app has ended the run; and what all tries used,
            parse failures included.

        Raises:
            LMFailed: The call failed or the model declined.
        """
        usage = Usage()
        for attempt in range(self.tries):
            if runtime.cancelled:
                break
            prediction, used = await self._once(runtime, predictor, attempt, inputs, usage)
            usage += used
            if prediction is not None:
                return prediction, usage
        return None, usage

    async def _once(
        self,
        runtime: Runtime,
        predictor: Any,  # noqa: ANN401
        attempt: int,
        inputs: dict[str, Any],
        before: Usage,
    ) -> tuple[Any, Usage]:
        lm = self._lm(predictor)
        config = self._config(lm, predictor, attempt)  # outside: within, an adapter is always set
        with metered(lm) as (private, meter), dspy.context(adapter=self._adapter(lm)):
            try:
                prediction = await runtime.call(predictor, lm=private, config=config, **inputs)
            except AdapterParseError:
                prediction = None
            except LMError as error:
                raise LMFailed(type(error).__name__, before + meter.usage) from error
        if meter.refused:
            raise LMFailed("refused", before + meter.usage, refused=True)
        if prediction is None or meter.cut:
            # A reply that was cut off can parse all the same (json_repair closes it), with half a quote in it.
            return None, meter.usage + Usage(parse_failures=1)
        return prediction, meter.usage

    def _lm(self, predictor: Any) -> Any:  # noqa: ANN401
        lm = self.lm or getattr(predictor, "lm", None) or dspy.settings.lm
        if lm is None:
            raise LMFailed("no LM is set: pass lm= or call dspy.configure(lm=...)", Usage())
        return lm

    def _uses_schema(self, lm: Any) -> bool:  # noqa: ANN401
        return bool(lm.supports_response_schema) if self.schema is None else self.schema

    def _adapter(self, lm: Any) -> Any:  # noqa: ANN401
        if dspy.settings.adapter is not None:
            return dspy.settings.adapter
        return dspy.JSONAdapter() if self._uses_schema(lm) else dspy.ChatAdapter(use_json_adapter_fallback=False)

    def _config(self, lm: Any, predictor: Any, attempt: int) -> dict[str, Any]:  # noqa: ANN401
        config: dict[str, Any] = {"rollout_id": attempt} if attempt else {}
        if self._uses_schema(lm) and dspy.settings.adapter is None:
            config["response_format"] = reply_model(predictor.signature)
        return config


def reply_model(signature: Any) -> type[pydantic.BaseModel]:  # noqa: ANN401
    """The output fields of a signature as a model, from which DSPy makes the JSON schema of the request."""
    fields: dict[str, Any] = {name: (item.annotation, ...) for name, item in signature.output_fields.items()}
    return pydantic.create_model("Reply", __config__=pydantic.ConfigDict(extra="forbid"), **fields)


def takes_schema(lm: Any) -> bool:  # noqa: ANN401
    """Ask a server once, with a tiny request, whether it takes a JSON schema. Costs about 20 tokens.

    DSPy knows this of hosted models by name; of a server of one's own it knows nothing.
    """
    probe = pydantic.create_model("Reply", __config__=pydantic.ConfigDict(extra="forbid"), ok=(bool, ...))
    try:
        replies = lm.copy(cache=False, num_retries=0)("Is water wet?", response_format=probe, max_tokens=32)
        probe.model_validate_json(replies[0] if isinstance(replies[0], str) else replies[0]["text"])
    except (LMError, pydantic.ValidationError, KeyError, IndexError, TypeError):
        return False
    return True
