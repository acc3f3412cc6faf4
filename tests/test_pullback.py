"""Forward and reverse functions with the trace between them: `vjp`, and `srcad.function` wherever it is called from."""

import inspect
import pickle

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument

X = np.array([1.0, -2.0, 0.5])
VARIABLE = srcad.Variable([1.0, 2.0, 3.0])
TABLE = np.array([1.0, 2.0, 3.0])


def energy(x, k=2.0):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i] * x[i]
    return total


def several(x, n):
    power = 1.0
    for _ in range(n):
        power = power * x
    return power, n * x


def model(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += TABLE[i] * VARIABLE[i] * x[i] * x[i]
    return total


@pytest.mark.parametrize("jit", [True, False])
def test_a_pullback_may_be_called_many_times(jit):
    value, pullback = srcad.vjp(energy, X, 3.0, jit=jit)
    assert value == pytest.approx(3.0 * np.sum(X**3))
    for bar in (1.0, -2.0, 1.0):
        by_x, by_k = pullback(bar)
        np.testing.assert_allclose(by_x, bar * 9.0 * X**2)
        assert by_k == pytest.approx(bar * np.sum(X**3))


def test_pullbacks_of_several_calls_do_not_disturb_each_other():
    first, second = (srcad.vjp(energy, each, 1.0)[1] for each in (X, 2.0 * X))
    np.testing.assert_allclose(first(1.0)[0] * 4.0, second(1.0)[0])


@pytest.mark.parametrize("jit", [True, False])
def test_arguments_without_a_derivative_get_none(jit):
    value, pullback = srcad.vjp(several, 2.0, 3, jit=jit)
    assert value == (8.0, 6.0)
    assert pullback((1.0, 0.0)) == (12.0, None)
    assert pullback((0.0, 1.0)) == (3.0, None)


def test_wrt_asks_for_some_of_the_gradients():
    assert srcad.vjp(energy, X, 1.0, wrt="k")[1](1.0) == pytest.approx(np.sum(X**3))
    by_k, by_x = srcad.vjp(energy, X, 1.0, wrt=("k", "x"))[1](1.0)
    assert by_k == pytest.approx(np.sum(X**3))
    np.testing.assert_allclose(by_x, 3.0 * X**2)


def test_defaults_count_as_arguments():
    assert len(srcad.vjp(energy, X)[1](1.0)) == 2


@pytest.mark.parametrize(
    ("bar", "message"),
    [
        (np.ones(2), r"the cotangent has the shape \(2,\), what it belongs to is a number"),
        ((1.0, 1.0), r"the cotangent has the shape \(2,\)"),
    ],
)
def test_a_cotangent_of_another_shape_is_refused(bar, message):
    with pytest.raises(BadArgument, match=message):
        srcad.vjp(energy, X)[1](bar)


def test_a_tuple_takes_a_tuple_of_cotangents():
    with pytest.raises(BadArgument, match="the cotangent of a tuple of 2 is a tuple of as many"):
        srcad.vjp(several, 2.0, 3)[1](1.0)


@pytest.mark.parametrize("jit", [True, False])
def test_gradients_have_the_dtype_of_their_arguments(jit):
    by_x, _ = srcad.vjp(energy, X.astype(np.float32), np.float32(2.0), jit=jit)[1](1.0)
    assert by_x.dtype == np.float32
    mixed, _ = srcad.vjp(energy, X.astype(np.float32), 2.0, jit=jit)[1](1.0)
    assert mixed.dtype == np.float32


def test_a_function_runs_its_primal():
    run = srcad.function(energy)
    assert run(X) == run(x=X, k=2.0) == pytest.approx(2.0 * np.sum(X**3))
    assert run.__name__ == "energy"
    assert inspect.signature(run) == inspect.signature(energy)
    assert run.__wrapped__ is energy


def test_a_function_reads_what_it_captures_at_each_call(monkeypatch):
    run = srcad.function(model)
    assert run(X) == pytest.approx(np.sum(TABLE * np.array([1.0, 2.0, 3.0]) * X**2))
    monkeypatch.setitem(globals(), "TABLE", np.zeros(3))
    assert run(X) == 0.0


def test_a_function_serves_inside_compiled_code():
    run = srcad.function(energy)
    assert numba.njit(lambda x: run(x, 1.0))(X) == pytest.approx(np.sum(X**3))


def test_a_function_of_a_function_is_itself():
    run = srcad.function(energy)
    assert srcad.function(run) is run
    assert srcad.grad(run)(X).shape == (3,)


def test_a_function_can_be_pickled():
    assert pickle.loads(pickle.dumps(srcad.function(energy)))(X) == srcad.function(energy)(X)


class Spring:
    stiffness = 3.0

    @srcad.function
    def energy(self, x):
        return self.stiffness * x * x


def test_a_method_is_a_function_of_its_own_arguments():
    assert Spring().energy(2.0) == 12.0


def test_a_tape_records_a_call_as_one_node():
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        value = srcad.function(energy)(x, 2.0) * 3.0
    np.testing.assert_allclose(tape.gradient(value, x), 18.0 * X**2)


def test_a_tape_finds_the_variables_that_a_function_captures():
    with srcad.GradientTape() as tape:
        value = srcad.function(model)(X)
    np.testing.assert_allclose(tape.gradient(value, VARIABLE), TABLE * X**2)


def test_the_pullback_that_a_tape_holds_covers_arguments_and_captured_variables():
    values = (X, np.array([3.0, 2.0, 1.0]))
    value, pullback = srcad.function(model).forward(values)
    assert value == pytest.approx(np.sum(TABLE * values[1] * X**2))
    by_x, by_variable = pullback(2.0)
    np.testing.assert_allclose(by_x, 4.0 * TABLE * values[1] * X)
    np.testing.assert_allclose(by_variable, 2.0 * TABLE * X**2)
