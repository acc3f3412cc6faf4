"""Arithmetic of short integers and booleans, whose results are of another type in Numba than in NumPy.

    t = j * 60          j an int8: NumPy's product is an int8, which wraps around; Numba's is an int64
    t = k ** 2          the same for arrays
    t = np.sqrt(k)      k of uint8: float16 in NumPy, float64 in Numba
    t = a + b           two booleans: 2 for Python's, True for NumPy's
    k = 3               k an int64 for Numba: NumPy's product is an uint8 where the branch has been taken
    if c: k = j
    t = k * 2

What NumPy's rules (NEP 50) give as another integer or boolean is converted to it by the pass `integer_arithmetic`.
Where that is not known, or is a short float, the code is not compiled, and runs as Python does. Exempt are sums and
differences of 32-bit integers, of which index arrays are made: they differ beyond 2^31 only.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any

import gast
import numpy as np
from numba import types as nb
from numba.np.numpy_support import as_dtype

from srcad.runtime.jit.numba_inference import CannotType, typing_only
from srcad.transforms.inference.expression_types import Expressions, Unresolved
from srcad.transforms.inference.scalar_origins import Origin, Origins
from srcad.transforms.ir.build import dotted_path, names_in, place_of, walk_statements, written
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant, primitive_of
from srcad.transforms.ir.unit import Unit

SHORT = (nb.boolean, nb.int8, nb.int16, nb.int32, nb.uint8, nb.uint16, nb.uint32, nb.uint64)
JOINED = tuple(each for each in SHORT if each != nb.int32)  # as in sums
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
UFUNCS: dict[Any, Any] = {getattr(operator, name): ufunc for name, ufunc in _BINARY.items()}
UFUNCS |= {getattr(operator, f"i{name.strip('_')}"): ufunc for name, ufunc in _BINARY.items()}
UFUNCS |= {
    operator.neg: np.negative,
    operator.pos: np.positive,
    operator.invert: np.invert,
    pow: np.power,
    abs: np.absolute,
}
_OWN = {nb.boolean: bool, nb.int64: int, nb.float64: float, nb.complex128: complex}
_OF_LITERALS = {own: kind for kind, own in _OWN.items()}


def refuse_other_arithmetic(unit: Unit, known: Types, converts: bool = True) -> None:
    """Raise CannotType where a result has not the type that NumPy gives it, and cannot be converted to it.

    Nothing `converts` results in functions that are called, or call others: types of calls follow from Numba's.
    """
    results = NumPyResults(unit, known)
    for statement in walk_statements(unit.tree.body):
        if isinstance(statement, gast.Assign):
            dtype = results.dtype_of(statement)
            if dtype not in (None, np.int32) and not converts:
                reason = (
                    f"the result is of the type {dtype} for NumPy, of another one for Numba, and calls follow Numba"
                )
                raise CannotType(reason, None, place_of(statement))


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
        operation = self.operation(statement.value)
        if name not in self.known.of:
            return None
        if operation is None:
            return self.dtype_of_call(statement.value, name)
        kinds = [kind for each in operation[2] for kind in self.kinds(each)]
        if operation[0] is np.sign and not all(getattr(element(each), "signed", True) for each in kinds):
            raise CannotType("Numba has a sign of its own for unsigned integers", None, place_of(statement))
        found, expected = _dtype(self.known.of[name]), self.expected(*operation)
        if found is None or all(each == found for each in expected):
            return None
        is_wide = any(element(each) == nb.uint64 for each in kinds)  # to Numba, perhaps a float
        if len(expected) > 1 or is_wide or any(each.kind not in "iub" for each in (*expected, found)):
            reason = f"the result is of the type {' or '.join(map(str, expected))} for NumPy and {found} for Numba"
            raise CannotType(reason, None, place_of(statement))
        return None if (name, expected[0].name) in self.converted else expected[0]

    def dtype_of_call(self, value: gast.expr, name: str) -> Any:
        """The same for a call of a function of NumPy that is no ufunc, as `np.where(c, k, 1)`: NumPy is asked."""
        if not isinstance(value, gast.Call) or value.keywords:
            return None
        function = primitive_of(value, self.unit.bindings)
        is_numpys = (getattr(function, "__module__", None) or "").startswith("numpy")
        if not is_numpys or not any(element(self.known.get(each)) in SHORT for each in names_in(value)):
            return None
        try:
            expected = np.asarray(function(*map(self.sample, value.args))).dtype
        except Exception:  # noqa: BLE001  it takes other arguments than these
            return None
        found = _dtype(self.known.of[name])
        if found is None or found == expected or not {found.kind, expected.kind} <= set("iub"):
            return None
        return None if (name, expected.name) in self.converted else expected

    def sample(self, node: gast.expr) -> Any:
        """A value of the type that an argument has. Raises LookupError if that is not known."""
        if isinstance(node, gast.Constant):
            return node.value
        kind = self.kinds(node)[0]
        if isinstance(kind, nb.Array):
            return np.ones((2,) * kind.ndim, as_dtype(kind.dtype))
        dtypes = self.dtypes(node) if isinstance(kind, (nb.Number, nb.Boolean)) else ()
        if len(dtypes) != 1:
            raise LookupError
        return dtypes[0](1) if isinstance(dtypes[0], type) else dtypes[0].type(1)

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

    @cached_property
    def joined(self) -> dict[str, set[nb.Type]]:
        """For numbers that are of a short type for NumPy where another value of the name is not: these types."""
        found: dict[str, set[nb.Type]] = {}
        doubtful = [each for each in self._met() if self._reads_short(each[1])]
        if doubtful:
            with typing_only():
                expressions = Expressions(dict(self.known.of), self.unit.bindings)
                for name, value in doubtful:
                    kind = _stored(value, expressions)
                    if kind in JOINED and kind != self.known.get(name):
                        found.setdefault(name, set()).add(kind)
        return self._followed(found)

    def _met(self) -> Iterator[tuple[str, gast.expr]]:
        """The names of numbers, each with the values that meet in it: in branches and loops, by `min` and `max`."""
        for name, stores in self.origins.stores.items():
            if isinstance(self.known.get(name), nb.Number):
                for each in stores:
                    if isinstance(each, gast.Assign) and not notes_of(each).unset:  # a name that is not read then
                        chosen = _chosen(each.value)
                        yield from ((name, value) for value in chosen or [each.value] * (len(stores) > 1))

    def _reads_short(self, value: gast.expr) -> bool:
        """Whether an expression has an operand of a short type."""
        kinds = [self.known.get(name) for name in names_in(value)]
        return isinstance(constant(value), bool) or any(element(kind) in JOINED for kind in kinds)

    def _followed(self, found: dict[str, set[nb.Type]]) -> dict[str, set[nb.Type]]:
        """The same for copies of such names."""
        pending = list(found)
        while pending:
            name = pending.pop()
            for copy, stores in self.origins.stores.items():
                is_copy = any(getattr(getattr(each, "value", None), "id", None) == name for each in stores)
                if is_copy and not found[name] <= found.get(copy, set()):
                    found[copy] = found.get(copy, set()) | found[name]
                    pending.append(copy)
        return found

    def kinds(self, node: gast.expr) -> list[nb.Type | None]:
        """The types that an operand may have had before it was joined with others, that for Numba first."""
        if isinstance(node, gast.Name):
            return [self.known.get(node.id), *sorted(self.joined.get(node.id, ()), key=str)]
        return [_OF_LITERALS.get(type(constant(node)))]

    def operation(self, value: gast.expr) -> tuple[np.ufunc, Any, list[gast.expr]] | None:
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
        elements = [element(kind) for each in operands for kind in self.kinds(each)]
        if None in elements or not any(each in SHORT for each in elements):
            return None
        function = primitive_of(value, self.unit.bindings)
        ufunc = function if isinstance(function, np.ufunc) else UFUNCS.get(function)
        is_exempt = nb.int32 in elements and ufunc in (np.add, np.subtract, np.negative)
        is_array = isinstance(self.kinds(operands[0])[0], nb.Array)
        is_in_place = isinstance(value, gast.Call) and is_array and function is not ufunc
        if ufunc is None or ufunc.nin != len(operands) or is_exempt or is_in_place:
            return None
        return ufunc, function, operands

    def expected(self, ufunc: np.ufunc, function: Any, operands: list[gast.expr]) -> list[np.dtype[Any]]:
        """The dtypes that the result may have in NumPy, for each way in which numbers may be Python's or NumPy's."""
        return results_of(ufunc, function, [*map(self.dtypes, operands)], [*map(constant, operands)])

    def dtypes(self, node: gast.expr) -> list[Any]:
        """What an operand may be for NumPy's rules: dtypes, or types of Python."""
        return [each for kind in self.kinds(node) for each in dtypes_of(kind, self.origins.of(node))]


