"""Jacobians of compiled functions: one loop over unit directions, around the reverse or the tangent function.

    def f_rows(x, trace, result_bar):               def f_columns(x, x_dot):
        for i in range(result_bar.size):                for i in range(x_dot.size):
            result_bar.flat[i] = 1.0                        x_dot.flat[i] = 1.0
            x_rows[i], = f_reverse(x, trace, ...)           _, columns[i] = f_tangent(x, x_dot)

The loop is generated into the module of the function that it calls, to be compiled and kept on disk like that. It is
none of the derivatives that users read, so that the text is made here, of strings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numba.core import types


def rows_text(name: str, reverse: str, kinds: Sequence[Any], wrt: Sequence[int], result: Any) -> str | None:
    """The function (*arguments, trace, zeros) -> for each argument in `wrt` its adjoints for all unit cotangents.

    None where the result is no array of real numbers. `zeros` has the shape of the result.
    """
    if not (isinstance(result, types.Array) and isinstance(result.dtype, types.Float) and result.ndim):
        return None
    given = [f"a{place}" for place in range(len(kinds))]
    lines = [
        f"def {name}({', '.join([*given, 'trace', 'bar'])}):",
        "    flat = bar.reshape(-1)",
        *[f"    r{k} = np.empty({_shape('bar.size', given[place], kinds[place])})" for k, place in enumerate(wrt)],
        "    for i in range(bar.size):",
        "        flat[i] = 1.0",
        f"        found = {reverse}({', '.join([*given, 'trace', 'bar.copy()'])})",
        *[f"        r{k}[i] = found[{k}]" for k in range(len(wrt))],
        "        flat[i] = 0.0",
        f"    return ({''.join(f'r{k}, ' for k in range(len(wrt)))})",
    ]
    return "\n".join(["import numpy as np", "", "", *lines]) + "\n"


def columns_text(name: str, tangent: str, kinds: Sequence[Any], wrt: Sequence[int], result: Any) -> str | None:
    """The function (*arguments, zeros) -> the tangents of the result for all unit directions of one argument.

    None if more than one argument moves, or the result is no array of real numbers. `zeros` has the argument's shape.
    """
    if len(wrt) != 1 or not (isinstance(result, types.Array) and isinstance(result.dtype, types.Float) and result.ndim):
        return None
    given = [f"a{place}" for place in range(len(kinds))]
    direction = "dot.copy()" if isinstance(kinds[wrt[0]], types.Array) else "dot[0]"
    lines = [
        f"def {name}({', '.join([*given, 'dot'])}):",
        "    flat = dot.reshape(-1)",
        "    flat[0] = 1.0",
        f"    first = {tangent}({', '.join([*given, direction])})[1]",
        "    flat[0] = 0.0",
        f"    found = np.empty((dot.size,) + first.shape, np.{result.dtype.name})",
        "    found[0] = first",
        "    for i in range(1, dot.size):",
        "        flat[i] = 1.0",
        f"        found[i] = {tangent}({', '.join([*given, direction])})[1]",
        "        flat[i] = 0.0",
        "    return found",
    ]
    return "\n".join(["import numpy as np", "", "", *lines]) + "\n"


def _shape(count: str, argument: str, kind: Any) -> str:
    if isinstance(kind, types.Array):
        return f"({count},) + {argument}.shape, np.{kind.dtype.name}"
    return f"({count},), np.{kind.name}"


def rows(reverse: Callable[..., Any], arguments: tuple[Any, ...], trace: Any, bar: Any, count: int) -> list[Any]:
    """What the generated function gives, in Python; `count` arguments have adjoints."""
    found: list[list[Any]] = [[] for _ in range(count)]
    for place in np.ndindex(bar.shape):
        seed = np.zeros_like(bar)
        seed[place] = 1.0
        for row, adjoint in zip(found, reverse(*arguments, trace, seed), strict=True):
            row.append(adjoint)
    return [np.stack(row) for row in found]


def columns(tangent: Callable[..., Any], arguments: tuple[Any, ...], dot: Any, is_array: bool) -> Any:
    """What the generated function gives, in Python."""
    found = []
    for place in np.ndindex(dot.shape):
        seed = np.zeros_like(dot)
        seed[place] = 1.0
        found.append(tangent(*arguments, seed if is_array else seed[0])[1])
    return np.stack(found)
