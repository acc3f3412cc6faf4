"""A check at the start says that an argument is broadcast, and analyses know it."""

import numpy as np
import pytest

from srcad.printing.printer import print_function
from srcad.runtime.support.assumption_errors import Widens
from srcad.transforms.normalise.extent_checks import with_unit_extents
from tests.transforms.core_text import body_of, settled, unit_after

TEXT = """
def f(x, y):
    t = x * y
    s = np.sum(t)
    return s
"""


def with_units(*units):
    code, *rest = settled(TEXT, "f8[:,:], f8[:,:]")
    return unit_after("elementwise_fusion", with_unit_extents(code, units), *rest, assumes=True).unit


def test_the_broadcast_axis_is_read_at_its_only_place():
    unit = with_units(("x", 1))
    text = body_of(unit)
    assert "kernels.unit_extent(" in text
    assert "x[i, 0]" in text
    assert "kernels.same_extent" in text  # of the rows
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    x, y = np.arange(3.0)[:, None], np.ones((3, 4))
    assert namespace["f"](x, y) == np.sum(x * y)
    with pytest.raises(Widens):
        namespace["f"](y, y)


def test_without_units_extents_are_taken_to_be_equal():
    text = body_of(with_units())
    assert "unit_extent" not in text
    assert text.count("kernels.same_extent") == 2
