"""Canonical names: the one dotted path for each object of NumPy, `math`, `operator` and the builtins.

`np.absolute`, `from numpy import absolute` and `abs_ = np.absolute` are the same object and so have the same path,
`np.abs`. A few functions of NumPy exist twice, under two names with the same meaning; these share a path as well.
"""

from __future__ import annotations

import builtins
import enum
import functools
import math
import operator
import sys
from types import ModuleType
from typing import Any

import gast
import numba
import numpy as np

from srcad.runtime import kernels
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.ir.array_functions import LIBRARY
from srcad.transforms.ir.build import dotted
from srcad.transforms.ir.constant_conditions import Member

MODULES: dict[str, ModuleType] = {"np": np, "math": math, "operator": operator, "kernels": kernels}

# Builtins that generated code may call: no variable is ever given one of these names.
_CALLED = (
    *("abs", "all", "any", "bool", "complex", "divmod", "enumerate", "float", "int", "isinstance", "len", "list"),
    *("max", "min", "pow", "print", "range", "reversed", "round", "slice", "sum", "tuple", "zip"),
)
_EXCEPTIONS = [
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, BaseException)
]
RESERVED = frozenset([*MODULES, LIBRARY, "prange", *_CALLED, *_EXCEPTIONS])

_PREFERRED = {"np.absolute": "np.abs", "np.conjugate": "np.conj"}
_TWINS = {"amax": "max", "amin": "min", "around": "round", "row_stack": "vstack", "product": "prod"}
_SCALARS = (bool, int, float, complex, str)


def path_of(thing: Any) -> str | None:
    """The dotted path of a function, class or ufunc that is known by name, else None.

    >>> path_of(np.absolute), path_of(np.amax), path_of(math.sin), path_of(np.linalg.norm), path_of(abs)
    ('np.abs', 'np.max', 'math.sin', 'np.linalg.norm', 'abs')
    >>> path_of(path_of) is None
    True
    """
    if thing is numba.prange:
        return "range"  # any order of iterations is correct; which loops may run in parallel is noted on them
    known = _index().get(id(thing))
    return known[1] if known is not None and known[0] is thing else None


def module_path(thing: Any, attribute: str, module: ModuleType) -> tuple[str, list[str]] | None:
    """The root module's name, and the attributes that lead from it to an object of a module; None if they do not."""
    root, *rest = module.__name__.split(".")
    value: Any = sys.modules.get(root)
    for part in [*rest, attribute]:
        value = getattr(value, part, None)
    return (root, [*rest, attribute]) if value is thing and thing is not None else None


def library_path(thing: Any) -> str | None:
    """The public dotted path of a function of SciPy, however it was imported; None for other objects.

    >>> from scipy.special import gammaln
    >>> library_path(gammaln), library_path(np.sin)
    ('scipy.special.gammaln', None)
    """
    path = primitive_name(thing) if callable(thing) and not isinstance(thing, type) else ""
    root, *rest = path.split(".")
    value = sys.modules.get(LIBRARY) if root == LIBRARY else None
    for part in rest:
        value = getattr(value, part, None)
    return path if value is thing else None


def constant_path(value: Any) -> str | None:
    """`math.pi` and the like for the very object that the module holds, else None.

    >>> constant_path(math.pi), constant_path(np.inf), constant_path(3.5)
    ('math.pi', 'np.inf', None)
    """
    for root, names in (("math", ("pi", "e", "tau", "inf", "nan")), ("np", ("pi", "e", "euler_gamma", "inf", "nan"))):
        for name in names:
            if getattr(MODULES[root], name) is value:
                return f"{root}.{name}"
    return None


def literal(value: Any) -> gast.expr | None:
    """A literal that makes an equal value of the same type, or None if there is none.

    >>> print(gast.unparse(literal((1, -0.5, "ij", None, np.float64(2.0), np.float32(0.5)))))
    (1, -0.5, 'ij', None, 2.0, np.float32(0.5))
    """
    if isinstance(value, np.generic):
        return _numpy_literal(value)
    if isinstance(value, enum.Enum):
        return _member_literal(value)
    if value is None or value is Ellipsis or type(value) in _SCALARS:
        return _plain_literal(value)
    if type(value) is tuple:
        elements = [literal(element) for element in value]
        if any(element is None for element in elements):
            return None
        return gast.Tuple(elts=elements, ctx=gast.Load())
    return None


def _member_literal(value: enum.Enum) -> gast.expr | None:
    """A member of an enumeration: an integer's number, a string's text, for other members a unique text.

    >>> print(gast.unparse(_member_literal(enum.Enum("Kind", "A", module="models").A)))
    '<models.Kind.A>'
    """
    if isinstance(value, int):
        return literal(int(value))
    return gast.Constant(value=Member.of(value), kind=None)


def _numpy_literal(value: np.generic) -> gast.expr | None:
    if isinstance(value, (np.float64, np.complex128, np.int64, np.bool_, np.str_)):
        return literal(value.item())
    inner = literal(value.item())
    kind = path_of(type(value))
    if inner is None or kind is None:
        return None
    return gast.Call(func=dotted(kind), args=[inner], keywords=[])


def _plain_literal(value: Any) -> gast.expr:
    if isinstance(value, float) and not math.isfinite(value):
        return _signed(dotted("np.nan" if math.isnan(value) else "np.inf"), value < 0.0)
    if isinstance(value, complex) and (value.real != 0.0 or not math.isfinite(value.imag) or str(value.imag)[0] == "-"):
        parts = [_plain_literal(value.real), _plain_literal(value.imag)]
        return gast.Call(func=dotted("complex"), args=parts, keywords=[])
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        negative = value < 0 or (value == 0 and math.copysign(1.0, value) < 0)
        return _signed(gast.Constant(value=abs(value), kind=None), negative)
    return gast.Constant(value=value, kind=None)


def _signed(node: gast.expr, negative: bool) -> gast.expr:
    return gast.UnaryOp(op=gast.USub(), operand=node) if negative else node


def root_name(node: gast.expr) -> str | None:
    """`np` of `np.linalg.norm`, or None where the expression is not a dotted path."""
    while isinstance(node, gast.Attribute):
        node = node.value
    return str(node.id) if isinstance(node, gast.Name) else None


@functools.cache
def _index() -> dict[int, tuple[Any, str]]:
    """Identity of each known object -> the object and its path; the first path found is used."""
    index: dict[int, tuple[Any, str]] = {}
    for name in [*_CALLED, *_EXCEPTIONS]:
        index[id(getattr(builtins, name))] = (getattr(builtins, name), name)
    for prefix, module in [
        ("np", np),
        ("np.linalg", np.linalg),
        ("np.fft", np.fft),
        ("np.random", np.random),
        ("math", math),
        ("operator", operator),
        ("kernels", kernels),
    ]:
        for name, value in sorted(vars(module).items(), key=lambda item: (item[0].startswith("_"), item[0])):
            if not name.startswith("_") and callable(value):
                path = _own_path(prefix, module, name, value)
                index.setdefault(id(value), (value, _PREFERRED.get(path, path)))
    for twin, name in _TWINS.items():
        if hasattr(np, twin):
            index[id(getattr(np, twin))] = (getattr(np, twin), f"np.{name}")
    return index


def _own_path(prefix: str, module: ModuleType, name: str, value: Any) -> str:
    """The path under the object's own `__name__`, if its module has it under that name too."""
    own = getattr(value, "__name__", name)
    if getattr(module, own, None) is value:
        return f"{prefix}.{own}"
    return f"{prefix}.{name}"
