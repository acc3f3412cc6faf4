"""The bridge to JAX, against JAX's own derivatives and `check_grads`."""

import numpy as np
import pytest

import srcad
from srcad.bridges.jax import as_primitive

jax = pytest.importorskip("jax", reason="JAX is not installed")
jnp = jax.numpy


@pytest.fixture(autouse=True)
def double_precision():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def modulated(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(k * x[i]) * x[i]
    return total


def in_jax(x, k):
    return jnp.sum(jnp.sin(k * x) * x)


def two_results(x, y):
    return x * np.exp(y), np.sum(x) * y[0], x.shape[0]


def points():
    return jnp.array([0.3, 0.7, 1.1]), jnp.array(1.3)


def check(f, args, order, modes):
    from jax.test_util import check_grads

    check_grads(f, args, order=order, modes=modes)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_derivatives_agree_with_jax_under_its_transformations(jit):
    f, (x, k) = as_primitive(modulated, jit=jit), points()
    assert np.allclose(jax.jit(f)(x, k), in_jax(x, k), rtol=1e-14)
    for ours, theirs in zip(jax.jit(jax.grad(f, (0, 1)))(x, k), jax.grad(in_jax, (0, 1))(x, k), strict=True):
        assert np.allclose(ours, theirs, rtol=1e-13)
    rows = jnp.stack([x, 2 * x])
    ours, theirs = (jax.vmap(jax.grad(each), (0, None))(rows, k) for each in (f, in_jax))
    assert np.allclose(ours, theirs, rtol=1e-13)
    check(f, (x, k), 2, ["rev"])
    assert np.allclose(jax.jacrev(jax.grad(f))(x, k), jax.hessian(in_jax)(x, k), rtol=1e-13)


def test_forward_mode_agrees_with_jax():
    f, (x, k) = as_primitive(modulated, mode="forward", jit=False), points()
    assert np.allclose(jax.jit(jax.jacfwd(f))(x, k), jax.grad(in_jax)(x, k), rtol=1e-13)
    check(f, (x, k), 1, ["fwd"])
    check(lambda x, y: as_primitive(two_results, mode="forward", jit=False)(x, y)[:2], (x, x + 1.0), 1, ["fwd"])


def test_several_results_and_structures():
    x, k = points()
    check(lambda x, y: as_primitive(two_results, jit=False)(x, y)[:2], (x, x + 1.0), 2, ["rev"])
    f = as_primitive(lambda p, x: {"u": p["w"] * x, "v": [np.sum(x) ** 2 * p["b"], 3]}, jit=False)
    found = f({"w": x, "b": k}, x)
    assert found["v"][1] == 3
    check(lambda w, b, x: f({"w": w, "b": b}, x)["v"][0], (x, k, x), 2, ["rev"])


def test_integers_are_constants_or_data():
    def power(x, n):
        y = x * 1.0
        for _ in range(n):
            y = y * x
        return y

    f, (x, _) = as_primitive(power, jit=False), points()
    for run in (f, jax.jit(f)):
        assert np.allclose(jax.grad(lambda x, run=run: run(x, 3).sum())(x), 4 * x**3, rtol=1e-13)


def test_precision_is_that_of_jax():
    x = jnp.array([1.0, 2.0], jnp.float32)
    f = as_primitive(lambda x: np.sum(x * x), jit=False)
    assert f(x).dtype == jnp.float32
    assert jax.grad(f)(x).dtype == jnp.float32
    assert jax.grad(f)(x).tolist() == [2.0, 4.0]


def test_gradients_of_complex_numbers_follow_jaxs_convention():
    z, bar = jnp.array([1.0 + 2.0j, -0.5j]), jnp.array([1.0j, 2.0])
    ours = jax.grad(as_primitive(lambda z: np.sum(np.abs(z * z) ** 2), jit=False))(z)
    assert np.allclose(ours, jax.grad(lambda z: jnp.sum(jnp.abs(z * z) ** 2))(z), rtol=1e-13)
    for f in (lambda z: z * z, lambda z: 1.0j * z):
        ours, theirs = (jax.vjp(each, z)[1](bar)[0] for each in (as_primitive(f, jit=False), f))
        assert np.allclose(ours, theirs, rtol=1e-13)
    ours = jax.jvp(as_primitive(lambda z: z * z, mode="forward", jit=False), (z,), (bar,))[1]
    assert np.allclose(ours, 2.0 * z * bar, rtol=1e-13)


def test_functions_are_called_in_loops_of_jax_and_may_write_into_their_arguments():
    def overwriting(x):
        x[0] = x[1] * 3.0
        return np.sum(x * x)

    x = jnp.arange(3.0)
    f = as_primitive(overwriting, jit=False)
    assert (float(jax.jit(f)(x)), jax.grad(f)(x).tolist(), x.tolist()) == (14.0, [0.0, 20.0, 4.0], [0.0, 1.0, 2.0])
    step = as_primitive(lambda c: c * c - 0.5 * c, jit=False)
    ours, theirs = (
        jax.grad(lambda c, each=each: jax.lax.scan(lambda c, _: (each(c), c), c, None, length=4)[0])(0.9)
        for each in (step, lambda c: c * c - 0.5 * c)
    )
    assert np.allclose(ours, theirs, rtol=1e-13)


def test_shapes_that_depend_on_values_are_told_by_shape():
    def repeated(x, n):
        return np.ones(n) * x

    _, k = points()
    assert as_primitive(repeated, jit=False)(k, 3).shape == (3,)
    f = as_primitive(repeated, shape=lambda x, n: np.ones(3), jit=False)
    assert jax.jit(f)(k, 3).tolist() == [1.3] * 3
    with pytest.raises(Exception, match="give `shape`"):
        jax.jit(as_primitive(repeated, jit=False))(k, 3).block_until_ready()

    def no_ones(x):
        if x[0] == 1.0:
            raise ValueError("no ones")
        return x

    with pytest.raises(srcad.BadArgument, match="give `shape`"):
        jax.jit(as_primitive(no_ones, jit=False))(jnp.ones(1))


def test_what_cannot_be_done_is_refused_with_the_cure():
    f, (x, k) = as_primitive(modulated, jit=False), points()
    with pytest.raises(srcad.BadType, match="astype"):
        f(x.astype(jnp.bfloat16), k)
    with pytest.raises(srcad.BadArgument, match="three times"):
        jax.grad(jax.grad(jax.grad(as_primitive(lambda x: x**4, jit=False))))(1.0)
    with pytest.raises(srcad.BadArgument, match="twice in forward mode"):
        jax.jacfwd(jax.jacfwd(as_primitive(lambda x: x**4, mode="forward", jit=False)))(1.0)
    with pytest.raises(srcad.BadArgument, match="mode"):
        as_primitive(modulated, mode="both")
