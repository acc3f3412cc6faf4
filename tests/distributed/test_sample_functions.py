import numpy as np
import pytest

import srcad
from srcad.distributed.sample_functions import network_error, squared_error


def test_squared_error_has_the_slope_of_its_formula():
    x, y = np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 5.0])
    assert srcad.grad(squared_error, jit=False)(1.5, x, y) == pytest.approx(np.sum(2 * x * (1.5 * x - y)), rel=1e-14)


def test_network_error_is_that_of_matrix_products():
    rng = np.random.default_rng(0)
    w, x, y = {"in": rng.normal(size=(3, 5)), "out": rng.normal(size=5)}, rng.normal(size=(4, 3)), rng.normal(size=4)
    assert network_error(w, x, y) == pytest.approx(np.sum((np.tanh(x @ w["in"]) @ w["out"] - y) ** 2), rel=1e-13)
