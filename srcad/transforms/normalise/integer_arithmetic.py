"""Integer arithmetic: where compiled integers and booleans are not what Python's or NumPy's are.

    f = f * k               kernels.integers.check_product(f, k, "f *= k: the product is beyond ... (f.py:3)")
                            f = f * k
    n = 2 ** k              kernels.integers.check_between(k, 0, 62, "2 ** k: the power is beyond ... (f.py:4)")
                            n = 2 ** k
    h = 10 ** -k            t = float(10)                       Python's power is a float
                            h = t ** -k
    t = j * 60              t2 = j * 60                         j an int8: NumPy's product is one, and wraps around
                            t = np.int8(t2)
    t = a + b               t2 = a + b                          two booleans of NumPy's: their sum is a boolean
                            t = np.bool_(t2)

Python's integers have no bound, NumPy's wrap around, and compiled ones have 64 bits: which of the first two is meant
only a program that runs uncompiled knows. So compiled code raises LeavesIntegers, whereupon derivatives begin again
uncompiled. Products and sums are checked where they grow from one iteration to the next (factorials, Fibonacci numbers,
generators of random numbers) or have a large factor: others do not leave 64 bits in the time that a program has.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gast
import numpy as np
from numba import types as nb

from srcad.runtime import kernels
from srcad.transforms.inference.numba_arithmetic import NumPyResults
from srcad.transforms.inference.scalar_origins import Origin, Origins
from srcad.transforms.inference.type_inference import types_of, without_unreached
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    load,
    names_in,
    place_of,
    rewrite,
    walk_statements,
    written,
)
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.comments import message_at
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant

_MOST = 2**63 - 1
_LARGE = 2**31  # from here on a factor may take the product with an index beyond 64 bits
_UNCHECKED = 2  # exponents up to this one: squares are beyond 64 bits from three thousand millions on
_CALLS: dict[str, type[gast.operator]] = {
    "pow": gast.Pow,
    "operator.pow": gast.Pow,
    "operator.ipow": gast.Pow,
    "operator.imul": gast.Mult,
    "operator.iadd": gast.Add,
    "operator.ilshift": gast.LShift,
}
_SAID = {
    "check_between": "the power is beyond 64 bits or a fraction, and compiled integers are neither; take a float",
    "check_power": "the power is beyond 64 bits or a fraction, and compiled integers are neither; take a float",
    "check_product": "the product is beyond the 64 bits of compiled integers; take a float",
    "check_sum": "the sum is beyond the 64 bits of compiled integers; take a float",
    "check_shift": "the result is beyond the 64 bits of compiled integers; take a power of a float",
}


def with_pythons_integers(code: Code) -> Code:
    """The function with checks of integer arithmetic, and with the arithmetic of booleans that NumPy has."""
    found = code if code.settings.observed else _Retyped(code).result()
    if found is not code:
        return with_pythons_integers(found)  # the types of its results may show others
    return _Checked(code).result() if code.settings.loops else code


class _Rewriting:
    """Goes through the statements that compute a number from two integers or booleans."""

    def __init__(self, code: Code) -> None:
        self.code, self.types = code, code.types
        self.names = code.unit.names.copy()
        self.origins = Origins(code.unit, code.types)

    def result(self) -> Code:
        """The function with what `changed` gives for its statements; the same one, uncopied, if none is due."""
        concerned = (each for each in walk_statements(self.code.body) if _is_concerned(each, self.types))
        if not any(map(self.is_due, concerned)):
            return self.code
        tree = self.code.unit.copy_tree()
        tree.body = rewrite(tree.body, self.statement)
        return self.finished(self.code.with_unit(self.code.unit.with_tree(tree, names=self.names)))

    def finished(self, code: Code) -> Code:
        """The function, whose statements have been rewritten."""
        raise NotImplementedError

    def statement(self, statement: gast.stmt) -> Block:
        """A statement, or what is in its place."""
        is_due = _is_concerned(statement, self.types) and self.is_due(statement)
        return self.changed(statement) if is_due else [statement]

    def is_due(self, statement: gast.Assign) -> bool:
        """Whether a statement is to be changed."""
        raise NotImplementedError

    def changed(self, statement: gast.Assign) -> Block:
        """What is in the place of a statement that is to be changed."""
        raise NotImplementedError


class _Retyped(_Rewriting):
    """Changes operations whose results have another type for Python or NumPy than for Numba."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        self.results = NumPyResults(code.unit, code.types)
        self.numpy = "np" if code.unit.bindings.get("np", np) is np else self.names.fresh("np")

    def finished(self, code: Code) -> Code:
        unit = replace(code.unit, bindings={**code.unit.bindings, self.numpy: np})
        types = types_of(unit, code.signature)
        return code.with_unit(without_unreached(unit, types), types)

    def is_due(self, statement: gast.Assign) -> bool:
        is_other = self.results.dtype_of(statement) is not None
        return is_other or self.is_short(statement.value) or self.is_fraction(statement.value)

    def changed(self, statement: gast.Assign) -> Block:
        dtype, value, place = self.results.dtype_of(statement), statement.value, place_of(statement)
        if dtype is not None:
            return self.converted(statement, dtype)
        name = self.names.temporary()
        if self.is_short(value):
            statement.value = call("int", load(name))
            return [assign(name, call(f"{self.numpy}.int64", value.args[0]), place), statement]
        _, base, exponent = _operation(value)
        statement.value = binary(load(name), gast.Pow, exponent)
        return [assign(name, call("float", base), place), statement]

    def is_short(self, value: gast.expr) -> bool:
        """Whether this is `int` of a type that Numba leaves as it is: of fewer than 64 bits, or unsigned."""
        match value:
            case gast.Call(func=gast.Name(id="int"), args=[gast.Name(id=name)]):
                kind = self.types.get(name)
                return isinstance(kind, nb.Integer) and kind != nb.int64
        return False

    def converted(self, statement: gast.Assign, dtype: Any) -> Block:
        """The statement with its result converted to a dtype."""
        name, place = self.names.temporary(), place_of(statement)
        of = dotted(f"{self.numpy}.{'bool_' if dtype.kind == 'b' else dtype.name}")
        before = assign(name, statement.value, place)
        if isinstance(self.types.get(written(statement) or ""), nb.Array):
            statement.value = call(f"{self.numpy}.astype", load(name), of)
        else:
            statement.value = gast.Call(func=of, args=[load(name)], keywords=[])
        return [before, statement]

    def is_fraction(self, value: gast.expr) -> bool:
        """Whether this is a power of one of Python's integers with an exponent that is written as a negative number."""
        op, base, exponent = _operation(value)
        if not isinstance(op, gast.Pow) or not _are_long([base, exponent], self.types):
            return False
        stores = self.origins.stores.get(getattr(exponent, "id", ""), [])
        is_negation = len(stores) == 1 and isinstance(getattr(stores[0], "value", None), gast.UnaryOp)
        is_numpys = Origin.NUMPY in (self.origins.of(base), self.origins.of(exponent))
        return (is_negation or (constant(exponent) or 0) < 0) and not is_numpys


