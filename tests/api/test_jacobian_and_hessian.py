"""Jacobians and Hessians, and derivatives of derivatives, against formulas."""

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, NotDifferentiable
from tests.night import by_day

X = np.array([1.0, -2.0])
V = np.array([0.5, 2.0])


def curve(x, k):
    out = np.zeros(3)
    out[0] = k * x[0] * x[1]
    out[1] = x[0] * x[0]
    out[2] = k * k * x[1]
    return out


def potential(x, k):
    return k * x[0] * x[0] * x[1] + k * k * x[1]


def cube(x, k=1.0):
    return k * x * x * x


BY_X = np.array([[3.0 * -2.0, 3.0 * 1.0], [2.0, 0.0], [0.0, 9.0]])
BY_K = np.array([-2.0, 0.0, 6.0 * -2.0])
HESSIAN = np.array([[2.0 * 3.0 * -2.0, 2.0 * 3.0], [2.0 * 3.0, 0.0]])
MIXED = np.array([2.0 * 1.0 * -2.0, 1.0 + 6.0])


@pytest.mark.slow
@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_a_jacobian_has_the_shape_of_the_result_then_that_of_the_argument(mode, jit):
    np.testing.assert_allclose(srcad.jacobian(curve, mode=mode, jit=jit)(X, 3.0), BY_X)
    np.testing.assert_allclose(srcad.jacobian(curve, wrt="k", mode=mode, jit=jit)(X, k=3.0), BY_K)
    both = srcad.jacobian(curve, wrt=("k", "x"), mode=mode, jit=jit)(X, 3.0)
    np.testing.assert_allclose(both[0], BY_K)
    np.testing.assert_allclose(both[1], BY_X)


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_the_jacobian_of_matrices_has_four_axes(mode):
    def double_transpose(a):
        out = np.zeros((3, 2))
        for i in range(2):
            for j in range(3):
                out[j, i] = 2.0 * a[i, j]
        return out

    found = srcad.jacobian(double_transpose, mode=mode)(np.ones((2, 3)))
    expected = np.zeros((3, 2, 2, 3))
    for i in range(2):
        for j in range(3):
            expected[j, i, i, j] = 2.0
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("mode", ["forward", "reverse", None])
def test_a_tuple_of_results_gives_a_tuple_of_jacobians(mode):
    found = srcad.jacobian(lambda x: (x[0] * x[1], x[1]), mode=mode)(X)
    np.testing.assert_allclose(found[0], X[::-1])
    np.testing.assert_allclose(found[1], [0.0, 1.0])


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_a_jacobian_keeps_the_precision(mode):
    single = X.astype(np.float32)
    assert srcad.jacobian(lambda x: x[0] * x[1], mode=mode)(single).dtype == np.float32
    assert srcad.jacobian(curve, mode=mode)(single, 3.0).dtype == np.float32  # as the gradient of each element


def test_an_unknown_mode_is_refused():
    with pytest.raises(BadArgument, match="the mode 'sideways' is unknown"):
        srcad.jacobian(curve, mode="sideways")


@pytest.mark.parametrize("jit", [True, False])
def test_a_hessian_has_the_shape_of_the_argument_twice(jit):
    np.testing.assert_allclose(srcad.hessian(potential, jit=jit)(X, 3.0), HESSIAN)
    assert srcad.hessian(potential, wrt=1, jit=jit)(X, 3.0) == 2.0 * -2.0


def test_a_hessian_by_several_arguments_is_rows_of_blocks():
    (xx, xk), (kx, kk) = srcad.hessian(potential, wrt=(0, 1))(X, 3.0)
    np.testing.assert_allclose(xx, HESSIAN)
    np.testing.assert_allclose(xk, MIXED)
    np.testing.assert_allclose(kx, MIXED)
    assert kk == pytest.approx(-4.0)


def test_a_hessian_vector_product_is_the_hessian_times_the_vector():
    v = np.array([0.5, -1.0])
    np.testing.assert_allclose(srcad.hvp(potential)(X, 3.0, v), HESSIAN @ v)
    by_x, by_k = srcad.hvp(potential, wrt=(0, 1))(X, 3.0, v, 2.0)
    np.testing.assert_allclose(by_x, HESSIAN @ v + MIXED * 2.0)
    assert by_k == pytest.approx(MIXED @ v - 4.0 * 2.0)


def test_the_jacobian_of_a_gradient_is_the_hessian():
    np.testing.assert_allclose(srcad.jacobian(srcad.grad(potential))(X, 3.0), HESSIAN)
    np.testing.assert_allclose(srcad.jacobian(srcad.grad(potential), wrt="k")(X, 3.0), MIXED)
    np.testing.assert_allclose(srcad.jacobian(srcad.grad(potential, wrt="k"), wrt=(0, 1))(X, 3.0)[0], MIXED)


@pytest.mark.parametrize("jit", [True, False])
def test_the_gradient_of_a_gradient_is_the_second_derivative(jit):
    assert srcad.grad(srcad.grad(cube, jit=jit), jit=jit)(2.0) == 12.0
    assert srcad.grad(srcad.grad(cube, jit=jit), wrt="k", jit=jit)(2.0, 5.0) == 12.0
    assert srcad.grad(srcad.grad(cube, wrt="k", jit=jit), wrt=("k", "x"), jit=jit)(2.0, 5.0) == (0.0, 12.0)


