"""What iterators would still read must stay: lowering has read it before the loop."""

import itertools

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4])


def ahead(x):
    parts, s = [x[0], x[1]], 0.0
    for v in itertools.chain(parts, [x[2]]):
        parts[1] = v * x[2]
        s += v
    return s


def by_another_name(x):
    parts, s = {"a": x[0], "b": x[1]}, 0.0
    same = parts
    for _, v in parts.items():
        same["b"] = v * v
        s += v
    return s


def by_a_helper(x):
    def put(entries, v):
        entries["b"] = v * x[2]

    parts, s = {"a": x[0], "b": x[1]}, 0.0
    for v in parts.values():
        put(parts, v)
        s += v
    return s


def longer(x):
    parts, s = [x[0], x[1]], 0.0
    for v in itertools.chain(parts, [x[2]]):
        if len(parts) < 4:
            parts.append(v * v)
        s += v
    return s


def values_of_values(x):
    parts, s = {"a": x[0], "b": x[1]}, 0.0
    for v in itertools.chain(parts.values(), [x[2]]):
        parts["b"] = v * x[2]
        s += v
    return s


def as_often_as_an_array_says(x):
    parts, s = {"a": x[0], "b": x[1]}, 0.0
    for v, w in zip(parts.values(), x, strict=False):
        parts["b"] = v * w
        s += v
    return s


@pytest.mark.parametrize(
    "function", [ahead, by_another_name, by_a_helper, longer, values_of_values, as_often_as_an_array_says]
)
def test_elements_that_are_written_before_they_are_reached_are_refused(function):
    with pytest.raises(UnsupportedSyntax, match="the loop writes to elements that it reads later") as caught:
        srcad.grad(function, jit=False)(X)
    assert "test_consumed_iterators.py" in str(caught.value)


@pytest.mark.slow
def test_each_value_may_be_written_in_its_turn():
    def stepped(x):
        parts = {"a": x[0], "b": x[1]}
        for name, v in parts.items():
            parts[name] = v * v
        for v in list(parts.values()):
            parts["b"] = v * parts["b"]
        for v in parts.values():
            parts["a"] = v * x[2]
        return parts["a"] * parts["b"]

    assert_gradient(stepped, X)
