"""A trace holds the shape of an array of which the reverse sweep asks nothing else, and the array where it does."""

import re

import numpy as np
import pytest

import srcad
from tests.checking import assert_gradient
from tests.transforms.core_text import generated

A = np.array([0.3, -0.7, 1.1, 0.4, 0.9])


def shifted(a, n):
    s = 0.3
    for k in range(1, n):
        w = np.roll(a[:k], 1)
        s += np.sum(np.flip(w)) * s
    return s


def shifted_until(a, most):
    s = 0.3
    k = 0
    while s < most and k < a.size:
        k += 1
        w = np.roll(a[:k], 1)
        s += np.sum(np.flip(w)) * s
    return s


def repeated_inside(a, n):
    s = 0.3
    for k in range(n):
        for j in range(k):
            w = np.roll(a[j:k], 1)
            s += np.mean(np.repeat(w, 2)) * s
    return s


def squared(a, n):
    s = 0.3
    for k in range(1, n):
        w = np.roll(a[:k], 1) * s
        s += np.max(w * w) + np.sum(np.sort(w))
    return s


def steered(a, n):
    s = 0.3
    for k in range(1, n):
        w = np.roll(a[:k], 1)
        if w[0] > 0.35:
            s += np.sum(np.flip(w)) * s
    return s


@pytest.mark.slow
@pytest.mark.parametrize("f", [shifted, repeated_inside, squared, steered])
@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_gradients_are_right(f, n):
    assert_gradient(f, A, n)


@pytest.mark.slow
@pytest.mark.parametrize("most", [0.0, 0.5, 1e9])
def test_gradients_of_loops_without_bounds_are_right(most):
    assert_gradient(shifted_until, A, most, wrt=(0,))


@pytest.mark.slow
def test_strided_arguments_and_lower_precision_keep_their_types():
    assert_gradient(shifted, np.repeat(A, 2)[::2], 5)
    found = srcad.grad(shifted, jit=False)(A.astype(np.float32), 4)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, srcad.grad(shifted, jit=False)(A, 4), rtol=1e-5)


SUMMED = """
def f(a, n):
    s = 0.3
    for k in range(n):
        w = np.repeat(a, 2)
        t = np.{what}
        u = np.sum(t)
        s = s * u
    return s
"""


def appended(what):
    return re.findall(r"w_trace.append\((.*)\)", generated(SUMMED.format(what=what), "f8[:], i8"))


def test_the_trace_has_shapes_only_where_values_are_not_asked_for():
    assert appended("flip(w)") == ["w.shape"]
    assert appended("prod(w)") == ["w"]


@pytest.mark.slow
def test_a_record_serves_many_cotangents():
    _, pull = srcad.vjp(shifted, A, 5)
    first, second = pull(1.0), pull(2.0)
    np.testing.assert_allclose(2.0 * np.asarray(first[0]), second[0])


def test_explanations_name_the_shape_and_its_bytes():
    said = srcad.explain(shifted, signature="f8[:], i8")
    assert "- w.shape: recorded" in said
    assert "8 * max(n - 1, 0) bytes (a shape for each iteration" in said
