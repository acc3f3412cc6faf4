"""Methods of dictionaries: what `keys`, `values` and `items` give shows later changes."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4])


def views_kept_in_names(x):
    parts = {"a": x[0], "b": x[1]}
    values, items, keys = parts.values(), parts.items(), (parts.keys(), 1.0)
    parts["a"] = x[2] * x[2]
    parts["c"] = x[0] * x[1]
    s = sum(values) * len(keys[0])
    for name, v in items:
        s = 2.0 * s + v * v if name in keys[0] else v
    return s


def views_in_loops(x, n):
    parts, s = {"a": x[0], "b": x[1]}, x[2]
    values = parts.values()
    for i in range(n):
        parts["a"] = parts["a"] * x[i]
        for v in values:
            s = s + v * v
    return s * sum(values)


def made_on_two_paths(x):
    parts = {"a": x[0], "b": x[1]}
    values = parts.values()
    if x[0] > x[1]:
        values = parts.values()
    parts["a"] = x[2] * x[2]
    return sum(values) * x[1]


def views_as_sets(x):
    one, other = {"a": x[0], "b": x[1]}, {"b": x[2], "a": x[1], "c": x[0]}
    s = x[0] if one.keys() < other.keys() and one.keys() != {"a"} else x[1]
    for name in one.keys() & other.keys():
        s = s + one[name] * other[name]
    return s


@pytest.mark.parametrize(
    "args", [(views_kept_in_names, X), (views_in_loops, X, 3), (views_as_sets, X), (made_on_two_paths, X)]
)
def test_views_show_later_changes(args):
    assert_gradient(*args, modes=("loops",))


def compared(x):
    parts = {"a": 1.0}
    return x[0] if parts.values() == parts.values() else x[1]


def one_or_another(x):
    one, other = {"a": x[0]}, {"a": x[1]}
    values = one.values() if x[0] > x[1] else other.values()
    one["a"] = x[2]
    return sum(values)


@pytest.mark.parametrize("function", [compared, one_or_another])
def test_views_that_are_not_known_to_be_of_one_dictionary_are_refused(function):
    with pytest.raises(UnsupportedSyntax, match=r"`==` of dictionaries|a view of one dictionary or of another"):
        srcad.grad(function, jit=False)(X)
