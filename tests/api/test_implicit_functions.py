"""`srcad.implicit`: solvers of the user's own, by the implicit function theorem."""

from __future__ import annotations

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, NoSolution


def balance(x, a, b, k):
    return a @ x + k * x**3 - b


@srcad.implicit(balance)
def equilibrium(a, b, k):
    x = np.zeros_like(b)
    while np.max(np.abs(balance(x, a, b, k))) > 1e-13:
        x = x - np.linalg.solve(a + np.diag(3 * k * x**2), balance(x, a, b, k))
    return x


def parts(x, p, n):
    return {"u": x["u"] ** 3 + p["a"] * x["u"] - n * p["b"], "v": x["v"] - x["u"] * p["c"]}


@srcad.implicit(parts)
def solved_parts(start, p, n):
    u = start["u"]
    for _ in range(40):
        u = u - (u**3 + p["a"] * u - n * p["b"]) / (3 * u**2 + p["a"])
    return {"u": u, "v": u * p["c"]}


A, B = np.array([[3.0, 1.0], [0.5, 2.0]]), np.array([1.0, 2.0])


def test_gradient_by_a_matrix_a_vector_and_a_number():
    loss = lambda a, b, k: np.sum(equilibrium(a, b, k) ** 2)  # noqa: E731 - as users write it
    by_a, by_b, by_k = srcad.grad(loss, (0, 1, 2), jit=False)(A, B, 0.7)
    x = equilibrium(A, B, 0.7)
    w = np.linalg.solve((A + np.diag(2.1 * x**2)).T, 2.0 * x)
    np.testing.assert_allclose(by_b, w, rtol=1e-12)
    np.testing.assert_allclose(by_a, -np.outer(w, x), rtol=1e-12)
    assert by_k == pytest.approx(-w @ x**3, rel=1e-12)


def loss_of_parts(a, start):
    x = solved_parts({"u": start}, {"a": a, "b": 0.8, "c": np.array([1.0, 2.0])}, 2)
    return x["u"] * np.sum(x["v"] ** 2)


def test_solutions_and_parameters_may_be_structures():
    by_a, by_start = srcad.grad(loss_of_parts, (0, 1), jit=False)(1.2, 1.0)
    # loss = 5 u**3 where u**3 + a u = 1.6, so that u' = -u / (3 u**2 + a)
    u = loss_of_parts(1.2, 1.0) / 5.0
    u = u ** (1.0 / 3.0)
    assert by_a == pytest.approx(-15.0 * u**3 / (3 * u**2 + 1.2), rel=1e-10)
    assert by_start == 0.0


@srcad.implicit(lambda x, a: x * x - a)
def root_of_square(a):
    return float(np.sqrt(a))  # float() cannot be differentiated, and need not be


def test_derivatives_of_any_order():
    third = srcad.grad(srcad.grad(srcad.grad(root_of_square)), jit=False)
    assert third(2.0) == pytest.approx(0.375 * 2.0**-2.5, rel=1e-12)


def test_forward_mode():
    assert srcad.jvp(root_of_square, (4.0,), (1.0,), jit=False) == (2.0, 0.25)


def test_compiled():
    assert srcad.grad(lambda a: 3.0 * root_of_square(a))(4.0) == pytest.approx(0.75)


def test_on_a_tape():
    a = srcad.Variable(4.0)
    with srcad.GradientTape() as tape:
        y = root_of_square(a)
    assert float(tape.gradient(y, a)) == 0.25


def test_singular_jacobian_raises_with_the_place():
    with pytest.raises(NoSolution, match="singular") as caught:
        srcad.grad(root_of_square, jit=False)(0.0)
    assert "test_implicit_functions.py" in str(caught.value)


def test_residual_and_solver_have_to_fit():
    with pytest.raises(BadArgument, match="3 parameters"):
        srcad.implicit(lambda x, a, b: x)(lambda a: a)
    with pytest.raises(BadArgument, match="any number"):
        srcad.implicit(lambda *args: args[0])(lambda a: a)
