"""Rules that libraries ship: entry points of the group `srcad.rules`, named after the package that they are for.

    [project.entry-points."srcad.rules"]
    mylib = "mylib.srcad_rules"             a module, which states rules when it is imported; or module:function

They are loaded when a function of that package is first met in a function that is differentiated.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from srcad.errors import BadArgument

GROUP = "srcad.rules"


def load_for(package: str) -> None:
    """Load the rules for a package. Raises BadArgument if they cannot be loaded.

    >>> load_for("a_package_without_rules")
    """
    for point in _points():
        if point.name == package:
            _load(point)


def _load(point: Any) -> None:
    try:
        found = point.load()
        if callable(found):
            found()
    except Exception as problem:  # what it imports may raise anything
        raise BadArgument(
            f"the rules for {point.name} in {point.value!r} cannot be loaded: {type(problem).__name__}: {problem}",
            hint="update the package that ships them, or uninstall it",
        ) from problem


@cache
def _points() -> tuple[Any, ...]:
    from importlib.metadata import entry_points  # which takes as long to import as a small gradient

    return tuple(entry_points(group=GROUP))
