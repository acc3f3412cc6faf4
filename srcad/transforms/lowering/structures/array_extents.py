"""Extents of arrays that are constants: the shapes of what is computed from arrays of known shape.

    x                   (4,)                    len(x)              4
    y = 2.0 * x[1:]     (3,)                    y.shape[0]          3
    z = np.outer(x, y)  (4, 3)                  z.size              12

Only for functions whose result has a shape that the shapes of its arguments decide, or arguments that are constants:
these are run on arrays of ones. Where a shape is not known, it is left to run time.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gast
import numpy as np

from srcad.runtime.rulebook import registry
from srcad.transforms.ir.build import dotted_path
from srcad.transforms.ir.constant_conditions import UNKNOWN

Extent = tuple[int, ...]

_LARGEST = 4096  # elements of the arrays that a function is run on

# The shape of the result follows from the shapes of the arguments, and from arguments that are constants.
_LIKE = frozenset(
    (
        *("clip", "real", "imag", "conj", "copy", "asarray", "zeros_like", "ones_like", "empty_like", "full_like"),
        *("cumsum", "cumprod", "sort", "argsort", "flip", "roll"),
    )
)
_BY_SHAPES = frozenset(
    (
        *("sum", "mean", "prod", "max", "min", "amax", "amin", "std", "var", "median", "argmax", "argmin", "dot"),
        *("matmul", "outer", "inner", "vdot", "transpose", "ravel", "atleast_1d", "atleast_2d", "diff", "trace"),
        *("array", "stack", "concatenate", "vstack", "hstack", "column_stack", "linalg.norm", "linalg.inv"),
        *("linalg.det", "linalg.solve", "linalg.cholesky"),
    )
)
_BY_CONSTANTS = frozenset(("zeros", "ones", "empty", "full", "arange", "linspace", "eye", "identity", "reshape"))
_IN_PLACE = frozenset(("iadd", "isub", "imul", "itruediv", "ipow"))
_NUMBERS = frozenset(("float", "int", "round", "bool", "len"))


@dataclass(frozen=True)
class Known:
    """What is known of names and atoms.

    extents     the shapes of variables
    constant_of the constant that an atom holds, or UNKNOWN
    bindings    the functions that names stand for
    """

    extents: Mapping[str, Extent]
    constant_of: Callable[[Any], Any]
    bindings: Mapping[str, Any] = field(default_factory=dict)


def extent_of(value: Any, known: Known) -> Extent | None:
    """The shape of what an operation on atoms gives, or None if it is not known.

    >>> known = Known({"x": (4,), "a": (3, 4)}, lambda node: getattr(node, "value", UNKNOWN))
    >>> def shape(text):
    ...     return extent_of(gast.parse(text).body[0].value, known)
    >>> shape("x * 2.0"), shape("a[0]"), shape("x[1:]"), shape("np.dot(a, x)"), shape("np.zeros(3)"), shape("a[x > 0]")
    ((4,), (4,), (3,), (3,), (3,), None)
    """
    try:
        made = _stand_in(value, known)
        return None if made is None else np.shape(made)
    except (ValueError, TypeError, IndexError, ArithmeticError, AttributeError, np.linalg.LinAlgError):
        return None


def count_of(value: Any, known: Known) -> Any:
    """The constant that an operation gives that asks for a shape or a part of it, else UNKNOWN."""
    extents, constant_of = known.extents, known.constant_of
    match value:
        case gast.Call(func=gast.Name(id="len"), args=[gast.Name(id=name)]) if extents.get(name):
            return extents[name][0]
        case gast.Attribute(value=gast.Name(id=name), attr="shape" | "size" | "ndim" as fact) if name in extents:
            shape = extents[name]
            return {"shape": shape, "size": int(np.prod(shape)), "ndim": len(shape)}[fact]
        case gast.Call(func=gast.Name(id="len"), args=[held]) if isinstance(found := constant_of(held), tuple):
            return len(found)
        case gast.Subscript(value=held, slice=index) if isinstance(found := constant_of(held), tuple):
            place = constant_of(index)
            return found[place] if type(place) is int and -len(found) <= place < len(found) else UNKNOWN
    return UNKNOWN


def _stand_in(node: Any, known: Known) -> Any:
    """An array or number of the shape that the expression has; None if that is not known."""

    def inner(each: Any) -> Any:
        return _stand_in(each, known)

    match node:
        case gast.Constant(value=bool() | int() | float() | complex()):
            return 1.0
        case gast.Name(id=name):
            shape = known.extents.get(name)
            return None if shape is None or np.prod(shape) > _LARGEST else np.ones(shape)
        case gast.BinOp(left=left, op=op, right=right):
            first, second = inner(left), inner(right)
            if first is None or second is None:
                return None
            return np.matmul(first, second) if isinstance(op, gast.MatMult) else np.add(first, second)
        case gast.UnaryOp(op=gast.USub() | gast.UAdd(), operand=operand):
            return inner(operand)
        case gast.Tuple(elts=elements):
            rows = [inner(each) for each in elements]
            return None if any(each is None for each in rows) else rows
        case gast.Call(func=gast.Attribute(value=gast.Name(id="operator"), attr=name), args=[left, right]):
            first, second = inner(left), inner(right)
            return None if first is None or second is None or name not in _IN_PLACE else np.add(first, second)
        case gast.Attribute(value=base, attr="T" | "real" | "imag" as name):
            found = inner(base)
            return None if found is None else getattr(np.asarray(found), name)
        case gast.Subscript(value=base, slice=index):
            found, place = inner(base), _index(index, known)
            return None if found is None or place is None else found[place]
        case gast.Call(func=function, args=arguments, keywords=keywords):
            return _called(dotted_path(function) or "", arguments, keywords, inner, known)
    return None


def _called(path: str, arguments: Any, keywords: Any, inner: Callable[[Any], Any], known: Known) -> Any:
    """The result of a function on arrays of ones, if its shape depends on nothing else."""
    if path in _NUMBERS or path.startswith("math."):
        return 1.0
    if path == "abs":
        return inner(arguments[0])
    library, _, name = path.partition(".")
    constant_of = known.constant_of
    function: Any = {"np": np, "scipy": sys.modules.get("scipy")}.get(library)
    for part in name.split("."):
        function = getattr(function, part, None)
    keywords = [each for each in keywords if each.arg != "dtype"]
    if _is_elementwise(known.bindings.get(path, function), len(arguments)):
        shapes = [np.shape(found) for each in arguments if (found := inner(each)) is not None]
        return np.ones(np.broadcast_shapes(*shapes)) if len(shapes) == len(arguments) and not keywords else None
    if name in _BY_CONSTANTS:
        first, *others = arguments if name == "reshape" else [None, *arguments]
        first = None if first is None else inner(first)
        given = [_known(each, constant_of) for each in [*others, *(each.value for each in keywords)]]
        if any(each is UNKNOWN for each in given):
            return None
        count = len(others)
        named = dict(zip([each.arg for each in keywords], given[count:], strict=True))
        if name != "reshape":
            return getattr(np, name)(*given[:count], **named)
        return None if first is None else np.reshape(first, *given[:count], **named)
    if name not in _LIKE and name not in _BY_SHAPES:
        return None
    given = [inner(each) for each in arguments]
    options = {each.arg: _known(each.value, constant_of) for each in keywords}
    if name in _BY_SHAPES and len(arguments) > 1 and (place := _known(arguments[1], constant_of)) is not UNKNOWN:
        given[1] = place
    if any(each is None for each in given[:1]) or any(each is None for each in given) or UNKNOWN in options.values():
        return None
    if name in ("linalg.inv", "linalg.det", "linalg.solve", "linalg.cholesky"):
        given[0] = given[0] + np.eye(given[0].shape[-1])
    return None if function is None else function(*given, **options)


def _is_elementwise(function: Any, count: int) -> bool:
    """Whether the result of a function has the shape to which so many arguments broadcast."""
    if isinstance(function, np.ufunc):
        return function.nout == 1 and function.nin == count and function.signature is None
    rule = registry.find(function)
    # A zero states no parameters: it is one of a single argument here.
    return rule is not None and rule.elementwise and (len(rule.parameters) or 2) == count + 1


def _index(node: Any, known: Known) -> Any:
    """An index that selects as much as the one in the program; None if that is not known."""
    match node:
        case gast.Tuple(elts=elements):
            places = [_index(each, known) for each in elements]
            return None if any(each is None for each in places) else tuple(places)
        case gast.Slice(lower=lower, upper=upper, step=step):
            bounds = [None if each is None else known.constant_of(each) for each in (lower, upper, step)]
            return None if UNKNOWN in bounds else slice(*bounds)
    place = known.constant_of(node)
    if type(place) is int:
        return place
    return 0 if isinstance(node, gast.Name) and known.extents.get(node.id) == () else None


def _known(node: Any, constant_of: Callable[[Any], Any]) -> Any:
    """The constant that an atom or a tuple of atoms is, else UNKNOWN."""
    if isinstance(node, gast.Tuple):
        parts = tuple(_known(each, constant_of) for each in node.elts)
        return UNKNOWN if UNKNOWN in parts else parts
    return constant_of(node)
