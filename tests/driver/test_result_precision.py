import itertools

import numpy as np
import pytest

import srcad

X = np.array([1.0, 2.0, 3.0], np.float32)
W = np.ones(3, np.float32)


def dot(a):
    return np.sum(a * a)


def parts(a):
    return a[0] * a[1], a, (np.sum(a), 2.0)


@pytest.mark.compiled
def test_numbers_have_the_precision_of_numpys():
    x, squared = srcad.constant(X), srcad.function(dot)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = squared(x)
        z = y * x
    assert (y.dtype, z.dtype, squared(x).dtype) == (np.float32, np.float32, np.float32)
    found = tape.gradient(z, x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, 14.0 + 2.0 * X * X.sum(), rtol=1e-6)
    assert squared(srcad.constant(X.astype(float))).dtype == np.float64


@pytest.mark.compiled
def test_so_have_the_parts_of_a_result():
    several = srcad.function(parts)
    x = srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        product, same, (total, constant) = several(x)
    assert [each.dtype for each in (product, same, total, constant)] == [np.float32] * 3 + [np.float64]
    np.testing.assert_array_equal(tape.gradient([product, total], x), [3.0, 2.0, 1.0])


@pytest.mark.compiled
def test_captured_arrays_count():
    f = srcad.function(lambda k: W[k] * W[0])
    assert f(srcad.constant(1)).dtype == np.float32


@pytest.mark.slow
@pytest.mark.parametrize(
    ("x", "jit"),
    [
        *itertools.product([2.0, np.float32(2.0), 2.0 + 1.0j, np.complex64(2.0 + 1.0j)], [False]),
        *itertools.product([np.float32(2.0), 2.0 + 1.0j], [True]),
        *(pytest.param(x, True, marks=pytest.mark.nightly) for x in (2.0, np.complex64(2.0 + 1.0j))),
    ],
)
@pytest.mark.parametrize(
    "f", [lambda x: np.real(x * x), lambda x: np.real(1.0 * x), lambda x: 3.0], ids=["x x", "x", "3"]
)
def test_gradients_by_numbers_are_numbers_of_the_same_kind(f, x, jit):
    wrapped = lambda p: f(p["x"]) * 2.0  # noqa: E731
    found = [
        srcad.grad(f, jit=jit)(x),
        srcad.grad(f, jit=jit)(x),  # the second call, too
        srcad.value_and_grad(f, wrt=(0,), jit=jit)(x)[1][0],
        srcad.vjp(f, x, jit=jit)[1](1.0)[0],
        srcad.jacobian(f, mode="reverse", jit=jit)(x),
        srcad.jacobian(f, mode="forward", jit=jit)(x),
        srcad.grad(wrapped, jit=jit)({"x": x, "n": 1})["x"],
        srcad.vjp(wrapped, {"x": x}, jit=jit)[1](1.0)[0]["x"],
    ]
    if isinstance(x, (float, np.float32)):
        found += [srcad.hvp(f, jit=jit)(x, x), srcad.hessian(f, jit=jit)(x), srcad.grad(srcad.grad(f, jit=jit))(x)]
    # A Python float may be NumPy's, which is one as well.
    assert {type(each) for each in found} <= ({float, np.float64} if type(x) is float else {type(x)})


def test_a_number_in_single_precision_beside_a_default():
    def f(x, y=3.0):
        return x * x * y

    assert type(srcad.grad(f)(np.float32(2.0))) is np.float32
    assert srcad.grad(f, wrt=(0, 1))(np.float32(2.0)) == (12.0, 4.0)
    assert srcad.grad(f)(2.0) == 12.0
