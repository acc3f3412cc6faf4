import sys

import pytest

from tests.waiting import run

NAMES = "srcad.grad, srcad.checkpointed, srcad.stop_gradient"

LATE = """
import numba, sys

@numba.njit
def half(x):
    return srcad.stop_gradient(x) * x

@numba.njit
def slope(x, n):
    total = srcad.grad(half)(x)
    for i in srcad.checkpointed(range(n)):
        total += x
    return total

import srcad
assert "srcad.api.njit_overloads" not in sys.modules and "srcad.runtime.stop_gradient" not in sys.modules
print(slope(2.0, 3))
"""


def printed(code, folder):
    path = folder / "program.py"
    path.write_text(code)
    return run([sys.executable, str(path)]).stdout.strip()


@pytest.mark.slow
def test_importing_names_does_not_load_what_numba_knows(tmp_path):
    code = f"import sys, srcad; {NAMES}; print('numba.np.arraymath' in sys.modules)"
    assert printed(code, tmp_path) == "False"


@pytest.mark.compiled
def test_names_that_numba_imports_while_it_infers_types_are_known_to_it(tmp_path):
    assert printed(LATE, tmp_path) == "8.0"
