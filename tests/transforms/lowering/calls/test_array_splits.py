"""Arrays are cut where NumPy cuts them; the pieces are views."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from tests.lowering import assert_same


def at_places(x):
    a, b, c = np.split(x, [2, 5])
    return a, b, c, np.vsplit(np.outer(x, x), [3])[1]


def evenly(x):
    return np.split(x, 3)[1], np.split(np.outer(x, x), 2, axis=1)[1], np.split(x, 1)[0]


def unevenly(x):
    a, b, c, d = np.array_split(x, 4)
    return a, b, c, d, np.array_split(x[:1], 3)[2], np.array_split(np.outer(x, x), 4, axis=-1)[1]


@pytest.mark.parametrize("function", [at_places, evenly, unevenly])
def test_pieces_are_those_of_numpy(function):
    assert_same(function, np.arange(6.0))


def test_pieces_are_views():
    def f(x):
        a, b = np.split(x, 2)
        a *= b
        b[0] = x[0] * x[1]
        return np.sum(x * x)

    srcad.check_grads(f, (np.array([0.5, -1.0, 2.0, 0.3]),), jit=False)


def test_an_uneven_division_is_the_error_of_numpy():
    with pytest.raises(ValueError, match="equal division"):
        srcad.grad(lambda x: np.sum(np.split(x, 4)[0]), jit=False)(np.arange(6.0))


@pytest.mark.parametrize("function", [lambda x, n: np.split(x, n)[0], lambda x, n: np.split(x, [2], axis=n)[0]])
def test_what_is_known_only_at_run_time_is_refused(function):
    with pytest.raises(UnsupportedSyntax, match="split"):
        lower(load(function))
