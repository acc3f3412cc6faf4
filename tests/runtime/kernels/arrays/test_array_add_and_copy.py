"""Whole arrays are added and copied as NumPy does it, and without what takes Numba seconds to compile."""

import numba
import numpy as np
import pytest
from numba.core import event

from srcad.runtime import kernels
from tests.checking import assert_gradient

SHAPES = [
    ((3,), (3,)),
    ((3,), (1,)),
    ((2, 3), (2, 3)),
    ((2, 3), (2, 1)),
    ((2, 3), (3,)),
    ((2, 2, 3), (2, 1, 3)),
    ((0, 3), (0, 3)),
    ((2, 3), ()),
]
FUNCTIONS = [kernels.add_to, kernels.subtract_from, kernels.copy_to]


@pytest.fixture(scope="module")
def compiled():
    return {function: numba.njit(_calling(function)) for function in FUNCTIONS}


def _calling(function):
    def run(target, value):
        function(target, value)

    return run


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("function", "shapes"),
    [*((kernels.copy_to, each) for each in SHAPES), (kernels.add_to, SHAPES[2]), (kernels.subtract_from, SHAPES[4])],
    ids=lambda each: getattr(each, "__name__", None) or str(each),
)
def test_values_are_stretched_as_numpy_does_it(compiled, function, shapes):
    rng = np.random.default_rng(3)
    target, value = (rng.normal(size=shape) for shape in shapes)
    expected = target.copy()
    function(expected, value)
    compiled[function](target, value)
    np.testing.assert_array_equal(target, expected)


@pytest.mark.compiled
@pytest.mark.parametrize("shapes", [((3,), (2,)), ((2, 3), (2, 2)), ((2, 3), (3, 3))], ids=str)
def test_other_shapes_are_errors(compiled, shapes):
    target, value = (np.ones(shape) for shape in shapes)
    with pytest.raises(ValueError, match="broadcast"):
        compiled[kernels.copy_to](target, value)
    np.testing.assert_array_equal(target, 1.0)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda each: each.__name__)
def test_what_is_no_array_is_an_error(function):
    with pytest.raises(TypeError):
        function(np.float64(1.0), np.float64(2.0))


class _Compiled(event.Listener):
    """The files of the functions that Numba compiles."""

    def __init__(self):
        self.files = []

    def on_start(self, event):
        self.files.append(event.data["dispatcher"].py_func.__code__.co_filename)

    def on_end(self, event):
        """Nothing: only what begins is counted."""


@pytest.mark.compiled
@pytest.mark.parametrize(
    "run",
    [
        lambda x: kernels.grown(x[0]),
        lambda x: kernels.spread(x[:1], x.shape),
        lambda x: kernels.cofactors(x + 1.0, 0.0),
        lambda x: kernels.snapshot(x.T),
        lambda x: np.roll(x, 1, 0),
    ],
    ids=["grown", "spread", "cofactors", "snapshot", "roll"],
)
def test_kernels_do_not_assign_arrays_to_slices(run):
    """Numba then compiles the text of an error, two seconds of Unicode strings."""
    listener = _Compiled()
    with event.install_listener("numba:compile", listener):
        numba.njit(run)(np.eye(2))
    assert listener.files
    assert not [each for each in listener.files if each.endswith("unicode.py")]


def in_place(x):
    w = np.zeros(x.size, np.complex128)
    w += 1j * x
    for k in range(3):
        w *= x[k] - 1j
        w[...] = np.conj(w)
    return np.sum(np.abs(w)) + w[0].real


@pytest.mark.compiled
def test_whole_arrays_of_complex_numbers_are_changed_in_place():
    x = np.linspace(0.1, 0.9, 4)
    assert_gradient(in_place, x, modes=("arrays", "compiled", "compiled tangent"))

    @numba.njit
    def all_of(a):
        return a[...]

    for a in (x, np.ones((2, 3))[:, ::2]):
        view = all_of(a)
        assert view.shape == a.shape
        view[...] = 7.0
        np.testing.assert_array_equal(a, np.full(a.shape, 7.0))


def plus_scaled(target, factor, value):
    kernels.add_scaled(target, factor, value)
    return target


@pytest.mark.compiled
def test_a_multiple_is_added_to_vectors_and_matrices_of_the_same_shape():
    compiled = numba.njit(plus_scaled)
    for target, value in ((np.ones(3), np.arange(6.0)[::2]), (np.ones((2, 3)), np.arange(6.0).reshape(3, 2).T)):
        expected = plus_scaled(target.copy(), -2.0, value)
        np.testing.assert_array_equal(expected, 1.0 - 2.0 * value)
        np.testing.assert_array_equal(compiled(target, -2.0, value), expected)
        with pytest.raises(ValueError, match="broadcast"):
            compiled(target, -2.0, value[1:])


def by_rows(u, b):
    x = b.copy()
    for i in range(b.size - 1, -1, -1):
        x[i] = (x[i] - u[i, i + 1 :] @ x[i + 1 :]) / u[i, i]
        x[:i] = x[:i] + 0.1 * (u[:i, i] @ x[:i])
    return np.sum(np.sin(x))


@pytest.mark.parametrize("size", [pytest.param(0, marks=pytest.mark.nightly), 4])
def test_gradients_of_products_of_rows(size):
    rng = np.random.default_rng(1)
    assert_gradient(
        by_rows, rng.normal(size=(size, size)) + 3.0 * np.eye(size), rng.normal(size=size), modes=("loops",)
    )
