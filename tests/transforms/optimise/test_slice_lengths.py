"""Slices with constant bounds are as long as they look, which is checked once."""

import numpy as np
import pytest

import srcad
from srcad.printing.printer import print_function
from srcad.runtime.support.assumption_errors import Widens
from tests.transforms.core_text import body_of, settled, unit_after

TEXT = """
def f(p, q):
    x = p[:, 0:1]
    y = q[:, 1:3]
    t = x * y
    s = np.sum(t)
    return s
"""


def with_lengths(text, signature):
    return unit_after(("slice_lengths", "elementwise_fusion"), *settled(text, signature), assumes=True).unit


def test_slices_have_known_lengths_and_those_of_one_are_broadcast():
    unit = with_lengths(TEXT, "f8[:,:], f8[:,:]")
    text = body_of(unit)
    assert [line.strip() for line in text.splitlines() if "least_extent" in line]
    assert "range(0, 2, 1)" in text
    assert text.count("same_extent") == 1  # of the rows
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    p = np.arange(12.0).reshape(4, 3)
    assert namespace["f"](p, p) == np.sum(p[:, 0:1] * p[:, 1:3])
    with pytest.raises(Widens):
        namespace["f"](p, p[:, :2])


@pytest.mark.parametrize(
    "text",
    [
        "def f(p, q):\n    x = p[:, -1:]\n    s = np.sum(x)\n    return s",
        "def f(p, q):\n    x = p[:, 0:3:2]\n    s = np.sum(x)\n    return s",
        "def f(p, q):\n    x = p[:, 2:1]\n    s = np.sum(x)\n    return s",
        "def f(p, q):\n    x = p[..., 0:1]\n    s = np.sum(x)\n    return s",
        "def f(p, q):\n    t = np.concatenate((p, q))\n    x = t[0:5]\n    s = np.sum(x)\n    return s",
    ],
)
def test_what_has_no_constant_length_is_not_assumed(text):
    assert "least_extent" not in body_of(with_lengths(text, "f8[:,:], f8[:,:]"))


def of_columns(p, k):
    u = p[:, 0:1] * p[:, 1:3]
    v = u[0:2] - p[k, 0:2]
    return np.sum(u * u) + np.sum(v * v * p[1:3, 2:3])


@pytest.mark.compiled
@pytest.mark.parametrize("mode", ["grad", "tangent"])
def test_arrays_that_end_before_their_slices_do_get_code_for_all(mode):
    """`u` has two columns, one or none, by how wide the argument is."""
    gradient = srcad.grad(of_columns)
    for shape in ((4, 3), (2, 2), (3, 2), (5, 7), (1, 4), (0, 3)):
        p = np.random.default_rng(3).normal(size=shape)
        if not shape[0]:
            continue
        try:
            of_columns(p, 0)
        except ValueError as expected:
            with pytest.raises(ValueError, match=str(expected)[:20]):
                gradient(p, 0)
            continue
        direction = np.random.default_rng(4).normal(size=shape)
        step = of_columns(p + 1e-30j * direction, 0).imag / 1e-30
        if mode == "grad":
            found = np.sum(gradient(p, 0) * direction)
        else:
            found = srcad.jvp(of_columns, (p, 0), (direction, None))[1]
        np.testing.assert_allclose(found, step, rtol=1e-10)
