"""Sweeps in vector mode have in each lane what a single sweep has; what has none is told apart."""

import numpy as np
import pytest
from numba import njit, prange, typeof
from numba import types as nb

from srcad.driver.vector_sweeps import ENDINGS, Wanted, lanes_text, vector_sweeps
from srcad.driver.version import Request, Version, compiler_options
from srcad.runtime.jit.disk_cache import Stored
from srcad.runtime.kernels.directions import WIDTH
from tests.test_programs import programs

TABLE = np.array([2, 0, 2, 1])


def recurrence(x):
    y = np.empty_like(x)
    s = 0.0
    for i in range(x.shape[0]):
        s = np.sin(s) + x[i] * np.exp(-s)
        if s > 1.0:
            s = s * 0.5
        y[i] = s
    return y


def whole_arrays(x):
    u = np.exp(-x * x)
    v = np.roll(u, 1) * np.sin(x) - np.cumsum(u)
    return v / (1.0 + u) + np.outer(x, u) @ x


def helper(a, b):
    return np.tanh(a) * b + np.log1p(a * a)


def gathers(x):
    y = np.zeros(3)
    for j in range(TABLE.shape[0]):
        y[TABLE[j]] += helper(x[TABLE[j] + 1], x[0])
        y[TABLE[j]] *= x[j]
    return y


def views_and_writes(x):
    a = np.outer(x, x)
    row = a[1]
    row[:] = row * x[0]
    a[2:, ::2] += np.sqrt(a[2:, 1::2] ** 2 + 1.0)
    return a.T @ x


def transposes(x):
    a = np.outer(x, np.sin(x))
    return a.T @ x + np.sum(a, axis=0)


def while_it_grows(x):
    s, n = x[0], 0
    while s < 40.0 and n < 9:
        s = s * (1.5 + x[n % 4] ** 2)
        n += 1
    return s * x


def leaves_early(x):
    s = x * 1.0
    for _ in range(6):
        s = s * np.cos(x)
        if np.sum(s) < 0.5:
            break
    for _ in range(3, 3):
        s = s + 1.0 / (x - x)
    return np.array([np.sum(s), s[0] * s[-1], np.max(s)])


def energy(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2) + np.dot(x, x) ** 2


def factorial_like(x, n):
    return x if n == 0 else x * factorial_like(x, n - 1)


def recursive(x):
    y = np.empty(4)
    for i in range(4):
        y[i] = factorial_like(x[i], i)
    return y


@njit(parallel=True)
def shared_out(x):
    y = np.empty_like(x)
    for i in prange(x.shape[0]):
        y[i] = x[i] ** 3
    return y


X = np.array([0.5, 1.3, -0.7, 2.1])
FUNCTIONS = [recurrence, whole_arrays, gathers, views_and_writes, transposes, while_it_grows, leaves_early]


class Single:
    """The generated single sweep for arguments, as plain Python, and all that vector mode is made of."""

    def __init__(self, function, arguments, mode, wrt=(0,), compiles=False):
        self.mode, self.version = mode, Version(function, Request(mode, tuple(wrt)))
        self.arguments = arguments
        hidden = self.version.hidden()
        full = (*arguments(), *hidden)
        kinds = tuple(typeof(each) for each in full)
        dispatchers = self.version.compiled(kinds)
        if not compiles:
            dispatchers = [each.py_func for each in dispatchers]
        self.index = int(mode == "vjp")
        self.module, self.stored = next(
            each for each in self.version._modules.values() if each[0].__name__ == dispatchers[0].__module__
        )
        self.sweep, self.more, moved = dispatchers[self.index], hidden, [full[place] for place in wrt]
        if mode == "vjp":
            value, trace = dispatchers[0](*full)
            self.more, moved = (*hidden, trace), [value]
        self.shapes = [np.shape(each) for each in moved]
        self.is_plain = all(
            typeof(each) in (nb.float64, nb.Array(nb.float64, np.ndim(each), "C")) for each in map(np.asarray, moved)
        )
        directions = tuple(range(len(arguments()) + len(self.more), len(arguments()) + len(self.more) + len(moved)))
        self.wanted = Wanted(directions, int(mode == "tangent"), mode == "tangent")
        of_moved = tuple(nb.Array(nb.float64, len(each), "C") if each else nb.float64 for each in self.shapes)
        self.kinds = (*kinds, *(typeof(each) for each in self.more[len(hidden) :]), *of_moved)

    def text(self):
        name = self.stored.functions[self.index]
        function = vars(self.module)[name]
        return lanes_text(self.stored.text, name, getattr(function, "py_func", function), self.kinds, self.wanted)

    def in_python(self, text):
        """The functions of the text, as plain Python."""
        space = {
            key: getattr(value, "py_func", value) for key, value in vars(self.module).items() if key != "__builtins__"
        }
        exec(text, space)
        own = self.stored.functions[self.index]
        return [space[own + ending] for ending in ENDINGS if own + ending in space]

    def derivatives(self, run, directions):
        with np.errstate(all="ignore"):
            found = run(*self.arguments(), *self.more, *directions)
        return [*found][self.wanted.primals :] if isinstance(found, tuple) else [found]

    def agrees(self, run, rtol=1e-12):
        """Whether each lane has what a single sweep gives."""
        rng = np.random.default_rng(3)
        rows = [rng.normal(size=(*shape, WIDTH)) for shape in self.shapes]
        found = self.derivatives(run, [each.copy() for each in rows])
        for lane in range(WIDTH):
            directions = [np.ascontiguousarray(each[..., lane])[()] for each in rows]
            expected = self.derivatives(self.sweep, directions)
            expected = [one for each in expected for one in (each if isinstance(each, tuple) else (each,))]
            for own, one in zip(found, expected, strict=True):
                np.testing.assert_allclose(own[..., lane], one, rtol=rtol, atol=1e-13)


