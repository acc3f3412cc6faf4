"""Operators that a class of the user's defines are calls of its methods."""

import functools
import itertools
import linecache
import operator
from dataclasses import dataclass

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from tests.checking import assert_gradient


class Polynomial:
    def __init__(self, c):
        self.c = c

    def __add__(self, other):
        return Polynomial([a + b for a, b in itertools.zip_longest(self.c, other.c, fillvalue=0.0)])

    def __mul__(self, other):
        if not isinstance(other, Polynomial):
            return Polynomial([other * a for a in self.c])
        r = [0.0] * (len(self.c) + len(other.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(other.c):
                r[i + j] += a * b
        return Polynomial(r)

    __rmul__ = __mul__

    def __neg__(self):
        return Polynomial([-a for a in self.c])

    def __sub__(self, other):
        return self + (-other)

    def __call__(self, x):
        s = 0.0
        for c in reversed(self.c):
            s = s * x + c
        return s


@dataclass
class Vector:
    x: float
    y: float

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __sub__(self, other):
        return Vector(self.x - other.x, self.y - other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __abs__(self):
        return np.sqrt(self @ self)

    def __iadd__(self, other):
        self.x += other.x
        self.y += other.y
        return self

    def __lt__(self, other):
        return abs(self) < abs(other)

    def __bool__(self):
        return self.x > 0.0

    def __contains__(self, v):
        return self.x == v


class Flag:
    pass


@pytest.mark.slow
def test_polynomials():
    def combined(a, b):
        p, q = Polynomial([a, b, 1.0]), Polynomial([b, a * a])
        r = p * q + p - 2.0 * q + a * p
        return r(a) * r.c[2]

    assert_gradient(combined, 1.2, 0.7)


@pytest.mark.slow
def test_vectors_in_loops():
    def stepped(x, y, k):
        v, a = Vector(x, y), Vector(0.1, -0.2)
        for _ in range(4):
            a = a * 0.9 - k * v
            w = v
            w += a * 0.1
            if v < a:
                v += a
        v -= a
        s = 1.0 if v else 2.0
        if not a:
            s += v @ a
        return abs(v) * s + (3.0 if k in Vector(k, 1.0) else 0.0)

    assert_gradient(stepped, 0.5, 1.1, 0.3)


def test_objects_without_a_truth_of_their_own_are_true():
    def chosen(x):
        flag = Flag()
        return x * x if flag and flag else x

    assert_gradient(chosen, 0.7)


def test_an_array_beside_an_object_is_refused():
    """NumPy makes an array of objects of it."""
    with pytest.raises((SrcadError, TypeError)):
        srcad.grad(lambda x: (x * Vector(1.0, 2.0))[0].x, jit=False)(np.array([0.7, 1.3]))


def test_functions_of_the_module_operator_are_operators():
    def combined(x, y):
        first = functools.reduce(operator.add, [Vector(x, y), Vector(y, x), Vector(x * y, 1.0)])
        second = operator.sub(first, Vector(y, y))
        parts = functools.reduce(operator.add, [[x], [y, x * y]])
        return abs(second) * functools.reduce(operator.mul, parts) + parts[2]

    assert_gradient(combined, 0.5, 1.1)


class Stage:
    def __init__(self, *scales):
        self.scales = scales

    def __rshift__(self, other):
        return Stage(*self.scales, *other.scales)

    def __call__(self, x):
        return functools.reduce(lambda y, scale: np.sin(scale * y), self.scales, x)


def test_shifts_join_objects():
    assert_gradient(lambda x, a, b: (Stage(a) >> Stage(b, a))(x), 0.4, 0.7, 1.1)


class Base:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return Base(self.v * other.v)

    def __radd__(self, other):
        return Base(self.v - other.v)

    def __lt__(self, other):
        return self.v < other.v


class Inherits(Base):
    pass


class Overrides(Base):
    def __radd__(self, other):
        return Base(self.v / other.v)

    def __gt__(self, other):
        return self.v + 9.0 > other.v


@pytest.mark.parametrize("derived", [Inherits, Overrides])
def test_a_derived_class_goes_first_where_its_method_is_its_own(derived):
    def ordered(x, y):
        return x * y if Base(x) < derived(y) else (Base(x) + derived(y)).v

    assert_gradient(ordered, 2.0, 0.7, modes=("loops",))


def test_methods_of_a_class_without_a_file_count(monkeypatch):
    """What stands after `python -c` has the same name for a file as what `dataclasses` generates."""
    text = "class Empty:\n    def __init__(self, x): self.x = x\n\n    def __len__(self): return 0\n"
    monkeypatch.setitem(linecache.cache, "<string>", (len(text), None, text.splitlines(True), "<string>"))
    made = {"__name__": "__main__"}
    exec(compile(text, "<string>", "exec"), made)
    kind = made["Empty"]

    def emptied(x):
        made = kind(x)
        return x if made else made.x * made.x

    assert_gradient(emptied, 0.7, modes=("loops",))
