"""`RuledFunction`: a Python function with a rule of the user's own, as core form calls it.

Numba cannot type a plain Python function that a name refers to; what core form calls compiles it. A function that
returns one of its arguments, or a view of one, is refused: a later write to either would reach the other, unseen.
"""

from __future__ import annotations

import inspect
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.registry import cpu_target
from numba.extending import overload, register_jitable, typeof_impl

from srcad.errors import WrongRule
from srcad.runtime.support.numba_refresh import refresh_if_compiling


class RuledFunction:
    """A function that is not looked into, since it has a rule.

    >>> def double(x):
    ...     return 2.0 * x
    >>> RuledFunction(double)(3.0), numba.njit(lambda x: x)(RuledFunction(double).compiled(3.0))
    (6.0, 6.0)
    """

    __srcad_ruled__ = True

    def __init__(self, function: Any) -> None:
        self.function, self.__name__ = function, getattr(function, "__name__", "function")
        self.__module__ = getattr(function, "__module__", None) or ""
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The result. Raises WrongRule if it shares memory with an argument."""
        found = self.function(*args, **kwargs)
        for each in (*args, *kwargs.values()):
            if isinstance(each, np.ndarray) and isinstance(found, np.ndarray) and np.may_share_memory(each, found):
                raise WrongRule(f"`{self.__name__}`{_SHARED}", None, _WAY)
        return found

    def __repr__(self) -> str:
        return f"<function with a rule {self.__module__}.{self.__qualname__}>"

    @cached_property
    def compiled(self) -> Any:
        """The function for compiled code, with the same parameters."""
        called = numba.njit(self.function) if self.is_plain else self.function
        parameters = _parameters(self.function)
        names = ", ".join(parameters) if parameters is not None else "*args"
        message = f"`{self.__name__}`{_SHARED}"

        @numba.njit
        def check(found, given):  # type: ignore[no-untyped-def]
            if _meet(found, given):
                raise WrongRule(message, None, _WAY)

        checks = [f"    check(found, {each})" for each in parameters or ()]
        text = "\n".join([f"def wrapper({names}):", f"    found = called({names})", *checks, "    return found\n"])
        namespace: dict[str, Any] = {"called": called, "check": check}
        exec(text, namespace)
        wrapper = namespace["wrapper"]
        wrapper.__defaults__ = getattr(getattr(self.function, "py_func", self.function), "__defaults__", None)
        return numba.njit(wrapper)

    @property
    def compiles(self) -> bool:
        """Whether compiled code may call it: its parameters can be checked, and it reads no data that would freeze."""
        is_python = isinstance(self.function, FunctionType) or hasattr(self.function, "py_func")
        return not (is_python and _parameters(self.function) is None) and not _reads_data(self.function)

    @property
    def is_plain(self) -> bool:
        """Whether it is a Python function that Numba does not know."""
        if not isinstance(self.function, FunctionType):
            return False
        cpu_target.typing_context.refresh()
        return cpu_target.typing_context._lookup_global(self.function) is None


_SHARED = ", which has a rule, returns an array that shares memory with one that it got"
_WAY = "wrap it in a function that returns a copy, and give that one a rule"


def _meet(one: Any, other: Any) -> bool:
    """Whether the memory of two values may be shared."""
    return bool(np.may_share_memory(one, other))


@overload(_meet)
def _overload_meet(one, other):  # type: ignore[no-untyped-def]
    if not isinstance(one, types.Array) or not isinstance(other, types.Array):
        return lambda one, other: False

    def impl(one, other):  # type: ignore[no-untyped-def]
        if one.size == 0 or other.size == 0:
            return False
        first, last = _bounds(one)
        start, end = _bounds(other)
        return first <= end and start <= last

    return impl


@register_jitable
def _bounds(a):  # type: ignore[no-untyped-def]
    """The addresses of the first and the last byte."""
    first = last = np.int64(a.ctypes.data)
    for k in range(a.ndim):
        reach = (a.shape[k] - 1) * a.strides[k]
        if reach < 0:
            first += reach
        else:
            last += reach
    return first, last + a.itemsize - 1


refresh_if_compiling()


def _parameters(function: Any) -> list[str] | None:
    """The names of the parameters, if all can be given by position."""
    try:
        found = inspect.signature(getattr(function, "py_func", function)).parameters.values()
    except (TypeError, ValueError):
        return None
    is_simple = all(each.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for each in found)
    return [each.name for each in found] if is_simple else None


def _reads_data(function: Any) -> bool:
    """Whether a plain function reads numbers or arrays from around it, which compiled code would freeze."""
    if not isinstance(function, FunctionType):
        return False
    found = inspect.getclosurevars(function)
    return any(
        not callable(each) and not isinstance(each, ModuleType)
        for each in (*found.nonlocals.values(), *found.globals.values())
    )


@typeof_impl.register(RuledFunction)  # type: ignore[untyped-decorator]  # Numba carries no annotations
def _typeof(value: RuledFunction, context: Any) -> types.Dispatcher | None:
    return types.Dispatcher(value.compiled) if value.compiles else None
