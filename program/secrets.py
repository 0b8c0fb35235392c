"""What an LM was given and nobody else may see: its keys and addresses."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from hopstop.program.errors import BadInput

_MARKS = ("key", "token", "secret", "password", "auth", "credential", "header", "base", "url", "endpoint")
_PLAIN = {"max_tokens", "max_completion_tokens"}
SHORTEST = 8  # characters; a placeholder such as "none" may stand anywhere


def secrets_of(lm: object) -> frozenset[str]:
    """The keys, headers and addresses among the arguments of a DSPy LM, and those that it names by a `secrets()`."""
    named = getattr(lm, "secrets", None)
    return secrets_in(getattr(lm, "kwargs", {})) | (named() if callable(named) else frozenset())


def secrets_in(settings: object) -> frozenset[str]:
    """The keys, headers and addresses among settings, at any depth, by the names that they go by."""
    return frozenset(_marked(settings, inside=False))


def refuse_secrets(files: Mapping[str, bytes], lms: Sequence[object]) -> None:
    """A last look before files are written: an example or a note may hold what an LM was given.

    Raises:
        BadInput: A file holds it; the message does not.
    """
    secrets = {form for lm in lms for secret in secrets_of(lm) for form in (secret, json.dumps(secret)[1:-1])}
    for name, content in files.items():
        text = content.decode()
        if any(secret in text for secret in secrets):
            raise BadInput(f"{name} would hold a key or address of the LM; take it out of examples, prompts and notes")


def _marked(value: object, *, inside: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            name = str(key).lower()
            yield from _marked(item, inside=inside or (name not in _PLAIN and any(mark in name for mark in _MARKS)))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _marked(item, inside=inside)
    elif inside and isinstance(value, str) and len(value) >= SHORTEST:
        yield value