def results_of(
    ufunc: np.ufunc, function: Any, given: Sequence[Sequence[Any]], literals: Sequence[Any]
) -> list[np.dtype[Any]]:
    """The dtypes that the result of a ufunc may have, for operands of these dtypes or types of Python each.

    function    what the operation is written with
    literals    the operands that are written as numbers; None for others

    Raises CannotType where NumPy raises an exception for the numbers.
    """
    found: list[np.dtype[Any]] = []
    if ufunc is np.power and (literals[1] or 0) < 0:
        raise CannotType("NumPy has no negative powers of integers")
    for kinds in product(*given):
        try:
            if all(isinstance(each, type) for each in kinds):
                result = np.asarray(function(*(each(1) for each in kinds))).dtype
            else:
                plain = [np.dtype(bool) if each is bool else each for each in kinds]  # NumPy has one kind of booleans
                result = ufunc.resolve_dtypes((*plain, *(None,) * ufunc.nout))[-1]
        except TypeError:  # which NumPy refuses when the program runs
            continue
        found += [] if result in found else [result]
        if result.kind in "iu" and any(not _holds(result, each) for each in literals):
            raise CannotType(f"NumPy's {result} does not hold all constants here")
    return found


def _chosen(value: gast.expr) -> list[gast.expr]:
    """The values of which Python's `min` and `max` give one."""
    match value:
        case gast.Call(func=gast.Name(id="min" | "max"), args=[_, _, *_] as given, keywords=[]):
            return list(given)
    return []


