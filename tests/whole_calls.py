"""Check whole calls of `srcad.grad` and `srcad.jvp`, which begin again with constants where a function is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np

import srcad
from tests.differences import directional_derivative


def assert_call_is_right(f: Callable[..., Any], x: Any, *others: Any, jit: bool = False, rtol: float = 1e-7) -> None:
    """Compare value, gradient and tangent by the first argument, an array or a number, with differences."""
    start, direction = np.asarray(x, float), np.random.default_rng(3).normal(size=np.shape(x))

    def value(step: float) -> Any:
        moved = start + step * direction
        return f(moved if moved.ndim else float(moved), *others)

    expected, error = directional_derivative(value)
    scale = max(1.0, abs(expected))
    assert error <= 0.1 * rtol * scale, f"finite differences are not to be trusted here: {expected} +- {error}"
    found, gradient = srcad.value_and_grad(f, jit=jit)(x, *others)
    np.testing.assert_allclose(found, f(x, *others), rtol=1e-12)
    np.testing.assert_allclose(np.sum(gradient * direction), expected, rtol=rtol, atol=rtol * scale)
    if not jit:
        tangents = (direction if start.ndim else float(direction), *(None for _ in others))
        np.testing.assert_allclose(srcad.jvp(f, (x, *others), tangents, jit=False)[1], expected, rtol=rtol, atol=rtol)
