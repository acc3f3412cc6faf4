"""What was not observed is replaced, so that nothing unknown is differentiated."""

import json
import struct

import numpy as np
import pytest
from numba import types

import srcad
from srcad.errors import UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.printing.printer import print_function
from srcad.transforms.normalise.observed_types import Observation, refuse_unknown
from tests.transforms.core_text import ssa_of, unit_after

X = np.array([0.5, -1.5])


def observed(f, *samples):
    observation = Observation()
    for sample in samples:
        observation.add(sample)
    return observation.types_of(ssa_of(lower(load(f))))


def text(f, *samples):
    return print_function(observed(f, *samples)[0].tree)


def branching(x, n):
    if x[0] > 0.0:
        y = np.sin(x)
    else:
        y = np.cos(x)
    for _ in range(n):
        y = y * x
    return y


def test_an_arm_not_taken_becomes_a_check():
    lines = text(branching, (X, 1)).splitlines()
    assert "        raise kernels.Unobserved()" in lines
    assert not any("np.cos" in line for line in lines)
    assert "    y_3 = np.sin(x)" in lines or any(line.startswith("    y") and "np.sin" in line for line in lines)


def test_a_loop_not_entered_becomes_a_check():
    assert text(branching, (X, 0), (-X, 0)).count("kernels.Unobserved()") == 1
    assert "y * x" not in text(branching, (X, 0))


def test_what_all_runs_together_have_reached_is_kept():
    assert "Unobserved" not in text(branching, (X, 0), (-X, 1))


def test_results_whose_type_depends_on_values_are_checked():
    def f(x, k):
        y = np.sum(x * np.tensordot(x, x, axes=k))
        return y + np.sum(np.squeeze(x), axis=0)

    lines = text(f, (X, 1))
    assert lines.count("kernels.expect") >= 2
    assert "'f1'" in lines


def test_values_of_another_type_start_the_observation_anew():
    def f(x):
        return np.squeeze(x)

    _, facts = observed(f, (np.ones((1, 3)),), (np.ones((2, 3)),))
    assert facts.result == types.Array(types.float64, 2, "C")


def test_an_object_that_is_written_into_is_refused():
    def f(x):
        y = np.asarray(x, dtype=object)
        y[0] = x[1]
        return x[0]

    with pytest.raises(UnsupportedSyntax, match="written into, but is not an array"):
        observed(f, (X,))


def test_an_object_is_refused_only_where_derivatives_pass_through_it():
    def f(x, data):
        y = np.asarray(data, dtype=object)
        return x[0] * np.size(y)

    unit, facts = observed(f, (X, X))
    settled = unit_after("in_place_resolution", unit, facts).unit
    refuse_unknown(settled, facts, (0,), True)
    with pytest.raises(UnsupportedSyntax, match="neither a number nor an array"):
        refuse_unknown(settled, facts, (1,), True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: float(str(x[0])),
        lambda x: json.loads(json.dumps([x[0], 1.0]))[0],
        lambda x: sum(struct.unpack("d", struct.pack("d", x[0]))),
        lambda x: x.astype(str).astype(float)[0],
        lambda x: eval("x[0]"),
        lambda x: locals()["x"][0],
    ],
)
@pytest.mark.parametrize("jit", [False, True])
def test_numbers_read_from_texts_are_refused(function, jit):
    """Their derivative was zero."""
    with pytest.raises(UnsupportedSyntax) as caught:
        srcad.grad(function, jit=jit)(np.array([0.7, 1.3]))
    assert "test_observed_types.py" in str(caught.value)


def test_texts_may_be_made_for_messages():
    def checked(x):
        text = "is " + str(x[0])
        if x[0] < 0.0:
            raise ValueError(text)
        return x[0]

    assert srcad.grad(checked, jit=False)(np.array([0.7]))[0] == 1.0
