"""The check of exported modules finds wrong derivatives."""

import numpy as np
import pytest

from srcad.tools.standalone.self_check import check_curvature, check_gradient, check_pullback, check_tangent

X = np.array([0.5, 1.0, 2.0])


def cubes(x, k):
    return k * float(np.sum(x**3))


def test_right_derivatives_agree(capsys):
    check_gradient(cubes, lambda x, k: (3.0 * k * x**2, float(np.sum(x**3))), (X, 2.0), (0, 1))
    check_gradient(cubes, lambda x, k: (cubes(x, k), 3.0 * k * x**2), (X, 2.0), (0,))
    check_tangent(cubes, lambda x, k, d: (cubes(x, k), 3.0 * k * x**2 @ d), (X, 2.0), (0,))
    check_curvature(cubes, lambda x, k, d: 6.0 * k * x * d, (X, 2.0), (0,))
    check_pullback(np.exp, lambda x: (np.exp(x), np.exp(x)), lambda x, trace, bar: (trace * bar,), (X,), (0,))
    assert capsys.readouterr().out.count("agrees with differences") == 5


@pytest.mark.parametrize(
    ("check", "wrong"),
    [
        (check_gradient, lambda x, k: 3.001 * k * x**2),
        (check_tangent, lambda x, k, d: (cubes(x, k), 3.001 * k * x**2 @ d)),
        (check_curvature, lambda x, k, d: 6.01 * k * x * d),
    ],
)
def test_wrong_derivatives_end_with_status_1(check, wrong, capsys):
    with pytest.raises(SystemExit) as ended:
        check(cubes, wrong, (X, 2.0), (0,))
    assert ended.value.code == 1
    assert "does not agree" in capsys.readouterr().out


def test_noise_ends_with_status_3(capsys):
    generator = np.random.default_rng(0)
    with pytest.raises(SystemExit) as ended:
        check_gradient(lambda x: generator.uniform(), lambda x: 1.0, (2.0,), (0,))
    assert ended.value.code == 3
    assert "differences do not tell" in capsys.readouterr().out
