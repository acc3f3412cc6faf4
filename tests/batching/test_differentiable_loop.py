"""The loop over elements as a function with a source."""

import inspect

import numpy as np
import pytest

import srcad
from srcad.batching.differentiable_loop import loop_with_source, result_count, written_to
from srcad.errors import BadArgument


def scaled(x, i, k=2.0):
    if i > 0.0:
        return x * k, i
    return x * i, k


def single(x, out):
    out[0] = x
    return out


def test_results_in_tuples_are_counted():
    assert result_count(scaled) == 2
    assert result_count(single) is None
    assert result_count(srcad.value_and_grad(np.sin)) == 2
    assert result_count(srcad.grad(np.hypot, (0, 1))) == 2
    with pytest.raises(BadArgument, match="structure"):
        result_count(lambda x: {"a": x})


def test_what_is_written_to_is_found():
    assert written_to(single)[1]
    assert written_to(scaled) == [False, False, False]


def test_the_loop_runs_as_it_stands():
    made = loop_with_source(scaled, "scaled_vmap", inspect.signature(scaled), (1, 0), 0)
    x, i = np.arange(6.0).reshape(3, 2), np.array([1.0, -1.0])
    rows, flags = made(x, i)
    np.testing.assert_array_equal(rows, [2.0 * x[:, 0], -x[:, 1]])
    np.testing.assert_array_equal(flags, [1.0, 2.0])
    with pytest.raises(ValueError, match="different sizes"):
        made(x, np.ones(3))
    with pytest.raises(ValueError, match="empty"):
        made(np.ones((3, 0)), np.ones(0))
    with pytest.raises(BadArgument, match="structures"):
        loop_with_source(scaled, "f", inspect.signature(scaled), ({"a": 0}, 0), 0)
