"""Printed gradients of small programs are those of the golden files beside this file.

`SRCAD_WRITE_GOLDEN=1 pytest tests/golden` writes them anew; look at what changed before committing.
"""

import os
from pathlib import Path

import numpy as np
import pytest

import srcad
from tests.differences import directional_derivative
from tests.golden import programs

CASES = {
    "drag": ("reverse", "f8[::1], f8", (0, 1)),
    "polynomial": ("grad", "f8", 0),
    "softplus_sum": ("grad", "f8[::1], f8[::1]", 0),
    "heat": ("grad", "f8[::1], i8", 0),
    "newton": ("grad", "f8", 0),
    "least_squares": ("grad", "f8[:, ::1], f8[::1], f8[::1]", 1),
}
ARGUMENTS = {
    "drag": (np.array([0.3, 1.2, -0.5, 2.0]), 0.9),
    "polynomial": (0.7,),
    "softplus_sum": (np.array([0.3, -1.2]), np.array([1.1, 0.4])),
    "heat": (np.array([0.3, 1.2, -0.5, 2.0]), 3),
    "newton": (2.0,),
    "least_squares": (np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.1]]), np.array([0.7, -0.2]), np.ones(3)),
}
cases = pytest.mark.parametrize("name", CASES)


def text(name):
    mode, signature, wrt = CASES[name]
    return srcad.source(getattr(programs, name), mode, wrt=wrt, signature=signature)


def file(name):
    return Path(__file__).with_name(f"{name}.txt")


@cases
def test_what_is_printed_is_the_golden_file(name):
    if os.environ.get("SRCAD_WRITE_GOLDEN"):
        file(name).write_text(text(name))
    assert text(name) == file(name).read_text()


@cases
def test_the_golden_file_run_alone_is_right(name):
    namespace = {}
    exec(compile(file(name).read_text(), file(name).name, "exec"), namespace)
    mode, _, wrt = CASES[name]
    position = wrt[0] if isinstance(wrt, tuple) else wrt
    args = ARGUMENTS[name]
    if mode == "reverse":
        _, trace = namespace[f"{name}_forward"](*args)
        gradient = namespace[f"{name}_reverse"](*args, trace, 1.0)[0]
    else:
        gradient = namespace[f"{name}_grad"](*args)

    def along(step):
        moved = [np.copy(each) if np.ndim(each) else each for each in args]
        moved[position] = moved[position] + step
        return getattr(programs, name)(*moved)

    expected, _ = directional_derivative(along, 1e-3)
    assert np.sum(gradient) == pytest.approx(expected, rel=1e-7)
