"""Attempts: which handler catches what statements raise."""

import numpy as np
import pytest

import srcad
from srcad.frontend.lower import prepare
from srcad.runtime.kernels import caught
from srcad.transforms.inference.attempts import Attempt


def inverse(x):
    try:
        y = np.linalg.inv(x)
    except (KeyError, np.linalg.LinAlgError):
        y = x
    except ValueError:
        y = 2.0 * x
    return np.sum(y)


@pytest.fixture
def attempt():
    return next(each for each in prepare(inverse).bindings.values() if isinstance(each, Attempt))


def test_its_value_is_the_number_of_the_handler(attempt):
    assert attempt(np.eye(2)) == 0
    assert attempt(np.zeros((2, 2))) == 1
    assert isinstance(caught(), np.linalg.LinAlgError)
    assert attempt("text") in (0, 1)


def test_it_is_known_by_what_it_runs_and_catches(attempt):
    other = next(each for each in prepare(inverse).bindings.values() if isinstance(each, Attempt))
    assert repr(attempt) == repr(other)
    assert "LinAlgError" in repr(attempt)


def test_arguments_stay_as_they_are():
    def f(x):
        def doubled(v):
            v *= 2.0
            return np.sum(v)

        try:
            y = doubled(x)
        except ValueError:
            y = 0.0
        return y + np.sum(x)

    assert srcad.grad(f, jit=False)(np.ones(2)).tolist() == [4.0, 4.0]
