"""Operators on tuples and lists give what Python gives, or are refused: whatever lowering knows of them, or does not.

`SRCAD_RANDOM_PROGRAMS=2000 SRCAD_RANDOM_SEED=7 pytest -rP tests/test_random_tuples.py` tries as many programs as one
likes, a tenth as many compiled, and prints the count of each outcome.
"""

import itertools
import os
import re
import warnings
from collections import Counter

import numpy as np
import pytest

import srcad
from srcad.errors import SrcadError
from tests.fuzz.program import function_of
from tests.fuzz.tuples import program

COUNT = int(os.environ.get("SRCAD_RANDOM_PROGRAMS", "20"))
SEED = int(os.environ.get("SRCAD_RANDOM_SEED", "0"))
POINT = np.array([0.3, 0.7, 0.9]), np.array([[0.2, 0.5, -0.4], [1.1, 0.6, 0.8]]), 3
DIRECTION = np.array([1.0, -0.5, 0.25])


def called(function, *more):
    """What a call gives, or the exception that it ends in."""
    try:
        return function(*more)
    except Exception as problem:  # noqa: BLE001 - which one is compared
        return problem


def moved(step):
    return POINT[0] + step * DIRECTION, *POINT[1:]


def outcome(text, jit):
    """Whether a program gives what Python gives, is refused, or ends in an exception as it does in Python."""
    f = function_of(text)
    expected = called(f, *POINT)
    if isinstance(expected, Exception):
        found = called(srcad.value_and_grad(f, jit=jit), *POINT)
        assert isinstance(found, Exception), f"{found}, where Python raises {expected!r}\n{text}"
        return "raises"
    slope = (f(*moved(1e-5)) - f(*moved(-1e-5))) / 2e-5
    reverse = called(srcad.value_and_grad(f, jit=jit), *POINT)
    forward = called(lambda: srcad.jvp(f, POINT, (DIRECTION, None, None), jit=jit))
    for found in (reverse, forward):
        if isinstance(found, Exception):
            assert isinstance(found, SrcadError), f"{found!r}, where Python gives {expected}\n{text}"
            assert re.search(r"^.+?:\d+:\d+: .*\n(.*\n)*hint: ", str(found)), f"{found}\n{text}"
        else:
            value, derivative = found
            assert value == pytest.approx(expected, rel=1e-9), text
            assert np.sum(derivative * (DIRECTION if found is reverse else 1.0)) == pytest.approx(slope, 1e-6), text
    return "refused" if isinstance(reverse, Exception) else "compared"


def texts(first):
    """Programs; of those that end in an exception one of ten."""
    for seed in itertools.count(first):
        text = program(seed)
        if seed % 10 == 0 or not isinstance(called(function_of(text), *POINT), Exception):
            yield text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("jit", "count"), [(False, COUNT), pytest.param(True, COUNT // 10, marks=pytest.mark.compiled)]
)
def test_random_functions_on_tuples_are_right_or_refused(jit, count):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", srcad.errors.PerformanceWarning)
        found = Counter(outcome(text, jit) for text in itertools.islice(texts(SEED * 100_000), count))
    print(f"seed {SEED}, jit={jit}: {dict(sorted(found.items()))}")
    assert found["compared"] >= count // 2