@pytest.mark.parametrize(
    ("function", "mode"),
    [
        *((each, "tangent") for each in FUNCTIONS),
        *((each, "vjp") for each in FUNCTIONS if each not in (views_and_writes, leaves_early)),  # which have none
        (energy, "hvp"),
    ],
)
def test_each_lane_has_what_a_single_sweep_has(function, mode):
    single = Single(function, lambda: (X.copy(),), mode)
    text = single.text()
    run, for_all = single.in_python(text)
    single.agrees(run)
    shape = single.shapes[0]
    found = for_all(*single.arguments(), *single.more, np.zeros((*shape, WIDTH)))[0]
    for place, index in enumerate(np.ndindex(shape)):
        unit = np.zeros(shape)
        unit[index] = 1.0
        expected = single.derivatives(single.sweep, [unit])[0]
        expected = np.ravel(expected[0] if isinstance(expected, tuple) else expected)
        np.testing.assert_allclose(found[:, place] if mode == "tangent" else found[place], expected, rtol=1e-12)


@pytest.mark.parametrize("function", [recursive, shared_out])
def test_what_calls_itself_or_is_shared_out_has_no_vector_mode(function):
    assert Single(function, lambda: (X.copy(),), "tangent").text() is None


def test_directions_of_several_arguments_and_of_numbers():
    single = Single(helper, lambda: (0.5, 0.25), "tangent", wrt=(0, 1))
    run, *others = single.in_python(single.text())
    assert not others
    single.agrees(run)


@pytest.mark.nightly
@pytest.mark.compiled
def test_compiled_lanes_are_kept_on_disk():
    single = Single(recurrence, lambda: (X.copy(),), "vjp", compiles=True)
    given = single.module, single.stored
    options = compiler_options(single.version.unit, single.version.request)
    run, for_all = vector_sweeps(given, single.index, single.kinds, single.wanted, options)
    single.agrees(run)
    again = vector_sweeps(given, single.index, single.kinds, single.wanted, options)
    assert again[0].py_func is run.py_func
    assert for_all(*single.arguments(), *single.more, np.zeros((4, WIDTH)))[0].shape == (4, 4)
    assert single.version.in_lanes(1, single.kinds)[0].py_func is run.py_func


def test_what_has_no_vector_mode_is_known_as_such():
    single = Single(recursive, lambda: (X.copy(),), "tangent")
    options = compiler_options(single.version.unit, single.version.request)
    for _ in range(2):
        assert vector_sweeps((single.module, single.stored), 0, single.kinds, single.wanted, options) == ()
    assert isinstance(single.stored, Stored)


@pytest.mark.nightly
@pytest.mark.parametrize("mode", ["tangent", "vjp", "hvp"])
@pytest.mark.parametrize("program", [each for each in programs() if not each.values[0].interpreted])
def test_every_program_in_lanes(program, mode):
    from srcad.errors import SrcadError
    from srcad.runtime.jit.numba_inference import CannotType

    try:
        single = Single(program.function, program.fresh_arguments, mode, wrt=program.wrt)
        text = single.text() if single.is_plain and all(single.shapes) else None  # numbers take single sweeps
    except (SrcadError, CannotType, ValueError, TypeError) as problem:
        pytest.skip(f"there is no single sweep: {problem}")
    if text is None:
        pytest.skip("there is no vector mode")
    single.agrees(single.in_python(text)[0], rtol=1e-9)
