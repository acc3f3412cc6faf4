"""Functions of numbers as kernels: for numbers and arrays, which broadcast, in Python and in Numba."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from srcad.refusals.names_and_functions import NO_COMPLEX_RULE
from srcad.runtime.kernels.arrays.scalar import ufunc
from srcad.runtime.kernels.scipy.ufuncs import teach_numba

_SHORT = 64  # elements: compiling takes as long as thousands

teach_numba()  # what the kernels call

# By the number of arguments: the function that Numba asks for an implementation, and the implementation.
_FORMS: dict[int, tuple[Callable[..., Any], Callable[..., Any]]] = {
    1: (lambda of: lambda a: of(a), lambda f: lambda a: f(a)),
    2: (lambda of: lambda a, b: of(a, b), lambda f: lambda a, b: f(a, b)),
    3: (lambda of: lambda a, b, c: of(a, b, c), lambda f: lambda a, b, c: f(a, b, c)),
    4: (lambda of: lambda a, b, c, d: of(a, b, c, d), lambda f: lambda a, b, c, d: f(a, b, c, d)),
}


def _of_python(function: Callable[..., Any], of_complex: Callable[..., Any] | None) -> Callable[..., Any]:
    """The function on numbers and arrays, element by element, in the arithmetic of NumPy's numbers."""

    def run(*args: Any) -> Any:
        kinds = [each.dtype for each in args if hasattr(each, "dtype")]
        is_single = bool(kinds) and all(each == np.float32 for each in kinds)
        whole = [np.asarray(each) for each in args]
        if any(each.dtype.kind == "c" for each in whole):
            if of_complex is not None:
                with np.errstate(all="ignore"):
                    return np.vectorize(of_complex, otypes=[complex])(*whole)[()]
            raise NO_COMPLEX_RULE.error(function=f"kernels.scipy.{function.__name__}")
        whole = [each if each.dtype.kind in "iub" else each.astype(np.float64) for each in whole]
        shape = np.broadcast_shapes(*(each.shape for each in whole))
        found = np.empty(shape, np.float32 if is_single else np.float64)
        with np.errstate(all="ignore"):
            for place, elements in enumerate(zip(*(np.broadcast_to(each, shape).flat for each in whole), strict=True)):
                found.flat[place] = function(*elements)
        return found[()]

    return run


def elementwise(function: Callable[..., Any], of_complex: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The kernel that applies a function of numbers, which Numba can compile, to numbers and arrays.

    In Python the function runs as it stands for numbers and short arrays; for longer ones Numba compiles it when it is
    first called. `of_complex` is what it is for complex numbers, which are not compiled.
    """
    number, as_it_stands = register_jitable(function), _of_python(function, of_complex)

    @functools.wraps(function)
    def kernel(*args: Any) -> Any:
        if max(map(np.size, args)) <= _SHORT or any(map(np.iscomplexobj, args)):
            return as_it_stands(*args)
        return ufunc(function)(*args)

    ask, implement = _FORMS[len(inspect.signature(function).parameters)]

    def implementation(*kinds: Any) -> Any:
        if any(isinstance(getattr(kind, "dtype", kind), types.Complex) for kind in kinds):
            return None
        are_numbers = all(isinstance(types.unliteral(kind), (types.Number, types.Boolean)) for kind in kinds)
        return implement(number if are_numbers else ufunc(function))

    overload(kernel)(ask(implementation))
    kernel.takes_numbers = True  # type: ignore[attr-defined]  # so loop nests may call it for each element
    return kernel


def as_it_stands(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function as a kernel that Numba compiles as it stands, whatever its arguments are."""
    names = ", ".join(inspect.signature(function).parameters)
    jitted = register_jitable(function)

    @functools.wraps(function)
    def kernel(*args: Any) -> Any:
        return function(*args)

    del kernel.__wrapped__  # what has it is a function of numbers
    kernel.__signature__ = inspect.signature(function)  # type: ignore[attr-defined]
    implementation = eval(f"lambda {names}: jitted({names})", {"jitted": jitted})
    overload(kernel)(eval(f"lambda {names}: implementation", {"implementation": implementation}))
    return kernel


def choose(condition: Any, x: Any, otherwise: Any) -> Any:
    """`np.where`, of which the result is a number if all arguments are.

    >>> float(choose(True, 1.0, 2.0))
    1.0
    """
    return np.where(condition, x, otherwise)[()]


choose.takes_numbers = True  # type: ignore[attr-defined]


@overload(choose)
def _overload_choose(condition, x, otherwise):
    if all(isinstance(types.unliteral(kind), (types.Number, types.Boolean)) for kind in (condition, x, otherwise)):
        return lambda condition, x, otherwise: x if condition else otherwise
    return lambda condition, x, otherwise: np.where(condition, x, otherwise)


def are_real(*args: Any) -> bool:
    """True; raises MissingRule if one of the arguments is complex.

    >>> are_real(1.0, np.ones(2))
    True
    """
    if any(map(np.iscomplexobj, args)):
        raise NO_COMPLEX_RULE.error(function="a distribution of scipy.stats")
    return True


@overload(are_real)
def _overload_are_real(*args):
    is_complex = any(isinstance(getattr(kind, "dtype", kind), types.Complex) for kind in args)
    return None if is_complex else (lambda *args: True)
