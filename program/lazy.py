"""Names of a package that are imported when they are used, so that reading a corpus does not wait for DSPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module


def lazy(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` (PEP 562) of a package.

    Args:
        package: Its `__name__`.
        homes: Public name -> module of the package that has it.
    """

    def find(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return find
