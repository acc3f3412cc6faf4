"""Expressions as CUDA code has them: functions of `math`, conditional expressions, device functions written out.

np.tanh(x)                          math.tanh(x)
kernels.select(c, a, b)             a if c else b
kernels.strong_product(d, slope)    0.0 if d == 0.0 else d * slope
np.sign(x)                          sign(x), a device function that is part of the text
"""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping
from typing import Any

import gast
import numpy as np

from srcad.cuda.refused_kernels import NOT_ON_DEVICE
from srcad.errors import Place
from srcad.names import Names
from srcad.runtime import kernels
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.ir.build import binary, call, const, dotted, dotted_path, place_of
from srcad.transforms.ir.primitive import BINARY, look_up

_SAME: tuple[str, ...] = (
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
    "log2",
    "log10",
    "sqrt",
    "expm1",
    "log1p",
    "floor",
)
_SAME += ("ceil", "hypot")
_MATH: dict[Any, str] = {getattr(np, name): name for name in _SAME}
_MATH |= {
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.absolute: "fabs",
    np.fabs: "fabs",
    np.fmod: "fmod",
    np.copysign: "copysign",
    np.power: "pow",
}
_MATH |= {
    getattr(math, name): name
    for name in (
        *(
            "sin",
            "cos",
            "tan",
            "asin",
            "acos",
            "atan",
            "atan2",
            "sinh",
            "cosh",
            "tanh",
            "asinh",
            "acosh",
            "atanh",
            "exp",
        ),
        *("expm1", "log", "log2", "log10", "log1p", "sqrt", "pow", "fabs", "floor", "ceil", "fmod", "hypot", "erf"),
        *("erfc", "gamma", "lgamma", "copysign", "isnan", "isinf"),
    )
}
_BUILTINS: dict[Any, str] = {abs: "abs", min: "min", max: "max", float: "float", int: "int", bool: "bool", len: "len"}
_BUILTINS |= {np.maximum: "max", np.minimum: "min"}
_CASTS = (np.float32, np.float64, np.int32, np.int64)
_OPERATORS = {function: kind for kind, function in BINARY.items()}
_OPERATORS |= {np.add: gast.Add, np.subtract: gast.Sub, np.multiply: gast.Mult, np.divide: gast.Div}
_OPERATORS |= {operator.iadd: gast.Add, operator.isub: gast.Sub, operator.imul: gast.Mult, operator.itruediv: gast.Div}

# name -> text of a device function; all are written as Python that CUDA compiles.
DEVICE_FUNCTIONS = {
    "sign": """
def sign(x):
    if x > 0.0:
        return 1.0
    return -1.0 if x < 0.0 else 0.0
""",
    "power_slope": """
def power_slope(a, b):
    return b * math.pow(a, b - 1.0) if b != 0.0 else 0.0
""",
    "power_log": """
def power_log(p, a):
    return p * math.log(a) if a > 0.0 else 0.0
""",
    "ratio": """
def ratio(a, b):
    return a / b if b != 0.0 else 0.0
""",
}
_OF_THE_TEXT = ("range", "add_over_block")
_BY_TEXT: dict[Any, str] = {np.sign: "sign"}


class DeviceForms(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Rewrites expressions; `used` collects the device functions that they call."""

    def __init__(self, bindings: Mapping[str, Any], names: Names, place: Place | None) -> None:
        self.bindings, self.names, self.place = bindings, names, place
        self.used: dict[str, str] = {}

    def visit(self, node: gast.AST) -> Any:
        """The node in CUDA's form; errors are about the last statement that has a place."""
        self.place = place_of(node) or self.place
        return super().visit(node)

    def visit_Call(self, node: gast.Call) -> gast.expr:
        """A call, in the form that CUDA has. Raises MissingRule if there is none."""
        path = dotted_path(node.func)
        if path is None or path.startswith("cuda.") or path in _OF_THE_TEXT:
            return self.generic_visit(node)
        node = self.generic_visit(node)
        try:
            function = look_up(path, self.bindings)
        except (AttributeError, KeyError):
            raise NOT_ON_DEVICE.at(self.place, function=path) from None
        made = self.written(function, node)
        if made is None:
            raise NOT_ON_DEVICE.at(self.place, function=primitive_name(function))
        return made

    def written(self, function: Any, node: gast.Call) -> gast.expr | None:
        """A call of a function, as CUDA has it; None if it has not."""
        arguments = node.args
        if node.keywords:
            return None
        if function is kernels.select:
            return gast.IfExp(test=arguments[0], body=arguments[1], orelse=arguments[2])
        if function is kernels.strong_product and len(arguments) == 2:
            return _unless_zero(arguments[0], binary(arguments[0], gast.Mult, arguments[1]))
        if function is kernels.strong_quotient:
            return _unless_zero(arguments[0], binary(arguments[0], gast.Div, arguments[1]))
        if function in (np.square,):
            return binary(arguments[0], gast.Mult, arguments[0])
        if function in _CASTS:
            return call(f"np.{function.__name__}", *arguments)
        return self.by_name(function, arguments)

    def by_name(self, function: Any, arguments: list[gast.expr]) -> gast.expr | None:
        """A function that has a name in CUDA."""
        try:
            known = _BY_TEXT.get(function) or self.by_kernel(function)
            if known is not None:
                self.used.setdefault(known, known)
                return call(self.used[known], *arguments)
            if function in _MATH:
                return call(f"math.{_MATH[function]}", *arguments)
            if function in _BUILTINS:
                return call(_BUILTINS[function], *arguments)
            if function in _OPERATORS and len(arguments) == 2:
                return binary(arguments[0], _OPERATORS[function], arguments[1])
        except TypeError:  # an object that has no hash
            return None
        return None

    def by_kernel(self, function: Any) -> str | None:
        """A kernel of the run-time library that has a device function of the same name."""
        name = getattr(function, "__name__", "")
        return name if name in DEVICE_FUNCTIONS and getattr(kernels, name, None) is function else None

    def visit_Attribute(self, node: gast.Attribute) -> gast.expr:
        """Constants of NumPy."""
        path = dotted_path(node)
        if path in ("np.pi", "np.e", "np.inf", "np.nan"):
            return dotted("math" + path[2:])
        return self.generic_visit(node)


def _unless_zero(value: gast.expr, product: gast.expr) -> gast.expr:
    """`0.0 if value == 0.0 else product`."""
    test = gast.Compare(left=value, ops=[gast.Eq()], comparators=[const(0.0)])
    return gast.IfExp(test=test, body=const(0.0), orelse=product)
