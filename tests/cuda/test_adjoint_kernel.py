"""Launches of adjoint kernels: arguments that are refused, and the whole in Numba's simulator, in a process."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numba import cuda
from numba import types as nb

import srcad.cuda
from srcad.errors import BadArgument, BadType

IN_SIMULATOR = """
import numpy as np
from numba import cuda
import srcad.cuda
from srcad.errors import BadArgument, BadType
from tests.cuda.kernels import SAMPLES, X, Y, saxpy, recurrence, in_place
from tests.cuda.differentiated import pulled_back, text_of, is_real

for name in ("saxpy", "block_product", "tiled_product", "newton", "histogram", "recorded_in_branches"):
    kernel, grid, threads, arguments, options = SAMPLES[name]
    wanted = options.get("wanted", [k for k, each in enumerate(arguments) if is_real(each)])
    host = {k: np.ones(np.shape(arguments[k]) or 1) for k in wanted}
    pulled_back(text_of(kernel, arguments, wanted), grid, threads, arguments, host)
    device = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in arguments]
    bars = [cuda.to_device(np.ones(np.shape(each) or 1)) if k in wanted else None for k, each in enumerate(arguments)]
    srcad.cuda.adjoint(kernel)[grid, threads](*device, *bars)
    for k in wanted:
        np.testing.assert_allclose(bars[k].copy_to_host(), host[k], rtol=1e-12, err_msg=name)

adjoint, d = srcad.cuda.adjoint(in_place), cuda.to_device
x, x_bar, one = d(X), d(np.ones(7)), d(np.zeros(1))
refused = [
    ((2, 4), (X, 1.7, x_bar, one), "`x` is a host array"),
    ((2, 4), (x, 1.7, X, one), "the cotangent of `x` is a ndarray"),
    ((2, 4), (x, 1.7, x_bar), "2 arguments and as many cotangents, not 3"),
    ((2, 4), (x, 1.7, d(np.ones(6)), one), "float64 array of the shape (6,)"),
    ((2, 4), (x, 1.7, x, one), "share memory"),
    ((2, (4, 2)), (x, 1.7, x_bar, one), "2 threads along the axis y"),
    ((2, 4, 0, 64), (x, 1.7, x_bar, one), "a launch has"),
]
for grid, arguments, expected in refused:
    try:
        adjoint[grid](*arguments)
    except (BadArgument, BadType) as error:
        assert expected in str(error) and error.hint, error
    else:
        raise AssertionError(expected)
np.testing.assert_array_equal(x.copy_to_host(), X)
print("done")
"""


def test_in_the_simulator():
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    made = subprocess.run(
        [sys.executable, "-c", IN_SIMULATOR], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert made.stdout == "done\n", made.stderr


@cuda.jit
def scaled(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] = a * x[i]


def test_the_text_is_that_of_the_cotangents_that_are_wanted():
    adjoint = srcad.cuda.adjoint(scaled)
    types = (nb.float64, nb.float64[:], nb.float64[:])
    assert "add_over_block(a_bar_total, a_bar)" in adjoint.source(*types)
    text = adjoint.source(*types, nb.none, nb.float64[:], nb.float64[:])
    assert "a_bar" not in text
    assert "x_bar[grid_x] += " in text
    compile(text, "adjoint", "exec")


def test_host_arrays_are_refused_with_the_cure():
    with pytest.raises(BadType, match="`x` is a host array") as refused:
        srcad.cuda.adjoint(scaled).source(1.0, np.ones(3), np.ones(3))
    assert "cuda.to_device" in refused.value.hint


def test_an_adjoint_kernel_needs_a_grid():
    with pytest.raises(BadArgument, match="without a grid"):
        srcad.cuda.adjoint(scaled)(1.0)
