"""Products added in place: every layout, empty and shared arrays, shapes that do not fit."""

import itertools

import numba
import numpy as np
import pytest

from srcad.runtime import kernels
from srcad.runtime.kernels.linear_algebra import blas
from tests.night import by_day

FUNCTIONS = {
    "add_times": lambda a, b: (a, b),
    "add_times_transpose": lambda a, b: (a, b.T),
    "add_transpose_times": lambda a, b: (a.T, b),
}


def compiled(name):
    function = getattr(blas, name)

    @numba.njit
    def run(total, a, b):
        function(total, a, b)

    return run


def laid_out(array, layout):
    if layout != "A":
        return np.array(array, order=layout)
    gaps = np.zeros([2 * each for each in array.shape], array.dtype)
    view = gaps[tuple(slice(None, None, 2) for _ in array.shape)]
    view[...] = array
    return view


def matrices(m, k, n, kind=np.float64):
    rng = np.random.default_rng(m + 3 * k + 7 * n)
    made = [rng.normal(size=shape).astype(kind) for shape in ((m, k), (k, n), (m, n))]
    return [each * (1.0 + 0.5j) for each in made] if kind is np.complex128 else made


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("kind", [np.float64, np.float32, np.complex128])
def test_uncompiled(name, kind):
    a, b, total = matrices(2, 3, 4, kind)
    expected = total + a @ b
    getattr(blas, name)(total, *FUNCTIONS[name](a, b))
    np.testing.assert_allclose(total, expected, rtol=1e-5)


BY_DAY = [("add_times", "CCC"), ("add_times", "FAC"), ("add_times_transpose", "CFF"), ("add_transpose_times", "CCC")]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "layouts"),
    [
        pytest.param(*each, marks=[] if each in BY_DAY else pytest.mark.nightly)
        for each in itertools.product(FUNCTIONS, ("CCC", "FAC", "CFF"))
    ],
)
def test_every_layout(name, layouts):
    run = compiled(name)
    for m, k, n in ((3, 4, 5), (1, 4, 5), (3, 4, 1), (3, 1, 2), (0, 3, 2), (3, 0, 2), (9, 10, 11)):
        a, b, total = matrices(m, k, n)
        expected, total = total + a @ b, laid_out(total, layouts[2])
        first, second = FUNCTIONS[name](a, b)
        run(total, laid_out(first, layouts[0]), laid_out(second, layouts[1]))
        np.testing.assert_allclose(total, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [np.float32, np.complex128])
def test_other_kinds_and_strided_sums(kind):
    run = compiled("add_times")
    a, b, total = matrices(3, 4, 5, kind)
    expected, strided = total + a @ b, laid_out(total, "A")
    run(total, a, b)
    run(strided, a, b)
    np.testing.assert_allclose(total, expected, rtol=1e-4)
    np.testing.assert_allclose(strided, expected, rtol=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize("name", by_day(["add_times", "add_transpose_times"], {"add_transpose_times"}.__contains__))
def test_vectors(name):
    run = compiled(name)
    for layout, of_vector, (m, k) in itertools.product("CF", "CA", ((3, 4), (1, 4), (0, 2), (2, 0), (20, 30))):
        a, b, total = matrices(m, k, 1)
        expected = total[:, 0] + a @ b[:, 0]
        first = laid_out(a.T if name == "add_transpose_times" else a, layout)
        found = total[:, 0].copy()
        run(found, first, laid_out(b[:, 0], of_vector))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


@pytest.mark.compiled
def test_shared_memory_and_shapes_that_do_not_fit():
    run = compiled("add_times")
    total = np.arange(9.0).reshape(3, 3)
    expected = total + total @ total
    run(total, total, total)
    np.testing.assert_array_equal(total, expected)
    vector, a = np.arange(3.0), np.arange(9.0).reshape(3, 3)
    expected = vector + a @ vector
    run(vector, a, vector)
    np.testing.assert_array_equal(vector, expected)
    for shapes in (((2, 2), (2, 3), (2, 2)), ((2, 2), (3, 2), (2, 2)), ((2,), (2, 3), (2,))):
        with pytest.raises(ValueError, match="shapes"):
            run(*map(np.ones, shapes))


F8 = numba.float64


@pytest.mark.nightly
@pytest.mark.compiled
def test_slices_in_any_order_of_memory_are_multiplied():
    kinds = (F8[:, :], F8[:, :], F8[:], F8[:], F8[:, ::1])

    @numba.njit(numba.types.Tuple((F8[:, ::1], F8[:, ::1], F8[:, ::1], F8[::1], F8[::1]))(*kinds))
    def products(a, b, x, y, total):
        kernels.blas.add_times(total, a, b)
        turned = kernels.times_transpose(a, b.T), kernels.transpose_times(a.T, b)
        return (kernels.times(a, b), *turned, kernels.times(a, x), kernels.transpose_times(a, y))

    def views(n, m):
        big = rng.normal(size=(3 * n + 4, 3 * m + 4))
        yield from (big[1 : 1 + n, 2 : 2 + m], big[:n, : 2 * m : 2], big[: 2 * n : 2, :m], big[:n, :m][::-1])
        yield from (big[:n, :m][:, ::-1], rng.normal(size=(m + 3, n + 4))[1 : 1 + m, 2 : 2 + n].T)
        yield np.lib.stride_tricks.as_strided(big, (n, m), (0, big.itemsize))

    rng = np.random.default_rng(0)
    for n, k, m in ((20, 30, 25), (1, 40, 40), (40, 1, 40), (40, 40, 1), (0, 20, 20), (20, 0, 20), (3, 3, 3)):
        for a in views(n, k):
            for b in views(k, m):
                x, y, total = rng.normal(size=2 * k)[::2], rng.normal(size=n)[::-1], np.ones((n, m))
                found = *products(a, b, x, y, total), total
                for one, other in zip(found, (a @ b, a @ b, a @ b, a @ x, a.T @ y, 1.0 + a @ b), strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
