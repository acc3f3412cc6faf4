"""Inverses of small matrices in closed form: as accurate as LAPACK's wherever they are used."""

import numpy as np
import pytest

from srcad.runtime.kernels.linear_algebra.closed_forms import store_closed_form
from tests.runtime.kernels.linear_algebra.test_lu_factors import error, exact_inverse


def samples(n):
    """Matrices of all condition numbers, of rows and columns of different sizes, and nearly of rank one and two."""
    rng = np.random.default_rng(n)
    for _ in range(25):
        yield rng.normal(size=(n, n))
        yield np.eye(n) + 0.3 * rng.normal(size=(n, n))
        yield rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-3, 3, size=(n, 1)) * 10.0 ** rng.uniform(-3, 3, size=n)
        u, v = (np.linalg.qr(rng.normal(size=(n, n)))[0] for _ in range(2))
        yield u * 10.0 ** rng.uniform(-2, 0, size=n) @ v
        yield u * np.array([1.0, 10.0 ** rng.uniform(-3, 0), 1e-3][-n:]) @ v


@pytest.mark.parametrize("n", [2, 3])
def test_errors_are_within_ten_times_those_of_lapack(n):
    used = 0
    for a in samples(n):
        factors = np.empty((n + 1, n))
        if store_closed_form(factors, a):
            used += 1
            inverse = exact_inverse(a)
            assert error(factors[:n], inverse) <= 10.0 * (error(np.linalg.inv(a), inverse) + 2e-16)
            assert factors[n, 1] == pytest.approx(np.linalg.det(a), rel=1e-13)
    assert 25 < used < 110


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@np.errstate(all="ignore")
def test_what_is_left_to_elimination(kind):
    factors = np.empty((4, 3), kind)
    left = [np.zeros((3, 3)), np.ones((3, 3)), np.full((3, 3), np.nan), np.diag([1.0, np.inf, 1.0])]
    left += [1e-160 * np.eye(3), np.diag([1.0, 1.0, 1e-5]), np.eye(3) + 1e3 * np.eye(3, k=1)]
    for a in left:
        assert not store_closed_form(factors, a.astype(kind))
    for n in (0, 1, 4):
        assert not store_closed_form(np.empty((n + 1, n), kind), np.eye(n, dtype=kind))
    large = 1e25 * np.eye(2)
    assert store_closed_form(np.empty((3, 2)), large)
    assert not store_closed_form(np.empty((3, 2), np.float32), large.astype(np.float32))
