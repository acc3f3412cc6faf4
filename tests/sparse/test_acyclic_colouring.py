"""Acyclic colourings: validity, short chains, and numbers of colours beside the best that are known."""

import numpy as np
import pytest
from scipy.sparse import csr_array, eye_array, kron, random_array
from scipy.sparse.csgraph import connected_components

from srcad.sparse import acyclic_colouring, colouring, plans
from srcad.sparse.acyclic_colouring import fewest_substituted, substituted_colours
from srcad.sparse.colouring import column_colours, symmetric_colours
from srcad.sparse.plans import Plan
from tests.sparse.test_colouring import arrow, band, grid


@pytest.fixture(autouse=True)
def loops_as_they_stand(monkeypatch):
    """To compile them takes longer than to run them on small patterns."""
    for module in (acyclic_colouring, colouring, plans):
        monkeypatch.setattr(module, "compiled_loop", lambda function: function)


def symmetric(matrix):
    matrix = csr_array(matrix)
    found = csr_array(matrix + matrix.T + eye_array(matrix.shape[0])).astype(bool)
    found.sort_indices()
    return found


def random(count, seed):
    return random_array((500, 500), density=count / 500, rng=np.random.default_rng(seed))


# The fewest colours that are known: of columns (the fullest row; for random patterns, sixty runs of iterated greedy
# colouring in random orders), and of acyclic colourings (the bound from the number of entries, or the same search).
PATTERNS = {
    "band of half-width 2": (band(200, *range(-2, 3)), 5, 3),
    "band of half-width 8": (band(200, *range(-8, 9)), 17, 9),
    "band and far diagonals": (band(300, -20, -1, 0, 1, 20), 5, 3),
    "grid of 15 x 15": (grid(15, 2), 5, 3),
    "grid of 16 x 16": (grid(16, 2), 5, 3),
    "grid of 8 x 8 x 8": (grid(8, 3), 7, 4),
    "nine points": (kron(band(20, -1, 0, 1), band(20, -1, 0, 1)), 9, 5),
    "arrow": (arrow(100), 100, 2),
    "band and arrow": (band(100, *range(-3, 4)) + arrow(100), 100, 5),
    "three in a random row": (random(1.5, 0), None, 4),
    "ten in a random row": (random(5.0, 1), None, 10),
    "blocks of 3": (kron(band(50, -1, 0, 1), np.ones((3, 3))), 9, 6),
}


def is_acyclic(pattern, colours):
    """Whether neighbours differ, and the entries between any two colours form trees."""
    dense = pattern.toarray() & ~np.eye(pattern.shape[0], dtype=bool)
    for one in range(colours.max() + 1):
        if dense[np.ix_(colours == one, colours == one)].any():
            return False
        for two in range(one):
            both = np.flatnonzero((colours == one) | (colours == two))
            part = csr_array(dense[np.ix_(both, both)])
            if part.nnz // 2 != both.size - connected_components(part)[0]:
                return False
    return True


@pytest.mark.parametrize("name", PATTERNS)
def test_an_acyclic_colouring_is_valid_and_near_the_best(name):
    matrix, _, best = PATTERNS[name]
    pattern = symmetric(matrix)
    colours = substituted_colours(pattern)
    assert is_acyclic(pattern, colours)
    assert fewest_substituted(pattern) <= best
    assert colours.max() + 1 <= 1.2 * best


@pytest.mark.parametrize("name", [name for name in PATTERNS if PATTERNS[name][1] is not None])
def test_other_colourings_are_near_the_best(name):
    matrix, best, _ = PATTERNS[name]
    pattern = symmetric(matrix)
    assert min(column_colours(pattern).max(), symmetric_colours(pattern).max()) + 1 <= 1.2 * best


def test_the_test_sees_cycles():
    ring = symmetric(band(6, -1, 1, 5))
    assert not is_acyclic(ring, np.array([0, 1, 0, 1, 0, 1]))
    assert not is_acyclic(ring, np.array([0, 0, 1, 2, 1, 2]))
    assert is_acyclic(ring, np.array([0, 1, 0, 1, 0, 2]))


@pytest.mark.parametrize("half", [1, 2, 3, 6])
def test_long_chains_are_cut_by_one_colour(half):
    pattern = symmetric(band(3000, *range(-half, half + 1)))
    colours = substituted_colours(pattern)
    assert colours.max() + 1 <= half + 2
    assert np.bincount(colours)[-1] < 100


def test_random_patterns():
    for seed in range(6):
        pattern = symmetric(random_array((40, 40), density=0.03 * (seed + 1), rng=np.random.default_rng(seed)))
        assert is_acyclic(pattern, substituted_colours(pattern))


def test_small_and_empty_matrices():
    assert substituted_colours(csr_array((0, 0), dtype=bool)).size == 0
    assert substituted_colours(csr_array((3, 3), dtype=bool)).tolist() == [0, 0, 0]
    assert fewest_substituted(csr_array((3, 3), dtype=bool)) == 1
    assert sorted(substituted_colours(symmetric(np.ones((4, 4)))).tolist()) == [0, 1, 2, 3]


def test_a_plan_takes_it_where_it_has_clearly_fewer_colours():
    ways = ("columns", "symmetric", "acyclic")
    for name, way in (("grid of 15 x 15", "acyclic"), ("arrow", "symmetric"), ("blocks of 3", "acyclic")):
        plan = Plan.of(PATTERNS[name][0], ways)
        assert plan.way == way
        assert plan.without_substitution().colours >= plan.colours
    assert Plan.of(band(50, -1, 0, 1), ways).way == "columns"