POWERS = [pytest.param(n, jit) for n in (0, 0.0, 1, 2.0) for jit in (True, False)]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "jit"), by_day(POWERS, lambda n, jit: not jit or type(n) is float))
def test_second_derivatives_of_powers_at_zero(n, jit):
    expected = 2.0 if n == 2 else 0.0
    functions = [lambda x, n: x**n, lambda x, n: np.power(x, n) * 1.0]
    if n == 0:
        functions += [lambda x, n: x**0, lambda x, n: x**0.0 * 3.0]
    for f in functions:
        assert srcad.grad(srcad.grad(f, jit=jit), jit=jit)(0.0, n) == expected
        assert srcad.hvp(f, jit=jit)(0.0, n, 1.0) == expected
        total = lambda x, n, f=f: np.sum(f(x, n))  # noqa: E731
        expected_matrix = np.diag([expected, expected])
        assert np.array_equal(srcad.hessian(total, jit=jit)(np.array([0.0, 1.5]), n), expected_matrix)


def test_the_gradient_of_an_array_gradient_points_to_the_hessian():
    with pytest.raises(NotDifferentiable, match="hessian"):
        srcad.grad(srcad.grad(potential))(X, 3.0)


def third(x):
    """All third derivatives of `potential` by its first argument, by differences of second ones."""
    step = 1e-5
    hessian = srcad.hessian(potential, jit=False)
    moves = step * np.eye(x.size)
    return np.stack([(hessian(x + move, 3.0) - hessian(x - move, 3.0)) / (2.0 * step) for move in moves], axis=-1)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda f: srcad.jacobian(srcad.hessian(f, jit=False), jit=False)(X, 3.0), third(X)),
        (lambda f: srcad.hessian(srcad.grad(f, jit=False), jit=False)(X, 3.0), third(X)),
        (
            lambda f: srcad.jacobian(srcad.jacobian(srcad.grad(f, jit=False), jit=False), jit=False)(X, 3.0),
            third(X),
        ),
        (
            lambda f: srcad.jvp(srcad.hvp(f, jit=False), (X, 3.0, V), (V, None, None), jit=False)[1],
            third(X) @ V @ V,
        ),
        (
            lambda f: srcad.vjp(srcad.grad(f, jit=False), X, 3.0, jit=False)[1](V)[0],
            srcad.hvp(potential, jit=False)(X, 3.0, V),
        ),
        (
            lambda f: srcad.jacobian(srcad.value_and_grad(f, jit=False), jit=False)(X, 3.0)[1],
            srcad.hessian(potential, jit=False)(X, 3.0),
        ),
    ],
)
def test_derivatives_of_derivatives_have_no_end(build, expected):
    np.testing.assert_allclose(build(potential), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_a_fourth_derivative_of_a_number(jit):
    slope = exponential
    for _ in range(4):
        slope = srcad.grad(slope, jit=jit)
    assert slope(0.5) == pytest.approx(16.0 * np.exp(1.0) * 0.5 + 32.0 * np.exp(1.0))


def exponential(x):
    return np.exp(2.0 * x) * x


def test_the_hessian_of_a_vector_has_the_shape_of_the_vector_first():
    found = srcad.hessian(products, jit=False)(np.array([2.0, 3.0]))
    np.testing.assert_allclose(found, [[[0.0, 1.0], [1.0, 0.0]], [[18.0, 24.0], [24.0, 8.0]], [[0.0, 0.0], [0.0, 0.0]]])
    rows = srcad.hessian(lambda x, y: x * y, wrt=(0, 1), jit=False)(np.ones(2), np.ones(2))
    assert [[block.shape for block in row] for row in rows] == [[(2, 2, 2)] * 2] * 2


def products(x):
    return np.array([x[0] * x[1], x[0] ** 2 * x[1] ** 2, 3.0 * x[0]])


def test_a_function_of_a_derivative_is_a_function():
    np.testing.assert_allclose(srcad.function(srcad.grad(cube), jit=False)(2.0), srcad.grad(cube, jit=False)(2.0))


@pytest.mark.parametrize("x", [np.ones(3), np.ones((2, 2, 2)), 2.0])
@pytest.mark.parametrize("order", ["fro", "nuc"])
def test_norms_of_matrices_are_of_matrices(x, order):
    """On the tape others had a value; NumPy says of vectors, too, what they are."""
    with pytest.raises(ValueError, match="norm"):
        srcad.grad(lambda x: np.linalg.norm(x, order), jit=False)(x)
    with srcad.GradientTape() as tape:
        v = srcad.constant(x)
        tape.watch(v)
        with pytest.raises(ValueError, match="norm"):
            np.linalg.norm(v, order)


def test_second_derivatives_at_arrays_without_axes():
    assert srcad.grad(srcad.grad(cube, jit=False), jit=False)(np.array(2.0)) == pytest.approx(12.0)


def test_a_forward_jacobian_by_nothing():
    assert srcad.jacobian(lambda x: 2.0 * x, mode="forward", jit=False)(np.zeros((0, 2))).shape == (0, 2, 0, 2)


@pytest.mark.parametrize("make", [lambda f: srcad.grad(srcad.grad(f)), srcad.jacobian, srcad.hessian])
def test_compiled_code_is_told_that_it_cannot_call_them(make):
    second = make(lambda x: x * x * x)
    with pytest.raises(NotDifferentiable, match="cannot be called inside @njit"):
        numba.njit(lambda x: 2.0 * second(x))(2.0)
