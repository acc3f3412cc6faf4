"""Reading functions of every kind: what is loaded is what runs, or nothing."""

import functools
import importlib.util
import linecache
import os
import textwrap

import numba
import numpy as np
import pytest

from srcad.errors import BadArgument, SourceUnavailable, UnsupportedSyntax
from srcad.frontend.load_source import load
from srcad.printing.printer import print_function

FACTOR = 3.0


def scaled(x, power=2, *, shift=1.0):
    return FACTOR * np.sin(x) ** power + shift + len("a")


class Model:
    def __init__(self, rate):
        self.rate = rate

    def step(self, x):
        return self.rate * x

    @staticmethod
    def double(x):
        return 2.0 * x

    @classmethod
    def triple(cls, x):
        return 3.0 * x

    def __call__(self, x):
        return self.step(x)


def make(k):
    def inner(x):
        return k * x

    return inner


def body_of(source):
    return print_function(source.tree.body[-1]).strip()


def test_a_plain_function_is_read_with_its_names_and_defaults():
    source = load(scaled)
    assert source.name == "scaled"
    assert source.lookup("FACTOR") == 3.0
    assert source.lookup("np") is np
    assert source.lookup("len") is len
    assert sorted(source.owners) == ["FACTOR", "len", "np"]
    assert source.defaults == {"power": 2, "shift": 1.0}
    assert source.text.startswith("def scaled(x, power=2, *, shift=1.0):\n    return")
    assert (dict(source.options), source.receiver) == ({}, None)


def test_lines_and_columns_are_those_of_the_file():
    source = load(scaled)
    statement = source.tree.body[0]
    place = source.place(statement.value)
    assert place.file == __file__
    assert place.line == scaled.__code__.co_firstlineno + 1
    assert place.text[place.column : place.end_column] == 'FACTOR * np.sin(x) ** power + shift + len("a")'
    assert source.lines[place.line - 1] == place.text


def test_columns_count_characters():
    source = load(lambda x: ("ééé", x * 2.0)[1])
    place = source.place(source.tree.body[0].value.value.elts[1])
    assert place.text[place.column : place.end_column] == "x * 2.0"


def test_a_node_of_several_lines_is_placed_on_the_first():
    source = load(make)
    place = source.place(source.tree)
    assert place.text[place.column : place.end_column] == "def make(k):"


def test_a_captured_name_is_read_when_it_is_looked_up():
    value = 1.0

    def f(x):
        return value * x

    source = load(f)
    value = 2.0
    assert source.lookup("value") == 2.0


def test_a_closure_is_read_with_its_cell():
    first, second = load(make(2.0)), load(make(5.0))
    assert (first.lookup("k"), second.lookup("k")) == (2.0, 5.0)
    assert first.text == "def inner(x):\n    return k * x"


def test_a_name_that_means_nothing_is_a_key_error():
    def f(x):
        return unknown * later * x  # noqa: F821

    source = load(f)
    for name in ("unknown", "later", "never_used"):
        with pytest.raises(KeyError):
            source.lookup(name)
    later = 1.0
    assert source.lookup("later") == later


def test_methods_are_read_with_the_object_that_they_are_bound_to():
    model = Model(2.0)
    assert load(model.step).receiver is model
    assert body_of(load(model.step)) == "return self.rate * x"
    assert load(Model.triple).receiver is Model
    assert load(Model.step).receiver is None
    assert load(Model.double).receiver is None
    assert load(vars(Model)["double"]).name == "double"
    assert load(model).receiver is model
    assert load(model).name == "__call__"


def test_a_dispatcher_gives_its_function_and_its_options():
    @numba.njit(fastmath=True, error_model="numpy")
    def f(x):
        return x + 1.0

    source = load(f)
    assert source.function is f.py_func
    assert source.options["fastmath"] is True
    assert source.options["error_model"] == "numpy"
    assert source.tree.decorator_list == []
    assert source.text.startswith("def f(x)")


def test_an_object_of_srcad_gives_the_function_that_it_was_made_from():
    class Wrapper:
        __wrapped_primal__ = staticmethod(scaled)

        def __call__(self, x):
            return x

    assert load(Wrapper()).function is scaled


