"""What is out of range raises where Python raises, and nothing else does."""

import numba
import numpy as np
import pytest

import srcad
from srcad.driver.pipeline import derive, prepare
from srcad.tools.type_signatures import parse_signature


def prefix(x, n):
    s = 0.0
    for i in range(n):
        s += x[i] * x[i]
    return s


def shifted(x, n):
    s = 0.0
    for i in range(1, n):
        s += x[i - 1] * x[-i]
    return s


def whole(x):
    s = 0.0
    for i in range(1, x.shape[0] - 1):
        s += x[i - 1] * x[i + 1]
    for v in x:
        s += v
    return s + x[len(x) // 2] if len(x) > 0 else s


def guarded(x, n):
    s = 0.0
    for i in range(n):
        if i < n - 1:
            s += x[i + 1]
    return s


def until(x, n):
    s = 0.0
    for i in range(n):
        if s > 1.5:
            break
        s += x[i]
    return s


def stopping(x, n):
    s = 0.0
    for i in range(n):
        if i == 2:
            raise ValueError("two")
        s += x[i]
    return s


def gathered(x, k):
    s = 0.0
    for i in range(k.shape[0]):
        s += x[k[i]] * x[k[i]]
    return s


def chosen(x, k):
    return np.sum(x[k] ** 2)


def triangle(a, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            s += a[i, j]
    return s


def doubled(x, n):
    for i in range(n):
        x[i] *= 2.0
    return np.sum(x)


def text(function, signature, mode="grad", **how):
    return derive(prepare(function), mode, (0,) if mode != "core" else (), parse_signature(signature), **how).text


def outcome(function, *args):
    """The result or the exception of a call, and the arrays after it."""
    args = [np.copy(each) if isinstance(each, np.ndarray) else each for each in args]
    try:
        return function(*args), args
    except (IndexError, ValueError) as problem:
        return type(problem), args


def run(function, signature, mode="grad"):
    """The generated function as plain Python; an IndexError of NumPy's own tells that a check is missing."""
    made = derive(prepare(function), mode, (0,) if mode != "core" else (), parse_signature(signature))
    names = dict(made.bindings)
    exec(made.text, names)
    return names[made.functions[0]]


X = np.array([0.5, 0.25, 0.875])


@pytest.mark.parametrize("function", [prefix, shifted, guarded, until, stopping, doubled])
@pytest.mark.parametrize("mode", ["grad", "core"])
def test_what_raises_is_what_raises_in_python(function, mode):
    derived = run(function, "f8[::1], i8", mode)
    for size in range(4):
        for n in range(-1, 6):
            expected, left = outcome(function, X[:size], n)
            found, mine = outcome(derived, X[:size], n)
            assert (found == expected) if isinstance(expected, type) else not isinstance(found, type)
            if mode == "core":
                np.testing.assert_array_equal(mine[0], left[0])


@pytest.mark.parametrize("function", [prefix, shifted, guarded])
def test_a_loop_that_runs_to_its_end_is_checked_before_it(function):
    for mode in ("grad", "core"):
        lines = text(function, "f8[::1], i8", mode).splitlines()
        loop = next(k for k, line in enumerate(lines) if line.lstrip().startswith("for "))
        assert any("check_room" in line for line in lines[:loop])
        assert not any("check_" in line for line in lines[loop:])


@pytest.mark.parametrize("function", [until, stopping, doubled])
def test_a_loop_that_may_stop_or_is_observed_is_checked_inside(function):
    inside = [line for line in text(function, "f8[::1], i8", "core").splitlines() if "check_index" in line]
    assert [line[:8].isspace() for line in inside] == [True]


def test_what_is_proved_has_no_check():
    assert "check_" not in text(whole, "f8[:]")
    assert "check_" not in text(whole, "f8[:]", "core")


@pytest.mark.parametrize("function", [gathered, chosen])
def test_index_arrays_are_checked_by_their_elements(function):
    derived = run(function, "f8[::1], i8[::1]")
    for k in ([], [0, 2], [-3], [3], [0, -4]):
        expected, _ = outcome(function, X, np.array(k, int))
        found, _ = outcome(derived, X, np.array(k, int))
        assert isinstance(found, type) == isinstance(expected, type)


def test_a_mask_has_the_shape_of_what_it_selects_from():
    derived = run(chosen, "f8[::1], b1[::1]")
    derived(X, np.array([True, False, True]))
    with pytest.raises(IndexError, match=r"x\[k\]: index is out of range \(test_bounds_checks.py:\d+\)"):
        derived(X, np.array([True, False]))


def test_checks_can_be_left_out():
    assert "check_" not in text(prefix, "f8[:], i8", boundscheck=False)
    unchecked = numba.njit(boundscheck=False)(prefix)
    assert "check_" not in text(unchecked, "f8[:], i8")
    assert "check_" in text(unchecked, "f8[:], i8", boundscheck=True)
    assert "check_" in text(numba.njit(prefix), "f8[:], i8")


def test_a_check_is_in_the_forward_sweep_only():
    forward, reverse = text(gathered, "f8[:], i8[:]", "vjp").split("def gathered_reverse")
    assert "check_index" in forward
    assert "check_" not in reverse


@pytest.mark.compiled
@pytest.mark.parametrize("n", [4, 100, 3_000_000])
def test_compiled_derivatives_name_the_subscript_and_its_line(n):
    line = prefix.__code__.co_firstlineno + 3
    message = rf"x\[i\]: index is out of range \(test_bounds_checks.py:{line}\)"
    for derivative in (srcad.grad(prefix), srcad.function(prefix), lambda x, n: srcad.jvp(prefix, (x, n), (x, None))):
        with pytest.raises(IndexError, match=message):
            derivative(X, n)
    with pytest.raises(IndexError, match=message):
        srcad.hvp(prefix)(X, n, X)


@pytest.mark.compiled
def test_an_index_is_checked_inside_of_compiled_code():
    compiled, primal = numba.njit(prefix), srcad.function(prefix)

    @numba.njit
    def descend(x, n):
        return x - 0.1 * srcad.grad(compiled)(x, n), primal(x, n)

    np.testing.assert_allclose(descend(X, 3)[0], X - 0.2 * X)
    with pytest.raises(IndexError, match=r"x\[i\]: index is out of range"):
        descend(X, 4)


@pytest.mark.compiled
def test_memory_around_an_array_stays_as_it_is():
    memory = np.full(9, 7.0)
    inner = memory[3:6]
    inner[:] = X
    for function in (doubled, prefix):
        for derivative in (srcad.function(function), srcad.grad(function)):
            for n in (4, 6, 9):
                with pytest.raises(IndexError):
                    derivative(inner, n)
    np.testing.assert_array_equal(np.delete(memory, [3, 4, 5]), 7.0)
    np.testing.assert_array_equal(inner, 8.0 * X)  # each of the three calls has doubled what is in range


def assigned(a, b):
    c = np.zeros(5)
    c[:] = a
    return np.sum(c)


def added(a, b):
    c = a.copy()
    c += b
    return np.sum(c)


def added_to_part(a, b):
    c = a.copy()
    c[1:3] += b
    return np.sum(c)


def chosen_added(a, b):
    c = a.copy()
    c[np.array([0, 1])] += b
    return np.sum(c)


def product(a, b):
    return np.dot(a, b)


def sums(a, b):
    return np.sum(a + b)


@pytest.mark.compiled
@pytest.mark.parametrize("function", [assigned, added, added_to_part, chosen_added, product, sums])
def test_shapes_that_do_not_fit_raise_in_the_function_and_in_its_gradient(function):
    for a, b in [(np.ones(3), np.ones(4)), (np.ones(4), np.ones(3))]:
        with pytest.raises(ValueError, match=r"shape|broadcast|sizes|aligned"):
            function(a, b)
        for derivative in (srcad.function(function), srcad.grad(function)):
            with pytest.raises(ValueError, match=r"shape|broadcast|sizes"):
                derivative(a, b)


@pytest.mark.parametrize(
    ("call", "good", "bad"),
    [
        (lambda a, k: np.sum(np.take(a, k, axis=0)), [0, -3], [0, 3]),
        (lambda a, k: a[1] * a[k[0], 1:][0], [2], [3]),
        (lambda a, k: np.sum(a[..., k[0]]), [3], [4]),
        (lambda a, k: np.sum(a[k, k]), [2, 0], [2, 3]),
    ],
)
def test_every_part_of_an_index_is_checked(call, good, bad):
    a = np.arange(12.0).reshape(3, 4)
    derived = run(lambda a, k: np.sum(call(a, k)), "f8[:, ::1], i8[::1]")
    derived(a, np.array(good))
    with pytest.raises(IndexError, match="index is out of range"):
        derived(a, np.array(bad))
