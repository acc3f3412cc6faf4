"""exp, log and tanh as plain arithmetic: accurate everywhere, and the library's wherever numbers are not real."""

import math

import numba
import numpy as np
import pytest

from srcad.runtime.kernels.overloads import elementary_functions

NAMES = ["exp", "expm1", "log", "log1p", "tanh"]
UNITS = {"tanh": 3.0}  # in the last place; two for the others
EDGES = np.array(
    [
        *(0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, -2.0, 5e-324, -5e-324, 2.2250738585072014e-308, 1e308, -1e308),
        *(709.78, 709.79, -708.5, -745.1, -745.2, 22.0, -22.0, 0.5 * math.log(2.0), math.sqrt(0.5), 50.0, -50.0),
    ]
)


def numbers():
    """Numbers of all sizes and signs, those near 1 and those at which formulas change."""
    rng = np.random.default_rng(0)
    sizes = (1e-310, 1e-300, 1e-10, 1e-3, 0.1, 1.0, 5.0, 20.0, 300.0, 1e10, 1e300)
    normal = [size * rng.normal(size=4000) for size in sizes]
    return np.concatenate(
        [*normal, np.exp(rng.uniform(-700.0, 700.0, 4000)), 1.0 + 1e-8 * rng.normal(size=4000), EDGES]
    )


def looped(name, **options):
    kernel = getattr(elementary_functions, name)

    @numba.njit(**options)
    def loop(x, y):
        for i in range(x.size):
            y[i] = kernel(x[i])

    return loop


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fastmath", [False, True])
def test_results_are_off_by_few_units_in_the_last_place(name, fastmath):
    x = numbers()
    y = np.empty_like(x)
    looped(name, fastmath=fastmath)(x, y)
    with np.errstate(all="ignore"):
        exact = getattr(np, name)(x.astype(np.longdouble))
        rounded = exact.astype(float)
        finite = np.isfinite(rounded)
        off = np.abs((y - exact)[finite] / np.spacing(np.abs(rounded[finite])))
    assert np.max(off) <= UNITS.get(name, 2.0)
    np.testing.assert_array_equal(y[~finite], rounded[~finite])
    known = ~np.isnan(rounded)
    np.testing.assert_array_equal(np.signbit(y[known]), np.signbit(rounded[known]))


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_a_loop_has_vector_instructions(name):
    loop = looped(name)
    loop(np.ones(3), np.ones(3))
    text = loop.inspect_llvm(loop.signatures[0])
    assert "x double> @llvm.fmuladd" in text
    assert not any(f"@{function}(" in text for function in NAMES)


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["exp", "log1p", "tanh"])
@pytest.mark.parametrize("module", [np, math])
def test_types_are_those_of_the_function_itself(name, module):
    kernel, own = (
        getattr(where, called) for where, called in ((elementary_functions, prefix(module) + name), (module, name))
    )

    @numba.njit
    def both(x):
        return kernel(x), own(x)

    for value in (np.float32(0.5), 1, *((0.5 + 1j, np.array([0.5, 1.0])) if module is np else ())):
        found, expected = both(value)
        assert numba.typeof(found) == numba.typeof(expected)
        np.testing.assert_allclose(found, expected, rtol=1e-6 if isinstance(value, np.float32) else 1e-15)


def prefix(module):
    return "math_" if module is math else ""


def test_in_python_they_are_the_functions_themselves():
    x = np.linspace(0.1, 2.0, 5)
    for name in NAMES:
        np.testing.assert_array_equal(getattr(elementary_functions, name)(x), getattr(np, name)(x))
        assert getattr(elementary_functions, f"math_{name}")(0.3) == getattr(math, name)(0.3)
    with pytest.raises(ValueError, match=r"math domain error|positive"):
        elementary_functions.math_log(0.0)
