"""Groups of a user: which passages they may read."""

from __future__ import annotations

from collections.abc import Collection

from hopstop.program.errors import BadQuestion


def check_groups(groups: Collection[str]) -> frozenset[str]:
    """The groups of a user as a set.

    Raises:
        BadQuestion: They are one string, whose letters would be taken for groups, or no collection.
    """
    if isinstance(groups, str) or not isinstance(groups, Collection):
        raise BadQuestion(f"groups must be a set of names, e.g. frozenset({{'finance'}}), not {groups!r}")
    return frozenset(groups)
