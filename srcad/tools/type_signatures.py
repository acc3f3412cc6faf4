"""Parse argument types from text or annotations, and make example arguments of given types.

    "f8[:], f8"     "float64[:, ::1], int64"     "array(float64, 2d, C), (f8, f8)"     "f8(f8[:], f8)"

The command line and `srcad.source` accept signatures in these notations.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import typeof
from numba.core import types

from srcad.errors import BadArgument
from srcad.parsing import python_tree

_HINT = 'write the types as Numba does, such as "f8[:], f8"'

_PYTHON = {
    "float": types.float64,
    "int": types.int64,
    "bool": types.boolean,
    "complex": types.complex128,
    "str": types.unicode_type,
    "None": types.none,
}

_VALUES = (types.Number, types.Boolean, types.UnicodeType, types.NoneType)

_COUNT = 3  # a generated integer: usable as a number of steps or an index
_LENGTH = 4  # the length of each dimension of generated arrays: generated integers are valid indices


def parse_signature(text: str) -> tuple[Any, ...]:
    """The Numba types that a text names. Raises BadArgument if it is not a list of types.

    >>> parse_signature("f8[:], i8")
    (Array(float64, 1, 'A', False, aligned=True), int64)
    >>> parse_signature("float64(float64[:, ::1])")
    (Array(float64, 2, 'C', False, aligned=True),)
    """
    try:
        tree = python_tree(f"({_as_subscripts(text)}\n,)" if text.strip() else "()", mode="eval").body
    except (SyntaxError, ValueError):
        raise BadArgument(f"the signature {text!r} is not a list of types", hint=_HINT) from None
    assert isinstance(tree, ast.Tuple)
    nodes = tree.elts
    if len(nodes) == 1 and isinstance(nodes[0], ast.Call) and not _makes_tuple(nodes[0]):
        nodes = nodes[0].args  # a full signature: the return type is ignored
    return tuple(_type(node, text) for node in nodes)


def signature_of(function: Callable[..., Any]) -> tuple[Any, ...] | None:
    """The types of all parameters from annotations and defaults; None if a parameter has neither.

    >>> def f(x: "f8[:]", k: float, n=3): ...
    >>> signature_of(f)
    (Array(float64, 1, 'A', False, aligned=True), float64, int64)
    """
    kinds = [_parameter_type(parameter) for parameter in _parameters(function)]
    return None if None in kinds else tuple(kinds)


def untyped_parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters with neither a usable annotation nor a default.

    >>> untyped_parameters(lambda x, k=1.0: x)
    ('x',)
    """
    return tuple(each.name for each in _parameters(function) if _parameter_type(each) is None)


def example_arguments(kinds: tuple[Any, ...], seed: int = 0) -> tuple[Any, ...]:
    """Random arguments of these types: floats from 0.5 to 1.5, where most functions are smooth.

    >>> x, n = example_arguments(parse_signature("f4[:, :], i8"))
    >>> x.shape, x.dtype, n
    ((4, 4), dtype('float32'), 3)
    """
    generator = np.random.default_rng(seed)
    return tuple(_example(kind, generator) for kind in kinds)


def _example(kind: Any, generator: np.random.Generator) -> Any:
    if isinstance(kind, types.Array):
        dtype = np.dtype(str(kind.dtype))
        values = _values(dtype, (_LENGTH,) * kind.ndim, generator)
        return np.asfortranarray(values) if kind.layout == "F" else values
    if isinstance(kind, types.BaseTuple):
        return tuple(_example(element, generator) for element in kind)
    if isinstance(kind, (types.Float, types.Complex)):
        value = _values(np.dtype(str(kind)), (), generator)[()]
        return value.item() if value.dtype in (np.float64, np.complex128) else value
    if isinstance(kind, types.Boolean):
        return True
    if isinstance(kind, types.Integer):
        return _COUNT
    if isinstance(kind, types.NoneType):
        return None
    raise BadArgument(f"no example can be made up for the type {kind}", hint="give the arguments themselves")


def _values(dtype: np.dtype[Any], shape: tuple[int, ...], generator: np.random.Generator) -> Any:
    if dtype.kind in "iu":
        return generator.integers(0, _LENGTH, shape).astype(dtype)
    if dtype.kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    real = generator.uniform(0.5, 1.5, shape)
    if dtype.kind == "c":
        return np.asarray(real + 1j * generator.uniform(0.5, 1.5, shape)).astype(dtype)
    return np.asarray(real).astype(dtype)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    from srcad.frontend import load_source

    try:
        return list(load_source.signature_of(function, eval_str=True).parameters.values())
    except (NameError, SyntaxError, TypeError, AttributeError):  # annotations that Python cannot evaluate
        return list(load_source.signature_of(function).parameters.values())


def _parameter_type(parameter: inspect.Parameter) -> Any:
    annotation, default = parameter.annotation, parameter.default
    if isinstance(annotation, types.Type):
        return annotation
    if isinstance(annotation, str):
        try:
            return parse_signature(annotation.strip("'\""))[0]
        except (BadArgument, IndexError):
            pass  # such as a class that is only imported for type checkers
    name = getattr(annotation, "__name__", None)
    if isinstance(annotation, type) and annotation.__module__ in ("builtins", "numpy") and name != "str":
        try:
            return parse_signature(str(name))[0]
        except BadArgument:
            pass  # such as `np.ndarray`, which has no dtype and rank
    if default is parameter.empty:
        return None
    try:
        return typeof(default)
    except ValueError:
        return None


def _type(node: ast.expr, text: str) -> Any:
    if isinstance(node, ast.Tuple):
        return types.Tuple(tuple(_type(element, text) for element in node.elts))
    if isinstance(node, ast.Subscript):
        dtype = _type(node.value, text)
        axes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        slices = tuple(_axis(axis, text) for axis in axes)
        return dtype[slices if len(slices) > 1 else slices[0]]
    if isinstance(node, ast.Call) and _makes_tuple(node):
        element, *count = node.args
        if not count:
            return _type(element, text)
        return types.UniTuple(_type(element, text), ast.literal_eval(count[0]))
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    if isinstance(node, ast.Constant) and node.value is None:
        name = "None"
    kind = _PYTHON.get(name) or getattr(types, name, None)
    if not isinstance(kind, _VALUES):
        raise BadArgument(f"{ast.unparse(node)!r} in the signature {text!r} is not a type", hint=_HINT)
    return kind


def _axis(node: ast.expr, text: str) -> slice:
    if isinstance(node, ast.Slice) and node.lower is None and node.upper is None:
        step = None if node.step is None else ast.literal_eval(node.step)
        if step in (None, 1):
            return slice(None, None, step)
    raise BadArgument(f"{ast.unparse(node)!r} in the signature {text!r} is not a dimension", hint=_HINT)


def _makes_tuple(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id in ("Tuple", "UniTuple")


def _as_subscripts(text: str) -> str:
    """Replace arrays as Numba prints them, `array(float64, 2d, C)`, by subscripts: `float64[:, ::1]`."""

    def subscript(match: re.Match[str]) -> str:
        dtype, rank, layout = match.groups()
        axes = [":"] * int(rank)
        if layout != "A":
            axes[-1 if layout == "C" else 0] = "::1"
        return f"{dtype}[{', '.join(axes)}]"

    text = re.sub(r"\barray\(\s*(\w+)\s*,\s*(\d+)d\s*,\s*([ACF])\s*\)", subscript, text)
    return re.sub(r"\bUniTuple\(([^()]*?) x (\d+)\)", r"UniTuple(\1, \2)", text)
