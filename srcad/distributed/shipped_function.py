"""Shipped functions: a function on its way to another process, with the text of its file.

srcad reads the source of what it differentiates. A process on another machine may lack the file, or have another
version of it. So the text travels along: where there is no such file, it takes its place; where the text of the module
differs, an error says so, as the function would be another one.
"""

from __future__ import annotations

import importlib.util
import linecache
import pickle
from collections.abc import Callable
from typing import Any

from srcad.errors import BadArgument
from srcad.frontend.load_source import plain_function

CURE = (
    "define it with `def` at the top of a module that the workers can import, and pass what it captures as arguments; "
    "with Dask's cloudpickle, lambdas and functions of a prompt can be sent, if what they capture can"
)


class Shipped:
    """A function that pickles with the text of its file.

    >>> import textwrap
    >>> sent = pickle.loads(pickle.dumps(Shipped(textwrap.dedent)))
    >>> sent.function is textwrap.dedent
    True
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __reduce__(self) -> Any:
        content, by_value = _pickled(self.function)
        file = plain_function(self.function).__code__.co_filename
        return _arrived, (content, by_value, file, "".join(linecache.getlines(file)))


def checked(function: Callable[..., Any]) -> Shipped:
    """A function that can be sent; raises BadArgument, which names the cure, if it cannot."""
    shipped = Shipped(function)
    shipped.__reduce__()
    return shipped


def _pickled(function: Callable[..., Any]) -> tuple[bytes, bool]:
    """The pickled function, and whether that has its code: if its module cannot be imported, by Dask's cloudpickle."""
    plain = plain_function(function)
    by_value = importlib.util.find_spec("cloudpickle") is not None
    try:
        if by_value and ("<" in plain.__qualname__ or plain.__module__ == "__main__"):
            return importlib.import_module("cloudpickle").dumps(function), True
        return pickle.dumps(function), False
    except (pickle.PicklingError, AttributeError, TypeError) as problem:
        place = f"{plain.__code__.co_filename}:{plain.__code__.co_firstlineno}"
        what = f"{plain.__name__} ({place}) cannot be sent to another process"
        raise BadArgument(what, hint=CURE) from problem


def _arrived(content: bytes, by_value: bool, file: str, text: str) -> Shipped:
    """The function in the process that it was sent to."""
    try:
        function = pickle.loads(content)
    except (ImportError, AttributeError) as problem:
        what = f"a worker cannot import the function that it is to differentiate: {problem}"
        raise BadArgument(what, hint="install its module where the workers run, or put it on their path") from problem
    own = plain_function(function).__code__.co_filename
    found = "".join(linecache.getlines(own))
    if not found and text:
        linecache.cache[own] = len(text), None, text.splitlines(keepends=True), own
    elif text and found != text and not by_value:
        what = f"{own} of a worker differs from {file} of the process that calls it"
        raise BadArgument(what, hint="start the workers again, with the same version of the module")
    return Shipped(function)


__all__ = ["CURE", "Shipped", "checked"]
