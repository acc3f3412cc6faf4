"""Calls of leaves: structures in and out, memory that is shared with nothing, and what does not cross."""

import numpy as np
import pytest

import srcad
from srcad.bridges.leaf_calls import LeafCalls, owned


def test_results_come_in_the_structure_of_the_function():
    call = LeafCalls(lambda p: {"a": p["w"] * 2.0, "b": [p["n"], p["w"]]}, jit=False).at(({"w": np.ones(2), "n": 3},))
    value, pull = call.differentiated()
    found = call.result(value, ["x", "y", "z"])
    assert found == {"a": "x", "b": ["y", "z"]}
    assert call.result(call.unstructured({"a": 1, "b": [2, 3]}), [1, 2, 3]) == {"a": 1, "b": [2, 3]}
    bars = pull((np.array([1.0, 0.0]), (0.0, np.array([0.0, 1.0]))))
    assert bars[call.places.index(0)].tolist() == [2.0, 1.0]


def test_what_is_returned_shares_no_memory():
    x = np.ones(3)
    for f in (lambda x: x, lambda x: x[1:], lambda x: (x, x * 2.0, x.reshape(3, 1)), np.exp):
        for value in (LeafCalls(f, jit=False).at((x,)).value(), LeafCalls(f, jit=False).at((x,)).differentiated()[0]):
            parts = value if isinstance(value, tuple) else (value,)
            assert not any(np.shares_memory(part, x) for part in parts)
    one = np.ones(3)
    first, second = owned((one, one), ())
    assert first is one
    assert not np.shares_memory(first, second)


def test_a_result_that_the_trace_holds_may_be_written_to():
    value, pull = LeafCalls(np.exp, jit=False).at((np.ones(2),)).differentiated()
    value[:] = 0.0
    assert np.allclose(pull(np.ones(2))[0], np.e)


def test_a_function_that_writes_into_its_arguments_changes_copies():
    def f(x):
        x[0] = x[1] ** 2
        return x * x

    x = np.array([1.0, 2.0])
    assert LeafCalls(f, jit=False).at((x,)).value().tolist() == [16.0, 4.0]
    assert x.tolist() == [1.0, 2.0]


def test_long_lists_and_what_is_no_function_are_refused():
    with pytest.raises(srcad.BadArgument, match="stack"):
        LeafCalls(lambda p: p[0], jit=False).at(([1.0] * 80,))
    with pytest.raises(srcad.BadArgument, match="the function itself"):
        LeafCalls(3.0)
