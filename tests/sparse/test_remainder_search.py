"""Rows whose columns leave different remainders are found, others are left."""

import numpy as np
import pytest

from srcad.sparse.remainder_search import KnownRows, random_direction


def known(matrix):
    probe = random_direction(matrix.shape[1])
    return KnownRows(lambda vector: matrix @ vector, probe, matrix @ probe, 1e-11)


@pytest.mark.parametrize("step", [1, 4, 8, 28])
def test_bands_and_grids_are_found(step):
    n = 60
    matrix = np.diag(np.arange(1.0, n + 1.0))
    matrix += np.diag(np.full(n - step, -1.0), step) + np.diag(np.full(n - step, -1.0), -step)
    rows = known(matrix)
    if step < 28:
        assert rows.all_known
        np.testing.assert_array_equal(rows.matrix().toarray(), matrix)
    found = rows.matrix().toarray()
    np.testing.assert_array_equal(found[rows.is_known], matrix[rows.is_known])
    assert not found[~rows.is_known].any()


def test_entries_of_equal_size_in_one_group_are_not_taken_for_one_between_them():
    matrix = np.zeros((2, 17))
    matrix[0, [0, 8]] = 3.0  # the ratio of the two products is that of column 4
    matrix[1, [1, 5]] = 1.0, -1.0
    rows = known(matrix)
    found = rows.matrix().toarray()
    np.testing.assert_array_equal(found[rows.is_known], matrix[rows.is_known])


def test_products_that_are_the_vector_itself():
    probe = random_direction(5)
    rows = KnownRows(lambda vector: vector, probe, probe, 1e-11)
    np.testing.assert_array_equal(rows.matrix().toarray(), np.eye(5))


def test_sizes_of_terms_count_where_they_cancel():
    matrix = np.zeros((1, 3))
    matrix[0] = 1e8, -1e8 * random_direction(3)[0] / random_direction(3)[1], 1.0
    assert known(matrix).all_known


def test_rows_that_are_not_finite_are_left():
    matrix = np.array([[1.0, 0.0], [np.inf, 1.0]])
    probe = random_direction(2)
    with np.errstate(all="ignore"):
        rows = KnownRows(lambda vector: np.nan_to_num(matrix @ vector, nan=np.inf), probe, probe, 1e-11)
    assert not rows.is_known[1]
