from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

ROOMS = ("hopstop.signatures", "hopstop.program", "hopstop.eval", "hopstop.optimize")


def module_names() -> list[str]:
    found = list(ROOMS)
    for room in ROOMS:
        path = importlib.import_module(room).__path__
        found += [module.name for module in pkgutil.walk_packages(path, f"{room}.")]
    return found


@pytest.mark.parametrize("name", module_names())
def test_examples_in_docstrings_are_true(name: str) -> None:
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0, f"{result.failed} of {result.attempted} examples failed; see the output above"
