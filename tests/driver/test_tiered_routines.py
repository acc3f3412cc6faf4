"""Tiered mode: the first calls run uncompiled, then the compiled function takes over, with the same results."""

import warnings

import numba
import numpy as np
import pytest

import srcad
from srcad.driver import tiered_routines
from srcad.driver.options import Options
from srcad.runtime.jit import background
from srcad.runtime.jit.dispatchers import TypedDispatcher
from tests.faults.processes import output, start
from tests.waiting import in_threads

pytestmark = pytest.mark.slow

X = np.linspace(0.2, 1.3, 5)
M = np.arange(12.0).reshape(3, 4) / 7.0


@pytest.fixture
def runs(monkeypatch):
    """What the uncompiled functions have returned since the test began."""
    seen = []
    original = tiered_routines.python_numbers

    def noted(value):
        seen.append(original(value))
        return seen[-1]

    monkeypatch.setattr(tiered_routines, "python_numbers", noted)
    yield seen
    assert background.wait()


def fresh(body):
    """A function of a source of its own, so that nothing of it is compiled or stored."""
    return body()


def energy():
    def energy(x, k):
        total = 0.0
        for i in range(x.shape[0]):
            total += k * np.sin(x[i]) * x[i]
        return total + np.sum(x**3)

    return energy


def vector():
    def vector(x, k):
        return k * np.sin(x) * x[0] + x

    return vector


def pair():
    def pair(x, k):
        return np.sum(x * x) * k, np.exp(x) * k

    return pair


def leaves(value):
    return [each for part in value for each in leaves(part)] if isinstance(value, (tuple, list)) else [value]


def same(found, expected):
    found, expected = leaves(found), leaves(expected)
    assert [type(each) for each in found] == [type(each) for each in expected]
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def pulled(function, **how):
    value, pull = srcad.vjp(function, X, 1.5, **how)
    bar = np.ones_like(value) if isinstance(value, np.ndarray) else 1.0
    return value, pull(bar), pull(bar)


