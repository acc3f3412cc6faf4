"""Programs of `tests/fuzz/vectors.py`, differentiated in every way and compared with finite differences.

Passes of the compiler are switched off at random, so that none of them hides a fault of another, nor relies on it.
The suite tries as many as its time allows. `SRCAD_RANDOM_PROGRAMS=2000 SRCAD_RANDOM_SEED=7 pytest -rP
tests/test_random_programs.py` tries as many as one likes, and prints the count of each part with its seed.
"""

import os
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, seed, settings
from hypothesis import strategies as st

from srcad.driver.passes import PASSES
from srcad.errors import MayOverlap, UnsupportedSyntax
from srcad.runtime.jit.numba_inference import CannotType
from tests.agreement import compared
from tests.checking import assert_gradient
from tests.fuzz.program import function_of
from tests.fuzz.vectors import text_of

PARTS = 4
COUNT = int(os.environ.get("SRCAD_RANDOM_PROGRAMS", "8"))
SEED = int(os.environ.get("SRCAD_RANDOM_SEED", "0"))
NUMBERS = 0.4, 0.8
VECTOR = np.array([0.3, -0.7, 0.9, 0.2])
SLOW = [HealthCheck.filter_too_much, HealthCheck.too_slow]


def programs(trades=False):
    """Texts of programs, which Hypothesis can shrink."""
    return st.randoms(use_true_random=False).map(lambda random: text_of(random, trades))


def switched_off():
    """Passes of the compiler to be left out: in half of the cases none."""
    return st.one_of(st.just(frozenset()), st.frozensets(st.sampled_from(sorted(PASSES))))


def outcome(text, without=frozenset()):
    """Whether a program is as it should be: smooth here or not, refused, or wrong by itself."""
    program = function_of(text)
    try:
        program(*NUMBERS, VECTOR.copy())
    except (UnboundLocalError, OverflowError):
        return "invalid"
    try:
        return "compared" if compared(program, (*NUMBERS, VECTOR), without=without) else "not smooth"
    except (UnsupportedSyntax, MayOverlap, CannotType):
        return "refused"


@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_are_right_or_refused(part):
    found = Counter()

    @seed(SEED * PARTS + part)
    @settings(suppress_health_check=SLOW, max_examples=max(COUNT // PARTS, 1), database=None, derandomize=False)
    @given(programs() | programs(trades=True), switched_off())
    def attempt(text, without):
        found[outcome(text, without)] += 1

    attempt()
    print(f"seed {SEED * PARTS + part}: {sum(found.values())} programs, {dict(sorted(found.items()))}")
    assert found["compared"] >= found.total() // 2


@pytest.mark.slow
@settings(suppress_health_check=SLOW, max_examples=2)
@given(programs())
def test_second_derivatives_of_random_programs_are_right_or_refused(text):
    assume(outcome(text) == "compared")
    assert_gradient(function_of(text), *NUMBERS, VECTOR, modes=("second",), rtol=1e-6)


def test_a_program_that_fails_beside_the_point_is_not_smooth_there():
    text = "def program(x, y, v):\n    if x <= 0.4:\n        a = x * y\n    return a + v[0]\n"
    assert outcome(text) == "not smooth"
