"""`stop_gradient` hides a value from derivatives, wherever it is called."""

import numba
import numpy as np
import pytest

import srcad

X = np.array([1.0, -2.0, 0.5])


def partly(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += srcad.stop_gradient(x[i]) * x[i]
    return total


@pytest.mark.parametrize("jit", [True, False])
def test_the_derivative_of_a_stopped_value_is_zero(jit):
    np.testing.assert_array_equal(srcad.grad(partly, jit=jit)(X), X)
    assert srcad.jvp(partly, (X,), (np.ones(3),), jit=jit)[1] == X.sum()


@pytest.mark.parametrize("jit", [True, False])
def test_a_function_of_stopped_values_alone_has_the_gradient_zero(jit):
    assert srcad.grad(lambda x: srcad.stop_gradient(x) * 2.0, jit=jit)(3.0) == 0.0


def test_it_is_the_identity_in_python_and_in_compiled_code():
    assert srcad.stop_gradient(2.5) == 2.5
    stopped = numba.njit(lambda x: srcad.stop_gradient(x) + 0.0)
    assert stopped(2.5) == 2.5
    np.testing.assert_array_equal(stopped(X), X)
    np.testing.assert_array_equal(srcad.stop_gradient(X), X)
    assert partly(X) == numba.njit(partly)(X) == X @ X


def test_a_stopped_array_is_a_copy():
    stopped = srcad.stop_gradient(X)
    stopped[0] = 5.0
    assert X[0] == 1.0


def test_a_tape_does_not_follow_a_stopped_tensor():
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = srcad.stop_gradient(x) * x
    np.testing.assert_array_equal(tape.gradient(y, x), X)


def test_generated_text_with_stopped_values_runs_alone():
    def f(x):
        return x * srcad.stop_gradient(x * x)

    namespace = {}
    exec(srcad.source(f, signature="f8"), namespace)
    assert namespace["f_grad"](3.0) == 9.0


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_all_in_a_structure_is_constant(jit):
    def f(x):
        held = srcad.stop_gradient({"a": [x, 2.0 * x], "b": (x * x, "text"), "c": None})
        return x * held["a"][1] * held["b"][0]

    assert srcad.grad(f, jit=jit)(3.0) == 54.0


def test_structures_outside_of_derivatives():
    held = {"a": [X, 2.0], "b": (X, None)}
    stopped = srcad.stop_gradient(held)
    assert stopped["a"][0] is not X
    np.testing.assert_array_equal(stopped["b"][0], X)
    assert (stopped["a"][1], stopped["b"][1]) == (2.0, None)
