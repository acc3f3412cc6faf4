"""What a branch or a loop reads in its header is wanted when its reversal begins: after all that is inside has run."""

import numpy as np
import pytest

from tests.checking import assert_gradient


def sorted_in_place(x):
    a = x.copy()
    n = a.shape[0]
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    total = 0.0
    for i in range(n):
        total += (i + 1) * a[i] ** 2
    return total


def flips_its_own_test(x):
    a = x.copy()
    for i in range(a.shape[0]):
        if a[i] > 0.5:
            a[i] = -3.0 * a[i] * a[i]
        else:
            a[i] = 2.0 + a[i]
    return np.sum(a * a)


def test_a_test_is_not_taken_again_from_what_the_branch_has_overwritten():
    assert_gradient(flips_its_own_test, np.array([0.2, 0.9, 0.4, 1.3]))


@pytest.mark.slow
def test_a_sort_in_place_passes_adjoints_back_to_where_values_came_from():
    assert_gradient(sorted_in_place, np.array([0.7, -0.3, 1.9, 0.1, 1.1]))
