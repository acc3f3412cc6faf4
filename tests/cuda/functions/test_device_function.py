"""Gradients of functions over device arrays, in an emulator: against differences of the functions themselves."""

import os
import subprocess
import sys

import numpy as np
import pytest

import srcad
import srcad.cuda
from srcad.errors import BadType, MissingRule, SrcadError, UnsupportedSyntax
from tests.cuda.functions.emulated_device import EmulatedDevice, on_device, on_host
from tests.cuda.functions.programs import PROGRAMS


def made(make, f, *args, device=None, **options):
    """A function over emulated device arrays."""
    found = make(f, *args, **options)
    found._device = device or EmulatedDevice()
    return found


def moved(args):
    return [on_device(each) if isinstance(each, np.ndarray) else each for each in args]


def copied(args):
    return [np.copy(each) if isinstance(each, np.ndarray) else each for each in args]


def reals(args):
    return tuple(
        k for k, each in enumerate(args) if isinstance(each, float) or getattr(each, "dtype", np.dtype(int)).kind == "f"
    )


def check_along(f, args, k, gradient, tolerance):
    """Compare a gradient with differences along a direction."""
    direction = np.random.default_rng(k).normal(size=np.shape(args[k]))
    step = 1e-6 if tolerance < 1e-4 else 1e-2

    def at(distance):
        moved_by = copied(args)
        moved_by[k] = np.asarray(args[k] + distance * direction, getattr(args[k], "dtype", float))[()]
        return float(f(*moved_by))

    expected = (at(step) - at(-step)) / (2 * step)
    found = float(np.sum(np.float64(gradient) * direction))
    assert abs(found - expected) <= tolerance * (1 + abs(expected)), (k, found, expected)


@pytest.mark.parametrize("name", PROGRAMS)
def test_gradients_are_those_of_differences(name):
    f, args, most = PROGRAMS[name]
    wrt = reals(args)
    tolerance = 2e-3 if name == "single" else 1e-7
    derivative = made(srcad.cuda.value_and_grad, f, wrt)
    results = []
    for backwards in (False, True):  # noted, and launched again
        device = derivative._device = EmulatedDevice(backwards=backwards)
        given = moved(args)
        value, gradients = derivative(*given)
        assert type(value) is float
        assert len(device.launched) <= most
        np.testing.assert_allclose(value, f(*copied(args)), rtol=1e-5 if name == "single" else 1e-12)
        results.append([on_host(each) for each in gradients])
        for before, after in zip(args, given, strict=True):
            np.testing.assert_array_equal(before, on_host(after))
    for first, again, gradient, k in zip(*results, gradients, wrt, strict=True):
        np.testing.assert_array_equal(first, again)
        assert getattr(gradient, "shape", ()) == np.shape(args[k])
        assert getattr(gradient, "dtype", float) == getattr(args[k], "dtype", float)
        if name != "ties":  # where there are no derivatives: see below
            check_along(f, args, k, first, tolerance)


def test_ties_share_the_gradient_as_on_the_host():
    f, args, _ = PROGRAMS["ties"]
    found = made(srcad.cuda.grad, f, (0, 1))(*moved(args))
    for one, other in zip(found, srcad.grad(f, (0, 1), jit=False)(*args), strict=True):
        np.testing.assert_array_equal(on_host(one), other)


def test_long_sums_are_divided_into_chunks_that_a_second_kernel_combines():
    def f(x, y):
        rows = np.max(np.mean(y * y, axis=1))
        return np.sum(x * x) + np.sum(np.sum(y, axis=0) ** 2) + rows + np.sum(np.sin(x[:33] * y))

    rng = np.random.default_rng(5)
    x, y = rng.normal(size=101), rng.normal(size=(70, 33))
    derivative = made(srcad.cuda.value_and_grad, f, (0, 1))
    value, (x_bar, y_bar) = derivative(*moved((x, y)))
    np.testing.assert_allclose(value, f(x, y), rtol=1e-13)
    np.testing.assert_allclose(on_host(x_bar)[33:], 2.0 * x[33:], rtol=1e-14)
    check_along(f, (x, y), 0, on_host(x_bar), 1e-7)
    check_along(f, (x, y), 1, on_host(y_bar), 1e-7)
    assert "parts" in derivative.source(*moved((x, y)))


def test_a_call_with_other_sizes_and_numbers_compiles_nothing_new():
    def f(x, c):
        return np.mean(np.exp(-c * x) / x.size)

    derivative = made(srcad.cuda.value_and_grad, f, (0, 1))
    for n, c in ((5, 0.3), (9, 0.3), (9, 1.7)):
        x = np.linspace(0.1, 1.0, n)
        value, (x_bar, c_bar) = derivative(on_device(x), c)
        np.testing.assert_allclose(value, f(x, c), rtol=1e-13)
        np.testing.assert_allclose(on_host(x_bar), -c * np.exp(-c * x) / n**2, rtol=1e-13)
        np.testing.assert_allclose(c_bar, np.sum(-x * np.exp(-c * x)) / n**2, rtol=1e-13)
    assert len(derivative._device._kernels) == 1


def test_numbers_decide_branches_anew_in_each_call():
    def f(x, c):
        return np.sum(x * x) if c > 1.0 else np.sum(x)

    derivative = made(srcad.cuda.grad, f)
    x = np.array([1.0, 3.0])
    for c, expected in ((2.0, 2.0 * x), (0.5, np.ones(2)), (3.0, 2.0 * x)):
        np.testing.assert_array_equal(on_host(derivative(on_device(x), c)), expected)


