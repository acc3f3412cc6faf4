"""Loops over all that can be looped over run as often, and in the same order, as Python's."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.lowering import assert_same, text_of
from tests.programs.lowered.iteration import (
    BOUNDS,
    OVER_BOUNDS,
    OVER_VECTORS,
    VECTORS,
    reversed_ranges,
    row_sums,
    zip_of_unknown_step,
)


@pytest.mark.parametrize("function", [*OVER_BOUNDS, reversed_ranges], ids=lambda function: function.__name__)
def test_ranges_run_the_same(function):
    assert_same(function, *BOUNDS)


@pytest.mark.parametrize("function", OVER_VECTORS, ids=lambda function: function.__name__)
def test_loops_over_arrays_run_the_same(function):
    assert_same(function, *VECTORS)


def test_the_users_counter_is_the_index_where_nothing_else_stores_it():
    assert "for i in range(t1):\n        row = a[i]" in text_of(row_sums)


def test_loops_without_a_known_count_are_refused():
    with pytest.raises(UnsupportedSyntax, match="whose step is not a literal"):
        text_of(zip_of_unknown_step)


def test_rows_are_looped_over_side_by_side():
    def f(x):
        s = 0.0
        for i, j in zip(*np.nonzero(x > 1.0)):  # noqa: B905
            s += x[i, j] ** 2
        return s

    x = np.array([[1.5, 2.0], [0.5, 3.0]])
    np.testing.assert_array_equal(srcad.grad(f, jit=False)(x), [[3.0, 4.0], [0.0, 6.0]])


def test_rows_of_which_the_number_is_not_known_are_refused():
    def f(x):
        s = 0.0
        for index in zip(*np.nonzero(x > 1.0)):  # noqa: B905
            s += x[index]
        return s

    with pytest.raises(UnsupportedSyntax, match="in `for a, b in zip"):
        text_of(f)


def test_lengths_are_compared_where_zip_is_strict():
    def f(x, y):
        s = 0.0
        for i, v in zip(range(1, 1 + 2 * len(x), 2), y, strict=True):
            s += i * v * x[0]
        return s

    srcad.check_grads(f, (np.ones(3), np.arange(3.0)), jit=False)
    with pytest.raises(ValueError, match="argument 2 is shorter or longer"):
        srcad.grad(f, jit=False)(np.ones(3), np.arange(4.0))


def test_what_is_looped_over_stays_where_a_called_function_assigns_to_its_name():
    def f(x):
        a = x

        def doubled(v):
            nonlocal a
            a = 2.0 * a
            return v * a[0]

        def total():
            s = 0.0
            for v in a:
                s += doubled(v)
            return s

        def each():
            for v in a:
                yield 3.0 * v

        s = total() + sum([doubled(v) * w for v, w in zip(a, a, strict=True)])
        for v in each():
            s += doubled(v)
        return s * a[1]

    assert_same(f, (np.array([0.5, 1.25]),))
