"""Arrays of lanes, compiled and as plain Python."""

import numba
import numpy as np
import pytest

from srcad.runtime.kernels import directions

WIDTH = directions.WIDTH


def every_function(rows, vector):
    a = directions.of_rows(rows)
    b = directions.copied(a)
    b[0, 1] = a[1, 0] * 2.0
    b[1, 0] += a[1, 2]
    made, unset = directions.zeros(3), directions.empty(a.shape)
    for i in range(3):
        made[i] = b[0, i] + directions.spread(vector)[i]
        unset[0, i] = unset[1, i] = made[i] * 0.5
    apart = directions.apart(b[:, 1:])
    strided = directions.apart(made)
    for lane in range(directions.WIDTH):
        layer = directions.layer(made, lane)
        layer += 2.0 * strided[lane] * lane
    joined = directions.together(apart + 1.0)
    directions.put(unset, directions.apart(b) * 3.0)
    number = directions.with_lane(made[2], 3, directions.pick(made[0], 1))
    return (
        directions.rows_of(b),
        directions.rows_of(made),
        directions.rows_of(joined),
        directions.rows_of(unset),
        directions.rows_of(number),
        a.shape,
        b.size,
    )


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_arrays_are_what_plain_python_has():
    rows, vector = np.random.default_rng(1).normal(size=(2, 3, WIDTH)), np.array([1.0, 2.0, 3.0])
    before = rows.copy()
    expected = every_function(rows, vector)
    for found, each in zip(numba.njit(every_function)(rows, vector), expected, strict=True):
        np.testing.assert_array_equal(found, each)
    np.testing.assert_array_equal(rows, before)


def test_an_array_shares_the_memory_of_its_rows():
    rows = np.zeros((2, 3, WIDTH))
    array = directions.of_rows(rows)
    array[1][2] = 4.0
    assert (rows[1, 2] == 4.0).all()
    assert not rows[0].any()
    assert array.ndim == 2
    assert array[0].shape == (3,)


def test_numbers_are_copies_and_operators_make_new_ones():
    array = directions.zeros(2)
    one = other = array[0]
    other += 1.0
    other -= 0.5
    other *= 4.0
    other /= 2.0
    assert not one.any()
    assert (other == 1.0).all()
    assert not array[0].any()


def test_zeros_are_kept_in_products_of_any_lane():
    bar = directions.of_rows(np.array([0.0, 1.0] * (WIDTH // 2)))
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(directions.strong_product(bar, np.inf)[:2], [0.0, np.inf])
        np.testing.assert_array_equal(directions.strong_quotient(bar, 0.0)[:2], [0.0, np.inf])
