"""Patterns from index sets, given to sparse derivatives."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument
from srcad.sparse import acyclic_colouring, colouring, compressed_products, plans, structural_pattern
from tests.sparse.test_sparse_derivatives import X, bratu, burgers, coupled, kinked, springs


def total(x):
    return np.concatenate((x * x[::-1], np.array([np.sum(x**2), np.prod(x[:3])])))


@pytest.fixture(autouse=True)
def loops_as_they_stand(monkeypatch):
    """To compile them takes longer than to run them on small patterns."""
    for module in (acyclic_colouring, colouring, compressed_products, plans, structural_pattern):
        monkeypatch.setattr(module, "compiled_loop", lambda function: function)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_jacobians_and_hessians(jit):
    for f, args in ((burgers, (X, 0.1)), (bratu, (np.zeros(9), 0.1)), (total, (X,)))[: 1 if jit else 3]:
        jac = srcad.sparse_jacobian(f, pattern="taken", jit=jit)
        np.testing.assert_allclose(jac(*args).toarray(), srcad.jacobian(f, jit=False)(*args), rtol=1e-13, atol=1e-14)
    for f in (coupled, springs)[int(jit) :]:
        hess = srcad.sparse_hessian(f, pattern="taken", jit=jit)
        np.testing.assert_allclose(hess(X).toarray(), srcad.hessian(f, jit=False)(X), rtol=1e-12, atol=1e-13)


def test_entries_that_are_zero_at_the_point_are_found():
    jac = srcad.sparse_jacobian(burgers, pattern="taken", jit=False)
    jac(np.zeros(12), 0.0)
    plan = jac.plan
    jac(X, 0.1)
    assert jac.plan is plan
    assert plan.indices.size == 32


def test_branches_that_are_taken_later_are_united():
    jac, dense = srcad.sparse_jacobian(kinked, pattern="taken", jit=False), srcad.jacobian(kinked, jit=False)
    for x in (-np.abs(X), X, np.abs(X)):
        np.testing.assert_array_equal(jac(x).toarray(), dense(x))
    every = srcad.sparse_jacobian(kinked, pattern="all", jit=False)
    np.testing.assert_array_equal(every(-np.abs(X)).toarray(), dense(-np.abs(X)))
    plan = every.plan
    np.testing.assert_array_equal(every(X).toarray(), dense(X))
    assert every.plan is plan


def test_full_rows_are_found_that_products_do_not_find():
    def dense_rows(x):
        y = np.zeros(100)
        for i in range(100):
            y[i] = np.sum(x[: 300 + i]) + x[i] ** 2
        return y

    x = np.linspace(0.1, 1.0, 500)
    found = srcad.sparse_jacobian(dense_rows, pattern="taken", jit=False)(x)
    np.testing.assert_allclose(found.toarray(), srcad.jacobian(dense_rows, jit=False)(x))


def test_room_grows_with_what_is_recorded():
    def repeated(x):
        y = x.copy()
        for _ in range(12):
            y[1:] = y[1:] * y[:-1]
        return y

    jac = srcad.sparse_jacobian(repeated, pattern="taken", jit=False)
    jac(np.ones(14))
    assert jac.plan.indices.size == np.tril(np.ones((14, 14))).sum() - 1


def test_other_words_are_refused():
    with pytest.raises(BadArgument, match="'every'"):
        srcad.sparse_jacobian(burgers, pattern="every")
