import signal
import subprocess
import sys

import pytest
from numba.core import base

from srcad.runtime.support import numba_refresh

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
    return subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_importing_names_does_not_load_what_numba_knows(tmp_path):
    code = f"import sys, srcad; {NAMES}; print('numba.np.arraymath' in sys.modules)"
    assert printed(code, tmp_path) == "False"


@pytest.mark.compiled
def test_names_that_numba_imports_while_it_infers_types_are_known_to_it(tmp_path):
    assert printed(LATE, tmp_path) == "8.0"


def test_an_interrupt_waits_until_a_refresh_of_numbas_has_ended():
    done = []

    def refresh(self):
        signal.raise_signal(signal.SIGINT)
        done.append(self)

    with pytest.raises(KeyboardInterrupt):
        numba_refresh._uninterrupted(refresh)("context")
    assert done == ["context"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert hasattr(base.BaseContext.refresh, "__wrapped__")
