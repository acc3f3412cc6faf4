"""Kernels that are refused for what they call, and how arrays of a kernel's own are read."""

import numba
import numpy as np
import pytest
from numba import cuda, float32, float64
from numba import types as nb

from srcad.cuda.adjoint_text import written
from srcad.cuda.kernel_source import read_kernel
from srcad.errors import BadType, NotDifferentiable, SrcadError, UnsupportedSyntax

WIDTH = 4
TABLE = np.ones(3)
ARRAY = nb.float64[:]


@cuda.jit
def arrays(x, y):
    one = cuda.shared.array((WIDTH, 2 * WIDTH + 1), float32)
    two = cuda.local.array(shape=3, dtype=numba.float64)
    three = cuda.shared.array(WIDTH, np.int32)
    i = cuda.grid(1)
    y[i] = x[i] * one[0, 0] * two[0] * three[0]


def test_own_arrays_have_shape_and_dtype():
    found = [(each.is_shared, each.shape, each.dtype.name) for each in read_kernel(arrays).arrays]
    assert found == [(True, (4, 9), "float32"), (False, (3,), "float64"), (True, (4,), "int32")]


@cuda.jit
def dynamic(x, y):
    part = cuda.shared.array(0, float64)
    y[0] = part[0]


@cuda.jit
def shuffled(x, y):
    y[0] = cuda.shfl_sync(-1, x[0], 0)


@cuda.jit
def exchanged(x, y):
    cuda.atomic.max(y, 0, x[0])


@cuda.jit
def kept_result(x, y):
    i = cuda.grid(1)
    y[i] = cuda.atomic.add(y, 0, x[i])


@cuda.jit
def captured(x, y):
    i = cuda.grid(1)
    y[i] = x[i] * TABLE[0]


@cuda.jit
def sliced(x, y):
    i = cuda.grid(1)
    z = x[1:]
    y[i] = z[i]


@cuda.jit
def raises(x, y):
    i = cuda.grid(1)
    if i > 3:
        raise ValueError("out of range")
    y[i] = x[i]


@cuda.jit
def lane_of(x, y):
    y[cuda.laneid] = x[0]


REFUSED = {
    dynamic: "dynamic shared memory",
    shuffled: "`cuda.shfl_sync` in a kernel has no adjoint",
    exchanged: "`cuda.atomic.max` in a kernel has no adjoint",
    kept_result: "the result of `cuda.atomic.add` is used",
    captured: "reads the array `TABLE`",
    sliced: "a subscript that does not select one element by integers",
    raises: "an exception is not supported",
    lane_of: "`cuda.laneid` in a kernel has no adjoint",
}


@pytest.mark.parametrize("kernel", REFUSED, ids=lambda each: each.py_func.__name__)
def test_what_has_no_adjoint_is_refused_with_its_place_and_a_way_out(kernel):
    with pytest.raises(SrcadError) as refused:
        written(read_kernel(kernel), (ARRAY, ARRAY), (0, 1), False)
    assert REFUSED[kernel] in refused.value.what
    assert refused.value.hint
    assert refused.value.at.file == __file__


@cuda.jit(device=True)
def device_function(x):
    return x


@pytest.mark.parametrize("thing", [np.sin, device_function, 3, lambda x: x])
def test_only_kernels_have_adjoints(thing):
    with pytest.raises(BadType, match="a kernel is needed"):
        read_kernel(thing)


@cuda.jit
def through_scratch(x, y, scratch):
    i = cuda.grid(1)
    scratch[i] = x[i] * x[i]
    y[i] = scratch[i]


def test_an_array_that_passes_derivatives_on_needs_a_cotangent():
    with pytest.raises(NotDifferentiable, match="derivatives pass through `scratch`"):
        written(read_kernel(through_scratch), (ARRAY, ARRAY, ARRAY), (0, 1), False)
    assert written(read_kernel(through_scratch), (ARRAY, ARRAY, ARRAY), (0, 1, 2), False).cotangents == (0, 1, 2)


def test_complex_numbers_are_refused():
    with pytest.raises(NotDifferentiable, match="is complex"):
        written(read_kernel(through_scratch), (nb.complex128[:],) * 3, (), False)


def test_a_kernel_that_numba_cannot_type_is_refused():
    with pytest.raises(UnsupportedSyntax, match="has no types for these arguments"):
        written(read_kernel(through_scratch), (nb.float64, ARRAY, ARRAY), (1, 2), False)
