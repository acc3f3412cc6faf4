"""The check of an exported module: its derivative against differences of its function, at one point.

It is taken into exported modules as it stands, and needs NumPy only.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_STEPS = 8
_TOLERANCE = 1e-6  # relative to the slope, besides the error that differences have themselves


def check_gradient(function: Callable[..., Any], gradient: Callable[..., Any], arguments: Any, wrt: Any) -> None:
    """Compare the slope of a function along a direction with that by its gradient, the last of what is returned.

    >>> check_gradient(lambda x: x * x, lambda x: 2.0 * x, (3.0,), (0,))  # doctest: +ELLIPSIS
    the derivative agrees with differences: ... and ...
    """
    direction = directions(arguments, wrt)
    found = numbers(gradient(*copies(arguments)))[-len(wrt) :]
    report(inner(found, direction), *slope(lambda t: real(function(*moved(arguments, wrt, direction, t)))))


def check_pullback(
    function: Callable[..., Any], forward: Callable[..., Any], reverse: Callable[..., Any], arguments: Any, wrt: Any
) -> None:
    """Compare the slope of a weighted sum of results with that by a forward and a reverse function."""
    direction = directions(arguments, wrt)
    result, trace = forward(*copies(arguments))
    bar = cotangent(result)
    found = numbers(reverse(*copies(arguments), trace, bar))
    weights = numbers(bar)
    report(
        inner(found, direction),
        *slope(lambda t: inner(numbers(function(*moved(arguments, wrt, direction, t))), weights)),
    )


def check_tangent(function: Callable[..., Any], tangent: Callable[..., Any], arguments: Any, wrt: Any) -> None:
    """Compare the slope of a weighted sum of results with that by a tangent function."""
    direction = directions(arguments, wrt)
    _, dot = tangent(*copies(arguments), *direction)
    weights = numbers(cotangent(dot))
    report(
        inner(numbers(dot), weights),
        *slope(lambda t: inner(numbers(function(*moved(arguments, wrt, direction, t))), weights)),
    )


def check_curvature(function: Callable[..., Any], hvp: Callable[..., Any], arguments: Any, wrt: Any) -> None:
    """Compare the second derivative along a direction with that by a product of the Hessian with it."""
    direction = directions(arguments, wrt)
    found = numbers(hvp(*copies(arguments), *direction))[-len(wrt) :]
    report(inner(found, direction), *bend(lambda t: real(function(*moved(arguments, wrt, direction, t)))))


def report(found: float, expected: float, error: float) -> None:
    """Say whether two slopes agree; end the process with status 1 if they do not, 3 if differences do not tell."""
    scale = max(abs(found), abs(expected), 1e-8)
    if abs(found - expected) <= _TOLERANCE * scale + 10.0 * error and error < 0.01 * scale:
        print(f"the derivative agrees with differences: {found:.10g} and {expected:.10g}")  # noqa: T201
    elif error < 0.01 * scale or not math.isfinite(found):
        print(f"the derivative does not agree with differences: {found:.10g}, not {expected:.10g}")  # noqa: T201
        sys.exit(1)
    else:
        print(f"differences do not tell: {expected:.10g}, with an error of {error:.2g}; try another example")  # noqa: T201
        sys.exit(3)


def slope(f: Callable[[float], float]) -> tuple[float, float]:
    """The derivative of a function at 0, with an estimate of its error: central differences, extrapolated.

    After Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering Software 4, 1982.

    >>> abs(slope(lambda t: math.exp(2.0 * t))[0] - 2.0) < 1e-9
    True
    """
    return extrapolated(lambda h: (f(h) - f(-h)) / (2.0 * h))


def bend(f: Callable[[float], float]) -> tuple[float, float]:
    """The second derivative at 0, with an estimate of its error.

    >>> abs(bend(lambda t: math.exp(2.0 * t))[0] - 4.0) < 1e-6
    True
    """
    middle = f(0.0)
    return extrapolated(lambda h: (f(h) - 2.0 * middle + f(-h)) / (h * h))


def extrapolated(difference: Callable[[float], float]) -> tuple[float, float]:
    """The limit of a difference for small steps, whose error is a series in their squares, and its error."""
    table: list[list[float]] = []
    best, error, h = math.nan, math.inf, 0.1
    for row in range(_STEPS):
        table.append([difference(h)])
        for column in range(1, row + 1):
            factor = 4.0**column
            left, above = table[row][column - 1], table[row - 1][column - 1]
            table[row].append((factor * left - above) / (factor - 1.0))
            off = max(abs(table[row][column] - left), abs(table[row][column] - above))
            if off <= error:
                best, error = table[row][column], off
        h /= 2.0
    return best, error


def directions(arguments: Sequence[Any], wrt: Sequence[int]) -> list[Any]:
    """A direction for each of these arguments, of the same kind, from a fixed sequence of random numbers."""
    generator = np.random.default_rng(0)
    return [_like(arguments[k], generator) for k in wrt]


def cotangent(result: Any) -> Any:
    """Weights in the form of a result."""
    if isinstance(result, tuple):
        return tuple(cotangent(each) for each in result)
    return _like(result, np.random.default_rng(1))


def _like(value: Any, generator: Any) -> Any:
    made = np.asarray(generator.uniform(0.1, 1.0, np.shape(value)), np.asarray(value).dtype)
    return made if np.ndim(value) else made[()].item() if isinstance(value, (float, np.float64)) else made[()]


def moved(arguments: Sequence[Any], wrt: Sequence[int], direction: Sequence[Any], t: float) -> list[Any]:
    """Copies of the arguments, some of them moved along a direction."""
    result = copies(arguments)
    for k, each in zip(wrt, direction, strict=True):
        result[k] = result[k] + t * each
    return result


def copies(arguments: Sequence[Any]) -> list[Any]:
    """The arguments, arrays copied: the function may write into them."""
    return [each.copy(order="K") if isinstance(each, np.ndarray) else each for each in arguments]


def numbers(result: Any) -> list[Any]:
    """The numbers and arrays in nested tuples."""
    return [inner_ for each in result for inner_ in numbers(each)] if isinstance(result, tuple) else [result]


def inner(a: Sequence[Any], b: Sequence[Any]) -> float:
    """The sum of products of all elements."""
    return math.fsum(float(np.sum(np.multiply(x, y))) for x, y in zip(a, b, strict=True))


def real(value: Any) -> float:
    """A number, or the only element of an array."""
    return float(np.asarray(value).item())
