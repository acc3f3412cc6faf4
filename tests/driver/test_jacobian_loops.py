"""Jacobians of recorded calls: loops over unit directions, compiled and not, against one sweep after the other."""

import numpy as np
import pytest

import srcad
from srcad.driver.jacobian_loops import columns, rows
from srcad.driver.version import Version

MATRIX = np.random.default_rng(2).normal(size=(4, 4))


def square_of(x, k):
    return np.tanh(MATRIX @ x) * k * x


def taller(x, k):
    out = np.zeros((2, 3, x.shape[0]))
    for i in range(x.shape[0]):
        out[0, 1, i] = k * x[i] * x[0]
        out[1, 2, i] = np.sin(x[i])
    return out


def wider(x, k):
    return np.array([np.sum(x) * k, x[0] * x[1]])


@pytest.mark.parametrize("function", [square_of, taller, wider])
@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_all_at_once_is_one_after_the_other(function, jit):
    f, x, k = srcad.function(function, jit=jit), srcad.constant([0.3, -1.2, 0.7, 2.0]), srcad.constant(1.5)
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch([x, k])
        y = f(x, k)
    for sources in (x, k, [k, x], {"x": x, "none": srcad.constant(1.0)}):
        at_once = tape.jacobian(y, sources)
        in_turn = tape.jacobian(y, sources, experimental_use_pfor=False)
        in_threads = tape.jacobian(y, sources, parallel_iterations=2, experimental_use_pfor=False)
        for first, second, third in zip(*map(leaves, (at_once, in_turn, in_threads)), strict=True):
            assert (first is None) == (second is None)
            if first is not None:
                assert first.shape == second.shape
                np.testing.assert_allclose(first, second, rtol=1e-12, atol=1e-14)
                np.testing.assert_array_equal(second, third)


def leaves(structure):
    return (
        structure
        if isinstance(structure, list)
        else list(structure.values())
        if isinstance(structure, dict)
        else [structure]
    )


def test_the_number_of_sweeps_is_the_smaller_of_inputs_and_outputs(monkeypatch):
    ran = []
    monkeypatch.setattr("srcad.api.recorded_call.rows", lambda *given: (ran.append("rows"), rows(*given))[1])
    monkeypatch.setattr("srcad.api.recorded_call.columns", lambda *given: (ran.append("columns"), columns(*given))[1])
    x, k = srcad.constant([0.3, -1.2, 0.7, 2.0]), srcad.constant(1.5)
    for function, source, kind in (
        (square_of, x, "rows"),
        (square_of, k, "columns"),
        (taller, x, "columns"),
        (wider, x, "rows"),
    ):
        with srcad.GradientTape() as tape:
            tape.watch([x, k])
            y = srcad.function(function, jit=False)(x, k)
        tape.jacobian(y, source)
        assert ran.pop() == kind
    assert ran == []


def test_a_tensor_given_twice():
    f, x = srcad.function(lambda a, b: a * b * b, jit=False), srcad.constant([1.0, 2.0])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = f(x, x)
    assert tape.jacobian(y, x).tolist() == [[3.0, 0.0], [0.0, 12.0]]


def test_complex_results_take_one_sweep_after_the_other():
    f, z = srcad.function(lambda z: z * z, jit=False), srcad.constant([1 + 2j, 2 - 1j])
    with srcad.GradientTape(persistent=True) as tape:
        tape.watch(z)
        y = f(z)
    found = tape.jacobian(y, z)
    np.testing.assert_allclose(found, np.diag(np.conj(2 * z.numpy())))
    np.testing.assert_array_equal(found, tape.jacobian(y, z, experimental_use_pfor=False))


def test_a_jacobian_under_an_outer_tape_is_recorded():
    f, x = srcad.function(lambda x: x * x * x, jit=False), srcad.constant([1.0, 2.0])
    with srcad.GradientTape() as outer:
        outer.watch(x)
        with srcad.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        found = inner.jacobian(y, x)
        total = np.sum(found)
    assert outer.gradient(total, x).tolist() == [6.0, 12.0]


@pytest.mark.compiled
def test_what_numba_cannot_compile_runs_in_python():
    def rolled(x):
        return np.roll(x, (1, 0), axis=0) * x

    x = srcad.constant([1.0, 2.0, 3.0])
    with srcad.GradientTape() as tape:
        tape.watch(x)
        with pytest.warns(srcad.errors.PerformanceWarning):
            y = srcad.function(rolled)(x)
    assert tape.jacobian(y, x).tolist() == [[3.0, 0.0, 1.0], [2.0, 1.0, 0.0], [0.0, 3.0, 2.0]]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"parallel_iterations": 1}, ValueError, "two at a time"),
        ({"parallel_iterations": 0, "experimental_use_pfor": False}, ValueError, "positive integer"),
        ({"parallel_iterations": 2}, RuntimeError, "persistent=True"),
    ],
)
def test_parallel_iterations_that_make_no_sense(arguments, error, message):
    x = srcad.constant([1.0, 2.0])
    with srcad.GradientTape(persistent=not message.startswith("persistent")) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(error, match=message):
        tape.jacobian(y, x, **arguments)
    assert tape.gradient(y, x).tolist() == [2.0, 4.0]


def test_versions_know_no_loop_for_numbers():
    assert Version(lambda x: x * x, srcad.driver.version.Request("vjp", (0,)))._loop_text(("f", "g"), (), None) is None
