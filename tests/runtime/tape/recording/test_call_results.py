"""What compiled functions return, as tensors."""

import numpy as np
import pytest

from srcad.runtime.support.nested_structures import flatten
from srcad.runtime.tape.recording.call_results import as_tensors, tensors_of

SMALL, LARGE = np.ones(3), np.ones(5000)


@pytest.mark.parametrize(
    "value", [1.5, 2, 1j, SMALL, np.array(2.0), (1.0, SMALL), (1, (SMALL, 2.0)), [1.0, {"a": SMALL}]]
)
def test_values_stay(value):
    result, held = tensors_of(value)
    for each in (result, as_tensors(value, ())):
        for tensor, leaf in zip(flatten(each), flatten(value), strict=True):
            np.testing.assert_array_equal(tensor.numpy(), leaf)
    assert [each._identity for each in flatten(held)] == [each._identity for each in flatten(result)]


@pytest.mark.parametrize("value", [LARGE, (1.0, LARGE), [LARGE, SMALL]])
def test_large_results_are_held_by_their_shapes(value):
    result, held = tensors_of(value)
    kept = [each._value.strides == (0,) for each in flatten(held) if each.size == LARGE.size]
    assert kept == [True]
    assert [each.shape for each in flatten(held)] == [each.shape for each in flatten(result)]
