"""Arithmetic of short integers and booleans, whose results are of another type in Numba than in NumPy.

    t = j * 60          j an int8: NumPy's product is an int8, which wraps around; Numba's is an int64
    t = k ** 2          the same for arrays
    t = np.sqrt(k)      k of uint8: float16 in NumPy, float64 in Numba
    t = a + b           two booleans: 2 for Python's, True for NumPy's

What NumPy's rules (NEP 50) give as another integer or boolean is converted to it by the pass `integer_arithmetic`.
Where that is not known, or is a short float, the code is not compiled, and runs as Python does. Exempt are sums and
differences of 32-bit integers, of which index arrays are made: they differ beyond 2^31 only.
"""

from __future__ import annotations

import operator
from functools import cached_property
from itertools import product
from typing import Any

import gast
import numpy as np
from numba import types as nb
from numba.np.numpy_support import as_dtype

from srcad.runtime.jit.numba_inference import CannotType
from srcad.transforms.inference.scalar_origins import Origin, Origins
from srcad.transforms.ir.build import dotted_path, place_of, walk_statements, written
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.unit import Unit

_SHORT = (nb.boolean, nb.int8, nb.int16, nb.int32, nb.uint8, nb.uint16, nb.uint32, nb.uint64)
_BINARY = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "pow": np.power,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "truediv": np.true_divide,
    "lshift": np.left_shift,
    "rshift": np.right_shift,
    "and_": np.bitwise_and,
    "or_": np.bitwise_or,
    "xor": np.bitwise_xor,
}
_UFUNCS: dict[Any, Any] = {getattr(operator, name): ufunc for name, ufunc in _BINARY.items()}
_UFUNCS |= {getattr(operator, f"i{name.strip('_')}"): ufunc for name, ufunc in _BINARY.items()}
_UFUNCS |= {operator.neg: np.negative, operator.invert: np.invert, pow: np.power}
_OWN = {nb.boolean: bool, nb.int64: int, nb.float64: float, nb.complex128: complex}
_OF_LITERALS = {own: kind for kind, own in _OWN.items()}


def refuse_other_arithmetic(unit: Unit, known: Types) -> None:
    """Raise CannotType where a result has not the type that NumPy gives it, and cannot be converted to it."""
    results = NumPyResults(unit, known)
    for statement in walk_statements(unit.tree.body):
        if isinstance(statement, gast.Assign):
            results.dtype_of(statement)


class NumPyResults:
    """The types that NumPy gives to results of a unit whose names have these types for Numba."""

    def __init__(self, unit: Unit, known: Types) -> None:
        self.unit, self.known = unit, known
        self.origins = Origins(unit, known)

    def dtype_of(self, statement: gast.Assign) -> Any:
        """The dtype of integers or booleans to which a result is to be converted; None if it has it already.

        Raises CannotType where it may be one of several, or is none of these.
        """
        name = written(statement) or ""
        operation = _operation(statement.value, self.unit, self.known)
        if operation is None or name not in self.known.of:
            return None
        if operation[0] is np.sign and not getattr(_element(operation[2][0], self.known), "signed", True):
            raise CannotType("Numba has a sign of its own for unsigned integers", None, place_of(statement))
        found, expected = _dtype(self.known.of[name]), _expected(*operation, self.known, self.origins)
        if found is None or all(each == found for each in expected):
            return None
        is_wide = any(_element(each, self.known) == nb.uint64 for each in operation[2])  # to Numba, perhaps a float
        if len(expected) > 1 or is_wide or any(each.kind not in "iub" for each in (*expected, found)):
            reason = f"the result is of the type {' or '.join(map(str, expected))} for NumPy and {found} for Numba"
            raise CannotType(reason, None, place_of(statement))
        return None if (name, expected[0].name) in self.converted else expected[0]

    @cached_property
    def converted(self) -> set[tuple[str, str]]:
        """Names that are converted, and the names of the dtypes."""
        found = set()
        for statement in walk_statements(self.unit.tree.body):
            match getattr(statement, "value", None):
                case gast.Call(func=gast.Attribute(attr="astype"), args=[gast.Name(id=name), to]):
                    found.add((name, (dotted_path(to) or "").rpartition(".")[2]))
                case gast.Call(func=gast.Attribute(attr=to), args=[gast.Name(id=name)]):
                    found.add((name, to))
        return {(name, "bool" if to == "bool_" else to) for name, to in found}


