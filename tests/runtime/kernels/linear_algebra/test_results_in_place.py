"""Results that are stored are those that the functions return, compiled and as they stand, for any types."""

import numba
import numpy as np
import pytest
from numba import types as nb

from srcad.runtime import kernels
from srcad.runtime.kernels.linear_algebra.results_in_place import CALLS

RNG = np.random.default_rng(3)
A, B, X = RNG.normal(size=(3, 3)) + 3.0 * np.eye(3), RNG.normal(size=(3, 3)), RNG.normal(size=3)


def given(name, dtype=np.float64):
    a, b, x = (each.astype(dtype) for each in (A, B, X))
    factors = compiled_factors(a) if "factored" in name else None
    return {
        "times": [(a, b), (a, x), (x, a), (a[:2], b), (a.T, x), (np.repeat(a, 2, 0)[::2], x)],
        "times_transpose": [(a, b), (a, b[:2]), (np.repeat(a, 2, 1)[:, ::2], b)],
        "transpose_times": [(a, b), (a, x), (a[:, :2], b), (np.repeat(a, 2, 1)[:, ::2], x)],
        "lu_factors": [(a,), (a[::-1],)],
        "solve_factored": [(a, factors, x), (a, factors, b)],
        "solve_factored_transposed": [(a, factors, x), (a, factors, b)],
        "inverse_factored": [(a, factors)],
        "cofactors_factored": [(a, factors, dtype(2.0))],
        "outer": [(x, x), (a[0], x[:2])],
    }[name]


@numba.njit
def compiled_factors(a):
    return kernels.lu_factors(a)


def test_all_that_store_are_listed():
    assert {into for into, _ in CALLS.values()} | {"blas.diagonal_into"} == {
        f"blas.{name}" for name in dir(kernels.blas) if name.endswith("_into")
    }


@pytest.mark.parametrize("name", [path.rpartition(".")[2] for path in CALLS if "factor" not in path])
def test_as_they_stand(name):
    for arguments in given(name):
        expected = getattr(kernels, name)(*arguments)
        out = np.full_like(expected, np.nan)
        getattr(kernels.blas, f"{name}_into")(out, *arguments)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize("name", [path.rpartition(".")[2] for path in CALLS])
def test_compiled(name):
    plain, into = getattr(kernels, name), getattr(kernels.blas, f"{name}_into")
    both = numba.njit(lambda out, *arguments: (plain(*arguments), into(out, *arguments))[0])
    for arguments in given(name):
        shape = numba.njit(plain)(*arguments)
        for out in (np.full(shape.shape, np.nan), np.full((*shape.shape, 2), np.nan)[..., 0]):  # the last: by a copy
            np.testing.assert_array_equal(both(out, *arguments), out)


@pytest.mark.nightly
@pytest.mark.compiled
def test_shapes_that_do_not_match_are_errors_and_singular_matrices_too():
    times, solve = (numba.njit(each) for each in (kernels.blas.times_into,) * 2)
    with pytest.raises(ValueError, match="do not match"):
        times(np.empty(2), A, X)
    solve = numba.njit(lambda out, a, b: kernels.blas.solve_factored_into(out, a, kernels.lu_factors(a), b))
    with pytest.raises(np.linalg.LinAlgError):
        solve(np.empty(3), np.ones((3, 3)), X)


def test_types_without_such_a_form_are_told():
    assert CALLS["kernels.times"][1](nb.int64[:, ::1], nb.int64[:, ::1]) is None
    assert CALLS["kernels.lu_factors"][1](nb.float64[:, :, ::1]) is None