class _Checked(_Rewriting):
    """Puts checks before operations whose results may be beyond 64 bits."""

    def __init__(self, code: Code) -> None:
        super().__init__(code)
        is_free = code.unit.bindings.get("kernels", kernels) is kernels
        self.alias = "kernels" if is_free else self.names.fresh("kernels")

    def finished(self, code: Code) -> Code:
        return code.with_unit(replace(code.unit, bindings={**code.unit.bindings, self.alias: kernels}))

    def is_due(self, statement: gast.Assign) -> bool:
        return self.check_of(statement) is not None

    def changed(self, statement: gast.Assign) -> Block:
        check, place = self.check_of(statement), place_of(statement)
        assert check is not None
        check.args.append(const(message_at(place, _SAID[check.func.attr])))
        return [at(gast.Expr(value=check), place), statement]

    def check_of(self, statement: gast.Assign) -> gast.Call | None:
        """The check that a statement needs, but for its message."""
        op, left, right = _operation(statement.value)
        if not _are_long([left, right], self.types):
            is_power = isinstance(op, gast.Pow) and isinstance(right, gast.Name)
            is_signed = is_power and getattr(self.types.get(right.id), "signed", False)
            return self.check("between", right, const(0), const(_MOST)) if is_signed else None  # NumPy refuses others
        match op:
            case gast.Pow():
                return self.of_power(left, right)
            case gast.Mult() if self.is_large(left) or self.is_large(right) or self.is_growing(statement):
                return self.check("product", left, right)
            case gast.Add() if self.is_growing(statement):
                return self.check("sum", left, right)
            case gast.LShift() if constant(right) is None or self.is_growing(statement):
                return self.check("shift", left, right)
        return None

    def of_power(self, base: gast.expr, exponent: gast.expr) -> gast.Call | None:
        """The check of a power, of a base or an exponent alone if the other one is known."""
        power, given = constant(exponent), constant(base)
        if power is not None and 0 <= power <= _UNCHECKED:
            return None
        if power is not None and power > 0:
            most = _root_of(_MOST, power)
            return self.check("between", base, const(-most), const(most))
        if given is not None:
            most = _MOST if abs(given) < 2 else _logarithm_of(_MOST, abs(given))
            return self.check("between", exponent, const(0), const(most))
        return self.check("power", base, exponent)

    def check(self, name: str, *operands: gast.expr) -> gast.Call:
        return call(f"{self.alias}.integers.check_{name}", *map(clone, operands))

    def is_growing(self, statement: gast.Assign) -> bool:
        """Whether a result is computed from an earlier one: for a sum, by both sides, since one alone only counts."""
        op, *sides = _operation(statement.value)
        if any(constant(each) in (-1, 0, 1) for each in sides):
            return False
        found = [written(statement) in self.sources(each) for each in sides]
        return all(found) if isinstance(op, gast.Add) else any(found)

    def is_large(self, node: gast.expr) -> bool:
        """Whether a factor is a large number, or is computed from powers or large numbers."""
        stores = [each for name in self.sources(node) for each in self.origins.stores.get(name, [])]
        operations = [_operation(each.value) for each in stores if isinstance(each, gast.Assign)]
        parts = [node, *(part for _, *parts in operations for part in parts)]
        has_powers = any(isinstance(op, (gast.Pow, gast.LShift)) for op, *_ in operations)
        return has_powers or any(
            abs(constant(part) or 0) >= _LARGE for part in parts if isinstance(constant(part), int)
        )

    def sources(self, node: gast.expr) -> set[str]:
        """The integers that a value is computed from, in earlier iterations as well."""
        found: set[str] = set()
        pending = _operands(node)
        while pending:
            name = pending.pop()
            if name not in found and isinstance(self.types.get(name), nb.Integer):
                found.add(name)
                stores = self.origins.stores.get(name, [])
                pending += [each for store in stores for each in _operands(getattr(store, "value", None))]
        return found


