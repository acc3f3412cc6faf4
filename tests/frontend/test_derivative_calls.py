"""Calls of derivatives in core form."""

import re

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.printing.printer import print_function


def text_of(function):
    return print_function(lower(load(function)).tree)


def energy(p, x):
    return p["w"] * np.sum(x * x) + p["b"]


def test_a_gradient_by_a_structure_is_a_structure_of_its_parts():
    def f(w, x):
        g = srcad.grad(energy)({"w": w, "b": 1.0}, x)
        return g["w"] + g["b"]

    text = text_of(f)
    assert re.search(r"energy_grad_\d+\(\w+, 1\.0, x\)", text)
    assert srcad.grad(f, 1, jit=False)(2.0, np.ones(2)).tolist() == [2.0, 2.0]


def test_a_function_that_is_differentiated_twice_is_lowered_once():
    def f(x):
        return np.sum(srcad.grad(total)(x)) + np.sum(srcad.grad(total)(2.0 * x))

    called = re.findall(r"total_grad_\d+", text_of(f))
    assert len(called) == 2
    assert len(set(called)) == 1


def total(x):
    return np.sum(x**3)


def test_a_closure_reads_structures_as_they_are_at_the_call():
    def f(a):
        p = {"a": a}
        slope = srcad.grad(lambda t: p["a"] * t * t)
        first = slope(1.0)
        p["a"] = 3.0 * a
        return first + 10.0 * slope(1.0)

    assert srcad.grad(f, jit=False)(1.0) == pytest.approx(2.0 + 60.0)


def test_a_closure_that_is_differentiated_cannot_change_structures_around_it():
    def f(a):
        p = {"a": a}

        def g(t):
            p["a"] = p["a"] + t
            return p["a"] * t

        return srcad.grad(g)(a) + p["a"]

    with pytest.raises(SrcadError, match="hint:"):
        srcad.grad(f, jit=False)(1.0)


def test_arguments_are_evaluated_once():
    calls = []

    def f(x):
        def moved(y):
            print("moved")
            return y + 1.0

        value, slope = srcad.value_and_grad(lambda t: t**3)(moved(x))
        return value * slope

    assert srcad.grad(f, jit=False)(1.0) == pytest.approx(3.0 * 5.0 * 2.0**4)
    assert text_of(f).count("print(") == 1
    assert not calls
