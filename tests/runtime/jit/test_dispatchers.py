"""Generated text becomes modules that a debugger can show, and dispatchers made per types."""

import gc
import inspect
import pickle
import re
import sys
import traceback
import types as python_types

import numba
import numpy as np
import pytest
from numba import float32, float64, int64

from srcad.errors import NotDifferentiable
from srcad.runtime.jit import disk_cache
from srcad.runtime.jit.disk_cache import Stored, key, path_of, store
from srcad.runtime.jit.dispatchers import TypedDispatcher, compiled, load
from srcad.runtime.jit.numba_inference import CannotType

TEXT = """\
from collections import namedtuple

import numpy as np

Trace = namedtuple("Trace", ["y"])


def wave_forward(x, k):
    y = np.sin(x)
    return amplify(y, k), Trace(y)


def wave_reverse(x, k, trace, result_bar):
    return result_bar * k * np.cos(x), result_bar * trace.y


def amplify(y, k):
    return y * k
"""
STORED = Stored(TEXT, ("wave_forward", "wave_reverse"))


@pytest.fixture(params=["on disk", "in memory"])
def module(request, tmp_path, monkeypatch):
    name = key(request.node.name)
    if request.param == "in memory":
        (tmp_path / "file").write_text("")
        monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "file" / "none"))
    else:
        monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    assert (store(name, STORED) is None) == (request.param == "in memory")
    return load(name, STORED, {})


def test_a_module_runs_as_plain_python(module):
    value, trace = module.wave_forward(0.5, 2.0)
    assert value == 2.0 * np.sin(0.5)
    assert module.wave_reverse(0.5, 2.0, trace, 1.0) == (2.0 * np.cos(0.5), np.sin(0.5))


def test_the_source_of_a_generated_function_is_found(module):
    assert inspect.getsource(module.amplify) == "def amplify(y, k):\n    return y * k\n"


def test_a_traceback_shows_the_generated_line(module):
    with pytest.raises(TypeError) as caught:
        module.amplify("a", 0.5)
    assert "return y * k" in "".join(traceback.format_exception(caught.value))


@pytest.mark.slow
def test_compiled_functions_agree_with_plain_ones(module):
    forward, reverse = compiled(module, STORED.functions, {})
    x = np.linspace(0.0, 1.0, 5)
    value, trace = forward(x, 2.0)
    np.testing.assert_array_equal(value, 2.0 * np.sin(x))
    np.testing.assert_array_equal(reverse(x, 2.0, trace, np.ones(5))[0], 2.0 * np.cos(x))


def test_a_trace_can_be_pickled(module):
    _, trace = module.wave_forward(0.5, 2.0)
    assert pickle.loads(pickle.dumps(trace)) == trace


def test_machine_code_is_kept_beside_the_module(tmp_path, monkeypatch):
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    name = key("machine code")
    store(name, STORED)
    for expected in ({"misses": 1, "hits": 0}, {"misses": 0, "hits": 1}):
        sys.modules.pop(f"srcad_{name}", None)  # as in another process
        forward = compiled(load(name, STORED, {}), STORED.functions, {})[0]
        assert forward(0.5, 2.0)[0] == 2.0 * np.sin(0.5)
        found = {"misses": sum(forward.stats.cache_misses.values()), "hits": sum(forward.stats.cache_hits.values())}
        assert found == expected


def test_closures_of_the_same_text_share_what_is_compiled():
    name = key("closures")
    first, second = (compiled(load(name, STORED, {}), STORED.functions, {}) for _ in range(2))
    assert first == second


def test_objects_are_given_to_a_module_that_cannot_import_them():
    stored = Stored("def f(x):\n    return scale(x)\n", ("f",), ("scale",))
    module = load(key("given"), stored, {"scale": numba.njit(lambda x: 3.0 * x)})
    assert compiled(module, ("f",), {})[0](2.0) == 6.0


def test_options_reach_the_compiled_functions():
    stored = Stored("def f(x):\n    return 1.0 / x\n", ("f",))
    module = load(key("options"), stored, {})
    assert compiled(module, ("f",), {"error_model": "numpy"})[0](0.0) == np.inf
    with pytest.raises(ZeroDivisionError):
        compiled(load(key("options 2"), stored, {}), ("f",), {})[0](0.0)


def doubling(made):
    """A dispatcher that doubles, and notes the types for which it was asked."""

    def specialise(kinds):
        made.append(kinds)
        name = key("doubling", repr(kinds))
        stored = Stored("def twice(x, times):\n    return x * times\n", ("twice",))
        return compiled(load(name, stored, {}), ("twice",), {})[0]

    def twice(x, times=2):
        pass

    return TypedDispatcher(twice, specialise, None)


def test_each_tuple_of_types_is_specialised_once():
    made = []
    twice = doubling(made)
    assert (twice(1.5), twice(2.5), twice(1.5, 3)) == (3.0, 5.0, 4.5)
    assert made == [(float64, int64), (float64, int64)]  # a default is a type of its own to Numba
    assert twice(np.float32(1.5), 3) == 4.5
    assert made[-1] == (float32, int64)


