"""Machine code of two processes has no name in common for different functions."""

import multiprocessing
import sys

import pytest

from tests.waiting import LIMIT, run

SYMBOLS = """
import srcad.runtime.jit.dispatchers
from numba import njit

def made(held):
    def implementation(x):
        return x + held
    return implementation

function = njit(made({held}))
function(1.0)
print(function.overloads[function.signatures[0]].fndesc.llvm_func_name)
"""


def symbol(held):
    return run([sys.executable, "-c", SYMBOLS.format(held=held)]).stdout


@pytest.mark.slow
def test_the_same_name_in_two_processes_is_two_symbols():
    assert symbol(1.0) != symbol(2.0)


def _next_number(numbers):
    from numba.core.bytecode import FunctionIdentity

    numbers.put(next(FunctionIdentity._unique_ids))


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="no fork here")
def test_forked_processes_count_from_different_numbers():
    import srcad.runtime.jit.unique_symbols  # noqa: F401 - counts from a random number

    context = multiprocessing.get_context("fork")
    numbers = context.Queue()
    processes = [context.Process(target=_next_number, args=(numbers,), daemon=True) for _ in range(3)]
    try:
        for each in processes:
            each.start()
        found = [numbers.get(timeout=LIMIT) for _ in processes]
    finally:
        for each in processes:
            each.kill()
    assert len(set(found)) == 3
    assert min(abs(a - b) for a in found for b in found if a != b) > 10_000