def _operation(value: gast.expr) -> tuple[gast.operator | None, gast.expr, gast.expr]:
    """An operation with two operands; no operator for anything else."""
    match value:
        case gast.BinOp(left=left, op=op, right=right):
            return op, left, right
        case gast.Call(func=function, args=[left, right], keywords=[]) if dotted_path(function) in _CALLS:
            return _CALLS[dotted_path(function) or ""](), left, right
    return None, value, value


def _is_concerned(statement: gast.stmt, types: Types) -> bool:
    """Whether a statement computes an integer or a boolean."""
    kind = types.get(written(statement) or "") if isinstance(statement, gast.Assign) else None
    return isinstance(getattr(kind, "dtype", kind), (nb.Integer, nb.Boolean))


def _are_long(operands: list[gast.expr], types: Types) -> bool:
    """Whether operands are integers of 64 bits, Python's among them."""
    kinds = [types.get(each.id) if isinstance(each, gast.Name) else type(constant(each)) for each in operands]
    return all(each in (nb.int64, int) for each in kinds)


def _operands(value: gast.expr | None) -> list[str]:
    """The names that an integer is computed from by arithmetic."""
    match value:
        case gast.Name() | gast.BinOp() | gast.UnaryOp() | gast.IfExp():
            return list(names_in(value))
        case gast.Call(func=function) if dotted_path(function) in ("min", "max", "abs", "int", *_CALLS):
            return [name for each in value.args for name in names_in(each)]
    return []


def _root_of(number: int, degree: int) -> int:
    """The greatest integer whose power is not greater than a number."""
    root = int(number ** (1 / degree)) + 1
    while root**degree > number:
        root -= 1
    return root


def _logarithm_of(number: int, base: int) -> int:
    """The greatest exponent whose power is not greater than a number."""
    exponent = 0
    while base ** (exponent + 1) <= number:
        exponent += 1
    return exponent
