"""The pattern of a matrix from its products."""

import numpy as np
import pytest
from scipy.sparse import random_array

from srcad.errors import BadArgument
from srcad.sparse.pattern_search import found_pattern


def searched(matrix):
    calls = []

    def product(vector):
        calls.append(vector)
        return matrix @ vector

    return found_pattern(product, matrix.shape[1], matrix.shape[0]).toarray(), len(calls)


def test_a_band_needs_a_fixed_number_of_products():
    counts = set()
    for n in (50, 500):
        matrix = np.diag(np.full(n, -2.0)) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
        pattern, count = searched(matrix)
        np.testing.assert_array_equal(pattern, matrix != 0.0)
        counts.add(count)
    assert counts == {9}


@pytest.mark.parametrize("density", [0.005, 0.03])
def test_random_matrices(density):
    matrix = random_array((300, 300), density=density, rng=np.random.default_rng(1)).toarray() - 0.0
    matrix *= np.where(np.arange(300) % 2, 1e8, -1e-8)[:, None]  # rows of very different sizes
    np.testing.assert_array_equal(searched(matrix)[0], matrix != 0.0)


def test_entries_that_add_up_to_zero_are_seen():
    matrix = np.array([[1.0, -1.0, 0.0, 0.0, 1.0, -1.0]])
    np.testing.assert_array_equal(searched(matrix)[0], matrix != 0.0)


def test_a_matrix_of_zeros_and_one_without_rows_or_columns():
    assert not searched(np.zeros((3, 4)))[0].any()
    assert searched(np.zeros((0, 4)))[0].shape == (0, 4)
    assert searched(np.zeros((4, 0)))[0].shape == (4, 0)


def test_a_few_full_rows_are_asked_for():
    matrix = np.diag(np.arange(1.0, 1001.0))
    matrix[[3, 700]] = np.random.default_rng(0).normal(size=(2, 1000))
    matrix[700, ::2] = 0.0
    pattern = found_pattern(lambda v: matrix @ v, 1000, 1000, lambda k: matrix[k])
    np.testing.assert_array_equal(pattern.toarray(), matrix != 0.0)


def test_full_rows_and_values_that_are_not_finite_are_refused():
    with pytest.raises(BadArgument, match="rows with hundreds of entries"):
        searched(np.random.default_rng(0).normal(size=(2, 4000)))
    with pytest.raises(BadArgument, match="not finite"):
        searched(np.array([[1.0, np.nan]]))
