"""Derivatives that Numba cannot compile, inside `@njit`: the call runs as Python, the function around it compiled.

    @njit
    def descend(x):                         def descend(x):
        return x - 0.1 * slope(x)               with objmode(y="float64[::1]"):
                                                    y = slope(x)
                                                return x - 0.1 * y

The types of gradients are known from those of the arguments: a gradient has the type of what it is by. The value that
`value_and_grad` gives is a float64. In Python the derivative is made for the values that it meets, as in any call from
there, so that its own loops may be compiled after all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import objmode
from numba.core import errors, types
from numba.core.dispatcher import Dispatcher
from numba.np import numpy_support

from srcad.api.wrt import Path
from srcad.frontend.load_source import name_of
from srcad.refusals.derivatives import NOT_COMPILED_INSIDE_NJIT
from srcad.runtime.jit.numba_inference import CannotType


def compiled_or_island(derivative: Any, routine: Dispatcher, kinds: tuple[Any, ...]) -> Dispatcher:
    """The dispatcher of a derivative, or of one that calls it as Python where Numba cannot compile it for these types.

    Raises UnsupportedSyntax if the types of its results are not known beforehand.
    """
    try:
        routine.compile(kinds)
    except (CannotType, errors.NumbaError) as error:
        problem = _untyped(error)
        if problem is None:
            raise
        results = result_types(derivative, kinds)
        if results is None:
            raise NOT_COMPILED_INSIDE_NJIT.at(
                problem.place, function=_name(derivative), reason=problem.reason
            ) from error
        return _island(derivative, results)
    return routine


def _name(derivative: Any) -> str:
    return name_of(derivative.function) if derivative.request.mode == "core" else str(derivative.__name__)


def _untyped(error: BaseException | None) -> CannotType | None:
    """The reason why Numba has no types, among the causes of an error."""
    while error is not None and not isinstance(error, CannotType):
        error = error.__cause__ or error.__context__
    return error


def result_types(derivative: Any, kinds: tuple[Any, ...]) -> types.Type | None:
    """Numba's type of what a derivative returns for arguments of these types, where it follows from them; else None."""
    request = derivative.request
    if request.mode not in ("grad", "value_and_grad", "hvp") or any(isinstance(each, Path) for each in request.wrt):
        return None
    gradients = [_of_gradient(kinds[place]) for place in request.wrt]
    if None in gradients:
        return None
    found = types.Tuple(gradients) if request.tuple_result else gradients[0]
    return types.Tuple((types.float64, found)) if request.mode == "value_and_grad" else found


def _of_gradient(kind: Any) -> types.Type | None:
    number = getattr(kind, "dtype", kind)
    if not isinstance(number, (types.Float, types.Complex)):
        return None
    return types.Array(number, kind.ndim, "C") if isinstance(kind, types.Array) else number


def _island(derivative: Any, result: types.Type) -> Dispatcher:
    names = ", ".join(derivative.__signature__.parameters)
    own = {"objmode", "kind", "run"}
    if not own.isdisjoint(derivative.__signature__.parameters):
        names = ", ".join(f"a{k}" for k in range(len(derivative.__signature__.parameters)))
    text = f"def island({names}):\n    with objmode(result_of_island=kind):\n"
    text += f"        result_of_island = run({names})\n    return result_of_island\n"
    space: dict[str, Any] = {"objmode": objmode, "kind": result, "run": _converted(derivative, result)}
    exec(text, space)
    return numba.njit(space["island"])


def _converted(derivative: Callable[..., Any], result: types.Type) -> Callable[..., Any]:
    def run(*args: Any) -> Any:
        return as_type(derivative(*args), result)

    return run


def as_type(value: Any, kind: types.Type) -> Any:
    """Numbers and arrays in the memory layout of a Numba type.

    >>> as_type((1, np.ones((2, 2)).T), types.Tuple((types.float64, types.float64[:, ::1])))[1].flags.c_contiguous
    True
    """
    if isinstance(kind, types.BaseTuple):
        return tuple([as_type(part, each) for part, each in zip(value, kind, strict=True)])
    if isinstance(kind, types.Array):
        return np.array(value, numpy_support.as_dtype(kind.dtype), order="C", ndmin=0)
    return numpy_support.as_dtype(kind).type(value).item()
