"""Elements and ranges in few instructions mean what they mean in Python, and stay few."""

import numba
import numpy as np
import pytest

from srcad.runtime.jit.fast_compiler_pipeline import Quick


def compiled(function, **options):
    return numba.njit(pipeline_class=Quick, **options)(function)


def same(found, expected):
    assert type(found) is type(expected)
    if isinstance(expected, tuple):
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            same(ours, theirs)
    else:
        assert np.array_equal(found, expected)


def elements(x, i, j, pair):
    y = np.zeros(x.shape, x.dtype)
    y[i, j] = x[i, j]
    y[-1, i] = x[j, -2] + 1
    y[pair] = x[pair[1], pair[0]]
    y[np.uint8(1), True + 1] = x[np.int32(-1), 0]
    row = x[1]
    row_sum = row[0] + row[-1] + row[(2,)]
    return y, row_sum, x[0, 0], x[i][j]


@pytest.mark.compiled
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "c16", "?"])
def test_elements_are_those_of_numpy(dtype):
    x = (np.arange(16).reshape(4, 4) % 3).astype(dtype)
    run = compiled(elements)
    for given in (x, np.asfortranarray(x), x[::-1, ::-1], x.T):
        for i, j in ((0, 1), (-1, -2), (2, -4)):
            found, expected = run(given, i, j, (1, 2)), elements(given, i, j, (1, 2))
            assert np.array_equal(found[0], expected[0])
            assert all(np.all(a == b) for a, b in zip(found[2:], expected[2:], strict=True))


def written(a, value, flags):
    a[1] = value
    flags[0] = value
    a[2] = flags[0]
    return a[1], flags[0]


@pytest.mark.compiled
def test_what_is_written_is_cast():
    run = compiled(written)
    for value in (3, 2.5, True, np.float32(1.5)):
        ours, theirs = (np.zeros(3), np.zeros(2, "i4")), (np.zeros(3), np.zeros(2, "i4"))
        expected = tuple(each.item() for each in written(theirs[0], value, theirs[1]))
        same(run(ours[0], value, ours[1]), expected)
        same(ours, theirs)


def ranges(n, m, step):
    seen = [0]
    last = -1
    for i in range(n):
        for j in range(i, m):
            if j == 3:
                continue
            if j > 5:
                break
            seen.append(10 * i + j)
            last = i
        else:
            seen.append(-i)
    for i in range(n, m, step):
        seen.append(i)
    for i in range(m, n, -2):
        seen.append(i)
        i += 7  # which is not where the loop is
        last = i
    r = range(m, n) if step > 1 else range(n)
    for i in r:
        seen.append(i)
    for k in range(np.uint8(3)):
        seen.append(k)
    return np.array(seen), last, len(r)


@pytest.mark.compiled
def test_ranges_are_those_of_python():
    run = compiled(ranges)
    for n in (-2, 0, 1, 4):
        for m in (-3, 0, 2, 8):
            for step in (1, 3, -1):
                same(run(n, m, step), tuple(np.asarray(e) if np.ndim(e) else e for e in ranges(n, m, step)))


@pytest.mark.compiled
def test_a_step_of_zero_raises_what_it_raised():
    with pytest.raises(ValueError, match="must not be zero"):
        compiled(ranges)(1, 2, 0)


@pytest.mark.compiled
def test_bounds_are_checked_where_that_is_asked_for():
    def last(x, i):
        return x[i]

    with pytest.raises(IndexError):
        compiled(last, boundscheck=True)(np.ones(3), 3)


@pytest.mark.compiled
def test_a_loop_over_elements_is_two_thirds_of_what_numba_writes():
    def sweep(x, y):
        for i in range(1, x.shape[0] - 1):
            for j in range(1, x.shape[1] - 1):
                y[i, j] = x[i, j - 1] + x[i, j + 1] + x[i - 1, j] + x[i + 1, j]

    kind = numba.types.Array(numba.float64, 2, "C")
    lengths = [len(_unoptimised(make(sweep), (kind, kind))) for make in (compiled, numba.njit)]
    assert lengths[0] < 0.67 * lengths[1]


def _unoptimised(dispatcher, kinds):
    """The lines of LLVM code that a function is lowered to."""
    from numba.core.codegen import CPUCodeLibrary

    texts, add = [], CPUCodeLibrary.add_ir_module
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            CPUCodeLibrary, "add_ir_module", lambda self, module: (texts.append(str(module)), add(self, module))
        )
        dispatcher.compile(kinds)
    return max(texts, key=len).splitlines()
