"""The numbers and arrays in the arguments of an effect are parameters of a Python function, all else stays in it."""

import logging

from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from srcad.printing.printer import print_function

LOG = logging.getLogger("tests of effects")


def test_atoms_are_computed_before():
    def f(x, n):
        LOG.info(f"{x * x:.2f} of {n}, {'name'}", [x, {"n": n}], (1, "text"))
        return x

    text = print_function(lower(load(f)).tree)
    assert "t1 = x * x\n    kernels.effect(effect_2, t1, n, x, n)\n" in text