def _stored(value: gast.expr, expressions: Expressions) -> nb.Type | None:
    """The type of a value before it meets others of the same name; None if it is not known."""
    try:
        return expressions.stored(value)
    except Unresolved:
        return None


def _holds(dtype: np.dtype[Any], number: Any) -> bool:
    """Whether a dtype has a number; of what is no integer there is nothing to be said."""
    return not isinstance(number, int) or np.iinfo(dtype).min <= number <= np.iinfo(dtype).max


def dtypes_of(kind: nb.Type | None, origin: Origin) -> list[Any]:
    """What a number or array of this type may be for NumPy's rules: a dtype, or a type of Python."""
    strong, own = _dtype(kind), _OWN.get(kind)
    if own is None:  # which Python has not; Numba gives it to `int(k)` as well
        return [int if isinstance(kind, nb.Integer) and origin is Origin.PYTHON else strong]
    if origin is Origin.UNKNOWN:
        return [strong, own]
    return [strong if origin is Origin.NUMPY else own]


def element(kind: nb.Type | None) -> nb.Type | None:
    """The type of a number, or of the elements of an array."""
    kind = kind.dtype if isinstance(kind, nb.Array) else kind
    return kind if isinstance(kind, (nb.Number, nb.Boolean)) else None


def _dtype(kind: nb.Type | None) -> Any:
    kind = kind.dtype if isinstance(kind, nb.Array) else kind
    return as_dtype(kind) if isinstance(kind, (nb.Number, nb.Boolean)) else None
