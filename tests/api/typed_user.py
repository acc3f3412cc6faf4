"""A user's file for type checkers: derivatives keep the parameters of the function. Checked by mypy, run by nothing.

Each `type: ignore` stands where a mistake has to be reported: mypy reports one that is not needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

import srcad

if TYPE_CHECKING:
    from typing_extensions import assert_type

Array = np.ndarray[Any, np.dtype[np.float64]]


def energy(x: Array, k: float = 2.0) -> float:
    return float(k * np.sum(x * x))


@srcad.function
def scaled(x: Array, k: float) -> Array:
    return x * k


def use(x: Array) -> None:
    slope = srcad.grad(energy)
    slope(x)
    slope(x, k=3.0)
    slope(x, "three")  # type: ignore[arg-type]
    slope(x, 3.0, 4.0)  # type: ignore[call-arg]
    slope(y=x)  # type: ignore[call-arg]

    value, _ = srcad.value_and_grad(energy, wrt=("x", "k"))(x, 1.0)
    assert_type(value, float)
    srcad.hessian(energy)(x, "three")  # type: ignore[arg-type]
    srcad.jacobian(scaled, mode="forward")(x)  # type: ignore[call-arg]
    srcad.jacfwd(scaled)(x, 2.0)
    found, _ = srcad.value_and_jacobian(scaled)(x, 2.0)
    assert_type(found, Array)

    assert_type(scaled(x, 2.0), Array)
    scaled(x)  # type: ignore[call-arg]
    srcad.grad(srcad.grad(energy, wrt="k"), argnums=1)(x, 2.0)
    srcad.grad(3.0)  # type: ignore[arg-type]
