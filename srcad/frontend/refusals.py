"""The table of refused constructs: what is said about each, and the way out.

The first row that fits a node speaks. A new row needs no test of its own: each example is run, and its message is
written into `docs/limitations.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gast

Parents = tuple[Any, ...]


@dataclass(frozen=True)
class Refusal:
    """A construct that is refused.

    title       heading in the documentation
    kinds       names of the syntax nodes that it concerns
    what        the message; `{}` stands for the name of an attribute
    hint        the way out
    example     a function that shows it, for the documentation
    when        whether this node, inside these parents (outermost first), is meant; by default each one is
    """

    title: str
    kinds: tuple[str, ...]
    what: str
    hint: str
    example: str
    when: Callable[[Any, Parents], bool] = lambda node, parents: True


def _is_element(target: Any) -> bool:
    """Whether this is one element of something, not a slice."""
    return isinstance(target, gast.Subscript) and not isinstance(target.slice, (gast.Slice, gast.Tuple))


def _in_message(node: Any, parents: Parents) -> bool:
    """Whether the node is part of what an `assert`, a `raise` or a `print` says."""
    for outer, inner in zip(parents, (*parents[1:], node), strict=True):
        is_print = isinstance(outer, gast.Call) and getattr(outer.func, "id", None) == "print"
        if is_print or isinstance(outer, gast.Raise) or (isinstance(outer, gast.Assert) and inner is outer.msg):
            return True
    return False


def _is_left(node: Any) -> bool:
    """Whether a statement inside, functions inside it aside, goes somewhere else than to the next one."""
    if isinstance(node, (gast.Return, gast.Break, gast.Continue, gast.Raise)):
        return True
    inner = () if isinstance(node, (gast.FunctionDef, gast.Lambda)) else gast.iter_child_nodes(node)
    return any(map(_is_left, inner))


def _is_asked_for(node: Any, parent: Any) -> bool:
    """Whether a set is what `in` looks into."""
    return isinstance(parent, gast.Compare) and all(isinstance(op, (gast.In, gast.NotIn)) for op in parent.ops)


REFUSED = (
    Refusal(
        "Generators",
        ("Yield", "YieldFrom"),
        "a generator cannot be differentiated",
        "write the values into an array and return it",
        "def f(x):\n    yield x * x",
    ),
    Refusal(
        "Coroutines",
        ("AsyncFunctionDef", "Await", "AsyncFor", "AsyncWith", "comprehension"),
        "a coroutine cannot be differentiated",
        "differentiate an ordinary function and call it from the coroutine",
        "async def f(x):\n    return x * x",
        lambda node, parents: getattr(node, "is_async", 1) == 1,
    ),
    Refusal(
        "`try` with `finally` that is left early",
        ("Try",),
        "`try` with `finally` cannot be differentiated where `return`, `break`, `continue` or `raise` leave it",
        "leave it at its end, and return behind it",
        "def f(x):\n    try:\n        return x * x\n    finally:\n        print('done')",
        lambda node, parents: not node.handlers and _is_left(node),
    ),
    Refusal(
        "`try`",
        ("Try", "TryStar"),
        "`try` cannot be differentiated",
        "test with `if` before the operation that may fail, or catch the exception in the caller",
        "def f(x):\n    try:\n        return 1.0 / x\n    except ZeroDivisionError:\n        return 0.0",
        lambda node, parents: bool(node.handlers),
    ),
    Refusal(
        "`global`",
        ("Global",),
        "`global` cannot be differentiated",
        "pass the value as an argument and return the new one",
        "def f(x):\n    global count\n    count += 1\n    return x",
    ),
    Refusal(
        "`del`",
        ("Delete",),
        "`del` cannot be differentiated, other than of one element of a list",
        "leave it out; build a list or an array of what is left",
        "def f(x):\n    y = x * x\n    del x\n    return y",
        lambda node, parents: not all(map(_is_element, node.targets)),
    ),
    Refusal(
        "Class definitions",
        ("ClassDef",),
        "a class definition inside the function cannot be differentiated",
        "define the class outside of the function",
        "def f(x):\n    class Point:\n        pass\n\n    return x",
    ),
    Refusal(
        "Imports inside the function",
        ("Import", "ImportFrom"),
        "an import inside the function is not supported",
        "import it at the top of the file",
        "def f(x):\n    import math\n\n    return math.sin(x)",
    ),
    Refusal(
        "Patterns that look into objects",
        ("MatchClass", "MatchMapping", "MatchStar"),
        "a pattern that looks into an object is not supported",
        "match on constants, or test with `if` and `elif`",
        "def f(x, p):\n    match p:\n        case {'rate': r}:\n            return r * x\n    return x",
    ),
    Refusal(
        "Sets",
        ("SetComp", "Set"),
        "a set is not supported",
        "use an array or a tuple",
        "def f(x):\n    return x * len({1, 2})",
        lambda node, parents: not (isinstance(node, gast.Set) and _is_asked_for(node, parents[-1])),
    ),
    Refusal(
        "f-strings, except in messages",
        ("JoinedStr",),
        "an f-string is supported only in what `print`, `assert` and `raise` say",
        "make the text outside of the function",
        "def f(x):\n    name = f'{x}'\n    return x",
        lambda node, parents: not _in_message(node, parents),
    ),
    Refusal(
        "Decorated inner functions",
        ("FunctionDef",),
        "a decorated function inside the function is not supported",
        "define the decorated function outside",
        "def f(x):\n    @njit\n    def square(y):\n        return y * y\n\n    return square(x)",
        lambda node, parents: bool(parents) and bool(node.decorator_list),
    ),
    Refusal(
        "`raise` with `from`",
        ("Raise",),
        "`raise` with `from` is not supported",
        "raise the exception alone",
        "def f(x):\n    if x < 0.0:\n        raise ValueError('negative') from None\n    return np.sqrt(x)",
        lambda node, parents: node.cause is not None,
    ),
    Refusal(
        "Private attributes",
        ("Attribute",),
        "the private attribute `{}` of a class is not supported",
        "give it a name that begins with one underscore",
        "class Model:\n    def f(self, x):\n        return self.__rate * x",
        lambda node, parents: node.attr.startswith("__") and not node.attr.endswith("__"),
    ),
    Refusal(
        "Loop variables that are array elements",
        ("Subscript",),
        "a loop that counts in an array element is not supported",
        "count in a name and assign it to the element in the loop",
        "def f(x):\n    for x[0] in range(3):\n        x[1] += x[0]\n    return x[1]",
        lambda node, parents: isinstance(parents[-1], gast.For) and node is parents[-1].target,
    ),
)
