import pytest

from srcad.runtime import kernels
from srcad.runtime.kernels.recording.binomial_checkpointing import extra_steps, repetitions


def kept_online(steps, wanted):
    """The iterations of which a loop that ends after so many steps has kept snapshots, and the limit on these."""
    places, levels, most = [0], kernels.first_levels(), max(1, wanted)
    for here in range(1, steps):
        most = most if wanted else kernels.online_limit(here, most)
        slot = kernels.online_slot(levels, most)
        if slot >= 0:
            kernels.keep_in_slot(places, slot, here)
        assert len(places) <= most
        assert len(levels) == len(places) + 1
        assert places == sorted(set(places))
    return places, most


def runs_to_reverse(steps, places, most):
    """How often each iteration runs in the reverse sweep, besides the run that is reversed."""
    runs, places = [0] * steps, list(places)
    for last in range(steps, 0, -1):
        here = places[-1]
        while here < last - 1:
            there = min(kernels.next_snapshot(here, last, most - len(places)), last - 1)
            for step in range(here, there):
                runs[step] += 1
            here = there
            if here < last - 1:
                places.append(here)
        if places[-1] == last - 1:
            places.pop()
    return runs


@pytest.mark.parametrize("wanted", [1, 2, 3, 5, 10, 30])
def test_no_more_iterations_run_again_than_if_the_number_were_known(wanted):
    for steps in (*range(1, 40), 77, 150, 301):
        places, most = kept_online(steps, wanted)
        runs = runs_to_reverse(steps, places, most)
        # With a known number, the forward sweep is counted as well.
        assert max(runs) <= max(1, repetitions(steps, wanted))
        assert sum(runs) <= extra_steps(steps, min(wanted, steps))


def test_with_no_number_given_no_iteration_runs_more_than_twice_again():
    for steps in (*range(1, 40), 100, 333, 1000):
        places, most = kept_online(steps, 0)
        assert most == kernels.snapshot_limit(steps - 1, 0)
        assert max(runs_to_reverse(steps, places, most)) <= 3
        assert sum(runs_to_reverse(steps, places, most)) <= 2 * steps
