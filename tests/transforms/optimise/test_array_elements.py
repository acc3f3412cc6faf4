"""Arrays of listed numbers are stored element by element, where each element keeps its value and type."""

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import apply

SIGNATURE = "f8, f4, c16, i8, f8[:]"


def stored(value):
    text = apply("array_elements", f"def f(a, h, z, n, x):\n    r = {value}\n    s = r[0]\n    return s\n", SIGNATURE)
    return text.count("r[")


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("np.array((a, 1.0, -2, n))", 4),
        ("np.array(((a, a), (0.0, a), (a, 3)))", 6),
        ("np.array((((a,),),))", 1),
        ("np.array((h, h))", 2),
        ("np.array((z, 1.0, n))", 3),
    ],
)
def test_elements_are_stored(value, count):
    assert stored(value) == count + 1


@pytest.mark.parametrize(
    "value",
    [
        "np.array((1, 2))",
        "np.array((n, 2))",
        "np.array((x, x))",
        "np.array((a, h))",  # each would be converted
        "np.array((z, a))",
        "np.array((a, a), dtype=np.float32)",
        "np.asarray((a, a))",
        f"np.array(({'a, ' * 37}))",  # as many statements
    ],
)
def test_other_arrays_stay(value):
    assert stored(value) == 1


def test_a_negative_zero_keeps_its_sign():
    text = apply("array_elements", "def f(a):\n    r = np.array((a, -0.0))\n    s = r[1]\n    return s\n", "f8")
    assert "r[1] = -0.0" in text


def turned(angles, lengths):
    pose, reach = np.eye(3), 0.0
    for i in range(angles.size):
        c, s = np.cos(angles[i]), np.sin(angles[i])
        step = np.array([[c, -s, lengths[i] * c], [s, c, lengths[i] * s], [0, 0, 1]])
        pose = pose @ step
        reach += pose[0, 2] ** 2 + np.sum(np.array([c, 2.0, i]) * pose[1])
    return reach


@pytest.mark.parametrize("size", [0, 1, 3])
def test_gradients(size):
    rng = np.random.default_rng(3)
    assert_gradient(turned, rng.normal(size=size), rng.normal(size=size))


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_gradients():
    rng = np.random.default_rng(3)
    given = rng.normal(size=4), rng.normal(size=8)[::2]
    found, plain = (srcad.grad(turned, wrt=(0, 1), jit=jit)(*given) for jit in (True, False))
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