CALLS = {
    "grad": (energy, lambda f, **how: srcad.grad(f, **how)(X, 1.5)),
    "grad by both": (energy, lambda f, **how: srcad.grad(f, wrt=("k", 0), **how)(X, 1.5)),
    "value_and_grad": (energy, lambda f, **how: srcad.value_and_grad(f, wrt="k", **how)(X, 1.5)),
    "hvp": (energy, lambda f, **how: srcad.hvp(f, **how)(X, 1.5, np.ones(5))),
    "hessian": (energy, lambda f, **how: srcad.hessian(f, **how)(X, 1.5)),
    "jvp": (vector, lambda f, **how: srcad.jvp(f, (X, 1.5), (np.ones(5), 1.0), **how)),
    "jacobian, reverse": (vector, lambda f, **how: srcad.jacobian(f, mode="reverse", **how)(X, 1.5)),
    "jacobian, forward": (vector, lambda f, **how: srcad.jacobian(f, mode="forward", **how)(X, 1.5)),
    "vjp of a number": (energy, pulled),
    "vjp of an array": (vector, pulled),
    "function": (pair, lambda f, **how: srcad.function(f, **how)(X, 1.5)),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_compiled_function_takes_over_with_the_same_results(runs, name):
    body, call = CALLS[name]
    function = fresh(body)
    expected = call(function, tiered=False)
    assert not runs
    found = call(function, tiered=True)
    # It is stored, so that it is loaded at once.
    same(found, expected)
    assert not runs


@pytest.mark.parametrize("name", CALLS)
def test_first_calls_run_uncompiled(runs, name, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    body, call = CALLS[name]
    function = fresh(body)
    found = call(function, tiered=True)
    assert runs
    assert background.wait()
    runs.clear()
    again = call(function, tiered=True)
    assert not runs
    same(again, found)
    same(found, call(fresh(body), tiered=False))


def test_a_trace_of_the_uncompiled_function_is_pulled_after_the_compiled_one_took_over(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    function = fresh(vector)
    _, pull = srcad.vjp(function, X, 1.5, tiered=True)
    before = pull(X)
    assert background.wait()
    same(pull(X), before)
    _, compiled = srcad.vjp(function, X, 1.5, tiered=True)
    same(compiled(X), before)
    other = srcad.vjp(function, X, 1.5, jit=False)[1](X[::-1])
    for one, another in zip(compiled(X[::-1]), other, strict=True):
        np.testing.assert_allclose(one, another, rtol=1e-12)


def test_a_tape_records_tiered_functions(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    run = srcad.function(fresh(energy), tiered=True)

    def derivatives():
        x = srcad.constant(X)
        with srcad.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = run(x, 1.5)
        return tape.gradient(y, x).numpy(), tape.jacobian(y, x).numpy()

    first = derivatives()
    assert runs
    assert background.wait()
    same(derivatives(), first)
    same(first[0], srcad.grad(fresh(energy))(X, 1.5))


def test_jacobians_of_tapes_do_not_wait(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    run = srcad.function(fresh(vector), tiered=True)
    x = srcad.constant(X)

    def rows():
        with srcad.GradientTape() as tape:
            tape.watch(x)
            y = run(x, 1.5)
        return tape.jacobian(y, x).numpy()

    found = [rows()]
    assert background.wait()
    found += [rows()]
    assert background.wait()
    found += [rows()]
    expected = srcad.jacobian(fresh(vector))(X, 1.5)
    for each in found:
        np.testing.assert_allclose(each, expected, rtol=1e-12)


def test_structured_arguments(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))

    def loss(params, x):
        return np.sum(np.tanh(x * params["w"]) + params["b"])

    slope = srcad.grad(loss, tiered=True)
    params = {"w": 2.0, "b": np.ones(3)}
    first = slope(params, np.ones(3))
    assert runs
    assert background.wait()
    runs.clear()
    second = slope(params, np.ones(3))
    assert not runs
    same([second["w"], second["b"]], [first["w"], first["b"]])


def test_single_precision_stays_single(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))

    def cubes(x, k):
        return np.sum(x * x * x) * k

    slope = srcad.grad(cubes, wrt=(0, 1), tiered=True)
    first = slope(X.astype(np.float32), np.float32(1.5))
    assert runs
    assert background.wait()
    second = slope(X.astype(np.float32), np.float32(1.5))
    assert [np.result_type(each) for each in leaves(first)] == [np.float32] * 2
    assert [type(each) for each in leaves(first)] == [type(each) for each in leaves(second)]
    for one, other in zip(leaves(first), leaves(second), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5)


def test_arrays_that_broadcast_later(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))

    def product(a, b):
        return np.sum(np.sin(a) * b)

    slope = srcad.grad(product, wrt=(0, 1), tiered=True)
    slope(M, M)
    assert background.wait()
    wide = slope(M, M[:1])  # the compiled function finds that they broadcast
    assert background.wait()
    same(slope(M, M[:1]), wide)
    same(wide, srcad.grad(product, wrt=(0, 1), jit=False)(M, M[:1]))


def test_captured_numbers_that_change(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    factor = 2.0

    def scaled(x):
        return factor * x * x

    slope = srcad.grad(scaled, tiered=True)
    assert slope(3.0) == 12.0
    assert background.wait()
    factor = 5.0
    assert slope(3.0) == 30.0
    assert background.wait()
    assert slope(3.0) == 30.0


def test_exceptions_are_those_of_the_function(runs):
    def picky(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * x

    slope = srcad.grad(picky, tiered=True)
    for _ in range(2):
        with pytest.raises(ValueError, match="negative"):
            slope(-1.0)
        assert background.wait()
    assert slope(1.0) == 2.0


def test_what_is_refused_is_refused_at_once(runs):
    def refused(x):
        yield x

    with pytest.raises(srcad.UnsupportedSyntax):
        srcad.grad(refused, tiered=True)(1.0)


def test_what_numba_cannot_type_warns_as_without_tiers(runs):
    def rolled(x):
        return np.sum(x * np.roll(x, (1,), axis=(0,)))

    with pytest.warns(srcad.PerformanceWarning, match="no implementation of roll"):
        found = srcad.grad(rolled, tiered=True)(X)
    np.testing.assert_allclose(found, np.roll(X, 1) + np.roll(X, -1))


def test_a_failure_in_the_background_is_told_once_and_the_uncompiled_function_stays(runs, monkeypatch, tmp_path):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    function = fresh(energy)

    def broken(self, arguments):
        raise srcad.CompilerBug("no such register")

    monkeypatch.setattr(TypedDispatcher, "made_for", broken)
    slope = srcad.grad(function, tiered=True)
    first = slope(X, 1.5)
    assert background.wait()
    with pytest.warns(srcad.PerformanceWarning, match=r"runs uncompiled: .*CompilerBug: no such register"):
        second = slope(X, 1.5)
    same(second, first)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(slope(X, 1.5), first)


@pytest.mark.parametrize("apart", [True, False], ids=["process", "thread"])
def test_many_threads(runs, monkeypatch, tmp_path, apart):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    if not apart:
        monkeypatch.setattr(background, "compiled_apart", lambda order: False)
    slope = srcad.grad(fresh(energy), tiered=True)
    arguments = [(X, 1.5), (X[::2], 1.5), (X, 2), (X.astype(np.float32), 1.5)]
    expected = [srcad.grad(fresh(energy), jit=False)(*each) for each in arguments]
    wrong = []

    def work(k):
        for turn in range(200):
            place = (k + turn) % len(arguments)
            found = slope(*arguments[place])
            if not np.allclose(found, expected[place], rtol=1e-5):
                wrong.append((k, turn))
        assert background.wait()
        wrong.extend(k for place in range(4) if not np.allclose(slope(*arguments[place]), expected[place], rtol=1e-5))

    in_threads(work, range(4))
    assert wrong == []


def test_in_compiled_code_it_has_no_effect(runs):
    slope = srcad.grad(fresh(energy), tiered=True)
    descend = numba.njit(lambda x: x - 0.1 * slope(x, 1.5))
    np.testing.assert_allclose(descend(X), X - 0.1 * srcad.grad(fresh(energy), jit=False)(X, 1.5))
    assert not background._state.unfinished
    assert not runs


def test_the_option(monkeypatch):
    assert not Options().tiered
    assert srcad.function(fresh(energy), tiered=True).options.tiered
    assert repr(Options(tiered=True)) == repr(Options())  # what is stored does not depend on it
    monkeypatch.setenv("SRCAD_TIERED", "1")
    assert Options().tiered
    assert Options.of().tiered
    assert not Options.of(tiered=False).tiered
    assert not srcad.function(fresh(energy), tiered=False).options.tiered
    with pytest.raises(srcad.BadType, match="tiered is 1"):
        srcad.grad(energy(), tiered=1)


PROGRAM = """
import numpy as np
import srcad
from srcad.runtime.jit import background

def loss(x):
    return np.sum(np.sort(np.tanh(x) * x))

slope = srcad.grad(loss)
first = slope(np.ones(3))
waiting = background._state.unfinished
background.wait()
print(waiting, np.allclose(first, slope(np.ones(3))), slope.__call__.__name__)
"""


def test_the_environment_asks_for_it(tmp_path):
    said = output(
        start(tmp_path / "program.py", PROGRAM, SRCAD_CACHE_DIR=str(tmp_path / "cache"), SRCAD_TIERED="1")
    ).split()
    assert said[:2] == ["1", "True"]
