import numpy as np
import pytest

import srcad

X = np.array([1.0, 2.0, 3.0], np.float32)
W = np.ones(3, np.float32)


def dot(a):
    return np.sum(a * a)


def parts(a):
    return a[0] * a[1], a, (np.sum(a), 2.0)


@pytest.mark.compiled
def test_numbers_have_the_precision_of_numpys():
    x, squared = srcad.constant(X), srcad.function(dot)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = squared(x)
        z = y * x
    assert (y.dtype, z.dtype, squared(x).dtype) == (np.float32, np.float32, np.float32)
    found = tape.gradient(z, x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 14.0 + 2.0 * X * X.sum(), rtol=1e-6)
    assert squared(srcad.constant(X.astype(float))).dtype == np.float64


@pytest.mark.compiled
def test_so_have_the_parts_of_a_result():
    several = srcad.function(parts)
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        product, same, (total, constant) = several(x)
    assert [each.dtype for each in (product, same, total, constant)] == [np.float32] * 3 + [np.float64]
    np.testing.assert_array_equal(tape.gradient([product, total], x), [3.0, 2.0, 1.0])


@pytest.mark.compiled
def test_captured_arrays_count():
    f = srcad.function(lambda k: W[k] * W[0])
    assert f(srcad.constant(1)).dtype == np.float32
