"""What iterations of parallel loops pass on is done by loops of their own, where that leaves anything to be shared."""

import re

import numpy as np
import pytest
from numba import njit, prange, typeof

from srcad.driver import pipeline

X = np.array([0.3, -0.7, 0.9, 0.2])


def is_split(function, without=()):
    """Whether what iterations compute is kept, for the loop behind."""
    unit = pipeline.prepare(njit(parallel=True)(function))
    text = pipeline.derive(unit, "tangent", (0,), [typeof(X)], loops=False, without=without).text
    assert len(re.findall(r"^    for ", text, re.MULTILINE)) == 1 + ("_each" in text)
    return "_each" in text


def product_of_sines(x):
    p = 1.0
    for i in prange(x.shape[0]):
        p *= np.sin(x[i])
    return p


def product_of_elements(x):
    p = 1.0
    for i in prange(x.shape[0]):
        p *= x[i] + 1.0
    return p


def recurrence_of_sines(x):
    p = 1.0
    for i in prange(x.shape[0]):
        p = np.sin(p * x[i])
    return p


def sum_of_sines(x):
    s = 0.0
    for i in prange(x.shape[0]):
        s += np.sin(x[i])
    return s


def drawn_in_order(x):
    p = 1.0
    for i in prange(x.shape[0]):
        p *= np.sin(x[i]) * np.random.random()
    return p


def prefix_in_an_array(x):
    y = np.zeros(x.shape[0] + 1)
    for i in prange(x.shape[0]):
        y[i + 1] = y[i] * 0.5 + np.sin(x[i])
    return np.sum(y * y)


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (product_of_sines, True),
        (prefix_in_an_array, True),
        (product_of_elements, False),  # as cheap as what would be stored for it
        (recurrence_of_sines, False),  # all of it is passed on
        (drawn_in_order, False),
        (sum_of_sines, False),  # parts of a sum are added later
    ],
)
def test_a_loop_is_split_where_that_leaves_something_to_be_shared(function, expected):
    assert is_split(function) == expected


def test_loops_stay_whole_without_the_pass():
    assert not is_split(product_of_sines, without=("ordered_reductions",))
