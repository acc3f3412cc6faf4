"""States of random generators are put back."""

import numpy as np

from srcad.runtime.support.random_states import kept_states


def test_generators_and_the_global_state_are_put_back():
    one, other = np.random.default_rng(0), np.random.default_rng(1)
    put_back = kept_states([1.0, one, np.ones(2), other])
    first = one.random(), other.normal(), np.random.random()
    put_back()
    assert (one.random(), other.normal(), np.random.random()) == first
