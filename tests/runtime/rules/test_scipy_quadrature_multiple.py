"""Integrals over several variables, with limits that are functions of the variables outside."""

import numpy as np
import pytest
from scipy.integrate import dblquad, nquad, tplquad

from tests.checking import assert_gradient


def over_a_triangle(k, b):
    return dblquad(lambda y, t: np.sin(k * y * t), 0, 1, lambda t: 0.0, lambda t: t * b)[0]


def with_arguments(k, b):
    return nquad(lambda u, v, c: np.sin(c * u * v), [lambda v, c: (0.0, v), (0, b)], args=(k,))[0]


def over_a_box(k, b):
    return tplquad(lambda z, y, t: np.exp(-k * z * y * t), 0, 1, 0, 1, 0, b)[0]


@pytest.mark.parametrize(
    "function", [over_a_triangle, with_arguments, pytest.param(over_a_box, marks=pytest.mark.nightly)]
)
def test_integrals_of_integrals(function):
    assert_gradient(function, 0.7, 1.2, modes=("arrays",), rtol=1e-6)