def test_arguments_that_are_no_floats_are_part_of_what_a_call_is_noted_for():
    def f(x, n, squared=False, shift=None):
        y = x * x if squared else x
        if shift is not None:
            y = y * (y + shift)
        return np.sum(y) * n

    derivative = made(srcad.cuda.grad, f)
    x = np.array([1.0, 3.0])
    for args, expected in (((2,), [2.0, 2.0]), ((3, True), 6.0 * x), ((2, False, 1.0), 2.0 * (2.0 * x + 1.0))):
        np.testing.assert_allclose(on_host(derivative(on_device(x), *args)), expected, rtol=1e-14)


def test_a_captured_number_that_changes_is_read_again():
    scale = 2.0

    def f(x):
        return np.sum(scale * x)

    derivative = made(srcad.cuda.grad, f)
    assert on_host(derivative(on_device(np.ones(2)))).tolist() == [2.0, 2.0]
    scale = 5.0
    assert on_host(derivative(on_device(np.ones(2)))).tolist() == [5.0, 5.0]


def test_the_function_itself_returns_arrays_and_writes_into_its_arguments():
    def f(x, y):
        y[1:] = x[1:] * 2.0
        return x + y, np.sum(y), x

    x, y = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    device_x, device_y = on_device(x), on_device(y)
    total, summed, same = made(srcad.cuda.function, f)(device_x, device_y)
    expected = f(x, y)
    np.testing.assert_array_equal(on_host(total), expected[0])
    assert summed == expected[1]
    np.testing.assert_array_equal(on_host(same), expected[2])
    np.testing.assert_array_equal(on_host(device_y), y)
    np.testing.assert_array_equal(on_host(device_x), x)


def test_arrays_of_other_libraries_and_with_gaps():
    class Foreign:
        """An array that has no more than the interface, as PyTorch's dtypes are its own."""

        def __init__(self, array):
            self.array, self.shape, self.dtype = array, array.shape, "a dtype of its own"

        @property
        def __cuda_array_interface__(self):
            return self.array.__array_interface__

    class Device(EmulatedDevice):
        def taken(self, array):
            return array.array

    def f(x):
        return np.sum(np.sin(x[1:]) * x[:-1])

    x = np.linspace(0.1, 1.0, 12).reshape(4, 3).T[::2]
    derivative = made(srcad.cuda.grad, f, device=Device())
    check_along(f, (x,), 0, on_host(derivative(Foreign(x))), 1e-7)


def test_only_numbers_are_copied_to_the_host():
    f, args, _ = PROGRAMS["least_squares"]
    device = EmulatedDevice()
    made(srcad.cuda.value_and_grad, f, (0, 1, 2), device=device)(*moved(args))
    assert device.copied == 1


X = np.array([0.5, 1.5, 1.0])


def sorts(x):
    y = x * 2.0
    return np.sum(np.sort(y))


def gathers(x, index):
    return np.sum(x[index])


def loops(x):
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i] * x[i]
    return s


def mixes(x):
    return np.sum(x * np.array([1.0, 2.0, 3.0]))


def inverts(x):
    return np.sum(np.linalg.inv(np.outer(x, x)))


REFUSED = [
    (sorts, (on_device(X),), MissingRule, "np.sort", "return np.sum(np.sort(y))"),
    (gathers, (on_device(X), on_device(np.array([0, 0]))), UnsupportedSyntax, "subscripted", "return np.sum(x[index])"),
    (loops, (on_device(np.ones(300)),), UnsupportedSyntax, "single elements", "s += x[i] * x[i]"),
    (inverts, (on_device(X),), SrcadError, "np.linalg.inv", "np.linalg.inv"),
    (sorts, (X,), BadType, "`x` is an array in host memory", ""),
    (sorts, ("text",), BadType, "`x` is a str", ""),
    (sorts, (on_device(np.ones(2, complex)),), BadType, "complex128", ""),
]


@pytest.mark.parametrize(("f", "args", "kind", "said", "line"), REFUSED)
def test_what_has_no_form_in_kernels_is_refused(f, args, kind, said, line):
    with pytest.raises(kind, match="hint") as caught:
        made(srcad.cuda.value_and_grad, f)(*args)
    text = str(caught.value)
    assert said in text
    assert line in text
    assert caught.value.hint
    if line:
        assert "test_device_function.py" in text


IN_SIMULATOR = """
import numpy as np
from numba import cuda
import srcad.cuda
from tests.cuda.functions.programs import PROGRAMS
from tests.cuda.functions.test_device_function import reals, check_along

for name in ("least_squares", "plate"):
    f, args, _ = PROGRAMS[name]
    given = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in args]
    derivative = srcad.cuda.value_and_grad(f, reals(args))
    value, gradients = derivative(*given)
    np.testing.assert_allclose(value, f(*args), rtol=1e-12)
    for k, gradient in zip(reals(args), gradients):
        check_along(f, args, k, gradient.copy_to_host() if hasattr(gradient, "copy_to_host") else gradient, 1e-7)
print("done")
"""


def test_in_the_simulator():
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    run = subprocess.run(
        [sys.executable, "-c", IN_SIMULATOR], env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert run.stdout == "done\n", run.stderr
