"""Compiled loops give what the loops give."""

import numpy as np
from scipy.sparse import random_array

from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.sparse_loops import greedy_colours


def test_a_compiled_loop_gives_the_same():
    matrix = random_array((20, 20), density=0.1, rng=np.random.default_rng(0)).tocsr().astype(bool)
    columns = matrix.tocsc()
    given = np.arange(20), columns.indptr, columns.indices, matrix.indptr, matrix.indices
    np.testing.assert_array_equal(compiled_loop(greedy_colours)(*given), greedy_colours(*given))
    assert compiled_loop(greedy_colours) is compiled_loop(greedy_colours)
