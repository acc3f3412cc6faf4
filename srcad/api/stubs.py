"""Functions that are but a name, parameters and defaults, for what looks at nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def shape_of(name: str, parameters: tuple[str, ...], defaults: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """A function that has a name, parameters and defaults, and does nothing."""
    namespace: dict[str, Any] = {}
    exec(f"def {name}({', '.join(parameters)}): pass", namespace)
    function: Any = namespace[name]
    function.__defaults__ = defaults
    return function  # type: ignore[no-any-return]


def defaults_of(signature: inspect.Signature) -> tuple[Any, ...]:
    """The defaults of a signature, which the last parameters have."""
    return tuple(each.default for each in signature.parameters.values() if each.default is not each.empty)
