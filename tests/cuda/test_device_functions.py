"""Functions of NumPy and `math` in kernels: their slopes on a device, against differences."""

import math

import numpy as np
import pytest
from numba import cuda

from srcad.cuda.device_functions import DEVICE_FUNCTIONS
from tests.cuda.differentiated import check


@cuda.jit
def functions_of_math(x, y):
    i = cuda.grid(1)
    v = x[i]
    s = math.sin(v) + math.cos(v) * math.tan(v) + math.atan2(v, 0.5) + math.hypot(v, 2.0)
    s += math.exp(v) - math.log(v) + math.sqrt(v) + math.tanh(v) + math.sinh(v) - math.cosh(v)
    s += math.log1p(v) * math.expm1(v) + math.fabs(v) + math.pow(v, 1.5) + math.erf(v) + math.asin(0.5 * v)
    y[i] = s + math.floor(v) + abs(v - 1.0)


@cuda.jit
def functions_of_numpy(x, y):
    i = cuda.grid(1)
    v = x[i]
    y[i] = np.sin(v) * np.sqrt(v) + np.maximum(v, 0.8) + np.minimum(v, 0.8) * np.float64(2.0) + np.arctan(v)


@cuda.jit
def powers(x, y):
    i = cuda.grid(1)
    v = x[i]
    n = i % 3
    y[i] = v**n + v**2 + v**-1.5 + 2.0**v + v**v + v // 0.3 + v % 0.7


@pytest.mark.parametrize("kernel", [functions_of_math, functions_of_numpy, powers], ids=lambda k: k.py_func.__name__)
def test_functions_have_their_slopes(kernel):
    check(kernel, 1, 4, (np.array([0.31, 0.57, 1.13, 1.71]), np.zeros(4)))


@pytest.mark.parametrize("name", DEVICE_FUNCTIONS)
def test_a_device_function_agrees_with_that_of_the_host(name):
    from srcad.runtime import kernels

    names = {"math": math}
    exec(DEVICE_FUNCTIONS[name], names)
    host = getattr(kernels, name, np.sign)
    count = 1 if name == "sign" else 2
    samples = [*np.random.default_rng(0).uniform(0.1, 3.0, (5, 2)), (0.0, 0.0), (0.0, 2.0), (2.0, 0.0), (-2.0, 3.0)]
    samples += [(3.0, -2.0), (-1.0, -1.0)]
    for values in samples:
        assert names[name](*map(float, values[:count])) == pytest.approx(float(host(*values[:count])))
