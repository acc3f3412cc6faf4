"""Forward and reverse functions with the trace between them, as `vjp` hands them out."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadValue

X = np.array([1.0, -2.0, 0.5])
TABLE = np.array([1.0, 2.0, 3.0])


def energy(x, k=2.0):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i] * x[i]
    return total


def several(x, n):
    power = 1.0
    for _ in range(n):
        power = power * x
    return power, n * x


@pytest.mark.parametrize("jit", [True, False])
def test_a_pullback_may_be_called_many_times(jit):
    value, pullback = srcad.vjp(energy, X, 3.0, jit=jit)
    assert value == pytest.approx(3.0 * np.sum(X**3))
    for bar in (1.0, -2.0, 1.0):
        by_x, by_k = pullback(bar)
        np.testing.assert_allclose(by_x, bar * 9.0 * X**2)
        assert by_k == pytest.approx(bar * np.sum(X**3))


@pytest.mark.parametrize("function", [np.exp, lambda x: x])
@pytest.mark.parametrize("wrt", [None, 0])
def test_the_value_may_be_changed(function, wrt):
    def twice(x):
        y = function(x)
        return y, y * y

    (value, _), pullback = srcad.vjp(twice, X, wrt=wrt, jit=False)
    before = np.array(pullback((np.ones(3), np.ones(3)))[0])
    value[:] = 0.0
    np.testing.assert_array_equal(pullback((np.ones(3), np.ones(3)))[0], before)


def test_complex_cotangents_of_real_values_are_refused():
    with pytest.raises(BadValue, match="cotangent"):
        srcad.vjp(energy, X, 1.0, jit=False)[1](1.0j)
    with pytest.raises(BadValue, match="tangent"):
        srcad.jvp(energy, (X, 1.0), (1j * X, 1.0), jit=False)


def test_pullbacks_of_several_calls_do_not_disturb_each_other():
    first, second = (srcad.vjp(energy, each, 1.0)[1] for each in (X, 2.0 * X))
    np.testing.assert_allclose(first(1.0)[0] * 4.0, second(1.0)[0])


@pytest.mark.parametrize("jit", [True, False])
def test_arguments_without_a_derivative_get_none(jit):
    value, pullback = srcad.vjp(several, 2.0, 3, jit=jit)
    assert value == (8.0, 6.0)
    assert pullback((1.0, 0.0)) == (12.0, None)
    assert pullback((0.0, 1.0)) == (3.0, None)


def test_wrt_asks_for_some_of_the_gradients():
    assert srcad.vjp(energy, X, 1.0, wrt="k")[1](1.0) == pytest.approx(np.sum(X**3))
    by_k, by_x = srcad.vjp(energy, X, 1.0, wrt=("k", "x"))[1](1.0)
    assert by_k == pytest.approx(np.sum(X**3))
    np.testing.assert_allclose(by_x, 3.0 * X**2)


def test_defaults_count_as_arguments():
    assert len(srcad.vjp(energy, X)[1](1.0)) == 2


@pytest.mark.parametrize(
    ("bar", "message"),
    [
        (np.ones(2), r"the cotangent has the shape \(2,\), what it belongs to is a number"),
        ((1.0, 1.0), r"the cotangent has the shape \(2,\)"),
    ],
)
def test_a_cotangent_of_another_shape_is_refused(bar, message):
    with pytest.raises(BadArgument, match=message):
        srcad.vjp(energy, X)[1](bar)


def test_a_tuple_takes_a_tuple_of_cotangents():
    with pytest.raises(BadArgument, match=r"the cotangent is 1.0, and belongs to a tuple of 2"):
        srcad.vjp(several, 2.0, 3)[1](1.0)


@pytest.mark.parametrize("jit", [True, False])
def test_gradients_have_the_dtype_of_their_arguments(jit):
    by_x, _ = srcad.vjp(energy, X.astype(np.float32), np.float32(2.0), jit=jit)[1](1.0)
    assert by_x.dtype == np.float32
    mixed, _ = srcad.vjp(energy, X.astype(np.float32), 2.0, jit=jit)[1](1.0)
    assert mixed.dtype == np.float32


@pytest.mark.parametrize("wrt", [None, ("x", "k")])
def test_what_changes_between_the_call_and_the_pullback_does_not_matter(wrt):
    def scaled(x, k):
        return np.sum(k * TABLE * x * x)

    x = X.copy()
    _, pullback = srcad.vjp(scaled, x, 2.0, wrt=wrt)
    x[:] = 0.0
    try:
        TABLE[:] = 0.0
        found = pullback(1.0)[0]
    finally:
        TABLE[:] = [1.0, 2.0, 3.0]
    np.testing.assert_allclose(found, 4.0 * TABLE * X)
