"""Derivative versions: which function a call of a derivative becomes."""

import numpy as np
import pytest

import srcad
from srcad.driver import pipeline
from srcad.tools.type_signatures import parse_signature


def bump(p, x):
    return np.sum(p * p) * np.sin(x)


def text_of(function, mode="grad", signature="f8[:], f8"):
    return pipeline.derive(pipeline.prepare(function), mode, (0,), parse_signature(signature)).text


def test_a_derivative_by_a_number_is_a_tangent():
    text = text_of(lambda p, x: srcad.grad(bump, 1)(p, x) * x)
    assert "bump_tangent_reverse" in text
    assert "bump_grad" not in text


def test_a_gradient_by_an_array_belongs_to_a_family():
    text = text_of(lambda p, x: np.sum(srcad.grad(bump)(p, x)))
    assert "def bump_grad(" in text
    assert "def bump_tangent_grad(" in text


def test_an_inner_gradient_that_nothing_depends_on_is_not_differentiated():
    def f(p, x):
        return np.sum(p) * srcad.stop_gradient(np.sum(srcad.grad(bump)(np.ones(2), x)))

    assert "bump_tangent_grad" not in text_of(f)


def test_integers_in_a_structure_get_zero():
    def f(x):
        g = srcad.grad(lambda p: p[0] * p[1])((x, 3))
        return g[0] + x * g[1]

    assert srcad.grad(f, jit=False)(2.0) == 0.0


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_the_function_itself_runs_with_its_derivatives(jit):
    def f(p, x):
        return np.sum(srcad.grad(bump)(p, x)) + srcad.grad(bump, 1)(p, x)

    p = np.array([1.0, 2.0])
    assert srcad.function(f, jit=jit)(p, 0.5) == pytest.approx(6.0 * np.sin(0.5) + 5.0 * np.cos(0.5))
