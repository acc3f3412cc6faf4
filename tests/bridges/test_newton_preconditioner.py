"""The factors of a sparse Jacobian in SciPy's Krylov method."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from srcad.bridges.newton_preconditioner import NewtonPreconditioner
from srcad.bridges.scipy import root
from srcad.errors import BadArgument


def bratu(u, strength):
    """-u'' = strength exp(u) on a grid, zero at both ends."""
    h = 1.0 / (u.size + 1)
    left, right = np.concatenate((np.zeros(1), u[:-1])), np.concatenate((u[1:], np.zeros(1)))
    return (2.0 * u - left - right) / h**2 - strength * np.exp(u)


def test_steps_are_newtons():
    start, options = np.zeros(10), {"fatol": 1e-9}
    found = root(bratu, start, args=(1.0,), jac_sparsity="find", jit=False, options=options)
    assert found.success
    assert np.abs(bratu(found.x, 1.0)).max() < 1e-8
    assert found.nit <= 5
    assert options == {"fatol": 1e-9}


def test_a_given_pattern_and_a_structure():
    band = np.eye(8) + np.eye(8, k=1) + np.eye(8, k=-1)
    found = root(lambda p: bratu(p["u"], 1.0), {"u": np.zeros(8)}, jac_sparsity=band, jit=False)
    assert np.abs(bratu(found.x["u"], 1.0)).max() < 1e-4
    with pytest.raises(BadArgument, match="outside of `jac_sparsity`"):
        root(lambda p: bratu(p["u"], 1.0), {"u": np.zeros(8)}, jac_sparsity=np.eye(8), jit=False)


def test_other_methods_take_none():
    with pytest.raises(BadArgument, match="takes no sparse Jacobian"):
        root(bratu, np.zeros(4), args=(1.0,), method="hybr", jac_sparsity="find", jit=False)


def test_singular_jacobians_leave_the_last_factors():
    inverse = NewtonPreconditioner(lambda x: csr_array(np.diag(x)), 2)
    inverse.update(np.zeros(2), None)
    assert (inverse @ np.ones(2)).tolist() == [1.0, 1.0]
    inverse.setup(np.array([2.0, 4.0]), None, None)
    inverse.update(np.zeros(2), None)
    assert (inverse @ np.ones(2)).tolist() == [0.5, 0.25]
