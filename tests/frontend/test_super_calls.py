"""`super()` in methods, of objects that are made, given and captured."""

from dataclasses import dataclass

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient

X = np.array([0.7, 1.3, 0.4])


class Linear:
    scale = 2.0

    def __init__(self, w):
        super().__init__()
        self.w = w

    def apply(self, v):
        return self.w * v * self.scale

    @staticmethod
    def bend(v):
        return np.tanh(v)

    @classmethod
    def make(cls, w):
        return cls(w * cls.scale)


class Bent(Linear):
    scale = 3.0

    def __init__(self, w):
        super().__init__(w)
        self.k = w**2

    def apply(self, v):
        return super().apply(super().bend(v)) + self.k

    @classmethod
    def make(cls, w):
        return super().make(w * 2.0)


class Left(Bent):
    def apply(self, v):
        return super().apply(v) + 1.0


class Right(Bent):
    def apply(self, v):
        return super().apply(v) * 3.0


class Both(Left, Right):
    def apply(self, v):
        return super().apply(v) * self.w


@dataclass
class Given(Linear):
    w: float
    z: float

    def apply(self, v):
        return super().apply(v) * self.z


CAPTURED = Both(0.5)


@pytest.mark.slow
def test_of_objects_that_are_made():
    def combined(w, x):
        return np.sum(Bent.make(w).apply(x)) * Both(w).apply(x)[0]

    assert_gradient(combined, 0.7, X)


def test_of_objects_that_are_captured_or_given():
    assert_gradient(lambda x: np.sum(CAPTURED.apply(x) ** 2), X)
    found = srcad.grad(lambda p, x: np.sum(p.apply(x)), jit=False)(Given(0.5, 1.2), X)
    assert np.isclose(found.w, 1.2 * 2.0 * X.sum())
    assert np.isclose(found.z, 0.5 * 2.0 * X.sum())


def test_elsewhere_it_is_refused():
    def f(x):
        return super().f(x)

    with pytest.raises(UnsupportedSyntax, match="super"):
        srcad.grad(f, jit=False)(X)
