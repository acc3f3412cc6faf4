"""Index sets through all branches: they have the entries of Jacobians at many points."""

import numpy as np
import pytest

import srcad
from tests.transforms.sweeps.test_index_set_mode import pattern

POINTS = [scale * np.random.default_rng(seed).normal(size=7) for seed in range(25) for scale in (0.3, 1.0, 3.0)]


def limited(x):
    r = np.zeros(x.size)
    for i in range(2, x.size - 2):
        a = x[i] - x[i - 1]
        b = x[i + 1] - x[i]
        if a * b <= 0.0:
            s = 0.0
        elif abs(a) < abs(b):
            s = a
        else:
            s = b
        r[i] = s
    return r


def nested(x):
    y = np.zeros(x.size)
    for i in range(1, x.size - 1):
        if x[i] > 0.0:
            y[i] = x[i - 1] * 2.0
        else:
            t = x[i]
            if t < -1.0:
                for j in range(i, i + 2):
                    t += x[j]
            else:
                y[i - 1] = x[i] ** 2
            y[i] = t * x[0]
        y[i] += x[i + 1] if x[i + 1] > x[i] else np.maximum(x[i], 3.0)
    return y


def table(x):
    values, y = np.arange(6.0) ** 2, np.zeros(x.size)
    for i in range(x.size):
        u = abs(x[i])
        if u < 4.0:
            k = int(u)
            y[i] = values[k] + (values[k + 1] - values[k]) * (u - k) + x[k]
        else:
            y[i] = u
    return y


def counted(x):
    y, k = np.zeros(x.size), 0
    for i in range(x.size - 3):
        if x[i] > 0.5:
            k = i + 1
            if x[i + 1] > 0.0:
                m = k + 1
            else:
                m = k - 1
            y[i] = x[m]
            p = 0
            for _ in range(2):
                y[i] += x[p]
                p = p + i
        else:
            y[k] = x[i]
    return y


def carried(x):
    s, last = 0.0, x[0]
    for i in range(1, x.size):
        if x[i] > 0.0:
            s += last * x[i]
        last = x[i]
    return np.array([s, last])


def early(x):
    y = np.zeros(x.size)
    for i in range(x.size):
        u = 1.0
        for _ in range(20):
            d = (u * u - abs(x[i])) / (2.0 * u)
            u = u - d
            if abs(d) < 1e-10:
                break
        y[i] = u if u > 0.3 else x[0]
    return y


EXACT = {"limited": limited, "nested": nested, "carried": carried, "early": early}
ROUGH = {"table": table, "counted": counted}


@pytest.mark.parametrize("name", [*EXACT, *ROUGH])
def test_all_entries_of_other_points_are_there(name):
    f = (EXACT | ROUGH)[name]
    jac = srcad.jacobian(f, jit=False)
    union = sum(abs(jac(x)) for x in POINTS) != 0.0
    found = pattern(f, POINTS[0], "pattern_of_all")
    assert not (union & ~found).any()
    if name in EXACT:
        np.testing.assert_array_equal(found, union)


def test_places_outside_of_arrays_are_left_out():
    def guarded(x):
        y = np.zeros(x.size)
        for i in range(x.size):
            y[i] = x[i]
            if x[i] > 10.0:
                y[i + 1] = x[i - 20]
        return y

    np.testing.assert_array_equal(pattern(guarded, POINTS[0], "pattern_of_all"), np.eye(7, dtype=bool))


def made(x):
    if x[0] > 0.0:
        y = x * 2.0
    else:
        y = np.zeros(3)
        n = 0
        while n < 3:
            y[n] = x[n]
            n += 1
    return y


def test_arrays_made_in_branches_are_found_from_products():
    assert pattern(made, POINTS[0][:3], "pattern_of_all") is None
    jac = srcad.sparse_jacobian(made, pattern="all", jit=False)
    for x in (POINTS[0][:3], -POINTS[0][:3]):
        np.testing.assert_allclose(jac(x).toarray(), srcad.jacobian(made, jit=False)(x))
