"""Colourings are valid, and near the lower bound."""

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array, eye_array, kron, random_array

from srcad.sparse.colouring import column_colours, fewest_colours, symmetric_colours


def band(n, *offsets):
    return diags_array([np.ones(n - abs(k)) for k in offsets], offsets=list(offsets))


def grid(n, dimensions):
    line, matrix = band(n, -1, 0, 1), eye_array(1)
    total = None
    for place in range(dimensions):
        matrix = kron(kron(eye_array(n**place), line), eye_array(n ** (dimensions - place - 1)))
        total = matrix if total is None else total + matrix
    return total


def arrow(n):
    matrix = np.eye(n)
    matrix[0] = 1.0
    return csr_array(matrix)


PATTERNS = {
    "diagonal": (eye_array(50), 1.0),
    "tridiagonal": (band(60, -1, 0, 1), 1.0),
    "pentadiagonal": (band(60, -2, -1, 0, 1, 2), 1.0),
    "periodic": (band(60, -59, -1, 0, 1, 59), 1.0),
    "far band": (band(80, -20, 0, 20), 1.0),
    "plane": (grid(12, 2), 1.2),
    "space": (grid(6, 3), 1.5),
    "arrow": (arrow(40), 1.0),
    "random": (random_array((200, 200), density=0.02, rng=np.random.default_rng(0)), 1.2),
    "blocks": (kron(eye_array(20), np.ones((4, 4))), 1.0),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_a_colouring_is_valid_and_near_the_bound(name):
    matrix, ratio = PATTERNS[name]
    pattern = csr_array(matrix).astype(bool)
    colours = column_colours(pattern)
    counts = np.zeros((pattern.shape[0], colours.max() + 1), int)
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    np.add.at(counts, (rows, colours[pattern.indices]), 1)
    assert counts.max() == 1
    assert fewest_colours(pattern) <= colours.max() + 1 <= ratio * fewest_colours(pattern)


def is_star(matrix, colours):
    """Whether neighbours differ, and no path of four vertices has two colours."""
    near = [np.flatnonzero(row) for row in matrix & ~np.eye(len(matrix), dtype=bool)]
    for a, of_a in enumerate(near):
        for b in of_a:
            if colours[a] == colours[b]:
                return False
            for c in near[b]:
                for d in near[c]:
                    if c != a and d != b and colours[c] == colours[a] and colours[d] == colours[b]:
                        return False
    return True


@pytest.mark.parametrize("name", [name for name in PATTERNS if name not in ("arrow", "random")])
def test_a_symmetric_colouring_is_one_of_stars(name):
    pattern = csr_array(PATTERNS[name][0]).astype(bool)
    colours = symmetric_colours(pattern)
    assert is_star(pattern.toarray(), colours)
    assert colours.max() <= column_colours(pattern).max() * 1.2 + 1


def test_symmetric_random_patterns():
    for seed in range(4):
        matrix = random_array((40, 40), density=0.06, rng=np.random.default_rng(seed)).toarray() > 0.0
        matrix |= matrix.T
        assert is_star(matrix, symmetric_colours(csr_array(matrix)))
    assert not is_star(matrix | True, np.zeros(40, int))
    path = band(4, -1, 1).toarray() > 0.0
    assert not is_star(path, np.array([0, 1, 0, 1]))


def test_matrices_without_entries_or_columns():
    assert column_colours(csr_array((3, 2), dtype=bool)).tolist() == [0, 0]
    assert column_colours(csr_array((3, 0), dtype=bool)).size == 0
    assert fewest_colours(csr_array((0, 4), dtype=bool)) == 0


def test_neighbours_of_a_hub_are_not_compared_with_each_other():
    count = 30_000  # of which the square takes seconds
    ends = np.arange(1, count)
    hub = np.concatenate(([0], ends, ends, np.zeros(count - 1, int), ends))
    matrix = csr_array((np.ones(hub.size, bool), (hub, np.concatenate((hub[:1], ends * 0, ends, ends, ends * 0)))))
    colours = symmetric_colours(matrix)
    assert colours[0] not in colours[1:]
    assert colours.max() == 1
