from types import SimpleNamespace

import numpy as np
import pytest
from numba import types as nb

from srcad.cuda.device_arrays import is_device_array, overlap, type_of_argument


def device_array(address, shape, strides=None, dtype="f8"):
    """What CuPy's arrays tell of themselves."""
    interface = {"data": (address, False), "shape": shape, "strides": strides, "typestr": f"<{dtype}", "version": 3}
    return SimpleNamespace(__cuda_array_interface__=interface, shape=shape, dtype=np.dtype(dtype))


def test_arrays_of_the_device_are_told_from_those_of_the_host():
    assert is_device_array(device_array(0, (3,)))
    assert not is_device_array(np.ones(3))
    assert type_of_argument(device_array(0, (3, 2), dtype="f4")) == nb.Array(nb.float32, 2, "A")
    assert type_of_argument("text") is None


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (device_array(0, (4,)), device_array(32, (4,)), False),
        (device_array(0, (4,)), device_array(24, (4,)), True),
        (device_array(0, (0,)), device_array(0, (4,)), False),
        (device_array(24, (4,), (-8,)), device_array(0, (1,)), True),
        (device_array(0, (2, 2), (32, 8)), device_array(40, (1,)), True),
    ],
)
def test_arrays_overlap_if_their_bytes_do(one, other, expected):
    assert overlap(one, other) is expected
    assert overlap(other, one) is expected
