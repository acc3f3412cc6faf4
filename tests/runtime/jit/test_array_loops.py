"""Array expressions compiled to compact loops are those of NumPy, for all layouts and ways to broadcast."""

import itertools

import numpy as np
import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from srcad.runtime.jit.compact_numba import compact_numba

RNG = np.random.default_rng(0)


def compact(function, *args):
    """A function compiled by Numba with compact loops, called, and the number of its LLVM instructions."""
    dispatcher = njit(function)
    with global_compiler_lock, compact_numba():
        dispatcher.compile(tuple(map(dispatcher.typeof_pyval, args)))
    library = dispatcher.overloads[dispatcher.signatures[0]].library
    return dispatcher(*args), sum(line.startswith("  ") for line in library.get_llvm_str().splitlines())


def views(shape, dtype=np.float64):
    """Arrays of one shape in different memory layouts."""
    a = RNG.normal(size=shape).astype(dtype)
    wide = RNG.normal(size=[2 * size for size in shape]).astype(dtype)
    return {
        "C": a,
        "F": np.asfortranarray(a),
        "strided": wide[tuple(slice(None, None, 2) for _ in shape)],
        "reversed": a[tuple(slice(None, None, -1) for _ in shape)],
    }


def combined(a, b):
    return a * b + (a - 2.0) / (b * b + 1.0)


SHAPES = [
    ((4,), (1,)), ((3, 4), (4,)), ((3, 1), (1, 4)), ((3, 4), (3, 4)), ((2, 3, 4), (3, 1)), ((0, 4), (1, 4)),
    ((0,), (0,)),
]  # fmt: skip


@pytest.mark.parametrize(("one", "two"), SHAPES)
def test_operands_of_any_layout_broadcast_as_in_numpy(one, two):
    dispatchers = {}
    for a, b in itertools.product(views(one).values(), views(two).values()):
        key = a.flags.c_contiguous, a.flags.f_contiguous, b.flags.c_contiguous, b.flags.f_contiguous
        if key not in dispatchers:
            dispatchers[key] = njit(combined)
        with global_compiler_lock, compact_numba():
            found = dispatchers[key](a, b)
        np.testing.assert_array_equal(found, combined(a, b))
        assert found.shape == combined(a, b).shape


def test_shapes_that_do_not_broadcast_are_refused():
    with pytest.raises(ValueError, match="broadcast"):
        compact(combined, np.ones((3, 4)), np.ones((3, 5)))


@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int64, np.bool_, np.uint8])
def test_numbers_of_any_kind(dtype):
    a, b = RNG.normal(size=(3, 4)) * 3.0, (RNG.normal(size=(3, 1)) * 3.0 + 5.0).astype(dtype)

    def mixed(a, b):
        return a * b + b

    np.testing.assert_array_equal(compact(mixed, a.astype(dtype), b)[0], mixed(a.astype(dtype), b))
    np.testing.assert_array_equal(compact(mixed, a, b)[0], mixed(a, b))


def test_comparisons_and_scalars():
    def compared(a, c):
        return (a > c) & (a < 2.0 * c)

    a = RNG.normal(size=(3, 4, 2))
    np.testing.assert_array_equal(compact(compared, a, 0.2)[0], compared(a, 0.2))


def test_an_output_that_exists_is_written_where_it_lies():
    def changed(a, b):
        a += b * 2.0
        np.multiply(a, b, a)
        return a

    for name, a in views((3, 4)).items():
        b = RNG.normal(size=4)
        expected, whole = changed(a.copy(), b), a if a.base is None else a.base
        outside = whole.sum() - a.sum()
        found, _ = compact(changed, a, b)
        np.testing.assert_array_equal(found, expected, err_msg=name)
        assert whole.sum() - a.sum() == pytest.approx(outside)


def test_an_output_may_be_an_operand():
    def shifted(a):
        a[1:] += a[:-1]
        return a

    a = np.arange(6.0)
    # NumPy copies operands that overlap the output; Numba does not, with its own loops either.
    np.testing.assert_array_equal(compact(shifted, a.copy())[0], njit(shifted)(a.copy()))


def test_ufuncs_with_two_results_are_left_to_numba():
    def parts(a):
        return np.divmod(a, 2.0)

    a = RNG.normal(size=(3, 4))
    for found, expected in zip(compact(parts, a)[0], parts(a), strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("ndim", [1, 2, 4, 5])
def test_the_number_of_instructions_does_not_grow_with_the_ways_to_broadcast(ndim):
    a, b = RNG.normal(size=(2,) * ndim), RNG.normal(size=(2,) * (ndim - 1) + (1,))

    def three(a, b):
        return a * b + b * a - b

    value, count = compact(three, a, b)
    np.testing.assert_array_equal(value, three(a, b))
    assert count < 700 + 350 * ndim
