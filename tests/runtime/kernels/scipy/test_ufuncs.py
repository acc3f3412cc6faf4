"""SciPy's ufuncs in Numba give what SciPy gives: values, types, broadcasts, several results."""

import itertools

import numba
import numpy as np
import pytest
from scipy import special

from srcad.runtime.kernels.scipy import ufuncs

TAUGHT = ufuncs.teach_numba()
KINDS = (np.float64, np.float32, np.int64, np.int16)


def test_most_ufuncs_of_scipy_are_known_to_numba():
    all_of_them = {name for name, value in vars(special).items() if isinstance(value, np.ufunc)}
    unknown = all_of_them - set(TAUGHT) - {"psi", "jv", "digamma", "jn"}
    without_such_functions = {
        "hankel1",
        "hankel1e",
        "hankel2",
        "hankel2e",
        "kelvin",
        "modfresnelm",
        "modfresnelp",
        "wofz",
    }
    assert unknown <= without_such_functions | {"sph_harm"}  # which SciPy 1.17 has no longer
    assert len(TAUGHT) > 200


@pytest.mark.parametrize(
    ("ufunc", "kinds", "loop"),
    [
        (special.gammaln, "d", "d->d"),
        (special.gammaln, "f", "f->f"),
        (special.gammaln, "l", "d->d"),
        (special.kn, "ld", "ld->d"),
        (special.kn, "lf", "ld->d"),
        (special.kn, "ff", "ff->f"),
        (special.jv, "lf", "dd->d"),
    ],
)
def test_the_loop_is_the_one_that_numpy_takes(ufunc, kinds, loop):
    given = [numba.from_dtype(np.dtype(each)) for each in kinds]
    assert ufuncs.loop_for(ufunc, given).types == [loop]
    assert ufunc(*(np.ones(1, each) for each in kinds)).dtype.char == loop[-1]


def test_types_without_a_loop_are_refused():
    with pytest.raises(numba.TypingError, match="gammaln is not compiled"):
        ufuncs.loop_for(special.gammaln, [numba.complex128])


@pytest.mark.compiled
@pytest.mark.parametrize(("kind", "order"), [*itertools.product(KINDS, (np.float64, np.int64, np.float32))])
def test_numba_gives_values_and_types_of_scipy(kind, order):
    x, n = np.linspace(1.0, 4.0, 4).astype(kind), np.arange(1, 4).astype(order)
    found = of_three(x, n)
    expected = special.kv(n[:, None], x), special.gammaln(x), special.eval_legendre(n[:, None], x)
    for one, other in zip(found, expected, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)


@numba.njit
def of_three(x, n):
    orders = n.reshape(-1, 1)
    return special.kv(orders, x), special.gammaln(x), special.eval_legendre(orders, x)


@numba.njit
def several(x):
    return special.sici(x), special.ellipj(x, 0.3)


@pytest.mark.compiled
@pytest.mark.parametrize("x", [0.7, np.array([0.7, 2.5]), np.empty(0)], ids=["number", "array", "empty"])
def test_functions_with_several_results_return_tuples(x):
    for found, expected in zip(several(x), (special.sici(x), special.ellipj(x, 0.3)), strict=True):
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)
