"""One call of one predictor: metered, with a JSON schema where the server takes one, its failures named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import dspy
import pydantic
from dspy.utils.exceptions import AdapterParseError, LMError

from hopstop.program.allowance import NotSent
from hopstop.program.gate import Gate, gated, longest_reply, reply_key
from hopstop.program.meter import metered
from hopstop.program.records import StopReason, Usage
from hopstop.program.reply_form import LABEL_FORMS, JSONReplies, PlainReplies, reply_model
from hopstop.program.runtime import Runtime
from hopstop.program.side_by_side import trace

MORE_ROOM = 2  # times the tokens of a reply that was cut off, for the next try


class LMFailed(Exception):
    """An LM call failed for good; the loop turns it into a named end.

    Attributes:
        kind: Class of the error, without its message, which may hold an address or a key.
        usage: What the failed call used.
        reason: How the run ends: LM_ERROR, LM_REFUSED, or the limit that forbade the call.
        note: What a user should know; may be empty.
    """

    def __init__(self, kind: str, usage: Usage, *, refused: bool = False) -> None:
        super().__init__(kind)
        self.kind = kind
        self.usage = usage
        self.reason = StopReason.LM_REFUSED if refused else StopReason.LM_ERROR
        self.note = f"The LM call failed: {kind}."

    @classmethod
    def not_sent(cls, limit: NotSent, usage: Usage) -> LMFailed:
        """A call that a limit forbade."""
        failed = cls(limit.reason.value, usage)
        failed.reason, failed.note = limit.reason, limit.note
        return failed


@dataclass(frozen=True, slots=True)
class Attempt:
    """One of the tries of a call.

    Attributes:
        number: From 0.
        after_cut: Whether the reply before it was cut off, so that this one gets more room.
    """

    number: int = 0
    after_cut: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls predictors.

    Attributes:
        lm: A DSPy LM; None uses the one that the app has configured.
        schema: Whether replies are asked for as JSON under a schema; None asks DSPy whether the model supports it.
        tries: How often a reply that cannot be read is asked for, >= 1. Another try gets past DSPy's cache, which keeps
            unreadable replies.
        labels: Whether a schema that is asked for by `schema=True` holds labels to their patterns, quotes included.
            With a model of 0.5B on 20 Decide labels, labels against words: 99 against 175 tokens a reply, none against
            5 % unreadable, 0.80 against 0.52 of the quotes found, 0.40 against 0.17 right (`optimize/quote_forms.py`).
    """

    lm: Any = None
    schema: bool | None = None
    tries: int = 2
    labels: bool = True

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle must hold no key, and an LM may have one. Where it is loaded, the LM of the app is used.
        return Caller, (None, self.schema, self.tries, self.labels)

    def __deepcopy__(self, memo: dict[int, Any]) -> Caller:
        """Itself: DSPy's optimisers copy programs, and copies share the LM with its connections."""
        return self

    async def call(self, runtime: Runtime, predictor: Any, **inputs: Any) -> tuple[Any, Usage]:  # noqa: ANN401
        """Call a predictor.

        Returns:
            The prediction, or None if no reply could be read or the app has ended the run; and what all tries used,
            parse failures included.

        Raises:
            LMFailed: The call failed, the model declined, or a limit forbade the call.
        """
        usage, attempt = Usage(), Attempt()
        for number in range(self.tries):
            if runtime.cancelled:
                break
            prediction, used, cut = await self._once(runtime, predictor, attempt, inputs, usage)
            usage, attempt = usage + used, Attempt(number + 1, cut)
            if prediction is not None:
                return prediction, usage
        return None, usage

    async def _once(
        self,
        runtime: Runtime,
        predictor: Any,  # noqa: ANN401
        attempt: Attempt,
        inputs: dict[str, Any],
        before: Usage,
    ) -> tuple[Any, Usage, bool]:
        lm = self._lm(predictor)
        config = self._config(lm, predictor, attempt)  # outside: within, an adapter is always set
        inside = dspy.context(adapter=self._adapter(lm), trace=trace())
        with metered(lm, runtime.allowance.prices) as (private, meter), inside:
            behind = gated(private, Gate(lm, meter, runtime))
            try:
                prediction = await runtime.call(predictor, lm=behind, config=config, **inputs)
            except AdapterParseError:
                prediction = None
            except NotSent as limit:
                raise LMFailed.not_sent(limit, before + meter.usage) from limit
            except LMError as error:
                raise LMFailed(type(error).__name__, before + meter.usage) from error
        if meter.refused:
            raise LMFailed("refused", before + meter.usage, refused=True)
        if prediction is None or meter.cut:
            # A reply that was cut off can parse all the same (json_repair closes it), with half a quote in it.
            return None, meter.usage + Usage(parse_failures=1), meter.cut
        return prediction, meter.usage, False

    def _lm(self, predictor: Any) -> Any:  # noqa: ANN401
        lm = self.asked_by(predictor)
        if lm is None:
            raise LMFailed("no LM is set: pass lm= or call dspy.configure(lm=...)", Usage())
        return lm

    def asked_by(self, predictor: Any) -> Any:  # noqa: ANN401
        """The LM that a predictor asks: its own (of DSPy's `set_lm`), else the one here, else the app's; or None."""
        return getattr(predictor, "lm", None) or self.lm or dspy.settings.lm

    def _uses_schema(self, lm: Any) -> bool:  # noqa: ANN401
        return bool(lm.supports_response_schema) if self.schema is None else self.schema

    def _adapter(self, lm: Any) -> Any:  # noqa: ANN401
        if dspy.settings.adapter is not None:
            return dspy.settings.adapter
        return JSONReplies() if self._uses_schema(lm) else PlainReplies()

    def _config(self, lm: Any, predictor: Any, attempt: Attempt) -> dict[str, Any]:  # noqa: ANN401
        config: dict[str, Any] = {"rollout_id": attempt.number} if attempt.number else {}
        if attempt.after_cut:
            config[reply_key(lm)] = MORE_ROOM * longest_reply(lm, predictor.config)
        if self._uses_schema(lm) and dspy.settings.adapter is None:
            # Not all hosted models that take a schema take patterns; a server of one's own was asked for both.
            config["response_format"] = reply_model(predictor.signature, labels=self.labels and self.schema is True)
        return config


def takes_schema(lm: Any) -> bool:  # noqa: ANN401
    """Ask a server once, with a tiny request, whether it takes a JSON schema with patterns. Costs about 20 tokens.

    DSPy knows this of hosted models by name; of a server of one's own it knows nothing.
    """
    label = Annotated[str, pydantic.WithJsonSchema({"type": "string", "pattern": LABEL_FORMS["direct"]})]
    forbid = pydantic.ConfigDict(extra="forbid")
    probe = pydantic.create_model("Reply", __config__=forbid, ok=(bool, ...), label=(label, ...))
    try:
        replies = lm.copy(cache=False, num_retries=0)("Is water wet?", response_format=probe, max_tokens=32)
        probe.model_validate_json(replies[0] if isinstance(replies[0], str) else replies[0]["text"])
    except (LMError, pydantic.ValidationError, KeyError, IndexError, TypeError):
        return False
    return True
