import numpy as np
import pytest

from srcad.errors import CompilerBug
from srcad.runtime import kernels
from srcad.runtime.tape.core.active_recordings import active
from srcad.runtime.tape.core.tensor import Tensor
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.reverse.rules_on_tensors import on_tensors
from srcad.runtime.tape.values.conversions import constant


def slope(a, b):
    return kernels.ratio(a, b) * 2.0


def test_kernels_are_recorded_on_tensors():
    x = constant([3.0, 0.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = on_tensors(slope)(x, constant([4.0, 0.0]))
        primitives = [node.primitive for node in active.tapes[0].nodes]
    assert type(y) is Tensor
    assert primitives[0] is kernels.ratio
    assert tape.gradient(y, x).tolist() == [0.5, 0.0]


def test_kernels_on_arrays_stay_plain():
    assert type(on_tensors(slope)(np.array([3.0]), np.array([4.0]))) is np.ndarray


def test_the_same_function_gives_the_same_function():
    assert on_tensors(slope) is on_tensors(slope)
    assert on_tensors(np.sin) is np.sin


def test_a_rule_that_cuts_an_outer_gradient_is_caught():
    x = constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        active.live_sweeps += 1
        try:
            with pytest.raises(CompilerBug, match="cuts the gradient"):
                np.asarray(x)
            assert np.asarray(constant([1.0])).tolist() == [1.0]
        finally:
            active.live_sweeps -= 1
