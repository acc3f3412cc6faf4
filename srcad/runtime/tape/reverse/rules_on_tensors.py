"""Run rules and definitions on tensors so that their operations are recorded: kernels become recorded primitives.

NumPy's functions and operators on tensors are recorded automatically. The kernels that rules call are plain functions,
some with rules of their own; `on_tensors` copies a rule's function with other globals, in which kernels are primitives.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Iterable
from typing import Any

from srcad.refusals.tapes import PART_WITHOUT_RULE
from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import definition, variants
from srcad.runtime.tape.core.operand import Operand
from srcad.runtime.tape.protocols.arithmetic import hook


@functools.cache
def on_tensors(function: Callable[..., Any]) -> Callable[..., Any]:
    """A copy of the function that records the kernels which it calls on tensors.

    >>> def twice(x):
    ...     return 2.0 * x
    >>> on_tensors(twice)(3.0)
    6.0
    """
    if not isinstance(function, types.FunctionType):
        return function
    scope = {name: _recorded(value) for name, value in function.__globals__.items()}
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


class _RecordedKernels:
    """A module of kernels as rules on tensors see it: each kernel is a recorded primitive."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        recorded = _recorded(getattr(self._module, name))
        setattr(self, name, recorded)  # cached
        return recorded


_recorded_kernels = functools.cache(_RecordedKernels)


def _recorded(value: Any) -> Any:
    if isinstance(value, types.ModuleType) and value.__name__.startswith(kernels.__name__):
        return _recorded_kernels(value)
    return as_primitive(value) if is_kernel(value) else value


def is_kernel(value: Any) -> bool:
    """Whether this is one of the kernels, the functions that rules call besides NumPy's.

    >>> is_kernel(kernels.ratio), is_kernel(len)
    (True, False)
    """
    return isinstance(value, types.FunctionType) and (value.__module__ or "").startswith(kernels.__name__)


def _has_operands(parts: Iterable[Any]) -> bool:
    for part in parts:  # noqa: SIM110 - a generator takes longer
        if isinstance(part, Operand) or (isinstance(part, (tuple, list)) and _has_operands(part)):
            return True
    return False


@functools.cache
def as_primitive(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """A kernel that is recorded when it is called on tensors, by its own rule if it has one.

    >>> as_primitive(kernels.ratio)(1.0, 2.0)
    0.5
    """

    def primitive(*arguments: Any, **keywords: Any) -> Any:
        if not (_has_operands(arguments) or (keywords and _has_operands(keywords.values()))):
            return kernel(*arguments, **keywords)
        if variants(kernel) or definition(kernel) is not None:
            return hook.call(kernel, arguments, keywords)
        try:
            # A kernel made of NumPy's functions is recorded through these; one that writes into arrays cannot be.
            return on_tensors(kernel)(*arguments, **keywords)
        except TypeError as error:
            raise PART_WITHOUT_RULE.error(function=kernel.__name__) from error

    return primitive
