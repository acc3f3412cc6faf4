"""Factors of matrices that are shared: solutions, inverses, determinants, and the derivatives of all of them."""

from fractions import Fraction

import numba
import numpy as np
import pytest

import srcad
from srcad.runtime import kernels
from srcad.runtime.jit.fast_compiler_pipeline import Quick
from tests.checking import assert_gradient


def everything(a, b, c):
    f = kernels.lu_factors(a)
    return (
        kernels.solve_factored(a, f, b),
        kernels.solve_factored(a, f, c),
        kernels.solve_factored_transposed(a, f, b),
        kernels.solve_factored_transposed(a, f, c),
        kernels.inverse_factored(a, f),
        kernels.determinant_factored(a, f),
        kernels.sign_factored(a, f),
        kernels.log_determinant_factored(a, f),
        kernels.cofactors_factored(a, f, kernels.determinant_factored(a, f)),
    )


COMPILED = numba.njit(everything, pipeline_class=Quick, error_model="numpy")


def expected_of(a, b, c):
    sign, size = np.linalg.slogdet(a)
    inverse, whole = np.linalg.inv(a), np.linalg.det(a)
    solved = [np.linalg.solve(each, right) for each in (a, a.T) for right in (b, c)]
    return *solved, inverse, whole, sign, size, whole * inverse.T


def matrices(n, kind):
    rng = np.random.default_rng(n)
    a = rng.normal(size=(n, n)) / np.sqrt(max(1, n)) + np.roll(2.0 * np.eye(n), 1, axis=0)
    a = (a * (1.0 + 0.5j) if kind is np.complex128 else a).astype(kind)
    right = np.asarray(rng.normal(size=n), kind), np.asarray(rng.normal(size=(n, 5)), kind)
    own = np.eye(n, dtype=kind) * 3
    return [a, np.asfortranarray(a), np.repeat(a, 2, axis=1)[:, ::2], np.tril(a) + own, np.triu(a) + own, own], right


def check(function, n, kind, is_taken=lambda a: True):
    each, (b, c) = matrices(n, kind)
    for a in filter(is_taken, each):
        before = a.copy()
        for found, expected in zip(function(a, b, c), expected_of(a, b, c), strict=True):
            scale = np.max(np.abs(expected), initial=1e-30)
            np.testing.assert_allclose(found, expected, rtol=0, atol=scale * (1e-3 if kind is np.float32 else 1e-11))
        assert (a == before).all()


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.complex128])
def test_uncompiled(kind):
    for n in (1, 2, 5):
        check(everything, n, kind)


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_for_every_form_and_size():
    for n in (1, 2, 3, 4, 7, 32, 33, 70):  # up to 32 by loops; blocks of 32
        check(COMPILED, n, np.float64, lambda a: a.flags.c_contiguous)
    empty = COMPILED(np.zeros((0, 0)), np.zeros(0), np.zeros((0, 2)))
    assert [np.shape(each) for each in empty] == [(0,), (0, 2), (0,), (0, 2), (0, 0), (), (), (), (0, 0)]
    assert empty[5:8] == (1.0, 1.0, 0.0)
    for wrong in (np.zeros((3, 3)), np.ones((3, 3)), np.ones((3, 2)), np.tril(np.ones((3, 3)), -1)):
        with pytest.raises(np.linalg.LinAlgError):
            COMPILED(wrong, np.ones(3), np.ones((3, 1)))
    with pytest.raises(ValueError, match="right side"):
        COMPILED(np.eye(3), np.ones(2), np.ones((3, 1)))


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize("kind", [np.float32, np.complex128])
def test_compiled_for_other_types(kind):
    for n in (1, 2, 3, 7, 33):
        check(COMPILED, n, kind)


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_for_other_memory_orders():
    for n in (3, 33):
        check(COMPILED, n, np.float64)


def exact_inverse(a):
    """By elimination in fractions."""
    n = len(a)
    rows = [[Fraction(float(x)) for x in row] + [Fraction(int(i == j)) for j in range(n)] for i, row in enumerate(a)]
    for k in range(n):
        p = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[p] = rows[p], rows[k]
        rows[k] = [each / rows[k][k] for each in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k], strict=True)]
    return [row[n:] for row in rows]


def error(found, exact):
    apart = [
        [abs(Fraction(float(x)) - y) for x, y in zip(*rows, strict=True)] for rows in zip(found, exact, strict=True)
    ]
    return float(max(map(max, apart)) / max(abs(y) for row in exact for y in row))


def ill_conditioned():
    rng = np.random.default_rng(4)
    for n in (2, 3, 4, 6):
        yield 1.0 / (np.arange(n)[:, None] + np.arange(n) + 1.0)
        for power in (4, 8, 12):
            yield rng.normal(size=(n, n)) * 10.0 ** -rng.uniform(0, power, size=(n, 1))
            yield np.outer(rng.normal(size=n), rng.normal(size=n)) + 10.0**-power * rng.normal(size=(n, n))


