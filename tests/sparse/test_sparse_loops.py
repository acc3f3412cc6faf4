"""Loops over sparse matrices, as plain Python."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from srcad.sparse.sparse_loops import (
    BITS,
    are_apart,
    by_colour,
    least_period,
    most_in_a_row,
    singles,
    star_colours,
    take_in_order,
)
from tests.sparse.test_colouring import is_star

MATRIX = csr_array(np.array([[1.0, 0.0, 2.0, 0.0], [0.0, 3.0, 0.0, 0.0], [0.0, 0.0, 4.0, 5.0]]))


@pytest.mark.parametrize("period", [2, BITS + 3])
def test_equal_remainders_in_a_row_are_seen(period):
    starts, remainders = np.array([0, 2, 4]), np.arange(8) % period
    assert are_apart(starts, np.array([0, 1, 4, 5]), remainders, period)
    assert not are_apart(starts, np.array([0, 1, 3, 3]), remainders, period)


def test_the_least_period_of_a_matrix():
    assert least_period(MATRIX.indptr, MATRIX.indices, 4, 1, 9) == 3
    assert least_period(MATRIX.indptr, MATRIX.indices, 4, 1, 3) == 3
    assert least_period(np.array([0, 0]), np.array([], int), 4, 1, 9) == 1


def test_single_entries_of_a_group_are_found():
    first, ratio = np.array([2.0, 0.0, 3.0, np.nan]), np.array([6.0, 0.0, 4.0, np.nan])
    columns, rest = np.empty(4, np.int32), np.array([1.0, 0.0, 0.0, 0.0])
    with np.errstate(invalid="ignore", divide="ignore"):
        singles(columns, first, ratio, np.full(5, 0.5), rest)
    assert columns.tolist() == [2, -1, -1, -1]
    assert rest[:3].tolist() == [0.0, 0.0, 0.0]
    assert np.isnan(rest[3])


def test_entries_are_listed_colour_by_colour():
    colour_of, weights = np.array([0, 0, 1, 0]), np.zeros((2, 3))
    starts, places, rows = by_colour(MATRIX.indptr, MATRIX.indices, colour_of, np.arange(1.0, 5.0), weights)
    assert starts.tolist() == [0, 3, 5]
    assert places.tolist() == [0, 2, 4, 1, 3]
    assert rows.tolist() == [0, 1, 2, 0, 2]
    assert weights.tolist() == [[1.0, 2.0, 4.0], [3.0, 0.0, 3.0]]


def test_entries_are_read_in_order_from_products_of_some_colours():
    colour_of, data = np.array([0, 0, 1, 0]), np.zeros(5)
    products = np.array([[1.0, 3.0, 5.0], [2.0, np.nan, 4.0]])
    take_in_order(data, products[:1], MATRIX.indptr, MATRIX.indices, colour_of, 0)
    assert data.tolist() == [1.0, 0.0, 3.0, 0.0, 5.0]
    take_in_order(data, products[1:], MATRIX.indptr, MATRIX.indices, colour_of, 1)
    assert data.tolist() == MATRIX.data.tolist()


def test_the_fullest_row():
    assert most_in_a_row(MATRIX.indptr) == 2
    assert most_in_a_row(np.array([0])) == 0


def test_hubs_keep_their_colours():
    matrix = np.eye(9, dtype=bool) | np.eye(9, k=1, dtype=bool) | np.eye(9, k=-1, dtype=bool)
    matrix[[3, 6]] = matrix[:, [3, 6]] = True
    pattern = csr_array(matrix)
    fullest = np.argsort(-matrix.sum(1), kind="stable")
    for hub in (5, 100):
        colours = star_colours(fullest, pattern.indptr, pattern.indices, hub)
        assert is_star(matrix, colours)
        assert colours.max() < 5
        assert hub > 9 or np.bincount(colours)[colours[[3, 6]]].tolist() == [1, 1]
