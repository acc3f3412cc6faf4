"""Jacobians under the names of other libraries, with the value, and the derivative as a function of tangents."""

import numpy as np
import pytest

import srcad

X = np.array([0.4, 1.3])


def vector(x, k):
    return np.sin(x) * k, np.sum(x) * k


class Model:
    def __init__(self):
        self.w = np.array([3.0, 4.0])

    def scaled(self, x):
        return self.w * x


def same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, (tuple, dict)):
        for key in expected if isinstance(expected, dict) else range(len(expected)):
            same(found[key], expected[key])
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("wrt", [0, "k", (0, 1)])
def test_jacobians_by_mode_and_with_the_value(wrt):
    expected = srcad.jacobian(vector, wrt, jit=False)(X, 2.0)
    same(srcad.jacfwd(vector, wrt, jit=False)(X, 2.0), srcad.jacobian(vector, wrt, "forward", jit=False)(X, 2.0))
    by_rows = srcad.jacobian(vector, wrt, "reverse", jit=False)(X, 2.0)
    same(srcad.jacrev(vector, argnums=wrt, jit=False)(X, 2.0), by_rows)
    for mode in (None, "forward", "reverse"):
        value, found = srcad.value_and_jacobian(vector, wrt, mode, jit=False)(X, k=2.0)
        np.testing.assert_array_equal(value[0], np.sin(X) * 2.0)
        assert value[1] == np.sum(X) * 2.0
        for one, other in zip(found, expected, strict=True):
            for a, b in zip(one, other, strict=True) if isinstance(one, tuple) else [(one, other)]:
                np.testing.assert_allclose(a, b, rtol=1e-14)


def test_values_of_structures_methods_and_gradients():
    value, found = srcad.value_and_jacobian(lambda p: {"y": p["a"] * p["b"]}, jit=False)({"a": X, "b": 2.0})
    np.testing.assert_array_equal(value["y"], 2.0 * X)
    np.testing.assert_array_equal(found["y"]["b"], X)
    value, found = srcad.value_and_jacobian(Model().scaled, "self.w", jit=False)(X)
    np.testing.assert_array_equal(value, Model().w * X)
    np.testing.assert_array_equal(found, np.diag(X))
    value, found = srcad.value_and_jacobian(srcad.grad(lambda x: np.sum(x**3), jit=False), jit=False)(X)
    np.testing.assert_allclose(value, 3.0 * X**2)
    np.testing.assert_allclose(found, np.diag(6.0 * X))


def test_a_linear_map_of_tangents_keeps_its_point():
    x = X.copy()
    value, along = srcad.linearize(lambda x, k: x * x * k, x, 2.0, jit=False)
    x[:] = 7.0
    np.testing.assert_array_equal(value, 2.0 * X * X)
    np.testing.assert_allclose(along(np.ones(2), None), 4.0 * X)
    np.testing.assert_allclose(along(None, 1.0), X * X)
    np.testing.assert_allclose(along(np.ones(2), 3.0), along(np.ones(2), 0.0) + 3.0 * along(None, 1.0))


def test_a_function_that_writes_its_argument_sees_the_point_each_time():
    def f(x):
        x[0] = x[0] * x[1]
        return x[0] * x[0]

    value, along = srcad.linearize(f, X, jit=False)
    assert value == (X[0] * X[1]) ** 2
    assert along(np.array([1.0, 0.0])) == along(np.array([1.0, 0.0])) == pytest.approx(2.0 * X[0] * X[1] ** 2)
    np.testing.assert_array_equal(X, [0.4, 1.3])


def test_inside_a_function_that_is_differentiated():
    def f(x):
        return np.sum(srcad.jacfwd(lambda y: y * y * y)(np.array([x, 2.0]))) + srcad.grad(lambda y: y**3, argnums=0)(x)

    assert srcad.grad(f, jit=False)(2.0) == pytest.approx(24.0)
