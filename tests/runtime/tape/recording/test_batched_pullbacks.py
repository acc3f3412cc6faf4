"""Jacobians by sweeps for many cotangents against those by one sweep for each, whatever was recorded."""

import tracemalloc

import numpy as np
import pytest

import srcad
from srcad.runtime.support.nested_structures import flatten, map_leaves
from srcad.runtime.tape import tape_jacobian
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.custom_gradient import custom_gradient
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.recording import batched_pullbacks
from srcad.runtime.tape.values.conversions import constant
from tests.runtime.tape.test_tape_rules import CASES, Case, is_float

RANDOM = np.random.default_rng(5)
X, M = RANDOM.uniform(0.5, 1.5, 3), RANDOM.uniform(0.5, 1.5, (3, 3))


def assert_same(tape, target, sources):
    at_once = tape.jacobian(target, sources)
    one_by_one = tape.jacobian(target, sources, experimental_use_pfor=False)
    for found, expected in zip(at_once, one_by_one, strict=True):
        assert (found is None) == (expected is None)
        if expected is not None:
            assert found.dtype == expected.dtype
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("primitive", "sample"), CASES)
def test_every_rule(primitive, sample):
    case = Case(primitive, sample)
    inputs = [map_leaves(constant, each) for each in case.point]
    with GradientTape(persistent=True) as tape:
        tape.watch(inputs)
        arguments = list(sample.args)
        for place, each in zip(case.places, inputs, strict=True):
            arguments[place] = each
        targets = [each * each for each in flatten(primitive(*arguments, **sample.kwargs)) if is_float(each)]
    for target in targets[:2]:
        assert_same(tape, target, flatten(inputs))


@srcad.function(jit=False)
def compiled(x, m):
    return np.tanh(m @ x) * x


@custom_gradient
def doubled(x):
    return x * 2.0, lambda upstream: upstream * 3.0


PROGRAMS = {
    "a square matrix of the size of the batch": lambda x, m: (m * x) @ m + m.T * x[:, None],
    "broadcasting of a row, a column and a number": lambda x, m: m * x + x[:, None] / x[0] + 2.0 * x[1],
    "axes, kept and not": lambda x, m: np.sum(m, axis=-1) * np.mean(m, 0) + np.max(m, axis=1, keepdims=True),
    "axes counted from the end": lambda x, m: (
        np.transpose(m, (-1, 0)) * np.swapaxes(m, -1, -2) + np.min(m, axis=(0, -1))
    ),
    "indices of all kinds": lambda x, m: m[[0, 0, 2]] + m[:, 1] * x[np.array([2, 2, 1])] + x[x > 0.6].sum() + m[1, ...],
    "index arrays on both sides of a slice": lambda x, m: m[None][[0, 0], :, [1, 1]] * x,
    "joins": lambda x, m: np.concatenate([m, m * 2.0, x[None]], axis=0) @ np.stack([x, x * x], axis=-1),
    "numbers": lambda x, m: x[0] * m[1, 1] + np.linalg.norm(x) * np.sum(x, axis=0),
    "results that are a tuple": lambda x, m: np.linalg.slogdet(m)[1] * x,
    "compiled calls among operations": lambda x, m: np.sin(compiled(x, m)) * x + compiled(x * 2.0, m),
    "a gradient of its own": lambda x, m: doubled(x) * doubled(x)[0],
    "complex numbers in between": lambda x, m: np.real((x + 1j * m) * (m - 2j)) + np.abs(x - 1j),
    "no connection": lambda x, m: np.floor(m) + m,
    "a single precision detour": lambda x, m: (m.astype("float32") * np.float32(2.0)).astype("float64") * x,
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_programs(program):
    x, m = constant(X), constant(M)
    with GradientTape(persistent=True) as tape:
        tape.watch([x, m])
        between = m * 1.5
        y = program(x, between)
    assert_same(tape, y, [x, m, between])


def test_rows_of_a_table_that_is_a_source():
    table = Variable(M)
    with GradientTape(persistent=True) as tape:
        y = np.take(table, [0, 0, 2], axis=0) * table[[1, 1, 0]]
    assert_same(tape, y, [table])


def test_batches():
    x = constant(M)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.stack([np.sum(x * x, axis=1), x[:, 0] * x[:, 2]], axis=1)
    at_once = tape.batch_jacobian(y, x)
    np.testing.assert_allclose(at_once, tape.batch_jacobian(y, x, experimental_use_pfor=False))
    full = tape.jacobian(y, x).numpy()
    np.testing.assert_allclose(at_once, [full[k, :, k] for k in range(3)])


def test_a_jacobian_in_several_parts(monkeypatch):
    x = constant(np.linspace(0.1, 1.0, 10))
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = np.cumsum(x * x)
    whole = tape.jacobian(y, x).numpy()
    monkeypatch.setattr(batched_pullbacks, "LARGEST", 30)  # three at a time, and one is left over
    np.testing.assert_array_equal(tape.jacobian(y, x), whole)
    np.testing.assert_array_equal(tape.jacobian(y, x, parallel_iterations=4), whole)


def test_one_sweep_serves_all_cotangents(monkeypatch):
    calls = []
    run = tape_jacobian.run_batched
    monkeypatch.setattr(
        tape_jacobian, "run_batched", lambda sweep, seeds: calls.append(len(seeds)) or run(sweep, seeds)
    )
    x = constant(np.ones(50))
    with GradientTape() as tape:
        tape.watch(x)
        y = np.sin(x) * x
    tape.jacobian(y, x)
    assert calls == [50]


@pytest.mark.slow
def test_memory_is_that_of_the_jacobian_and_little_more():
    """Each of the hundred adjoints along the way would have a million elements, were all rows taken at once."""
    x = constant(np.ones(100))
    with GradientTape() as tape:
        tape.watch(x)
        wide = x[:, None] * np.ones((100, 1000))
        for _ in range(20):
            wide = np.sin(wide)
        y = np.sum(wide, axis=1)
    tracemalloc.start()
    tape.jacobian(y, x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6 * 8 * batched_pullbacks.LARGEST
