"""Functions that Cython modules export, called from machine code that other processes load."""

import os
import sys
import textwrap

import numba
import numpy as np
import pytest
from scipy import special

from srcad.runtime.jit import external_functions
from srcad.runtime.kernels.scipy import ufuncs
from tests.waiting import run

MODULE = "scipy.special.cython_special"
PROGRAM = textwrap.dedent(
    """
    import sys
    import numpy as np
    import srcad
    from scipy import special

    def f(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += special.gammaln(x[i]) * special.gammainc(x[i], 2.0)
        return s

    print(srcad.grad(f)(np.array([1.0, 2.5])).tolist(), "numba.core.typeinfer" in sys.modules)
    print(srcad.hessian(f)(np.array([1.0, 2.5])).tolist())
    """
)


def test_a_symbol_names_module_function_and_signature():
    symbol = external_functions.symbol_of(MODULE, "gammaln")
    assert symbol.endswith(f"/{MODULE}/gammaln/double (double, int __pyx_skip_dispatch)")
    assert external_functions.provide([symbol, symbol])


@pytest.mark.parametrize("name", ["no.such.module/f/double (double)", f"{MODULE}/no_such/double (double)"])
def test_a_function_that_this_process_lacks_is_not_provided(name):
    assert not external_functions.provide([f"numba.dynamic.globals.cython/{name}"])


@pytest.mark.compiled
def test_machine_code_is_stored_and_loaded_by_another_process(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "SRCAD_CACHE_DIR": str(tmp_path / "cache")}
    outputs, files = [], []
    for _ in range(2):
        outputs.append(run([sys.executable, str(program)], env=environment).stdout)
        files.append(len([*(tmp_path / "cache").rglob("*")]))
    assert outputs[0].replace("True", "False") == outputs[1].replace("True", "False")
    assert files[0] == files[1] > 2


@pytest.mark.compiled
def test_numba_does_not_store_code_with_addresses(tmp_path):
    ufuncs.teach_numba()
    compiled = numba.njit(lambda x: 2.0 * special.gammaln(x))
    assert compiled(2.5) == 2.0 * special.gammaln(2.5)
    (made,) = compiled.overloads.values()
    assert made.library.has_dynamic_globals
    assert external_functions.symbols_in(made.library) == (external_functions.symbol_of(MODULE, "gammaln"),)


@pytest.mark.compiled
def test_code_without_such_functions_has_no_symbols():
    compiled = numba.njit(lambda x: 2.0 * np.sin(x))
    compiled(2.5)
    (made,) = compiled.overloads.values()
    assert external_functions.symbols_in(made.library) == ()
