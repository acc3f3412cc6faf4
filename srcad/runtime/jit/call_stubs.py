"""Functions that generated code calls, as Numba's type inference sees them: typed for their arguments, never compiled.

    fib(n - 1) inside fib       Numba follows the recursion itself, as it does between functions under `@njit`

`Inferring` finds the types of a function's names by inference; `Declared` knows the type of the result beforehand.
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
    """A dispatcher that has signatures, and no machine code."""

    def result_type(self, arguments: tuple[Type, ...]) -> Type:
        """The type of the result for arguments of these types."""
        raise NotImplementedError

    def _make_finalizer(self) -> Any:
        return lambda: None  # there is no machine code to take back

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What Numba asks for when it types a call."""
        return super().get_call_template(tuple(map(plain, args)), kws)

    def fold_argument_types(self, args: Any, kws: Any) -> Any:
        """The types of all arguments: the number 1 is an integer, so that calls which recur find themselves."""
        signature, folded = super().fold_argument_types(args, kws)
        return signature, tuple(map(plain, folded))

    def compile(self, sig: Any) -> None:
        """Note the signature for these types of the arguments; what Numba calls before it asks for signatures."""
        arguments, _ = sigutils.normalize_signature(sig)
        arguments = tuple(map(plain, arguments))
        if arguments not in self.overloads:
            with self._compiling_counter:
                result = self.result_type(arguments)
            name = SimpleNamespace(modname=self.py_func.__module__, qualname=self.py_func.__qualname__, uid=0)
            found = typing.signature(result, *arguments)
            self.overloads[arguments] = SimpleNamespace(signature=found, objectmode=False, fndesc=name)


class Inferring(_Typed):
    """A function whose types are inferred, recursive or not.

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
    """A function whose result has the same type whatever its arguments are.

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
