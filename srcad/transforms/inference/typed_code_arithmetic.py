"""Arithmetic of a Python function that Numba has typed: whether its machine code computes with integers as Python does.

    s = s + a[i]        a of uint8: NumPy's sum is one where s is 0 or one of uint8, Numba's an int64
    f = f * k           Python's product has any number of digits, Numba's 64 bits

`numba_arithmetic` asks this of functions in core form. Here it is asked of any text, after Numba's inference: of code
that ran as Python, as it should, and is now to be compiled around calls of Python (`srcad.runtime.jit.islands`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numba.core import ir, ir_utils
from numba.core import types as nb
from numba.np.numpy_support import as_dtype

from srcad.runtime.jit.numba_inference import CannotType, typed_code
from srcad.transforms.inference.numba_arithmetic import JOINED, SHORT, UFUNCS, dtypes_of, element, results_of
from srcad.transforms.inference.scalar_origins import Origin

_GROWING = (operator.mul, operator.imul, operator.pow, operator.ipow, operator.lshift, operator.ilshift, pow)
_SUMS = (operator.add, operator.iadd)
_LARGE = 2**31  # from here on a factor may take the product with an index beyond 64 bits


def computes_otherwise(function: Callable[..., Any], kinds: tuple[nb.Type, ...]) -> bool:
    """Whether a function, compiled for arguments of these types, may give other integers or booleans than Python.

    >>> def total(a):
    ...     s = 0
    ...     for i in range(a.size):
    ...         s = s + a[i]
    ...     return s
    >>> computes_otherwise(total, (nb.int64[::1],)), computes_otherwise(total, (nb.uint8[::1],))
    (False, True)
    """
    code = typed_code(function, kinds)
    return _Arithmetic(code.func_ir, code.typemap, code.calltypes).is_other()


class _Arithmetic:
    """The statements of a function in Numba's representation, with the types of names and of calls."""

    def __init__(self, function: Any, types: Mapping[str, Any], signatures: Mapping[Any, Any]) -> None:
        self.function, self.types, self.signatures = function, types, signatures
        self.statements = [each for block in function.blocks.values() for each in block.body]
        self.sources: dict[str, set[str]] = {}
        for each in self.statements:
            if isinstance(each, ir.Assign) and isinstance(self.kind(each.target), nb.Integer):
                read = [each.value] if isinstance(each.value, ir.Var) else list(_operands(each.value))
                self.sources.setdefault(_plain(each.target), set()).update(map(_plain, read))

    def kind(self, variable: Any) -> Any:
        """The type of a variable."""
        return nb.unliteral(self.types[variable.name])

    def is_other(self) -> bool:
        """Whether a statement may give another result than in Python."""
        return any(map(self.is_masked, self.statements)) or any(
            self.loses_type(each) or self.is_wrong(each)
            for each in self.statements
            if isinstance(each, ir.Assign) and isinstance(each.value, (ir.Var, ir.Expr))
        )

    def is_masked(self, statement: Any) -> bool:
        """Whether a mask of several dimensions is an index, to which Numba gives a meaning of its own."""
        value: Any = getattr(statement, "value", None)
        is_read = isinstance(value, ir.Expr) and value.op == "getitem"
        index = value.index if is_read else statement.index if isinstance(statement, ir.SetItem) else None
        kind = None if index is None else self.types[index.name]
        parts = list(kind) if isinstance(kind, nb.BaseTuple) else [kind]
        return any(isinstance(each, nb.Array) and each.dtype == nb.boolean and each.ndim > 1 for each in parts)

    def loses_type(self, statement: ir.Assign) -> bool:
        """Whether a number of a short type becomes one of another type, where it meets other values of a name."""
        value, kind = statement.value, self.kind(statement.target)
        is_phi = isinstance(value, ir.Expr) and value.op == "phi"
        met = value.incoming_values if is_phi else [value] if isinstance(value, ir.Var) else self.chosen(value)
        kinds = [self.kind(each) for each in met if isinstance(each, ir.Var) and each.name in self.types]
        return isinstance(kind, nb.Number) and any(each in JOINED and each != kind for each in kinds)

    def chosen(self, value: Any) -> list[Any]:
        """The variables of which Python's `min` and `max` give one."""
        operation = self.operation(value)
        return operation[1] if operation is not None and operation[0] in (min, max) else []

    def is_wrong(self, statement: ir.Assign) -> bool:
        """Whether an operation has a result of another type for NumPy, or may have one that needs more than 64 bits."""
        operation = self.operation(statement.value)
        if operation is None:
            return False
        function, operands = operation
        kinds = [self.kind(each) for each in operands]
        if any(element(each) in SHORT for each in kinds):
            return self.is_of_other_type(statement, function, operands)
        if not all(each == nb.int64 for each in kinds) or len(operands) != 2:
            return False
        grows = [_plain(statement.target) in self.all_sources(each) for each in operands if not self.is_one(each)]
        if function in _SUMS:
            return len(grows) == 2 and all(grows)
        return function in _GROWING and len(grows) == 2 and (any(grows) or self.is_large(function, operands))

    def operation(self, value: Any) -> tuple[Any, list[Any]] | None:
        """The function of an operation and its operands."""
        if not isinstance(value, ir.Expr):
            return None
        if value.op in ("binop", "inplace_binop"):
            is_changed = value.op == "inplace_binop" and isinstance(self.kind(value.lhs), nb.Array)
            return None if is_changed else (value.fn, [value.lhs, value.rhs])
        if value.op == "unary":
            return value.fn, [value.value]
        called = self.types[value.func.name] if value.op == "call" and not value.kws else None
        return (called.typing_key, list(value.args)) if isinstance(called, nb.Function) else None

    def is_of_other_type(self, statement: ir.Assign, function: Any, operands: list[Any]) -> bool:
        """Whether NumPy's rules give the result another type than Numba's, or may do so."""
        ufunc = function if isinstance(function, np.ufunc) else UFUNCS.get(function)
        kinds = [self.kind(each) for each in operands]
        elements = [element(each) for each in kinds]
        if ufunc is None or ufunc.nin != len(operands) or None in elements:
            return False
        if ufunc in (np.add, np.subtract, np.negative) and nb.int32 in elements:
            return False  # as in functions in core form
        if ufunc is np.sign:
            return not all(getattr(each, "signed", True) for each in elements)
        numbers = [*map(self.number, operands)]
        origins = [Origin.UNKNOWN if each is None else Origin.PYTHON for each in numbers]
        try:
            expected = results_of(ufunc, function, [*map(dtypes_of, kinds, origins)], numbers)
        except CannotType:
            return True
        return any(each != as_dtype(element(self.kind(statement.target))) for each in expected)

    def is_large(self, function: Any, operands: list[Any]) -> bool:
        """Whether a factor is a large number or a power; all powers but squares are taken to be large."""
        if function not in (operator.mul, operator.imul):
            exponent = self.number(operands[1])
            return exponent is None or not 0 <= exponent <= 2
        return any(abs(self.number(each) or 0) >= _LARGE for each in operands)

    def is_one(self, variable: Any) -> bool:
        """Whether an operand is a number that lets a result grow by counting only."""
        return self.number(variable) in (-1, 0, 1)

    def number(self, variable: Any) -> Any:
        """The number that a variable is, if it is written in the text; else None."""
        found = ir_utils.guard(ir_utils.get_definition, self.function, variable)
        value = getattr(found, "value", None) if isinstance(found, (ir.Const, ir.Global, ir.FreeVar)) else None
        return value if isinstance(value, (bool, int, float, complex)) else None

    def all_sources(self, variable: Any) -> set[str]:
        """The integers that a variable is computed from, in earlier iterations as well."""
        found, pending = set[str](), [_plain(variable)]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending += self.sources.get(name, ())
        return found


def _plain(variable: Any) -> str:
    """The name of a variable without the number of its store."""
    return str(variable.name.partition(".")[0])


def _operands(value: Any) -> Iterator[Any]:
    """The variables that arithmetic, or a choice between stores, reads."""
    if isinstance(value, ir.Expr) and value.op in ("binop", "inplace_binop", "unary", "phi", "cast"):
        yield from (each for each in value.list_vars() if isinstance(each, ir.Var))
