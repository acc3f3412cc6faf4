"""Islands: calls that Numba does not know, in functions that are compiled around them."""

import numpy as np
import pytest

from srcad.driver.result_precision import of_kind
from srcad.runtime import kernels
from srcad.runtime.jit import islands
from srcad.runtime.jit.islands import Islands
from srcad.transforms.inference.typed_code_arithmetic import computes_otherwise

TEXT = """
import numpy as np
from srcad.runtime import kernels


def f(x, n):
    s = 0.0
    y = np.copy(x)
    for i in range(n):
        s += np.sin(y[i % 3])
        if i % 50 == 0:
            y = foreign(y, i)
    return s
"""


def doubled(y, i):
    return 2.0 * y[::-1]


@pytest.fixture
def at_once(monkeypatch):
    monkeypatch.setattr(islands, "WORTHWHILE", 1)


def made(foreign, text=TEXT):
    (routine,) = Islands(text, ("f",), {"foreign": foreign}, {}, of_kind, computes_otherwise).routines()
    return routine


def plain(foreign, x, n, text=TEXT):
    namespace = {"foreign": foreign}
    exec(text, namespace)
    return namespace["f"](x, n)


X = np.array([0.1, 0.2, 0.3])


@pytest.mark.compiled
def test_a_function_is_compiled_around_a_call_of_python(at_once):
    routine = made(doubled)
    expected = plain(doubled, X, 200)
    assert [routine(X, 200) for _ in range(3)] == pytest.approx([expected] * 3, rel=1e-15)
    (function,) = routine.compiled.values()
    assert function is not None
    (observed,) = routine.observed.values()
    assert observed.turns == 200
    assert [site.text for site in observed.sites.values() if routine.islands.is_island(site, observed)] == [
        "foreign(a0, a1)"
    ]


def test_short_loops_stay_python():
    routine = made(doubled)
    for _ in range(5):
        routine(X, 10)
    assert routine.compiled == {}


@pytest.mark.compiled
@pytest.mark.parametrize(
    "other", [lambda y: y.astype(np.float32), lambda y: np.arange(3), lambda y: np.ones((3, 3)), lambda y: 1.0]
)
def test_a_result_of_another_type_is_never_read_as_what_it_is_not(at_once, other):
    def foreign(y, i):
        return 2.0 * y if i < 150 else other(y)

    routine = made(foreign)
    for n in (100, 100):
        assert routine(X, n) == pytest.approx(plain(foreign, X, n), rel=1e-15)
    assert [*routine.compiled.values()] != [None]
    text = TEXT.replace("s += np.sin(y[i % 3])", "s += np.sum(y)")
    routine = made(foreign, text)
    for n in (100, 100, 151, 100):
        assert routine(X, n) == pytest.approx(plain(foreign, X, n, text), rel=1e-15)


@pytest.mark.compiled
def test_exceptions_of_the_call_are_its_own(at_once):
    def foreign(y, i):
        if i >= 150:
            raise KeyError("no such thing")
        return y

    routine = made(foreign)
    routine(X, 100), routine(X, 100)
    with pytest.raises(KeyError, match="no such thing"):
        routine(X, 200)


@pytest.mark.compiled
def test_views_stay_views(at_once):
    text = """
import numpy as np


def f(x, n):
    y = np.copy(x)
    for i in range(n):
        v = foreign(y)
        v += 1.0
    return y
"""
    routine = made(lambda y: y[::2], text)
    for _ in range(3):
        np.testing.assert_array_equal(routine(X, 5), X + np.array([5.0, 0.0, 5.0]))
    assert [*routine.compiled.values()] != [None]


@pytest.mark.compiled
def test_single_precision_stays_single(at_once):
    text = "import numpy as np\n\n\ndef f(x, n):\n    for i in range(n):\n        x = foreign(x)\n    return x\n"
    routine = made(lambda x: np.float32(x * np.float32(0.5)), text)
    for _ in range(3):
        found = routine(np.float32(1.0), 3)
        assert type(found) is np.float32
        assert found == 0.125


@pytest.mark.compiled
def test_random_numbers_are_those_of_numpy(at_once):
    text = "import numpy as np\n\n\ndef f(x, n):\n    for i in range(n):\n"
    text += "        x = x + foreign(np.random.normal())\n    return x\n"
    routine = made(lambda x: 2.0 * x, text)
    found = []
    for _ in range(3):
        np.random.seed(7)
        found.append(routine(0.0, 20))
    assert found[0] == found[1] == found[2]
    assert [*routine.compiled.values()] != [None]


def test_what_has_no_type_stays_python(at_once):
    routine = made(lambda y, i: y.tolist() and y)
    assert routine(X, 10) == routine(X, 10) == pytest.approx(10.0 * np.mean(np.sin(X)), rel=0.2)
    text = "def f(x, n):\n    for i in range(n):\n        t = foreign(x)\n    return t.value\n"

    class Held:
        value = 2.5

    routine = made(lambda x: Held(), text)
    assert [routine(1.0, 3) for _ in range(3)] == [2.5] * 3


def test_checks_of_observed_types_are_left_to_the_compiler():
    assert callable(kernels.expect)
    tree = islands._Sites(
        {}, islands.ast.parse("def f(x):\n    kernels.expect(x, 'f')\n    return x\n"), {}, False
    ).tree
    assert "expect" not in islands.ast.unparse(tree)


WRITING = """
import numpy as np


def f(x, n):
    s = 0.0
    for i in range(n):
        x[0] += 1.0
        s += x[0]
    y = foreign(x)
    return s + y
"""


@pytest.mark.compiled
def test_what_a_function_has_written_is_put_back_before_it_runs_again(at_once):
    seen = []

    def foreign(x):
        seen.append(1)
        return 1.0 if len(seen) < 3 else 1

    (routine,) = Islands(WRITING, ("f",), {"foreign": foreign}, {}, of_kind, computes_otherwise, writes=True).routines()
    for _ in range(3):
        x = np.zeros(3)
        assert routine(x, 100) == 5051.0
        assert x[0] == 100.0
    assert list(routine.compiled.values()) == [None]
    assert len(seen) == 4  # the third call has run twice


def test_functions_with_effects_stay_python_where_they_write(at_once):
    text = WRITING.replace("    y = ", "    print(s)\n    y = ")
    assert islands.has_effects(text)
    (routine,) = Islands(text, ("f",), {"foreign": np.sum}, {}, of_kind, computes_otherwise, writes=True).routines()
    for _ in range(3):
        routine(np.zeros(3), 100)
    assert routine.observed == {}


def test_arguments_that_cannot_be_put_back_stay_python(at_once):
    text = "def f(x, n):\n    for i in range(n):\n        pass\n    return foreign(x)\n"
    (routine,) = Islands(text, ("f",), {"foreign": len}, {}, of_kind, computes_otherwise, writes=True).routines()
    assert [routine({"a": 1.0}, 100) for _ in range(3)] == [1, 1, 1]
    assert routine.observed == {}
