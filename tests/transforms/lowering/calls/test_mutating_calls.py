"""Calls that write into an array become stores, after all that they read."""

import numpy as np
import pytest

import srcad
from srcad.errors import NotDifferentiable, UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.frontend.lower import lower
from tests.lowering import text_of


def body_of(function):
    return "\n".join(line.strip() for line in text_of(function).splitlines()[1:])


def test_out_is_a_store_and_the_array_is_the_value():
    def f(x, y, z):
        return np.add(x, y, out=z[1:])

    assert body_of(f) == "t1 = z[1:]\nt2 = np.add(x, y)\nt1[...] = t2\nreturn t1"


def test_a_ufunc_takes_out_behind_its_operands_and_in_a_tuple():
    def f(x, z):
        np.multiply(x, x, z)
        np.sin(x, out=(z,))

    def g(x, z):
        np.multiply(x, x, out=z)
        np.sin(x, z)

    assert text_of(f).replace("def f", "def g") == text_of(g)


def test_other_functions_take_out_by_position_too():
    def f(x, z):
        np.clip(z, 0.0, 1.0, z)
        np.outer(x, x, z)
        np.sum(z, 0, None, x)
        return x.clip(0.0, 1.0, x)

    def g(x, z):
        np.clip(z, 0.0, 1.0, out=z)
        np.outer(x, x, out=z)
        np.sum(z, 0, out=x)
        return np.clip(x, 0.0, 1.0, out=x)

    assert body_of(f) == body_of(g)


@pytest.mark.slow
def test_out_of_unpacked_operands():
    def f(x, mask):
        pair = (mask, mask)
        np.logical_not(*pair)
        return np.sum(x[mask])

    for jit in (False, True):
        assert srcad.grad(f, jit=jit)(np.ones(2), np.array([True, False])).tolist() == [0.0, 1.0]


@pytest.mark.slow
@pytest.mark.parametrize("jit", [False, True])
def test_results_written_by_position_reach_the_gradient(jit):
    def f(x, k):
        y = np.zeros(2)
        total = np.cumsum(x, 0, None, y)
        np.clip(k, 0, 1, k)
        return np.sum(y * y * k) + np.sum(total)

    # x0 ** 2 + x0 + (x0 + x1), as k is clipped to (1, 0)
    assert srcad.grad(f, jit=jit)(np.array([3.0, 1.0]), np.array([4, -1])).tolist() == [8.0, 1.0]


def test_of_functions_of_the_users_out_is_a_parameter_like_others():
    def twice(x, out):
        return 2.0 * x * out

    def f(x):
        return twice(x, out=x)

    assert srcad.grad(f, jit=False)(3.0) == 12.0


class Counter:
    def __init__(self):
        self.value = 0.0

    def fill(self, value):
        self.value = value


def test_methods_of_objects_and_lists_are_not_those_of_arrays():
    def f(x):
        counter = Counter()
        counter.fill(x * x)
        return counter.value

    assert srcad.grad(f, jit=False)(3.0) == 6.0


def test_elsewhere_slopes_have_no_part():
    def f(x):
        y = np.zeros(3)
        np.sqrt(x, out=y, where=x > 0.0)
        np.arccosh(x, out=y, where=x > 4.5)
        return np.sum(y)

    x = np.array([0.0, 4.0, -1.0])
    np.testing.assert_array_equal(srcad.grad(f, jit=False)(x), [0.0, 0.25, 0.0])


def test_np_copyto_with_a_mask():
    def f(a, b):
        np.copyto(a, b, where=True)
        np.copyto(a, 2.0 * b, where=b > 0.0)
        return np.sum(a * a)

    x, y = np.ones(2), np.array([1.0, -1.0])
    np.testing.assert_array_equal(srcad.grad(f, wrt=(0, 1), jit=False)(x, y), [[0.0, 0.0], [8.0, -2.0]])


def two_results(x):
    a, b = np.empty(3), np.empty(3)
    np.modf(x, out=(a, b))
    return a


def copied_without_a_source(x):
    np.copyto(x)
    return x


def without_a_definition(x):
    np.fmax.at(x, np.array([0]), 1.0)
    return x


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (two_results, "several arrays for `out=`"),
        (copied_without_a_source, "this call of np.copyto"),
        (without_a_definition, "a call whose result is not used"),
    ],
)
def test_what_is_not_known_is_refused(function, what):
    with pytest.raises(UnsupportedSyntax, match=what) as caught:
        lower(load(function))
    assert caught.value.hint


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "shape"),
    [
        (lambda x: np.put(x, [0], 1.0), (2, 2)),
        (lambda x: np.putmask(x, x > 0.0, np.ones(3)), (2, 2)),
        (lambda x: np.fill_diagonal(x, 1.0), (2, 2, 2)),
    ],
    ids=["put", "putmask", "fill_diagonal"],
)
def test_what_numpy_would_do_in_another_way_is_refused(function, shape):
    def f(x):
        function(x)
        return np.sum(x)

    with pytest.raises((NotDifferentiable, NotImplementedError), match=r"(?s)np\.\w+ .*: write "):
        srcad.grad(f, jit=False)(np.ones(shape))


@pytest.mark.parametrize("jit", [False, True])
def test_integers_hold_no_floats(jit):
    def f(x):
        k = np.zeros(2, dtype=np.int64)
        np.multiply(x, x, out=k)
        return np.sum(k * x)

    with pytest.raises(NotDifferentiable, match="array of int64, which cannot hold"):
        srcad.grad(f, jit=jit)(np.array([0.5, 1.5]))


@pytest.mark.parametrize(
    "function",
    [lambda x: np.sum(np.sign(x, where=x > 0.5) * x), lambda x: np.sum(np.add(x, x, where=x > 0.5))],
)
def test_where_without_out_is_refused(function):
    """What is left out are the bytes that are found in memory: `sign` had those in gradients."""
    with pytest.raises(UnsupportedSyntax, match="without `out=`"):
        srcad.grad(function, jit=False)(np.array([0.7, 0.3]))


def test_where_that_is_true_leaves_nothing_out():
    assert np.allclose(srcad.grad(lambda x: np.sum(np.sin(x, where=True)), jit=False)(np.zeros(2)), 1.0)


def parts(z):
    w = z.copy()
    w.imag[2] = w.real[0]
    w.real[:] *= 2.0
    w.imag[1:] *= w.real[1:]
    w.imag[np.array([0, 2])] -= 1.5 * w.real[:2]
    w.imag += w.real
    w.real = w.imag * w.real
    w[1:].real[0] = 3.0 * w.imag[3]
    return np.sum(np.abs(w) ** 2)


def test_parts_of_complex_numbers_are_written_in_place():
    """Gradients were wrong: what was written to the parts was not followed."""
    z = np.array([0.7 + 0.2j, 1.3 - 0.5j, 0.4 + 1.1j, 0.9 + 0.3j])
    found, step = srcad.grad(parts, jit=False)(z), 1e-6
    for k in range(4):
        for unit in (1.0, 1j):
            h = np.zeros(4, complex)
            h[k] = step * unit
            slope = (parts(z + h) - parts(z - h)) / (2.0 * step)
            assert np.isclose(slope, np.real(np.conj(found[k]) * unit), rtol=1e-6)
    assert np.isclose(srcad.jvp(parts, (z,), (z,), jit=False)[1], np.real(np.vdot(found, z)))
