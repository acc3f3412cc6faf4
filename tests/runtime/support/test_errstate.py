import warnings

import numpy as np

from srcad.runtime.support.errstate import IGNORED, unwarned


def test_errors_are_ignored_only_between_set_and_reset():
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        before = unwarned.set(IGNORED)
        try:
            assert np.log(np.zeros(2))[0] == -np.inf
            assert set(np.geterr().values()) == {"ignore"}
        finally:
            unwarned.reset(before)
        assert not seen
        np.log(np.zeros(2))
    assert len(seen) == 1


def test_what_the_caller_has_chosen_comes_back():
    with np.errstate(divide="raise", over="warn"):
        chosen = np.geterr()
        unwarned.reset(unwarned.set(IGNORED))
        assert np.geterr() == chosen