def _operation(value: gast.expr, unit: Unit, known: Types) -> tuple[np.ufunc, Any, list[gast.expr]] | None:
    """The ufunc of an expression, the function that it is written with, and its operands, some of them short."""
    match value:
        case gast.BinOp(left=left, right=right):
            operands = [left, right]
        case gast.UnaryOp(operand=operand):
            operands = [operand]
        case gast.Call(args=args, keywords=[]) if 0 < len(args) < 3:
            operands = args
        case _:
            return None
    elements = [_element(each, known) for each in operands]
    if None in elements or not any(each in _SHORT for each in elements):
        return None
    function = primitive_of(value, unit.bindings)
    ufunc = function if isinstance(function, np.ufunc) else _UFUNCS.get(function)
    is_exempt = nb.int32 in elements and ufunc in (np.add, np.subtract, np.negative)
    is_in_place = (
        isinstance(value, gast.Call) and isinstance(_kind(operands[0], known), nb.Array) and function is not ufunc
    )
    if ufunc is None or ufunc.nin != len(operands) or is_exempt or is_in_place:
        return None
    return ufunc, function, operands


def _expected(
    ufunc: np.ufunc, function: Any, operands: list[gast.expr], known: Types, origins: Origins
) -> list[np.dtype[Any]]:
    """The dtypes that the result may have in NumPy, for each way in which numbers may be Python's or NumPy's."""
    found: list[np.dtype[Any]] = []
    if ufunc is np.power and (constant(operands[1]) or 0) < 0:
        raise CannotType("NumPy has no negative powers of integers")
    for given in product(*(_dtypes(each, known, origins) for each in operands)):
        try:
            if all(isinstance(each, type) for each in given):
                result = np.asarray(function(*(each(1) for each in given))).dtype
            else:
                result = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout))[-1]
        except TypeError:  # which NumPy refuses when the program runs
            continue
        found += [] if result in found else [result]
        if result.kind in "iu" and any(not _holds(result, constant(each)) for each in operands):
            raise CannotType(f"NumPy's {result} does not hold all constants here")
    return found


def _holds(dtype: np.dtype[Any], number: Any) -> bool:
    """Whether a dtype has a number; of what is no integer there is nothing to be said."""
    return not isinstance(number, int) or np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


def _dtypes(node: gast.expr, known: Types, origins: Origins) -> list[Any]:
    """What an operand may be for NumPy's rules: a dtype, or a type of Python."""
    kind = _kind(node, known)
    origin = origins.of(node)
    strong, own = _dtype(kind), _OWN.get(kind)
    if own is None:  # which Python has not; Numba gives it to `int(k)` as well
        return [int if isinstance(kind, nb.Integer) and origin is Origin.PYTHON else strong]
    if origin is Origin.UNKNOWN:
        return [strong, own]
    return [strong if origin is Origin.NUMPY else own]


def _kind(node: gast.expr, known: Types) -> nb.Type | None:
    return known.of.get(node.id) if isinstance(node, gast.Name) else _OF_LITERALS.get(type(constant(node)))


def _element(node: gast.expr, known: Types) -> nb.Type | None:
    """The type of a number, or of the elements of an array."""
    kind = _kind(node, known)
    kind = kind.dtype if isinstance(kind, nb.Array) else kind
    return kind if isinstance(kind, (nb.Number, nb.Boolean)) else None


def _dtype(kind: nb.Type | None) -> Any:
    kind = kind.dtype if isinstance(kind, nb.Array) else kind
    return as_dtype(kind) if isinstance(kind, (nb.Number, nb.Boolean)) else None
