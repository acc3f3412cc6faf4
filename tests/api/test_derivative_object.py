"""The object that stands for a derivative: called like its function, from Python and from compiled code."""

import inspect
import pickle

import numba
import numpy as np
import pytest

import srcad
from srcad.api.argument_binding import Binding, bind
from srcad.errors import BadArgument, NotDifferentiable

WEIGHTS = np.array([1.0, 2.0, 3.0])
SCALE = 2.0


def energy(x, k=2.0):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i]
    return total


def weighted(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += SCALE * WEIGHTS[i] * x[i] * x[i]
    return total


X = np.array([1.0, -2.0, 0.5])


def test_keywords_and_defaults_are_those_of_the_function():
    slope = srcad.grad(energy)
    np.testing.assert_array_equal(slope(X), 4.0 * X)
    np.testing.assert_array_equal(slope(X, 3.0), 6.0 * X)
    np.testing.assert_array_equal(slope(k=3.0, x=X), 6.0 * X)
    assert inspect.signature(slope) == inspect.signature(energy)
    with pytest.raises(TypeError, match=r"too many arguments|takes from 1 to 2 positional arguments"):
        slope(X, 1.0, 2.0)


@pytest.mark.parametrize("jit", [True, False])
def test_wrt_is_an_index_a_name_or_a_tuple_of_them(jit):
    square = X @ X
    assert srcad.grad(energy, wrt="k", jit=jit)(X, 3.0) == square
    assert srcad.grad(energy, wrt=-1, jit=jit)(X, 3.0) == square
    by_k, by_x = srcad.grad(energy, wrt=("k", 0), jit=jit)(X, 3.0)
    assert by_k == square
    np.testing.assert_array_equal(by_x, 6.0 * X)
    assert isinstance(srcad.grad(energy, wrt=("k",), jit=jit)(X, 3.0), tuple)


@pytest.mark.parametrize(
    ("wrt", "message"),
    [
        ("q", "energy has no parameter 'q'\nhint: its parameters are x, k"),
        (2, "energy has no parameter 2"),
        (-3, "energy has no parameter -3"),
        ((), "`wrt` is empty"),
        ((0, "x"), "`wrt` names a parameter twice"),
        (1.0, "`wrt` is 1.0\nhint: give an index, a name, a path such as 'p.w', or a tuple of them"),
        (True, "`wrt` is True"),
    ],
)
def test_a_wrt_that_makes_no_sense_is_refused_at_once(wrt, message):
    with pytest.raises(BadArgument) as caught:
        srcad.grad(energy, wrt=wrt)
    assert str(caught.value).startswith(message)


def test_captured_arrays_are_read_at_each_call(monkeypatch):
    slope = srcad.grad(weighted)
    np.testing.assert_array_equal(slope(X), 4.0 * WEIGHTS * X)
    monkeypatch.setitem(globals(), "WEIGHTS", np.ones(3))
    np.testing.assert_array_equal(slope(X), 4.0 * X)
    WEIGHTS[0] = 5.0
    np.testing.assert_array_equal(slope(x=X), 4.0 * WEIGHTS * X)


def test_captured_numbers_are_compared_at_each_call(monkeypatch):
    slope = srcad.grad(weighted)
    slope(X)
    monkeypatch.setitem(globals(), "SCALE", 0.5)
    np.testing.assert_array_equal(slope(X), WEIGHTS * X)
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    np.testing.assert_array_equal(slope(X), 4.0 * WEIGHTS * X)


def test_closures_may_rebind_what_is_captured():
    rate = 1.0

    def f(x):
        return rate * x * x

    slope = srcad.grad(f)
    assert slope(3.0) == 6.0
    rate = 2.0
    assert slope(3.0) == 12.0


SLOPE, WEIGHTED_SLOPE = srcad.grad(energy), srcad.grad(weighted)


def test_a_derivative_serves_inside_compiled_code():
    @numba.njit
    def descend(x):
        for _ in range(3):
            x = x - 0.1 * SLOPE(x, k=1.0)
        return x

    np.testing.assert_allclose(descend(X), 0.8**3 * X, rtol=1e-14)


def test_captured_arrays_are_constants_inside_compiled_code():
    @numba.njit
    def outer(x):
        return WEIGHTED_SLOPE(x)

    np.testing.assert_array_equal(outer(X), 4.0 * np.array([1.0, 2.0, 3.0]) * X)


def test_a_derivative_is_an_argument_of_compiled_code():
    @numba.njit
    def apply(slope, x):
        return slope(x)

    np.testing.assert_array_equal(apply(SLOPE, X), 4.0 * X)


def test_a_derivative_without_jit_is_refused_inside_compiled_code():
    plain = srcad.grad(energy, jit=False)
    with pytest.raises(numba.TypingError, match="made with jit=False cannot be called from compiled code"):
        numba.njit(lambda x: plain(x, 2.0))(X)


@pytest.mark.parametrize("jit", [True, False])
def test_arguments_are_never_changed(jit):
    def overwrite(x):
        x[0] = x[0] * x[1]
        return x[0] * x[2]

    given = X.copy()
    np.testing.assert_array_equal(srcad.grad(overwrite, jit=jit)(given), [X[1] * X[2], X[0] * X[2], X[0] * X[1]])
    np.testing.assert_array_equal(given, X)


@pytest.mark.parametrize("jit", [True, False])
def test_gradients_have_the_dtype_and_shape_of_their_arguments(jit):
    for dtype in (np.float32, np.float64):
        x = np.ones((3, 1), dtype)[:, 0]
        found = srcad.grad(energy, jit=jit)(x, dtype(2.0))
        assert found.dtype == dtype
        assert found.shape == x.shape


@pytest.mark.parametrize("jit", [True, False])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.array([1, 2]), 1.0), "argument 'x' of energy"),
        (
            (object(), 1.0),
            "the argument 'x' is of type object, which has no Numba type\nhint: pass numbers and NumPy arrays",
        ),
    ],
)
def test_arguments_without_a_derivative_are_refused(jit, arguments, message):
    with pytest.raises(NotDifferentiable) as caught:
        srcad.grad(energy, jit=jit)(*arguments)
    assert message in str(caught.value)