@pytest.mark.slow
def test_a_lambda_is_read_as_a_function():
    first, second = lambda x: x + FACTOR, lambda x: x - FACTOR
    assert body_of(load(first)) == "return x + FACTOR"
    assert body_of(load(second)) == "return x - FACTOR"
    assert load(second).text == "lambda x: x - FACTOR"
    assert load(second).name == "anonymous"


def test_a_transparent_decorator_changes_nothing():
    def same(function):
        return function

    @same
    @same
    def f(x):
        return x

    assert body_of(load(f)) == "return x"


def test_a_wrapper_that_hides_the_function_is_refused():
    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            return function(*args, **kwargs) * len(args)

        return wrapper

    @logged
    def f(x):
        return x

    with pytest.raises(UnsupportedSyntax, match=r"f\.__wrapped__"):
        load(f)
    assert body_of(load(f.__wrapped__)) == "return x"


@pytest.mark.parametrize(
    ("thing", "kind", "message"),
    [
        (np.sin, SourceUnavailable, "sin is not written in Python"),
        (len, SourceUnavailable, "len is not written in Python"),
        (np.linalg.norm, SourceUnavailable, "norm is not written in Python"),
        (functools.cache(scaled), SourceUnavailable, r"hint: .* caches, `scaled\.__wrapped__`"),
        (Model, BadArgument, "Model is a class"),
        (3.0, BadArgument, "a function is needed, not float"),
        (None, BadArgument, "a function is needed, not NoneType"),
        (numba.vectorize(scaled), SourceUnavailable, r"numba\.vectorize"),
    ],
    ids=["ufunc", "builtin", "numpy", "cache", "class", "float", "none", "vectorize"],
)
def test_what_is_no_readable_function_is_refused(thing, kind, message):
    with pytest.raises(kind, match=message):
        load(thing)


def test_a_function_without_text_is_refused():
    namespace = {}
    exec("def f(x):\n    return x", namespace)
    with pytest.raises(SourceUnavailable, match=r"no text for '<string>'"):
        load(namespace["f"])


def test_a_function_typed_in_a_session_that_keeps_its_text_is_read(monkeypatch):
    text = "def f(x):\n    return x * x"
    monkeypatch.setitem(linecache.cache, "<input-1>", (len(text), None, text.splitlines(True), "<input-1>"))
    namespace = {}
    exec(compile(text, "<input-1>", "exec"), namespace)
    assert body_of(load(namespace["f"])) == "return x * x"


def imported(path, text):
    path.write_text(textwrap.dedent(text))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def edit(path, text):
    path.write_text(textwrap.dedent(text))
    os.utime(path, (1, 1))  # surely another time than before


@pytest.mark.parametrize(
    "after",
    [
        "# new line\n\ndef f(x):\n    return x * x\n",
        "def f(x):\n    return x + x\n",
        "def g(x):\n    return x * x\n",
        "def f(x):\n    return x * (\n",
    ],
    ids=["moved", "changed", "renamed", "broken"],
)
def test_a_file_that_was_edited_after_its_import_is_refused(tmp_path, after):
    path = tmp_path / "edited.py"
    module = imported(path, "def f(x):\n    return x * x\n")
    assert body_of(load(module.f)) == "return x * x"
    edit(path, after)
    with pytest.raises(SourceUnavailable, match="reload the module"):
        load(module.f)


def test_a_file_edited_elsewhere_is_still_read(tmp_path):
    path = tmp_path / "edited.py"
    module = imported(path, "def f(x):\n    return x * x\n")
    edit(path, "def f(x):\n    return x * x\n\n\ndef g(x):\n    return x\n")
    assert body_of(load(module.f)) == "return x * x"


def test_a_file_without_a_last_newline_and_with_windows_lines_is_read(tmp_path):
    path = tmp_path / "lines.py"
    module = imported(path, "def f(x):\r\n    return x * x")
    assert load(module.f).text == "def f(x):\n    return x * x"
