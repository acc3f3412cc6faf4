import math

import numpy as np
import pytest

from tests.differences import directional_derivative, flat, moved


@pytest.mark.parametrize(
    ("f", "slope"),
    [
        (math.exp, 1.0),
        (lambda t: math.sin(3.0 * t), 3.0),
        (lambda t: 1.0 / (2.0 + t), -0.25),
        (lambda t: 5.0, 0.0),
        (lambda t: 1e6 * t + t**3, 1e6),
    ],
)
def test_slope_of_a_smooth_function_is_found_to_ten_digits(f, slope):
    found, error = directional_derivative(f)
    assert found == pytest.approx(slope, rel=1e-10, abs=1e-12)
    assert error <= 1e-9 * max(1.0, abs(slope))


def test_slope_beside_a_kink_is_that_of_the_own_side():
    found, _ = directional_derivative(lambda t: abs(t - 1e-3))
    assert found == pytest.approx(-1.0)


def test_slope_of_noise_is_not_believed():
    _, error = directional_derivative(lambda t: math.sin(1e7 * t))
    assert error > 1.0


def test_nested_results_become_one_vector():
    assert flat((1.0, [np.ones((2, 2)), 2])).tolist() == [1.0, 1.0, 1.0, 1.0, 1.0, 2.0]
    assert flat(()).shape == (0,)


def test_moving_keeps_types():
    assert moved(np.float32([1.0]), np.ones(1), 0.5).dtype == np.float32
    assert type(moved(1.0, 2.0, 0.5)) is float
