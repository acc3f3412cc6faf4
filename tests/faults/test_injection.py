"""Text in the user's program never becomes code: names, strings, docstrings, comments, keys and file names."""

from __future__ import annotations

import builtins
import contextlib
import dataclasses
import linecache
from collections import namedtuple

import numpy as np
import pytest

import srcad

# Each would set a builtin if it ended up as code, whichever way it got out of the text around it.
CODE = "__import__('builtins').__dict__.update(broken_out=1)"
TEXTS = [
    f"\n{CODE}\n#",
    f"\r{CODE}\r#",
    f"'+{CODE}+'",
    f'"+{CODE}+"',
    f"'''\n{CODE}\n'''",
    f'"""\n{CODE}\n"""',
    f"\\\n{CODE}",
    f"{{{CODE}}}",
    f"{{0}}{{{CODE}}}%s%({CODE})",
    f"\u2028{CODE}\u2028",
    f"\x0c{CODE}\x0c",
    f"\x85{CODE}\x1c",
    f"): {CODE} #",
    f"\0{CODE}",
]
TEXTS = [text.replace("\n    ", "\n") for text in TEXTS]


@pytest.fixture(autouse=True)
def nothing_breaks_out():
    assert not hasattr(builtins, "broken_out")
    yield
    broken = vars(builtins).pop("broken_out", None)
    assert broken is None


def defined(text, name="f", file="injected.py"):
    """A function of a program whose text can be found."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"np": np, "srcad": srcad}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    return namespace[name]


def slope_of(function, *args):
    """The gradient; None where srcad refuses the function, which is no danger either."""
    try:
        return srcad.grad(function, jit=False)(*args)
    except srcad.SrcadError:
        return None


PROGRAMS = {
    "docstring": "def f(x):\n    {text!r}\n    return x * x\n",
    "constant": "def f(x):\n    note = {text!r}\n    return x * x * len(note[:1])\n",
    "comparison": "def f(x):\n    return x * x if {text!r} == {text!r} else x\n",
    "message": "def f(x):\n    if x < 0.0:\n        raise ValueError({text!r})\n    return x * x\n",
    "assertion": "def f(x):\n    assert x > 0.0, {text!r}\n    return x * x\n",
    "printed": "def f(x):\n    print({text!r})\n    return x * x\n",
    "formatted": "def f(x):\n    assert x > 0.0, f'{{x}}' + {text!r}\n    return x * x\n",
    "key": "def f(x):\n    values = {{{text!r}: x}}\n    return values[{text!r}] * x\n",
    "default": "def f(x, note={text!r}):\n    return x * x\n",
    "annotation": "def f(x: {text!r}) -> {text!r}:\n    return x * x\n",
    "captured": "NOTE = {text!r}\n\n\ndef f(x):\n    return x * x if NOTE else x\n",
}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("place", PROGRAMS)
def test_strings_stay_strings(place, text, capsys):
    assert slope_of(defined(PROGRAMS[place].format(text=text)), 3.0) in (6.0, None)


@pytest.mark.parametrize("place", PROGRAMS)
def test_plain_strings_are_not_refused(place, capsys):
    assert slope_of(defined(PROGRAMS[place].format(text="plain")), 3.0) == 6.0


@pytest.mark.parametrize("text", [text for text in TEXTS if "\n" not in text and "\r" not in text and "\0" not in text])
def test_comments_stay_comments(text):
    program = (
        f"def f(x):\n    y = x * x  # {text}\n    for i in range(2):  # {text}\n        y = y * 1.0\n    return y\n"
    )
    lines = program.split("\n")
    linecache.cache["injected.py"] = (len(program), None, [line + "\n" for line in lines], "injected.py")
    namespace = {}
    exec(compile(program, "injected.py", "exec", dont_inherit=True), namespace)
    assert slope_of(namespace["f"], 3.0) in (6.0, None)


@pytest.mark.parametrize("text", TEXTS)
def test_names_of_functions_and_files_stay_names(text):
    function = defined("def f(x):\n    y = x\n    return y * x\n", file=text.replace("\0", "") + ".py")
    function.__name__ = function.__qualname__ = text
    function.__module__ = text
    assert slope_of(function, 3.0) in (6.0, None)


@pytest.mark.parametrize("name", ["class", "lambda", "None", "np", "kernels", "Trace", "__builtins__", "é"])
def test_a_function_may_be_called_anything(name):
    function = defined("def f(x):\n    for i in range(2):\n        x = np.sin(x)\n    return x * x\n")
    function.__name__ = name
    expected = 2 * np.sin(np.sin(0.5)) * np.cos(np.sin(0.5)) * np.cos(0.5)
    assert srcad.grad(function, jit=False)(0.5) == pytest.approx(expected, rel=1e-12)
    assert srcad.vjp(function, 0.5, jit=False)[1](1.0)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_keys_and_names_of_classes_stay_names(text):
    def total(p):
        return sum(np.sum(each * each) for each in p.values())

    def norm(p):
        return p.x * p.x

    try:
        found = srcad.grad(total, jit=False)({text: 3.0, "b": 2.0})
        assert found == {text: 6.0, "b": 4.0}
    except srcad.SrcadError:
        pass
    point = dataclasses.make_dataclass("Point", ["x"])
    pair = namedtuple("Pair", ["x"])
    for kind in (point, pair):
        kind.__name__ = kind.__qualname__ = text.replace("\0", "")
        kind.__module__ = text
        with contextlib.suppress(srcad.SrcadError):
            assert srcad.grad(norm, jit=False)(kind(3.0)).x == 6.0


@pytest.mark.parametrize("text", [CODE, f"x[{CODE}]", f"x.w[{CODE}]", f"f8[{CODE}]", f"f8, {CODE}"])
def test_paths_signatures_and_options_are_not_evaluated(text):
    def f(x):
        return x * x

    for use in (
        lambda: srcad.grad(f, wrt=text)(3.0),
        lambda: srcad.source(f, signature=text),
        lambda: srcad.grad(f, without=text),
        lambda: srcad.source(f, signature="f8", after=text),
    ):
        with pytest.raises((srcad.SrcadError, TypeError)):
            use()
