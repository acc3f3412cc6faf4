"""`a, b = x` takes arrays of two elements only; where that is known, no test of it is left."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient

X = np.array([0.3, 0.8, 0.55])


def pair(x):
    a, b = x
    return a * b


def rows(x):
    s = 0.0
    for (a, b), c in zip(np.outer(x, x), x, strict=True):
        s += a * b * c
    return s


def halves(v):
    return np.sin(v[:-1])


def comprehension(x):
    a, (b, c) = x[0], halves(x)
    return sum([b * u * v for u, v in np.outer(x, x[1:])]) + a * c


def ends(x):
    first, *rest, last = np.sin(x)
    *most, _ = x
    return first * sum(rest) * last + len(rest) * most[0] * len(most)


def sorted_ends(x):
    ordered = sorted(x * x)
    low, *mid, high = ordered
    return (high - low) * sum(mid) / len(mid) + ordered[1]


def known(x):
    n, m = x.shape
    a, b = np.array([x[0, 0], x[1, 0]]) * 2.0
    sign, size = np.linalg.slogdet(x)
    c, d = np.zeros(m) if n > 5 else np.ones(2)
    u, v = halves(np.zeros(3) + a)
    return a * b * size + sign + c * d * u * v


@pytest.mark.parametrize("function", [pair, rows])
@pytest.mark.parametrize("size", [1, 3])
def test_arrays_of_other_lengths_raise_as_in_python(function, size):
    x = X[:size]
    with pytest.raises(ValueError, match="values to unpack"):
        function(x)
    for derivative in (srcad.grad(function, jit=False), lambda x: srcad.jvp(function, (x,), (x,), jit=False)):
        with pytest.raises(ValueError, match="values to unpack"):
            derivative(x)


@pytest.mark.compiled
def test_arrays_of_other_lengths_raise_when_compiled():
    gradient = srcad.grad(pair)
    assert gradient(X[:2]) == pytest.approx(X[1::-1])
    for x in (X, X[:1]):
        with pytest.raises(ValueError, match="values to unpack"):
            gradient(x)


@pytest.mark.slow
def test_what_is_left_between_the_ends_is_a_list_that_may_be_empty():
    assert_gradient(ends, X, modes=["arrays"])
    assert_gradient(ends, X[:2], modes=["tangent"])
    assert_gradient(sorted_ends, X, modes=["arrays"])
    with pytest.raises(ValueError, match="at least 2 values"):
        srcad.grad(ends, jit=False)(X[:1])


@pytest.mark.slow
def test_right_lengths_give_gradients():
    assert_gradient(comprehension, X, modes=["loops", "tangent"])
    assert_gradient(rows, X[:2], modes=["loops"])


def test_no_test_is_left_where_the_length_is_known():
    x = np.array([[2.0, 0.3], [0.1, 1.5]])
    text = srcad.source(known, args=(x,))
    assert text.count("raise ") == 1  # of what may be of either of two lengths
