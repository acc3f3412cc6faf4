"""Calls back from programs that XLA compiled."""

import numpy as np
import pytest

from srcad.bridges import xla_calls
from srcad.bridges.jax import as_primitive
from srcad.bridges.xla_calls import call_back

jax = pytest.importorskip("jax", reason="JAX is not installed")


@pytest.fixture(params=[True, False], ids=["interface", "pure_callback"])
def interface(request, monkeypatch):
    if not request.param:
        monkeypatch.setattr(xla_calls, "_is_registered", lambda: False)
    return request.param


@pytest.fixture(autouse=True)
def double():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def like(*arrays):
    return [jax.ShapeDtypeStruct(np.shape(each), np.result_type(each)) for each in arrays]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.arange(4, dtype=np.float32),
        np.array(2.5),
        np.array([True, False]),
        np.arange(3, dtype=np.int8),
        np.array([1.0 + 2.0j, 3.0j]),
        np.zeros((2, 0)),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_arrays_arrive_and_return_as_they_are(array, interface):
    seen = []

    def compute(given, factor):
        seen.append(given.copy())
        return given, np.sum(given) * factor

    second = np.float64(2.0) * array.sum()
    found = jax.jit(lambda x, k: call_back(compute, like(array, second), [x, k]))(array, jax.numpy.asarray(2.0))
    assert seen[0].dtype == array.dtype
    np.testing.assert_array_equal(seen[0], array)
    np.testing.assert_array_equal(found[0], array)
    assert found[0].dtype == array.dtype
    assert found[1] == second


def test_vmap_calls_once_for_each_element(interface):
    calls = []

    def compute(x):
        calls.append(x.shape)
        return [x * 2.0]

    found = jax.jit(jax.vmap(lambda x: call_back(compute, like(np.ones(2)), [x])[0]))(np.arange(6.0).reshape(3, 2))
    np.testing.assert_array_equal(found, np.arange(6.0).reshape(3, 2) * 2.0)
    assert calls == [(2,)] * 3


def test_an_exception_is_an_error_of_jax_with_its_text(interface):
    def compute(x):
        raise ValueError("the pot boils over")

    call = jax.jit(lambda x: call_back(compute, like(1.0), [x])[0])
    with pytest.raises(Exception, match="the pot boils over"):
        call(1.0).block_until_ready()
    assert jax.jit(lambda x: call_back(lambda x: [x + 1.0], like(1.0), [x])[0])(1.0) == 2.0


def test_a_result_of_another_shape_is_refused_and_not_spread():
    call = jax.jit(lambda x: call_back(lambda x: [1.0], like(np.ones(3)), [x])[0])
    with pytest.raises(Exception, match=r"has the shape \(\), not \(3,\)"):
        call(1.0).block_until_ready()


def test_a_program_of_another_process_finds_no_function():
    call = jax.jit(lambda x: call_back(lambda x: [x], like(1.0), [x])[0])
    before = set(xla_calls._calls)
    assert call(3.0) == 3.0
    for number in set(xla_calls._calls) - before:
        del xla_calls._calls[number]
    with pytest.raises(Exception, match="another process"):
        call(4.0).block_until_ready()


def test_the_function_may_write_into_its_arguments():
    def doubled(x):
        x *= 2.0
        return np.sum(x * x)

    run, x = as_primitive(doubled, jit=False), jax.numpy.arange(3.0)
    value, slope = jax.jit(jax.value_and_grad(run))(x)
    np.testing.assert_allclose((value, *slope), (20.0, 0.0, 8.0, 16.0))
    np.testing.assert_array_equal(x, np.arange(3.0))


def test_programs_within_loops_and_after_the_function_is_gone():
    @jax.jit
    def step(x):
        made = as_primitive(lambda x: 0.5 * x * x, jit=False)
        return jax.lax.fori_loop(0, 3, lambda _, x: x - 0.1 * jax.grad(made)(x), x)

    assert float(step(1.0)) == pytest.approx(0.729)
    assert float(step(2.0)) == pytest.approx(1.458)


def test_where_xla_refuses_the_handler_jax_calls_back_itself(monkeypatch):
    def refused(*_, **__):
        raise RuntimeError("the handler's API version (0.1) is incompatible")

    monkeypatch.setattr(jax.ffi, "register_ffi_target", refused)
    assert xla_calls._is_registered.__wrapped__() is False
