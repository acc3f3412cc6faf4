"""Lists of named tuples whose length is known only at run time."""

from collections import namedtuple
from typing import NamedTuple

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError, UnsupportedSyntax
from tests.checking import assert_gradient
from tests.lowering import text_of

X = np.array([0.5, 0.2, 0.9, 0.4])
Particle = namedtuple("Particle", "place number")


class Node(NamedTuple):
    value: float
    weight: float

    @property
    def both(self):
        return self.value * self.weight

    def times(self, factor):
        return Node(self.value * factor, self.weight)


def neighbours(x, c):
    nodes = [Node(v, c * v) for v in x[:3]]
    nodes = [a._replace(value=a.value + b.weight) for a, b in zip(nodes, nodes[1:] + nodes[:1], strict=True)]
    return nodes[0].value * nodes[1].value + nodes[0].weight


def appended_until_one_is_large(x, c):
    nodes = [Node(1.0, c)]
    for v in x:
        nodes.append(Node(value=v * nodes[-1].value, weight=nodes[-1].weight + v))
        if v > 0.8:
            break
    s = sum(each.both + each.times(2.0).value for each in nodes)
    value, weight = nodes.pop()
    return s * value + weight * len(nodes) + max(each.weight for each in nodes)


def of_arrays(x, c):
    particles = [Particle(np.array([v, c]), i) for i, v in enumerate(x)]
    s = 0.0
    for one in particles:
        for other in particles:
            if one.number != other.number:
                d = one.place - other.place
                s += 1.0 / (0.1 + d @ d)
    return s


@pytest.mark.slow
@pytest.mark.parametrize("function", [neighbours, appended_until_one_is_large, of_arrays])
def test_elements_are_read_by_their_names(function):
    assert_gradient(function, X, 0.37)


def of_two_kinds(x, c):
    values = []
    for v in x:
        if v > 0.45:
            values.append(Node(v, c))
        else:
            values.append((v, c))
    return values[0][0]


def test_tuples_of_two_kinds_are_refused():
    with pytest.raises(UnsupportedSyntax, match="all of one form"):
        srcad.grad(of_two_kinds, jit=False)(np.linspace(0.3, 0.6, 100), 0.37)  # a shorter loop is unrolled


def test_lists_are_stacked_along_other_axes():
    def f(x):
        rows = []
        for k in range(x.shape[0]):
            rows.append(np.outer(x, x) * k)
        last = np.stack(rows, axis=-1)
        last[0] *= 2.0
        return np.sum(last[0] ** 2) + np.sum(np.stack(rows, 1)[1] ** 3) + np.stack(rows, axis=0)[1, 0, 0]

    assert "np.moveaxis" in text_of(f)
    assert_gradient(f, np.array([0.3, 0.8, 0.5]), modes=["loops"])


def test_the_sum_of_no_arrays_is_a_number_and_refused():
    def added(x, n):
        rows = []
        for i in range(n):
            rows.append(x * i)
        return np.sum(sum(rows) + x[0])

    x = np.array([0.7, 1.3])
    np.testing.assert_allclose(srcad.grad(added, jit=False)(x, 3), [5.0, 3.0])
    with pytest.raises(SrcadError, match="sum of no arrays"):
        srcad.grad(added, jit=False)(x, 0)
