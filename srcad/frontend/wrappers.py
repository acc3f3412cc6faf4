"""Functions with a source for what has none: derivatives made by srcad, functions of NumPy that have rules.

srcad.grad(srcad.grad(f))       differentiates        def f_grad(x, k): return function(x, k)
srcad.grad(np.tanh)                                   def tanh(x): return function(x)
"""

from __future__ import annotations

import inspect
import itertools
import keyword
import linecache
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from srcad.names import Names
from srcad.runtime.rulebook import registry

_numbers = itertools.count()
MADE_HERE = "of_srcad"  # the module of the functions that `written` makes


def written(text: str, name: str, meanings: Mapping[str, Any]) -> Callable[..., Any]:
    r"""The function of this name that a text defines; `meanings` are its free names.

    >>> twice = written("def twice(x):\n    return two * x\n", "twice", {"two": 2.0})
    >>> twice(3.0), inspect.getsource(twice)
    (6.0, 'def twice(x):\n    return two * x\n')
    """
    file = f"<srcad {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace = {"__name__": MADE_HERE, **meanings}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    found: Callable[..., Any] = namespace[name]
    return found


def wrapper_of(called: Any, name: str, parameters: Sequence[str]) -> Callable[..., Any]:
    """A function of these parameters that calls `called`.

    >>> wrapper_of(abs, "<lambda>_grad", ["x"]).__name__
    'lambda_grad'
    """
    name = re.sub(r"\W", "", name) or "function"
    name = f"{name}_" if keyword.iskeyword(name) or not name.isidentifier() else name
    function = Names(parameters).fresh("function")
    given = ", ".join(parameters)
    return written(f"def {name}({given}):\n    return {function}({given})\n", name, {function: called})


def of_derivative(derivative: Any) -> Callable[..., Any]:
    """A function that calls a derivative made by srcad, with its parameters and defaults."""
    signature: inspect.Signature = derivative.__signature__
    return with_defaults(wrapper_of(derivative, derivative.__name__, list(signature.parameters)), signature)


def with_defaults(function: Callable[..., Any], signature: inspect.Signature) -> Callable[..., Any]:
    """The function, which has the parameters of a signature by position, with the signature's defaults.

    >>> with_defaults(lambda x, y: (x, y), inspect.signature(lambda x, y=2.0: None))(1.0)
    (1.0, 2.0)
    """
    defaults = [each.default for each in signature.parameters.values()]
    made: Any = function
    made.__defaults__ = tuple(itertools.dropwhile(lambda each: each is inspect.Parameter.empty, defaults))
    return function


def of_primitive(primitive: Any) -> Callable[..., Any] | None:
    """A function that calls one of NumPy's or Python's that has a rule, with the arguments that it needs; else None.

    >>> import math
    >>> made = of_primitive(math.hypot)
    >>> of_primitive(open)
    """
    rule = registry.find(primitive)
    if (rule is None or rule.kind == "zero") and registry.definition(primitive) is None:
        return None
    name = getattr(primitive, "__name__", "function")
    return wrapper_of(primitive, name if name.isidentifier() else "function", _needed(primitive))


def _needed(primitive: Any) -> list[str]:
    """The names of the positional arguments without defaults."""
    if hasattr(primitive, "nin"):
        return ["x"] if primitive.nin == 1 else [f"x{k + 1}" for k in range(primitive.nin)]
    try:
        parameters = inspect.signature(primitive).parameters.values()
    except ValueError:
        return ["x"]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [each.name for each in parameters if each.kind in kinds and each.default is each.empty]
    return [f"{each}_" if keyword.iskeyword(each) else each for each in names] or ["x"]
