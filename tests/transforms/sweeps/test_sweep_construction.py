"""Both sweeps put together: what is saved is made before its loop, and read where it is needed."""

import re

import numpy as np
import pytest

from srcad.transforms.adjoint.accumulation import Adjoints
from srcad.transforms.ir.build import const
from srcad.transforms.sweeps.gradient_function import results_of, reverse_program, seed_of
from srcad.transforms.sweeps.sweep_construction import sweeps
from tests.transforms.core_text import block_text, settled, typed, unit_after


def ready(unit, types):
    after = unit_after("prepare_for_differentiation", unit, types)
    return after.unit, after.types, after.counts


def both(text, signature, wrt=(0,)):
    """Forward and reverse sweep, as text."""
    unit, types, counts = ready(*typed(text, signature))
    program = reverse_program(unit, types, wrt)
    adjoints = Adjoints(program, unit.names.copy(), dict(unit.bindings))
    made = sweeps(program, adjoints, counts, seed_of(adjoints, results_of(unit), [const(1.0)]))
    return block_text(made.forward), block_text(made.reverse), set(made.blanks)


LOOP = """
def f(x, n):
    s_2 = x
    for i in range(0, n, 1):
        t = np.exp(s_2)
        s_2 = t
    s_3 = s_2
    return s_3
"""


def test_a_trace_is_made_before_its_outermost_loop():
    forward, _, blanks = both(LOOP, "f8, i8")
    (trace,) = blanks
    assert forward.index(f"{trace} = np.empty") < forward.index("for i")


def test_the_cheapest_of_equal_records_is_one():
    _, _, blanks = both(LOOP, "f8, i8")
    assert len(blanks) == 1


def test_what_is_saved_is_read_back_under_its_name():
    forward, reverse, (trace,) = both(LOOP, "f8, i8")
    (name,) = re.findall(rf"{trace}\[i\] = (\w+)", forward)
    assert f"{name} = {trace}[i]" in reverse


def test_a_value_is_read_once_in_each_block():
    _, reverse, (trace,) = both(LOOP, "f8, i8")
    assert reverse.count(f"{trace}[") == 1


OVERWRITTEN = """
def f(x, n):
    w = np.copy(x)
    for i in range(0, n, 1):
        a = w[0]
        b = a * a
        w[0] = b
    r = w[0]
    return r
"""


def test_an_overwritten_element_is_put_back_after_its_adjoint_was_passed_on():
    forward, reverse, _ = both(OVERWRITTEN, "f8[:], i8")
    if "w_old" not in forward:
        pytest.skip("what was read is recorded instead")
    assert forward.index("w_old = w[0]") < forward.index("w[0] = b")
    assert reverse.index("w_bar[0] = 0.0") < reverse.index("w[0] = w_old") < reverse.index("a_bar")


def test_the_forward_sweep_is_the_primal_with_its_records():
    forward, _, _ = both(OVERWRITTEN, "f8[:], i8")
    kept = [line for line in forward.splitlines() if not re.search(r"_(trace|old|count)\b", line)]
    assert kept == OVERWRITTEN.strip().replace("\n    ", "\n").splitlines()[1:-1]


def test_a_program_without_loops_has_no_traces():
    _, _, blanks = both(
        """
def f(x):
    a = np.sin(x)
    b = a * a
    return b
""",
        "f8",
    )
    assert blanks == set()


def test_the_program_itself_stays_as_it_is():
    unit, types = settled(OVERWRITTEN, "f8[:], i8")
    unit, types, counts = ready(unit, types)
    before = block_text(unit.tree.body)
    program = reverse_program(unit, types, (0,))
    adjoints = Adjoints(program, unit.names.copy(), dict(unit.bindings))
    sweeps(program, adjoints, counts, seed_of(adjoints, results_of(unit), [const(1.0)]))
    assert block_text(unit.tree.body) == before


def test_sweeps_run_one_after_the_other():
    forward, reverse, _ = both(OVERWRITTEN, "f8[:], i8")
    namespace = {"np": np, "x": np.array([1.1, 2.0]), "n": 3}
    exec(forward + reverse, namespace)
    np.testing.assert_allclose(namespace["x_bar"], [8 * 1.1**7, 0.0])
