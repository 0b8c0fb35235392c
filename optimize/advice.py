"""What a person can do about a model that failed."""

from __future__ import annotations

from collections.abc import Mapping

ADVICE: Mapping[str, str] = {
    "LMNotConfiguredError": "there is no key for it: set that of its provider, e.g. OPENAI_API_KEY, in the environment",
    "LMAuthError": "its provider refused the key: check it, and that it may use this model",
    "LMBillingError": "its provider asks for payment: check the account",
    "LMRateLimitError": "its provider is asked too often: wait, or ask fewer questions at once",
    "LMUnsupportedModelError": "its provider does not know it: check the name",
    "LMInvalidRequestError": "its provider refused the request: check the name, written as provider/model",
    "LMTransportError": "its server could not be reached: check --api-base and the network",
    "LMUnexpectedError": "its server could not be reached or broke off: check --api-base and the network",
    "LMTimeoutError": "it did not answer in time: raise --max-seconds, or ask a quicker one",
    "LMServerError": "its server failed: ask again later",
}
"""Class of an error of DSPy, which is all that an outcome keeps of it -> the next step."""

_ELSE = "check --lm, --api-base and its key"


def advice(note: str) -> str:
    """The next step after an outcome with this note, as one sentence."""
    step = next((step for kind, step in ADVICE.items() if kind in note), _ELSE)
    return f"The model gave no answer; {step}."
