"""Iterations for sparse systems of `scipy.sparse.linalg`: SciPy's values, and derivatives of the exact solution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import bicgstab, cg, gmres

import srcad
from srcad.errors import MissingRule, NoSolution


def iterated(k, b):
    matrix = diags_array([k[:-1] + k[1:] + 0.1, -k[1:-1], -k[1:-1]], offsets=[0, 1, -1])
    x, _ = cg(matrix, b, rtol=1e-11)
    z, _ = bicgstab(csr_array(matrix), b, rtol=1e-11)
    return np.sum(x**2) + np.sum(gmres(matrix, b, rtol=1e-11)[0]) + np.sum(z**3)


def test_solutions_of_iterations():
    point, towards = (np.linspace(1.0, 2.0, 9), np.ones(8)), (np.cos(np.arange(9)), np.sin(np.arange(8)))
    value, bars = srcad.value_and_grad(iterated, (0, 1), jit=False)(*point)
    assert value == pytest.approx(iterated(*point), rel=1e-13)
    there, back = (iterated(*(x + h * t for x, t in zip(point, towards, strict=True))) for h in (1e-5, -1e-5))
    slope = sum(np.sum(bar * t) for bar, t in zip(bars, towards, strict=True))
    assert slope == pytest.approx((there - back) / 2e-5, rel=1e-7)


def test_what_has_not_converged_and_what_is_no_sparse_matrix_is_refused():
    short = lambda a: np.sum(cg(diags_array([np.arange(1.0, 99.0) * a]), np.ones(98), rtol=1e-14, maxiter=2)[0])  # noqa: E731
    with pytest.raises(NoSolution, match="`cg` has not converged"):
        srcad.grad(short, jit=False)(1.0)
    with pytest.raises(MissingRule, match="dense matrix"):
        srcad.grad(lambda a: cg(a * np.eye(2), np.ones(2))[0][0], jit=False)(1.0)
