"""`sparse_jacobian` and `sparse_hessian` give what the dense ones give."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadType

X = np.random.default_rng(0).normal(size=12)


def burgers(u, nu):
    n = u.shape[0]
    r = np.zeros(n)
    for i in range(1, n - 1):
        r[i] = u[i] * (u[i + 1] - u[i - 1]) - nu * (u[i + 1] - 2.0 * u[i] + u[i - 1])
    r[0], r[n - 1] = u[0], u[n - 1]
    return r


def bratu(u, c):
    n = int(np.sqrt(u.size))
    full = np.zeros((n + 2, n + 2))
    full[1:-1, 1:-1] = u.reshape((n, n))
    ring = full[:-2, 1:-1] + full[2:, 1:-1] + full[1:-1, :-2] + full[1:-1, 2:]
    return (ring - 4.0 * full[1:-1, 1:-1] + c * np.exp(full[1:-1, 1:-1])).ravel()


def rosenbrock(x):
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def kinked(x):
    return np.where(x > 0.0, x[::-1] ** 2, 3.0 * x)


def test_jacobians_agree_with_dense_ones():
    jac = srcad.sparse_jacobian(burgers, jit=False)
    np.testing.assert_allclose(jac(X, 0.1).toarray(), srcad.jacobian(burgers, jit=False)(X, 0.1), rtol=1e-14)
    assert jac.plan.colours == jac.plan.fewest_colours == 3


def test_hessians_agree_with_dense_ones():
    found = srcad.sparse_hessian(rosenbrock, jit=False)(X)
    np.testing.assert_allclose(found.toarray(), srcad.hessian(rosenbrock, jit=False)(X), rtol=1e-13, atol=1e-11)


def test_newton_solves_a_bratu_problem():
    from scipy.sparse.linalg import spsolve

    jac, u = srcad.sparse_jacobian(bratu, jit=False), np.zeros(64)
    for _ in range(6):
        u = u - spsolve(jac(u, 0.05).tocsc(), bratu(u, 0.05))
    assert np.abs(bratu(u, 0.05)).max() < 1e-12
    assert jac.plan.fewest_colours == 5


def test_entries_that_appear_later_are_found_then():
    jac, dense = srcad.sparse_jacobian(kinked, jit=False), srcad.jacobian(kinked, jit=False)
    for x in (-np.abs(X), X, np.abs(X), X[::-1].copy()):
        np.testing.assert_array_equal(jac(x).toarray(), dense(x))


def test_entries_that_a_given_pattern_lacks_are_refused():
    with pytest.raises(BadArgument, match="outside of the pattern"):
        srcad.sparse_jacobian(burgers, pattern=np.eye(12), jit=False)(X, 0.1)
    plan = srcad.sparse_jacobian(kinked, jit=False)
    plan(-np.abs(X))
    with pytest.raises(BadArgument, match="outside of the pattern"):
        srcad.sparse_jacobian(kinked, pattern=plan.plan, jit=False)(X)


def test_a_plan_is_for_one_size():
    jac = srcad.sparse_jacobian(burgers, pattern=np.eye(12), jit=False)
    with pytest.raises(BadArgument, match="12 columns, the argument 3 elements"):
        jac(np.ones(3), 0.1)


@pytest.mark.parametrize("x", [2.0, np.ones((2, 2)), np.ones(3, int), np.ones(3, np.float32), [1.0, 2.0]])
def test_what_is_no_vector_is_refused(x):
    with pytest.raises(BadType, match="not given a vector"):
        srcad.sparse_jacobian(burgers, jit=False)(x, 0.1)


def test_a_result_that_is_no_vector_and_several_parameters_are_refused():
    with pytest.raises(BadType, match="does not return a vector"):
        srcad.sparse_jacobian(rosenbrock, jit=False)(X)
    with pytest.raises(BadArgument, match="not one parameter"):
        srcad.sparse_jacobian(burgers, wrt=("u", "nu"))


def total_first(x):
    y = x * x
    y[0] = np.sum(x**3)
    return y


def coupled(x):
    return np.sum(x**2 * x[0]) + np.sum(x[2:] * x[1:-1])


def springs(x):
    return np.sum(np.cosh(x[3:] - x[:-3]) * x[1:-2]) + np.sum(np.exp(x[2:]) * x[:-2])


def test_full_rows_take_reverse_sweeps():
    x = np.random.default_rng(1).normal(size=1300)
    jac = srcad.sparse_jacobian(total_first, jit=False)
    expected = np.diag(2.0 * x)
    expected[0] = 3.0 * x**2
    np.testing.assert_allclose(jac(x).toarray(), expected, rtol=1e-12)
    assert (jac.plan.way, jac.plan.colours) == ("rows", 2)
    np.testing.assert_allclose(jac(x[::-1].copy()).toarray()[0], expected[0, ::-1], rtol=1e-12)


def test_arrows_take_few_products():
    x = np.random.default_rng(1).normal(size=300)
    hess = srcad.sparse_hessian(coupled, jit=False)
    expected = (
        np.diag(np.full(300, 2.0 * x[0])) + np.diag(np.r_[0.0, np.ones(298)], 1) + np.diag(np.r_[0.0, np.ones(298)], -1)
    )
    expected[0, 1:] += 2.0 * x[1:]
    expected[1:, 0] += 2.0 * x[1:]
    expected[0, 0] = 6.0 * x[0]
    np.testing.assert_allclose(hess(x).toarray(), expected, rtol=1e-12)
    assert (hess.plan.way, hess.plan.colours) == ("acyclic", 3)
    assert 3 < hess.plan.without_substitution().colours <= 5


def test_a_hessian_found_by_substitution_agrees_with_the_dense_one():
    x = np.random.default_rng(2).normal(size=24)
    x[5] = 0.0
    hess = srcad.sparse_hessian(springs, jit=False)
    np.testing.assert_allclose(hess(x).toarray(), srcad.hessian(springs, jit=False)(x), rtol=1e-13, atol=1e-13)
    assert (hess.plan.way, hess.plan.colours, hess.plan.fewest_colours) == ("acyclic", 4, 7)
    np.testing.assert_allclose(hess(-x).toarray(), srcad.hessian(springs, jit=False)(-x), rtol=1e-13, atol=1e-13)


@pytest.mark.compiled
def test_compiled_sweeps_give_the_same():
    jac = srcad.sparse_jacobian(burgers)
    np.testing.assert_allclose(jac(X, 0.1).toarray(), srcad.jacobian(burgers, jit=False)(X, 0.1), rtol=1e-14)
