"""The expected slope of a program, from running it in plain Python; knows nothing of srcad.

A complex step where the program is analytic along the path that it takes: exact, and without leaving the path. Else
differences with step control and an estimate of their error, with steps so short that no decision changes.
"""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.agreement import path
from tests.differences import directional_derivative
from tests.fuzz.leaves import moved
from tests.fuzz.program import Program, function_of

STEP = 1e-100
STEPS = (1e-2, 1e-3, 1e-4)
FIRST_TRUSTED = 1e-7  # relative error of a difference that counts


class NotAnalyticError(Exception):
    """The program uses something that a complex step does not go through."""


class _LinearAlgebra:
    """`np.linalg` for complex numbers, without conjugates."""

    def __getattr__(self, name: str) -> Any:
        if name in {"inv", "solve", "det"}:
            return getattr(np.linalg, name)
        if name not in {"norm", "cholesky", "slogdet"}:
            raise NotAnalyticError(name)
        return getattr(self, f"_{name}")

    def _norm(self, x: Any) -> Any:
        return np.sqrt(np.sum(x * x))

    def _slogdet(self, a: Any) -> Any:
        value = np.linalg.det(a)
        return np.sign(value.real), np.log(value * np.sign(value.real))

    def _cholesky(self, a: Any) -> Any:
        lower = np.zeros_like(a, dtype=complex)
        for i in range(a.shape[-1]):
            for j in range(i + 1):
                rest = a[..., i, j] - np.sum(lower[..., i, :j] * lower[..., j, :j], -1)
                lower[..., i, j] = np.sqrt(rest) if i == j else rest / lower[..., j, j]
        return lower


NEW_ARRAYS = frozenset({"zeros", "ones", "empty", "full", "eye", "array", "linspace", "zeros_like", "ones_like"})


def _complex(makes: Callable[..., Any]) -> Callable[..., Any]:
    """A function that makes arrays, of complex numbers where they were floats."""

    def made(*arguments: Any, **named: Any) -> Any:
        found = makes(*arguments, **named)
        return found.astype(complex) if found.dtype.kind == "f" else found

    return made


class AnalyticNumpy:
    """NumPy whose new arrays are complex, and whose functions are analytic continuations of those of real numbers."""

    linalg = _LinearAlgebra()
    float32 = float64 = np.complex128

    def __getattr__(self, name: str) -> Any:
        if name in {"vdot", "conj", "conjugate", "real", "imag", "angle", "fft", "heaviside"}:
            raise NotAnalyticError(name)
        found = getattr(np, name)
        return _complex(found) if name in NEW_ARRAYS else found

    def abs(self, x: Any) -> Any:
        return np.where(np.real(x) < 0, -1.0, 1.0) * x

    def sign(self, x: Any) -> Any:
        return np.sign(np.real(x))

    def hypot(self, x: Any, y: Any) -> Any:
        return np.sqrt(x * x + y * y)

    def var(self, x: Any, axis: Any = None) -> Any:
        centred = x - np.mean(x, axis=axis, keepdims=True)
        return np.mean(centred * centred, axis=axis)


class _AnalyticMath:
    """`math` by NumPy."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(math, name)
        return getattr(np, name) if callable(found) else found


def by_complex_step(program: Program, directions: tuple[Any, ...]) -> float | None:
    """The slope along directions by a complex step; None where that is not possible."""
    point = [np.iscomplexobj(each) for each in program.arguments if not isinstance(each, dict)]
    if any(point) or "1j" in program.text or "2j" in program.text:
        return None
    numpy = AnalyticNumpy()
    replaced = {"np": numpy, "math": _AnalyticMath(), "abs": numpy.abs}
    function = function_of(program.text, **replaced)
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("error", np.exceptions.ComplexWarning)
            warnings.simplefilter("ignore", RuntimeWarning)
            pairs = zip(program.arguments, directions, strict=True)
            value = function(*(_as_numpy(moved(x, way, 1j * STEP)) for x, way in pairs))
    except (NotAnalyticError, TypeError, AttributeError, ValueError, np.exceptions.ComplexWarning):
        return None
    slope = float(np.imag(value)) / STEP
    return slope if np.isfinite(slope) else None


def _as_numpy(value: Any) -> Any:
    """Complex numbers as NumPy's, which can be compared."""
    if isinstance(value, dict):
        return {key: _as_numpy(each) for key, each in value.items()}
    return np.complex128(value) if isinstance(value, complex) else value


def by_differences(program: Program, directions: tuple[Any, ...]) -> float | None:
    """The slope along directions by differences; None where they are not reliable."""
    f = program.function

    def point(step: float) -> list[Any]:
        return [moved(x, way, step) for x, way in zip(program.arguments, directions, strict=True)]

    path(f, point(0.0))  # Python 3.12.1 leaves events out of the first call that it traces
    here = path(f, point(0.0))
    for first in STEPS:
        steps = [sign * first / 1.6**k for k in range(12) for sign in (1.0, -1.0)]
        if here is not None and all(path(f, point(step)) == here for step in steps):
            found, error = directional_derivative(lambda step: float(f(*point(step))), first)
            return found if error <= FIRST_TRUSTED * max(1.0, abs(found)) else None
    return None
