"""`srcad.map_gradient` gives the gradient of the sum over all batches."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadType

BATCHES = [(np.array([1.0, 2.0]), np.array([2.0, 3.0])), (np.array([3.0]), np.array([5.0]))]


def loss(p, x, y):
    return np.sum((x * p["w"] + p["b"] - y) ** 2)


def total(p):
    return sum(loss(p, *each) for each in BATCHES)


def test_sums_and_means():
    p = {"w": 1.5, "b": np.array([0.25])}
    summed = srcad.map_gradient(loss, BATCHES, value=True, jit=False)
    for _ in range(2):
        value, gradient = summed(p)
        expected = srcad.grad(lambda p: loss(p, *BATCHES[0]) + loss(p, *BATCHES[1]), jit=False)(p)
        assert value == pytest.approx(total(p), rel=1e-14)
        assert gradient["w"] == pytest.approx(expected["w"], rel=1e-14)
        np.testing.assert_allclose(gradient["b"], expected["b"], rtol=1e-14)
    mean = srcad.map_gradient(loss, lambda: iter(BATCHES), reduce="mean", jit=False)
    assert mean(p)["w"] == pytest.approx(gradient["w"] / 2.0)
    assert mean(p)["w"] == pytest.approx(gradient["w"] / 2.0)


def test_batches_that_are_no_tuples_and_gradients_that_are_shared():
    held = np.zeros(2)

    @srcad.custom_vjp
    def linear(w, x):
        return float(w @ x)

    linear.defvjp(lambda w, x: (w @ x, x), lambda x, bar: (bar * x, bar * x))
    found = srcad.map_gradient(lambda w, x: np.sum(w * x), [np.ones(2), np.ones(2)], jit=False)(held)
    assert found.tolist() == [2.0, 2.0]
    assert held.tolist() == [0.0, 0.0]


def test_what_is_wrong_is_told():
    once = srcad.map_gradient(loss, iter(BATCHES), jit=False)
    once({"w": 1.0, "b": np.zeros(1)})
    with pytest.raises(BadArgument, match="used up"):
        once({"w": 1.0, "b": np.zeros(1)})
    with pytest.raises(BadArgument, match="no batches"):
        srcad.map_gradient(loss, [], jit=False)({"w": 1.0, "b": 0.0})
    with pytest.raises(BadArgument, match="reduce is 'max'"):
        srcad.map_gradient(loss, BATCHES, reduce="max")
    with pytest.raises(BadType, match="batches is a float"):
        srcad.map_gradient(loss, 1.0)


def test_batches_that_do_not_fit_the_arguments_are_told_with_the_cure():
    pairs = [(np.ones(2), np.zeros(2))]
    with pytest.raises(BadArgument, match=r"as 2 arguments, one for each element of the tuple: too many") as told:
        srcad.map_gradient(lambda w, batch: w * batch[0].sum(), pairs, jit=False)(1.0)
    assert "lists or arrays" in str(told.value)
    with pytest.raises(BadArgument, match="as one argument: missing a required argument: 'y'"):
        srcad.map_gradient(lambda w, x, y: np.sum(w * x * y), [np.ones(2)], jit=False)(1.0)
