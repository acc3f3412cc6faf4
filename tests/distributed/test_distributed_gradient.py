import numpy as np
import pytest

import srcad
from srcad.distributed import map_gradient
from srcad.errors import BadArgument, BadType
from tests.distributed.programs import chunks, failing, misfit, parameters


def whole(w, parts):
    """The sum over all chunks, in one function."""
    total = 0.0
    for x, y in parts:
        total += misfit(w, x, y)
    return total


def test_gradient_is_that_of_the_sum():
    value, gradient = map_gradient(misfit, chunks(), value=True, jit=False)(parameters())
    expected_value, expected = srcad.value_and_grad(whole, jit=False)(parameters(), chunks())
    assert value == pytest.approx(expected_value, rel=1e-14)
    assert gradient["a"] == pytest.approx(expected["a"], rel=1e-13)
    assert gradient["b"] == pytest.approx(expected["b"], rel=1e-13)


def test_mean_is_the_sum_divided_by_the_number_of_chunks():
    total, mean = (map_gradient(misfit, chunks, reduce=each, jit=False)(parameters()) for each in ("sum", "mean"))
    assert mean["b"] == pytest.approx(total["b"] / 7, rel=1e-14)


def test_sums_are_those_of_a_binary_tree():
    parts = [np.array([10.0**k]) for k in (16, 0, 0, 0, -3)]
    a, b, c, d, e = (float(each[0]) for each in parts)
    assert map_gradient(failing, parts, jit=False)(1.0) == ((a + b) + (c + d)) + e


@pytest.mark.parametrize("none", [[], iter(()), list])
def test_no_chunks_are_an_error(none):
    with pytest.raises(BadArgument, match="there are no chunks"):
        map_gradient(misfit, none, jit=False)(parameters())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"reduce": "max"}, BadArgument, "reduce is 'max'"),
        ({"workers": 0}, BadArgument, "workers is 0"),
        ({"workers": True}, BadType, "workers is a bool"),
        ({"workers": "two"}, BadType, "workers is a str"),
        ({"chunks": 3.0}, BadType, "chunks is a float"),
    ],
)
def test_bad_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        map_gradient(misfit, **{"chunks": [], **arguments})
