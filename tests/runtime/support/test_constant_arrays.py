"""What is remembered of arrays that depend on lengths alone is short."""

import numpy as np

import srcad
from srcad.runtime.kernels.arrays.element_moves import weights
from srcad.runtime.kernels.linear_algebra.products import _quarters


def test_long_arrays_are_not_kept():
    assert weights((100,)) is weights((100,))
    assert weights((5000,)) is not weights((5000,))
    assert _quarters(64) is _quarters(64)
    assert _quarters(65) is not _quarters(65)


def test_derivatives_are_the_same_for_short_and_long_ones():
    for size in (100, 5000):
        x = srcad.constant(1.0)
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = np.linspace(x, 0.0, size)
        np.testing.assert_allclose(float(tape.gradient(y, x)), size / 2.0)
