"""Stub dispatchers for functions that generated code calls: Numba's type inference types them, they are never compiled.

    fib(n - 1) inside fib       Numba follows the recursion itself, as it does between functions under `@njit`

`Inferring` infers the types of a function's names; `Declared` has a result type that is given beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from numba.core import sigutils, typing
from numba.core.registry import CPUDispatcher
from numba.core.types import Type

from srcad.runtime.jit.dispatchers import plain
from srcad.runtime.jit.numba_inference import Inferred, inferred_in_context


class _Typed(CPUDispatcher):  # type: ignore[misc]  # Numba carries no annotations
    """A dispatcher with signatures, and without machine code."""

    def result_type(self, arguments: tuple[Type, ...]) -> Type:
        """The type of the result for arguments of these types."""
        raise NotImplementedError

    def _make_finalizer(self) -> Any:
        return lambda: None  # there is no machine code to release

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """The template that Numba requests when it types a call."""
        return super().get_call_template(tuple(map(plain, args)), kws)

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """The types of all arguments; literals as their plain types, so that recursive calls match."""
        signature, folded = super().fold_argument_types(args, kws)
        return signature, tuple(map(plain, folded))

    def compile(self, sig: Any) -> None:
        """Add the signature for these argument types; Numba calls this before it reads the signatures."""
        arguments, _ = sigutils.normalize_signature(sig)
        arguments = tuple(map(plain, arguments))
        if arguments not in self.overloads:
            with self._compiling_counter:
                result = self.result_type(arguments)
            name = SimpleNamespace(modname=self.py_func.__module__, qualname=self.py_func.__qualname__, uid=0)
            found = typing.signature(result, *arguments)
            self.overloads[arguments] = SimpleNamespace(signature=found, objectmode=False, fndesc=name)


class Inferring(_Typed):
    """A function, recursive or not, whose types are inferred.

    >>> from numba import types
    >>> def half(x):
    ...     y = 0.5 * x
    ...     return y
    >>> found = Inferring(half)
    >>> found.compile((types.int64,))
    >>> found.inferred[types.int64,]
    Inferred(types={'x': int64, 'y': float64}, result=float64)
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function, targetoptions={"nopython": True})
        self.inferred: dict[tuple[Type, ...], Inferred] = {}

    def result_type(self, arguments: tuple[Type, ...]) -> Type:
        """The inferred type."""
        self.inferred[arguments] = found = inferred_in_context(self.py_func, arguments)
        return found.result


class Declared(_Typed):
    """A function whose result has the same type for all arguments.

    >>> from numba import types
    >>> found = Declared(lambda x: (x,), types.UniTuple(types.float64, 1))
    >>> found.compile((types.float64,))
    >>> found.nopython_signatures
    [(float64,) -> UniTuple(float64 x 1)]
    """

    def __init__(self, function: Callable[..., Any], result: Type) -> None:
        super().__init__(function, targetoptions={"nopython": True})
        self.result = result

    def result_type(self, arguments: tuple[Type, ...]) -> Type:
        """The declared type."""
        return self.result
