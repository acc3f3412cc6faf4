"""What `zip` takes from one sequence before it finds that the next has come to its end."""

import numpy as np
import pytest

from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4])


def in_a_loop(x):
    total = [0.0]

    def counted(v):
        total[0] += v
        return v * v

    s = 0.0
    for a, b in zip(map(counted, x), x[:2], strict=False):
        s += a * b
    s *= total[0]
    return s


def in_a_list(x):
    total = [0.0]

    def counted(v):
        total[0] += v
        return v * v

    pairs = list(zip(map(counted, [x[0], x[1], x[2]]), [x[0]], strict=False))
    return total[0] * pairs[0][0]


def within_another(x):
    total, s = [0.0], 0.0

    def counted(v):
        total[0] += v
        return v * v

    for a, (b, c) in zip(x, zip(map(counted, x), x[:1], strict=False), strict=False):
        s += a * b + c * total[0]
    return s * total[0]


def left_early(x):
    total, s = [0.0], 0.0

    def counted(v):
        total[0] += v
        return v * v

    for a, b in zip(map(counted, x), x[:2], strict=False):
        s += a * b
        if s > 0.1:
            break
    return s * total[0]


@pytest.mark.slow
@pytest.mark.parametrize("function", [in_a_loop, in_a_list, within_another, left_early])
def test_functions_are_called_as_often_as_python_calls_them(function):
    assert_gradient(function, X)