@pytest.mark.compiled
def test_errors_are_within_ten_times_those_of_lapack():
    ours, lapacks = [], []
    for a in ill_conditioned():
        exact, sides = exact_inverse(a), np.zeros((len(a), 1))
        ours.append(error(COMPILED(a, sides[:, 0].copy(), sides)[4], exact) + 1e-17)
        lapacks.append(error(np.linalg.inv(a), exact) + 1e-16)
    assert all(one <= 10.0 * other for one, other in zip(ours, lapacks, strict=True))


@pytest.mark.nightly
@pytest.mark.compiled
def test_determinants_of_singular_matrices_have_their_cofactors_as_derivative():
    singular = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0], [0.0, 1.0, 1.0]])
    for a in (singular, np.zeros((3, 3))):
        assert srcad.grad(np.linalg.det)(a) == pytest.approx(srcad.grad(np.linalg.det, jit=False)(a), abs=1e-14)


def shared(a, b, c):
    y = np.linalg.inv(a)
    sign, size = np.linalg.slogdet(a)
    return np.sum(np.sin(np.linalg.solve(a, b))) + np.sum(np.linalg.solve(a, c) ** 2) + sign * size + np.sum(y * y)


def in_a_loop(a, b, n):
    total, x = 0.0, b
    m = a
    for k in range(n):
        m = m @ a + 0.1 * k * np.eye(3)
        x = np.linalg.solve(m, x)
        total += np.linalg.det(m) + x[0] + np.linalg.inv(m)[0, 1] + np.linalg.det(a)
    return total + np.sum(x * x)


def changed_between(a, b):
    x = np.linalg.solve(a, b)
    m = a.copy()
    y = np.linalg.solve(m, x)
    m[0, 0] = x[0] + 5.0
    z = np.linalg.solve(m, y)
    view = m.T
    view[1, 2] += 0.5
    return np.sum(z * np.linalg.solve(m, y)) + np.linalg.det(m)


def sides(a, b):
    return np.sum(np.cos(np.linalg.solve(a, b)))


def test_derivatives_of_programs_that_share_factors():
    rng = np.random.default_rng(5)
    a, b, c = rng.normal(size=(3, 3)) + 3.0 * np.eye(3), rng.normal(size=3), rng.normal(size=(3, 2))
    modes = ("loops", "gradient", "second")
    assert_gradient(shared, a, b, c, modes=modes)
    assert_gradient(in_a_loop, 0.3 * a, b, 3, modes=modes)
    assert_gradient(in_a_loop, 0.3 * a, b, 0, modes=("loops",))
    assert_gradient(changed_between, a, b, modes=("loops", "second"))


@pytest.mark.nightly
def test_derivatives_of_stacks_and_in_all_modes():
    rng = np.random.default_rng(5)
    a, b, c = rng.normal(size=(3, 3)) + 3.0 * np.eye(3), rng.normal(size=3), rng.normal(size=(3, 2))
    modes = ("arrays", "loops", "tangent", "gradient", "second")
    for f, *given in ((shared, a, b, c), (in_a_loop, 0.3 * a, b, 3), (changed_between, a, b)):
        assert_gradient(f, *given, modes=modes)
    stack = np.stack((a, a.T + 1.0))
    for left, right in ((stack, b), (stack, c), (stack, np.stack((c, c))), (a, np.stack((c, c)))):
        assert_gradient(sides, left, right, modes=modes)


def gradient_of_solution(a, b, v):
    return np.sum(srcad.grad(in_a_loop, jit=False)(a, b, 3) * v)


@pytest.mark.nightly
@pytest.mark.compiled
def test_gradients_of_gradients_and_compiled_ones():
    rng = np.random.default_rng(6)
    a, b, v = 0.3 * rng.normal(size=(3, 3)) + np.eye(3), rng.normal(size=3), rng.normal(size=(3, 3))
    for given in ((shared, a, b, np.stack((b, b), 1)), (in_a_loop, a, b, 3), (changed_between, a + 3.0 * np.eye(3), b)):
        f, *args = given
        found, plain = srcad.grad(f)(*args), srcad.grad(f, jit=False)(*args)
        np.testing.assert_allclose(found, plain, rtol=1e-9, atol=1e-9 * np.max(np.abs(plain)))
    twice = srcad.grad(lambda a: np.sum(srcad.grad(in_a_loop)(a, b, 3) * v))(a)
    step = 1e-6
    for i, j in np.ndindex(3, 3):
        off = np.zeros((3, 3))
        off[i, j] = step
        slope = (gradient_of_solution(a + off, b, v) - gradient_of_solution(a - off, b, v)) / (2.0 * step)
        assert twice[i, j] == pytest.approx(slope, rel=1e-5, abs=1e-5 * np.max(np.abs(twice)))