def test_keywords_and_defaults_are_those_of_the_shape():
    twice = doubling([])
    assert twice(times=4, x=0.5) == 2.0
    with pytest.raises(TypeError, match="not enough arguments"):
        twice()


def test_a_dispatcher_serves_inside_compiled_code():
    twice = doubling([])

    @numba.njit
    def outer(x):
        return twice(x) + twice(x, 3) + twice(x, times=4)

    assert outer(1.0) == 9.0


@pytest.mark.slow
def test_array_layouts_are_types_of_their_own():
    made = []
    twice = doubling(made)
    x = np.ones((2, 3))
    for each in (x, x.T, x[:, ::2]):
        twice(each, 2)
    assert [kinds[0].layout for kinds in made] == ["C", "F", "A"]


def failing(error):
    def specialise(kinds):
        raise error

    return TypedDispatcher(lambda x: None, specialise, None)


def test_an_error_of_a_stage_arrives_as_it_is():
    broken = failing(NotDifferentiable("no", hint="why"))
    with pytest.raises(NotDifferentiable, match="hint: why"):
        broken(1.0)


def test_an_error_of_a_stage_arrives_as_it_is_from_compiled_code():
    broken = failing(NotDifferentiable("no", hint="why"))
    with pytest.raises(NotDifferentiable, match="hint: why"):
        numba.njit(lambda x: broken(x) + 1.0)(1.0)


def test_generated_text_that_numba_refuses_goes_elsewhere_too():
    stored = Stored("def f(x):\n    return x.nothing\n", ("f",))
    dispatcher = TypedDispatcher(lambda x: None, lambda kinds: compiled(load(key("bug"), stored, {}), ("f",), {})[0])
    with pytest.raises(CannotType, match=r"generated function 'f' .* does not compile: float64\.nothing is not known"):
        dispatcher(1.0)


def test_what_numba_cannot_type_goes_elsewhere():
    class Stranger:
        pass

    def specialise(kinds):
        raise CannotType("it is strange")

    reasons = []

    def otherwise(problem):
        reasons.append(problem.reason)
        return lambda x: "elsewhere"

    def shape(x):
        pass

    dispatcher = TypedDispatcher(shape, specialise, otherwise)
    assert dispatcher(1.0) == dispatcher(Stranger()) == "elsewhere"
    assert reasons == ["it is strange", "Numba has no type for the argument 'x', a Stranger"]


def test_modules_in_memory_do_not_depend_on_the_folder(monkeypatch):
    monkeypatch.setattr(disk_cache, "folder", lambda: None)
    module = load(key("memory"), STORED, {})
    assert isinstance(module, python_types.ModuleType)
    assert path_of("anything") is None
    assert module.__file__.startswith("<srcad ")


@pytest.mark.slow
def test_a_dispatcher_that_goes_leaves_its_code_to_others():
    first, second = doubling([]), doubling([])
    assert first(2.5, 4) == second(2.5, 4) == 10.0
    del first
    gc.collect()
    assert numba.njit(lambda x: second(x, 4))(2.5) == 10.0


@pytest.mark.compiled
def test_machine_code_on_disk_refers_to_its_own_module_only(tmp_path, monkeypatch):
    # Two traces of one form: Numba named the second function's result after the first one's module.
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path / "cache"))
    for factor in ("2.0", "3.0"):
        text = (
            "from collections import namedtuple\n\nTrace = namedtuple('Trace', ('n',))\n\n\n"
            f"def forward(x):\n    return {factor} * x, Trace(3)\n"
        )
        stored = Stored(text, ("forward",))
        name = key(text)
        store(name, stored)
        (forward,) = compiled(load(name, stored, {}), ("forward",), {})
        assert forward(1.0)[1] == (3,)
        (kept,) = (tmp_path / "cache").rglob(f"srcad_{name}*.code")
        assert set(re.findall(rb"srcad_[0-9a-f]{32}", kept.read_bytes())) == {f"srcad_{name}".encode()}


RECURSIVE = """\
def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def cube(x):
    return power(x, 3)


def square(x):
    return x * x
"""


def test_machine_code_of_recursive_functions_is_not_kept(tmp_path, monkeypatch):
    """A second process that loads it crashes: Numba does not restore what a function that calls itself refers to."""
    monkeypatch.setenv("SRCAD_CACHE_DIR", str(tmp_path))
    for name, public in (("recursive_kept", "cube"), ("plain_kept", "square")):
        text = RECURSIVE if public == "cube" else RECURSIVE[RECURSIVE.index("def square") :]
        stored = Stored(text, (public,), ())
        store(key(name), stored)
        (function,) = compiled(load(key(name), stored, {}), (public,), {})
        assert (type(function._cache).__name__ == "MachineCode") is (public == "square")
