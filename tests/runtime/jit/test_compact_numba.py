"""Numba's code generator is replaced in parts while srcad compiles, and is as before afterwards."""

import pickle

import numpy as np
import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock
from numba.np import arraymath, arrayobj, npyimpl

import srcad
from srcad.runtime.jit.compact_numba import DifferentShapes, compact_numba


def shifted(a, b):
    a[1:] = b[:-1]
    return np.sum(a * a)


def test_numba_is_left_as_it_was():
    parts = npyimpl.numpy_ufunc_kernel, arrayobj.raise_with_shape_context
    with compact_numba():
        assert npyimpl.numpy_ufunc_kernel is not parts[0]
    assert (npyimpl.numpy_ufunc_kernel, arrayobj.raise_with_shape_context) == parts


def test_shapes_that_do_not_match_are_named():
    function = njit(shifted)
    with global_compiler_lock, compact_numba():
        function(np.ones(4), np.ones(4))
    with pytest.raises(ValueError, match=r"cannot assign slice of shape \(3,\) from input of shape \(4,\)"):
        function(np.ones(4), np.ones(5))


def test_no_code_for_strings_is_compiled():
    function = njit(shifted)
    with global_compiler_lock, compact_numba():
        function(np.ones(4), np.ones(4))
    assert "unicode" not in function.inspect_llvm(function.signatures[0])


def summed(a, axis):
    return np.sum(a, axis)


@pytest.mark.skipif(
    not hasattr(arraymath, "check_axis_bounds"), reason="this Numba has no check of axes that would be replaced"
)
def test_an_axis_that_an_array_does_not_have_is_named_without_code_for_strings():
    function = njit(summed)
    with global_compiler_lock, compact_numba():
        assert function(np.ones((2, 3)), -2).tolist() == [2.0, 2.0, 2.0]
    assert "unicode" not in function.inspect_llvm(function.signatures[0])
    for axis in (2, -3):
        with pytest.raises(np.exceptions.AxisError, match=f"axis {axis} is out of bounds for array of dimension 2"):
            function(np.ones((2, 3)), axis)


def test_the_error_can_be_pickled():
    error = pickle.loads(pickle.dumps(DifferentShapes((2,), (3,))))
    assert str(error) == "cannot assign slice of shape (2,) from input of shape (3,)"


def test_a_gradient_raises_it_too():
    with pytest.raises(ValueError, match=r"shape|broadcast"):
        srcad.grad(shifted)(np.ones(4), np.ones(6))
