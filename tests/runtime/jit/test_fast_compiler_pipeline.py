"""Passes of Numba's that are left out have nothing to do: what has closures or array expressions still has them."""

import numba
import numpy as np
import pytest
from numba.core.typed_passes import NopythonRewrites
from numba.core.untyped_passes import InlineClosureLikes

from srcad.runtime.jit.fast_compiler_pipeline import Quick


@pytest.fixture
def ran(monkeypatch):
    """The functions that Numba's passes of these two kinds went through."""
    seen = {"closures": [], "expressions": []}
    for kind, name in ((InlineClosureLikes, "closures"), (NopythonRewrites, "expressions")):

        def noting(self, state, run=kind.run_pass, name=name):
            seen[name].append(state.func_id.func_name)
            return run(self, state)

        monkeypatch.setattr(kind, "run_pass", noting)
    return seen


def quick(function):
    return numba.njit(pipeline_class=Quick)(function)


@pytest.mark.compiled
def test_closures_comprehensions_and_array_expressions_are_as_before(ran):
    def mixed(x, n):
        def twice(v):
            return 2.0 * v

        inner = np.array([twice(v) + n for v in x])
        listed = [v * v for v in x]
        return np.sin(x) * inner + np.exp(-x) + listed[0], -x, x + x

    x = np.linspace(0.1, 0.9, 5)
    for ours, theirs in zip(quick(mixed)(x, 3), mixed(x, 3), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-15)
    assert "mixed" in ran["closures"]
    assert "mixed" in ran["expressions"]


@pytest.mark.compiled
def test_a_loop_over_elements_needs_neither(ran):
    def total(x):
        y = np.zeros_like(x)
        s = 0.0
        for i in range(x.shape[0]):
            y[i] = x[i] * x[i]
            s += np.sin(y[i])
        return s

    x = np.ones(3)
    assert quick(total)(x) == total(x)
    assert "total" not in ran["closures"] + ran["expressions"]


@pytest.mark.compiled
def test_calls_of_one_operator_with_several_types_are_told_apart():
    def sums(x, n, z):
        s = 0
        for i in range(n):
            s = s + i  # integers here,
        t = s + x[0]  # a float there
        return s, t, t + z, n * z, x[1] * n, n // 2, n / 2, (n + 1, x[0]) == (n + 1, x[0])

    x, z = np.array([1.5, 2.5]), 1 + 2j
    found, expected = quick(sums)(x, 5, z), sums(x, 5, z)
    assert found == expected
    assert [type(each) for each in found[:4]] == [int, float, complex, complex]


@pytest.mark.compiled
def test_functions_that_call_themselves_are_typed():
    def outer(n):
        return factorial(n) + factorial(n - 1)

    @quick
    def factorial(n):
        return 1 if n < 2 else n * factorial(n - 1)

    assert quick(outer)(5) == 144
