"""Colourings that repeat themselves along the lines of a grid."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from srcad.sparse.colouring import column_colours
from srcad.sparse.regular_colourings import lattice_colourings, line_lengths
from tests.sparse.test_colouring import band, grid


@pytest.mark.parametrize(
    ("matrix", "lengths"),
    [(grid(9, 2), [9]), (grid(5, 3), [5, 25]), (band(40, -7, 0, 7), [7]), (band(40, -1, 0, 1), []), (band(9, 0), [])],
)
def test_lengths_of_lines(matrix, lengths):
    assert line_lengths(csr_array(matrix)) == lengths


def test_lengths_of_a_matrix_without_entries():
    assert line_lengths(csr_array((3, 0), dtype=bool)) == []
    assert list(lattice_colourings(csr_array((3, 0), dtype=bool), 4)) == []


@pytest.mark.parametrize(("side", "dimensions"), [(9, 2), (10, 2), (11, 2), (7, 3), (8, 3)])
def test_grids_of_any_length_reach_the_bound(side, dimensions):
    colours = column_colours(csr_array(grid(side, dimensions)))
    assert colours.max() + 1 == 2 * dimensions + 1


def test_colours_are_those_of_places_on_the_grid():
    i, j = np.divmod(np.arange(36), 6)
    found = [colours.tolist() for colours in lattice_colourings(csr_array(grid(6, 2)), 5)]
    assert ((j + 2 * i) % 5).tolist() in found
    assert len(found) == 4
