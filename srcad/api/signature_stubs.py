"""Stub functions with only a name, parameters and defaults, for dispatchers, which read nothing else of a function."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def shape_of(name: str, parameters: tuple[str, ...], defaults: tuple[Any, ...] = ()) -> Callable[..., Any]:
    """A function with this name, these parameters and defaults, and an empty body."""
    namespace: dict[str, Any] = {}
    exec(f"def {name}({', '.join(parameters)}): pass", namespace)
    function: Any = namespace[name]
    function.__defaults__ = defaults
    return function  # type: ignore[no-any-return]


def defaults_of(signature: inspect.Signature) -> tuple[Any, ...]:
    """The default values of a signature, those of its last parameters."""
    return tuple(each.default for each in signature.parameters.values() if each.default is not each.empty)
