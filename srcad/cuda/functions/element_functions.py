"""Functions of elements, as kernels have them: one line of text for each function of NumPy or of the run-time
library.

`{0}` and `{1}` stand for the operands, which are names or numbers. Which dtype operands have there is said by
`operand_dtype`: that of the result, or for comparisons the one in which NumPy compares.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from srcad.runtime import kernels

_MATH = {
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.exp: "exp",
    np.log: "log",
    np.log2: "log2",
    np.log10: "log10",
    np.log1p: "log1p",
    np.expm1: "expm1",
    np.sqrt: "sqrt",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
}
_MATH_OF_TWO = {np.arctan2: "atan2", np.hypot: "hypot", np.fmod: "fmod", np.copysign: "copysign"}


def strong_product(bar: Any, slope: Any) -> Any:
    """`kernels.strong_product` of two factors, element by element."""
    return kernels.strong_product(bar, slope)


FUNCTIONS: dict[Any, str] = {
    np.add: "{0} + {1}",
    np.subtract: "{0} - {1}",
    np.multiply: "{0} * {1}",
    np.true_divide: "{0} / {1}",
    np.power: "math.pow({0}, {1})",
    np.mod: "{0} % {1}",
    np.negative: "-{0}",
    np.positive: "{0}",
    np.absolute: "abs({0})",
    np.fabs: "abs({0})",
    np.square: "{0} * {0}",
    np.reciprocal: "1 / {0}",
    np.floor: "{0} - {0} % 1 if abs({0}) < 4503599627370496 else {0}",
    np.ceil: "{0} + (-{0}) % 1 if abs({0}) < 4503599627370496 else {0}",
    np.sign: "1 if {0} > 0 else (-1 if {0} < 0 else {0})",
    np.maximum: "{0} if {0} > {1} or {0} != {0} else {1}",
    np.minimum: "{0} if {0} < {1} or {0} != {0} else {1}",
    np.fmax: "{0} if {0} > {1} or {1} != {1} else {1}",
    np.fmin: "{0} if {0} < {1} or {1} != {1} else {1}",
    np.greater: "{0} > {1}",
    np.greater_equal: "{0} >= {1}",
    np.less: "{0} < {1}",
    np.less_equal: "{0} <= {1}",
    np.equal: "{0} == {1}",
    np.not_equal: "{0} != {1}",
    np.isnan: "{0} != {0}",
    np.isinf: "math.isinf({0})",
    np.isfinite: "math.isfinite({0})",
    np.logical_and: "{0} != 0 and {1} != 0",
    np.logical_or: "{0} != 0 or {1} != 0",
    np.logical_not: "{0} == 0",
    np.where: "{1} if {0} else {2}",
    np.exp2: "math.pow(2.0, {0})",
    np.conjugate: "{0}",
    np.trunc: "{0} - math.fmod({0}, 1.0)",
    np.heaviside: "0 if {0} < 0 else (1 if {0} > 0 else ({1} if {0} == 0 else {0}))",
    np.deg2rad: "{0} * 0.017453292519943295",
    np.rad2deg: "{0} * 57.29577951308232",
    np.degrees: "{0} * 57.29577951308232",
    np.radians: "{0} * 0.017453292519943295",
    strong_product: "{0} * {1} if {0} != 0 else 0",
    kernels.strong_quotient: "{0} / {1} if {0} != 0 else 0",
    kernels.ratio: "{0} / {1} if {1} != 0 else 0",
    kernels.root: "math.sqrt({0})",
    kernels.power_slope: "{1} * math.pow({0}, {1} - 1) if {1} != 0 else 0",
    kernels.power_log: "{0} * (math.log({1}) if {1} > 0 else 0.0)",
    "cast": "{0}",
}
FUNCTIONS |= {function: f"math.{name}({{0}})" for function, name in _MATH.items()}
FUNCTIONS |= {function: f"math.{name}({{0}}, {{1}})" for function, name in _MATH_OF_TWO.items()}

# Of two truth values.
LOGICAL: dict[Any, str] = {
    np.bitwise_and: "{0} and {1}",
    np.bitwise_or: "{0} or {1}",
    np.bitwise_xor: "{0} != {1}",
    np.invert: "not {0}",
    np.add: "{0} or {1}",
    np.multiply: "{0} and {1}",
    np.maximum: "{0} or {1}",
    np.minimum: "{0} and {1}",
}
_OF_TRUTHS = frozenset({np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert})
_GIVES_TRUTHS = frozenset({np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal, np.where})
_GIVES_TRUTHS |= frozenset({np.isnan, np.isinf, np.isfinite, np.logical_and, np.logical_or, np.logical_not, "cast"})


def is_known(function: Any, result: np.dtype[Any], constants: Sequence[Any]) -> bool:
    """Whether there is a text for a function with results of a dtype, of operands of which some are numbers."""
    if result == np.bool_:
        return function in LOGICAL or function in _GIVES_TRUTHS
    if function is np.power and result.kind != "f":
        return constants[1] in (1, 2, 3)
    return function in FUNCTIONS


_COMPARED = frozenset({np.greater, np.greater_equal, np.less, np.less_equal, np.equal, np.not_equal})
_AS_THEY_ARE = frozenset({np.isnan, np.isinf, np.isfinite, np.logical_and, np.logical_or, np.logical_not, "cast"})


def operand_dtype(function: Any, place: int, dtypes: Sequence[Any], result: np.dtype[Any]) -> np.dtype[Any] | None:
    """The dtype in which a function reads an operand; None for the operand's own.

    `dtypes` are those of the operands, types of Python's for its numbers.
    """
    if function in _AS_THEY_ARE or function in _OF_TRUTHS or (function is np.where and place == 0):
        return None
    if function in _COMPARED:
        values = [each(1) if isinstance(each, type) else each for each in dtypes]
        return np.result_type(*values)
    return result


def text_of(function: Any, operands: Sequence[str], constants: Sequence[Any], is_truth: bool) -> str:
    """The text of a function of operands; `constants` are the values of those that are numbers, else None.

    `is_truth` says whether the result is a truth value.
    """
    if function is np.power and constants[1] in (1, 2, 3):
        return " * ".join([operands[0]] * int(constants[1]))
    if is_truth and function in LOGICAL:
        return LOGICAL[function].format(*operands)
    return FUNCTIONS[function].format(*operands)


def literal(value: Any) -> str:
    """A number as text.

    >>> literal(2.0), literal(float("inf")), literal(True), literal(-3)
    ('2.0', 'math.inf', 'True', '(-3)')
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (int, np.integer)):
        return f"({int(value)})" if value < 0 else str(int(value))
    number = float(value)
    if math.isnan(number):
        return "math.nan"
    if math.isinf(number):
        return "math.inf" if number > 0 else "(-math.inf)"
    return f"({number!r})" if math.copysign(1.0, number) < 0 else repr(number)
