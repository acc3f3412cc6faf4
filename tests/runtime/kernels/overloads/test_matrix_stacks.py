"""Products of stacks of matrices, large and small, broadcast and empty, with their adjoints."""

import numpy as np
import pytest

import srcad
from tests.differences import directional_derivative
from tests.night import by_day

SHAPES = [
    ((5, 3, 4), (4, 2)),
    ((5, 3, 4), (5, 4, 2)),
    ((2, 5, 3, 4), (5, 4, 2)),
    ((3, 4), (5, 4, 2)),
    ((5, 1, 3, 4), (1, 2, 4, 2)),
    ((5, 3, 0), (0, 2)),
    ((5, 3, 0), (5, 0, 2)),
    ((0, 3, 4), (0, 4, 2)),
    ((2, 3, 12), (2, 12, 30)),  # by BLAS
    ((1, 3, 30), (2, 30, 12)),
]


def product(a, b, weight):
    p = a @ b
    return np.sum(p * p * weight)


def _samples(shapes):
    rng = np.random.default_rng(3)
    a, b, da, db = (rng.normal(size=shape) for shape in (*shapes, *shapes))
    return a, b, rng.normal(size=(a @ b).shape), da, db


@pytest.mark.parametrize("shapes", by_day(SHAPES, lambda shapes: shapes in (SHAPES[0], SHAPES[5])))
def test_gradients_of_products_are_those_of_differences(shapes):
    a, b, weight, da, db = _samples(shapes)
    expected, _ = directional_derivative(lambda step: product(a + step * da, b + step * db, weight))
    a_bar, b_bar = srcad.grad(product, wrt=(0, 1), jit=False)(a, b, weight)
    assert (a_bar.shape, b_bar.shape) == shapes
    assert np.sum(a_bar * da) + np.sum(b_bar * db) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize("places", [(0, 5), (1, 6, 7, 8)], ids=str)
def test_compiled_gradients_are_those_of_numpy(places):
    compiled, plain = (srcad.grad(product, wrt=(0, 1), jit=jit) for jit in (True, False))
    for place in places:
        a, b, weight, *_ = _samples(SHAPES[place])
        for one, other in zip(compiled(a, b, weight), plain(a, b, weight), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
