"""Results that are arrays of one element have gradients as numbers have."""

import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable

X = np.array([0.5, -1.5])


def kept(x):
    return np.sum(x**3, keepdims=True)


def as_matrix(x):
    return x.reshape(1, -1) @ x.reshape(-1, 1)


def in_a_list(x):
    return np.array([np.sum(x**2)])


def without_axes(x):
    return np.array(np.sum(x**2))


def as_long_as_x(x):
    return 2.0 * x


@pytest.mark.parametrize(
    ("function", "slope"),
    [(kept, 3 * X**2), (as_matrix, 2 * X), (in_a_list, 2 * X), (without_axes, 2 * X)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_the_gradient_is_that_of_the_number(function, slope):
    assert srcad.grad(function, jit=False)(X) == pytest.approx(slope)


def test_value_and_gradient_agree_on_the_number():
    value, slope = srcad.value_and_grad(kept, jit=False)(X)
    assert np.shape(value) == ()
    assert value == pytest.approx(np.sum(X**3))
    assert slope == pytest.approx(3 * X**2)


def test_there_are_second_derivatives():
    assert srcad.hvp(kept, jit=False)(X, np.array([1.0, 0.0])) == pytest.approx([6 * X[0], 0.0])


@pytest.mark.compiled
@pytest.mark.parametrize("jit", [False, True])
def test_the_number_of_elements_is_checked_in_each_call(jit):
    gradient = srcad.grad(as_long_as_x, jit=jit)
    assert gradient(np.ones(1)) == pytest.approx([2.0])
    for count in (0, 2):
        with pytest.raises(
            NotDifferentiable, match=r"needs one real number(.|\n)*return 2.0 \* x(.|\n)*hint: use srcad.vjp"
        ):
            gradient(np.ones(count))
    assert gradient(np.ones(1)) == pytest.approx([2.0])


def test_results_of_a_vjp_keep_their_shape():
    value, pullback = srcad.vjp(kept, X, jit=False)
    assert np.shape(value) == (1,)
    assert pullback(np.array([2.0]))[0] == pytest.approx(6 * X**2)
