"""Arrays whose shape another has for certain, and that outlast a loop."""

import numpy as np
import pytest

import srcad
from srcad.transforms.analysis.affine.shape_equality import model
from tests.checking import assert_gradient
from tests.transforms.core_text import program_of

SWAP = "    s = u[1]", "    v[0] = s", "    t = u", "    u = v", "    v = t"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["u = np.copy(x)"], "x"),
        (["v = np.zeros_like(x)", "u = np.copy(v)"], "x"),
        (["u = np.zeros(7)"], "u"),
        (["u = x * 2.0"], "u"),
        (["p = np.copy(x)", "q = np.copy(x)", "u = p", "v = q", "for i in range(0, n, 1):", *SWAP], "x"),
        (["p = np.copy(x)", "q = np.zeros(3)", "u = p", "v = q", "for i in range(0, n, 1):", *SWAP], "u"),
        (["w = np.ones(3)", "u = w", "for i in range(0, n, 1):", "    v = np.copy(u)", "    u = v"], "w"),
        (["u = x", "for i in range(0, n, 1):", "    w = u * 2.0", "    v = np.copy(w)", "    u = v"], "u"),
    ],
)
def test_models(lines, expected):
    text = "def f(x, n):\n" + "".join(f"    {each}\n" for each in lines) + "    return u\n"
    assert model(program_of(text, "f8[::1], i8").meeting, "u") == expected


def exchanged(x, steps):
    u, v = x.copy(), x.copy()
    for _ in range(steps):
        v[1:-1] = u[1:-1] + 0.1 * (u[2:] + u[:-2])
        u, v = v, u
    return np.sum(u * u)


@pytest.mark.slow
def test_extents_of_arrays_that_a_loop_exchanges_are_known_before_it():
    found = srcad.source(exchanged, args=(np.ones(5), 3))
    assert "trace" not in found
    assert "x[1:-1].shape" in found.partition("for ")[0]
    for size in (0, 1, 2, 3, 6):
        assert_gradient(exchanged, np.linspace(0.2, 0.8, size), 3, modes=("gradient",))
