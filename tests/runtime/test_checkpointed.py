import pytest
from numba import njit

import srcad


def total(n, k):
    found = 0
    for i in srcad.checkpointed(range(n), snapshots=k):
        found += i
    return found


@njit
def compiled_halvings(x):
    count = 0
    while srcad.checkpointed(x > 1.0, snapshots=3):
        x *= 0.5
        count += 1
    return count


@njit
def compiled_total(n):
    found = 0
    for i in srcad.checkpointed(range(n, 0, -2), snapshots=3):
        found += i
    for i in srcad.checkpointed(range(n)):
        found += 100 * i
    return found


def test_iterations_are_those_of_the_range():
    assert srcad.checkpointed(range(7, 1, -2), snapshots=2) == range(7, 1, -2)
    assert srcad.checkpointed(range(3)) == range(3)


@pytest.mark.compiled
def test_compiled_loop_is_one_over_the_range():
    assert compiled_total(5) == 5 + 3 + 1 + 1000
    assert compiled_halvings(9.0) == compiled_halvings.py_func(9.0) == 4


@pytest.mark.parametrize("snapshots", [0, -1])
def test_less_than_one_snapshot_is_refused(snapshots):
    with pytest.raises(ValueError, match="at least one snapshot"):
        total(5, snapshots)


def test_what_is_no_range_is_refused():
    with pytest.raises(TypeError, match="takes a range or a boolean, not list"):
        srcad.checkpointed([1, 2, 3])
