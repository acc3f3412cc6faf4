from functools import cache
from math import comb

import numpy as np
import pytest

from srcad.runtime import kernels
from srcad.runtime.kernels.recording.binomial_checkpointing import extra_steps


@cache
def fewest(steps, snapshots):
    """The least number of iterations run again, over all places where the next snapshot could be taken."""
    if steps < 2:
        return 0
    if snapshots == 1:
        return steps * (steps - 1) // 2
    return min(place + fewest(steps - place, snapshots - 1) + fewest(place, snapshots) for place in range(1, steps))


@cache
def taken(steps, snapshots):
    """The number of iterations run again, where snapshots are taken where the schedule says."""
    if steps < 2:
        return 0
    place = min(kernels.next_snapshot(0, steps, snapshots - 1), steps - 1)
    if snapshots == 1:
        return place + taken(place, 1)
    return place + taken(steps - place, snapshots - 1) + taken(place, snapshots)


@pytest.mark.parametrize("snapshots", [1, 2, 3, 5, 8, 40])
def test_schedule_runs_as_few_iterations_again_as_can_be(snapshots):
    for steps in range(40):
        assert taken(steps, snapshots) == fewest(steps, snapshots) == extra_steps(steps, snapshots)


@pytest.mark.parametrize(("steps", "snapshots"), [(1000, 10), (1001, 10), (1002, 10), (50000, 3), (77, 500)])
def test_number_of_iterations_run_again_is_that_of_griewank_and_walther(steps, snapshots):
    repetitions = next(r for r in range(steps) if comb(snapshots + r, r) >= steps)
    assert extra_steps(steps, snapshots) == repetitions * steps - comb(snapshots + repetitions, repetitions - 1)


def test_places_do_not_depend_on_where_the_loop_stands():
    for free in range(4):
        assert kernels.next_snapshot(90, 100, free) == 90 + kernels.next_snapshot(0, 10, free)


@pytest.mark.parametrize("steps", [1, 2, 3, 10, 200, 12345])
def test_default_number_lets_no_iteration_run_again_three_times(steps):
    count = kernels.snapshot_limit(steps, 0)
    assert comb(count + 2, 2) >= steps
    assert count == 1 or comb(count + 1, 2) < steps


def test_snapshot_is_a_copy():
    array = np.arange(6.0).reshape(2, 3).T
    kept = kernels.snapshot(array)
    array[0, 0] = 7.0
    assert kept[0, 0] == 0.0
    assert kept.flags.c_contiguous