def test_an_integer_is_refused_with_the_cure():
    with pytest.raises(TypeError, match=r"pass 2\.0 instead of 2"):
        srcad.grad(energy, wrt="k")(X, 2)


def test_a_result_that_is_no_number_points_to_vjp():
    with pytest.raises(NotDifferentiable, match=r"vjp.*jacobian"):
        srcad.grad(lambda x: x * 2.0)(X)


def test_an_error_inside_compiled_code_is_the_original_one():
    @numba.njit
    def outer(x):
        return SLOPE(x, 2.0)

    with pytest.raises(NotDifferentiable, match="argument 'x' of energy"):
        outer(np.array([1, 2]))


def test_options_of_the_users_dispatcher_are_kept():
    def ratio(x, y):
        return x / y

    strict, loose = (srcad.grad(numba.njit(error_model=model)(ratio)) for model in ("python", "numpy"))
    assert loose(1.0, 0.0) == np.inf
    with pytest.raises(ZeroDivisionError):
        strict(1.0, 0.0)


def test_infinite_slopes_are_infinite():
    assert srcad.grad(lambda x: 2.0 * np.sqrt(x))(0.0) == np.inf


def test_asking_again_gives_what_was_compiled_before():
    assert srcad.grad(energy) is srcad.grad(energy)
    assert srcad.grad(energy) is not srcad.grad(energy, wrt=1)


def test_a_derivative_can_be_pickled():
    again = pickle.loads(pickle.dumps(srcad.grad(energy, wrt="k")))
    assert again(X, 1.0) == X @ X


def test_a_derivative_says_what_it_is():
    assert repr(srcad.grad(energy, wrt=("k", 0))) == "<srcad grad of energy with respect to k, x>"
    assert srcad.grad(energy).__name__ == "energy_grad"


class Spring:
    stiffness = 3.0

    def energy(self, x):
        return self.stiffness * x * x


def test_methods_are_differentiated_by_their_own_arguments():
    assert srcad.grad(Spring().energy)(2.0) == 12.0
    assert srcad.grad(Spring().energy, wrt="x")(2.0) == 12.0


@pytest.mark.parametrize(
    "function", [lambda x, k=2.0, m=1.0: 0, lambda x, k: 0, lambda *x: 0, lambda x, *, k=2.0: 0, lambda x, /, k=2.0: 0]
)
@pytest.mark.parametrize("args", [(), (1.0,), (1.0, 3.0), (1.0, 3.0, 4.0, 5.0)])
@pytest.mark.parametrize("kwargs", [{}, {"k": 5.0}, {"m": 5.0}, {"x": 7.0, "k": 5.0}, {"other": 1.0}])
def test_arguments_are_bound_as_python_does(function, args, kwargs):
    signature = inspect.signature(function)
    try:
        expected = bind(signature, args, kwargs)
    except TypeError as error:
        with pytest.raises(TypeError, match=str(error).partition("(")[0]):
            Binding(signature)(args, kwargs)
    else:
        assert Binding(signature)(args, kwargs) == expected


def shifted(x, shift=5.0, *, factor=2.0):
    return factor * shift * x**3


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_directions_follow_arguments_with_defaults(jit):
    product = srcad.hvp(shifted, jit=jit)
    assert product(2.0, 1.0) == product(2.0, 5.0, 1.0) == product(x=2.0, shift=5.0, factor=2.0, x_dot=1.0) == 120.0
    assert product(2.0, 1.0, factor=1.0) == 60.0
    assert product(2.0, 3.0, 1.0, factor=1.0) == 36.0
    both = srcad.hvp(shifted, wrt=(0, 1), jit=jit)
    assert both(2.0, 1.0, 0.0) == both(2.0, 5.0, 1.0, 0.0) == (120.0, 24.0)
    with pytest.raises(TypeError, match="missing a required argument"):
        both(2.0)
    with pytest.raises(TypeError, match="too many positional arguments"):
        both(2.0, 1.0, 0.0, 1.0, 0.0, 0.0)
