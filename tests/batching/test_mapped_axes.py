"""Axes of arguments, and the elements of a batch."""

import numpy as np
import pytest

from srcad.batching.mapped_axes import Batch, axes_of_call, moved_results, stacked
from srcad.errors import BadArgument


def test_what_has_its_default_is_not_mapped():
    assert axes_of_call(0, ("x", "k"), (True, False)) == [0, None]
    assert axes_of_call((1,), ("x", "k"), (True, False)) == [1, None]
    with pytest.raises(BadArgument):
        axes_of_call((0, 0, 0), ("x", "k"), (True, True))


def test_elements_of_a_batch():
    x = np.arange(6.0).reshape(2, 3)
    batch = Batch(("p", "k"), ([x, 2.0], 3.0), ([1, None], None))
    assert batch.size == 3
    assert batch.element(1)[0][0].tolist() == [1.0, 4.0]
    assert batch.element(1)[0][1], batch.element(1)[1] == (2.0, 3.0)
    batch.copied_element(0)[0][0][:] = 7.0
    assert x[0, 0] == 0.0


def test_results_are_stacked_and_moved():
    found = stacked([(np.ones(2), 1), (np.zeros(2), 2)])
    assert found[0].shape == (2, 2)
    assert found[1].tolist() == [1, 2]
    assert moved_results((np.ones((2, 3)), np.ones(2)), (1, 0))[0].shape == (3, 2)
    with pytest.raises(BadArgument, match="element 1"):
        stacked([np.ones(2), np.ones(1)])
