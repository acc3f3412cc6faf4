"""Jacobians and Hessians by and of complex numbers, against formulas: the same in both modes."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadType, NotDifferentiable

X = np.array([0.5, -1.5])
Z = np.array([0.5 + 2.0j, -1.5 + 0.3j])
FACTOR = 1.0 + 2.0j


def both(f, at, **how):
    return [srcad.jacobian(f, mode=mode, jit=False, **how)(*at) for mode in ("forward", "reverse")]


@pytest.mark.parametrize(
    ("function", "point", "expected"),
    [
        (lambda x: x * x * FACTOR, X, np.diag(2.0 * X * FACTOR)),
        (lambda z: z * z * FACTOR, Z, np.diag(2.0 * Z * FACTOR)),
        (lambda z: np.sum(np.exp(z)), Z, np.exp(Z)),
        (lambda z: np.abs(z) ** 2, Z, np.diag(2.0 * Z)),
        (lambda z: np.imag(z * z), Z, np.diag(1j * 2.0 * np.conj(Z))),
        (lambda x: x * FACTOR, 2.0, FACTOR),
        (lambda z: z * z * z, 1.0 + 2.0j, 3.0 * (1.0 + 2.0j) ** 2),
        (lambda z: z * FACTOR, Z.astype("complex64"), np.diag([FACTOR, FACTOR])),
    ],
)
def test_both_modes_give_the_derivative(function, point, expected):
    for found in both(function, (point,)):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_real_and_complex_arguments_and_results_mix():
    for (by_x, by_z), (of_real_by_x, of_real_by_z) in both(lambda x, z: (x * z, x * np.real(z)), (X, Z), wrt=(0, 1)):
        np.testing.assert_allclose(by_x, np.diag(Z))
        np.testing.assert_allclose(by_z, np.diag(X))
        np.testing.assert_allclose(of_real_by_x, np.diag(np.real(Z)))
        np.testing.assert_allclose(of_real_by_z, np.diag(X))


@pytest.mark.parametrize("mode", ["forward", "reverse"])
@pytest.mark.parametrize("function", [np.conj, lambda z: z * np.abs(z), lambda z: np.real(z) + 0j])
def test_what_is_not_holomorphic_is_refused(mode, function):
    with pytest.raises(NotDifferentiable, match="not holomorphic"):
        srcad.jacobian(function, mode=mode, jit=False)(Z)


def test_second_derivatives():
    def squares(z):
        return np.sum(np.abs(z) ** 2)

    np.testing.assert_allclose(srcad.hessian(squares, jit=False)(Z), 2.0 * np.eye(2))
    assert srcad.grad(srcad.grad(squares, jit=False), jit=False)(1.0 + 2.0j) == pytest.approx(2.0)
    for second in (srcad.hessian, lambda f, jit: srcad.jacobian(srcad.grad(f, jit=jit), jit=jit)):
        with pytest.raises(NotDifferentiable, match="not holomorphic"):
            second(lambda z: np.sum(np.real(z * z)), jit=False)(Z)
    with pytest.raises(NotDifferentiable, match="not one number"):
        srcad.grad(srcad.grad(lambda z, x: np.abs(z) ** 2 * x, jit=False), 1, jit=False)(1.0 + 2.0j, 3.0)


def test_sparse_jacobians_of_complex_numbers_are_refused():
    with pytest.raises(BadType, match="complex"):
        srcad.sparse_jacobian(lambda x: x * FACTOR, jit=False)(X)
