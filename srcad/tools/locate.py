"""Find the function that `FILE.py:FUNC` on the command line names, and evaluate its `--args`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy

from srcad.errors import BadArgument
from srcad.frontend.load_source import unwrap


def locate(target: str) -> Callable[..., Any]:
    """The function that a target names: `FILE.py:FUNC`, `FILE.py:Class.method` or `package.module:FUNC`.

    Raises BadArgument if there is none.

    >>> locate("textwrap:dedent").__name__
    'dedent'
    """
    place, colon, path = target.rpartition(":")
    if not colon or not place or not path:
        raise BadArgument(f"{target!r} does not name a function", hint="write it as FILE.py:FUNCTION")
    found: Any = _module(place)
    for name in path.split("."):
        if not hasattr(found, name):
            raise BadArgument(f"{place} has no {path!r}{_suggestion(name, found)}")
        found = getattr(found, name)
    if not callable(found):
        raise BadArgument(f"{path!r} in {place} is a {type(found).__name__}, not a function")
    function: Callable[..., Any] = found
    return function


def evaluate(text: str, function: Callable[..., Any]) -> tuple[Any, ...]:
    """Arguments written as Python expressions, evaluated with the globals of the function's file and `np`.

    Raises BadArgument if the text cannot be evaluated.

    >>> import textwrap
    >>> evaluate("np.zeros(2), 3", textwrap.dedent)
    (array([0., 0.]), 3)
    """
    names = {"np": numpy, **unwrap(function)[0].__globals__}
    try:
        value = eval(f"({text}\n,)", names)
    except (Exception, SystemExit) as problem:  # a user may write anything
        raise BadArgument(f"--args {text!r}: {type(problem).__name__}: {_one_line(problem)}") from problem
    return tuple(value)


def _module(place: str) -> ModuleType:
    file = Path(place)
    if file.suffix == ".py" or file.is_file():
        if not file.is_file():
            raise BadArgument(f"there is no file {place}")
        spec = importlib.util.spec_from_file_location(file.stem, file.resolve())
        if spec is None or spec.loader is None:
            raise BadArgument(f"{place} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(file.resolve().parent))  # as for a script: modules in its folder can be imported
        # Registered under its name, as by an import, unless another module, such as one of Python's library, has that
        # name.
        sys.modules.setdefault(file.stem, module)
        return _run(place, lambda: _executed(spec.loader, module))
    sys.path.insert(0, "")
    return _run(place, lambda: importlib.import_module(place))


def _executed(loader: Any, module: ModuleType) -> ModuleType:
    loader.exec_module(module)
    return module


def _run(place: str, load: Callable[[], ModuleType]) -> ModuleType:
    try:
        return load()
    except (Exception, SystemExit) as problem:  # a file may do anything
        raise BadArgument(f"{place} cannot be imported: {type(problem).__name__}: {_one_line(problem)}") from problem


def _one_line(problem: BaseException) -> str:
    return " ".join(str(problem).split())


def _suggestion(name: str, owner: Any) -> str:
    close = difflib.get_close_matches(name, [each for each in dir(owner) if not each.startswith("_")], n=3)
    return f"; did you mean {' or '.join(map(repr, close))}?" if close else ""
