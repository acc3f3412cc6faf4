"""Derivative calls: the types of their results."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.frontend.lower import prepare
from srcad.transforms.inference.derivative_callees import DerivativeCall, derivative_kind
from srcad.transforms.inference.type_inference import types_of


def energy(x, n, k):
    return k * np.sum(x * x) * n


def caller(x, n, k):
    g, h = srcad.grad(energy, ("x", "k"))(x, n, k)
    return np.sum(g) * h


def test_gradients_have_the_types_of_their_arguments():
    unit = prepare(caller)
    kinds = (nb.Array(nb.float32, 1, "A"), nb.int64, nb.float64)
    found = types_of(unit, kinds)
    assert nb.Tuple((nb.Array(nb.float32, 1, "C"), nb.float64)) in found.of.values()
    assert found.result == nb.float64


def test_what_is_computed_is_part_of_its_text():
    first, second = (
        next(each for each in prepare(function).bindings.values() if isinstance(each, DerivativeCall))
        for function in (caller, caller)
    )
    assert repr(first) == repr(second)
    other = DerivativeCall(first.name, first.of, "grad", (0,))
    assert repr(other) != repr(first)


@pytest.mark.parametrize("kind", [nb.int64, nb.boolean, nb.none])
def test_what_has_no_derivative_gets_a_zero(kind):
    assert derivative_kind(kind) == nb.float64
