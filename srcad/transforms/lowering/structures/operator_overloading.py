"""Operator methods: operators on objects of the user's classes become calls of their methods.

p + q           becomes     Polynomial.__add__(p, q), which is inlined; `2.0 * p` is Polynomial.__rmul__(p, 2.0)
-p, p < q, x in p, not p    likewise, and operator.add(p, q)
"""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import gast

from srcad.refusals.structures import NOT_ITERABLE
from srcad.transforms.ir.build import at, call, const, dotted_path
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure
from srcad.transforms.lowering.structures.item_and_attribute_access import Slots
from srcad.transforms.lowering.structures.iterator_objects import Iterator

BINARY: dict[type[gast.operator], str] = {
    gast.Add: "add",
    gast.Sub: "sub",
    gast.Mult: "mul",
    gast.Div: "truediv",
    gast.FloorDiv: "floordiv",
    gast.Mod: "mod",
    gast.Pow: "pow",
    gast.MatMult: "matmul",
    gast.BitAnd: "and",
    gast.BitOr: "or",
    gast.BitXor: "xor",
    gast.LShift: "lshift",
    gast.RShift: "rshift",
}
# The functions of the module `operator`, as they are handed to functools.reduce.
_FUNCTIONS = {f"operator.{name}": operator for operator, name in BINARY.items()}
_UNARY: dict[type[gast.unaryop], str] = {gast.USub: "__neg__", gast.UAdd: "__pos__", gast.Invert: "__invert__"}
_COMPARED: dict[type[gast.cmpop], tuple[str, str]] = {
    gast.Eq: ("__eq__", "__eq__"),
    gast.NotEq: ("__ne__", "__ne__"),
    gast.Lt: ("__lt__", "__gt__"),
    gast.LtE: ("__le__", "__ge__"),
    gast.Gt: ("__gt__", "__lt__"),
    gast.GtE: ("__ge__", "__le__"),
}


class Overloads(Slots):
    """Operators that a user's class defines."""

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        match node:
            case gast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY and not isinstance(operand, gast.Constant):
                node.operand = part = self.part(operand)
                method = self.method_for(part, _UNARY[type(op)])
                if method is not None:
                    return self.called(method, [part])
            case gast.Call(func=function, args=[left, right], keywords=[]) if (kind := _operator(function)) is not None:
                node.args = [self.part(left), self.part(right)]
                if any(isinstance(part, Structure) for part in node.args):
                    return self.binary(node.args[0], kind(), node.args[1])
        return super().core(node)

    def method_for(self, part: Any, name: str) -> FunctionType | None:
        """The method of an object's class for an operator, if the user wrote one."""
        found = inspect.getattr_static(part.cell.type, name, None) if isinstance(part, Structure) else None
        return found if isinstance(found, FunctionType) and not is_generated(found) else None

    def binary(self, left: gast.expr, op: gast.operator, right: gast.expr) -> gast.expr:
        """`left op right`."""
        name = BINARY.get(type(op), "")
        own, reflected = self.method_for(left, f"__{name}__"), self.method_for(right, f"__r{name}__")
        is_other = reflected is not None and reflected is not self.method_for(left, f"__r{name}__")
        if own is not None and not (is_other and _is_derived(right, left)):
            return self.called(own, [left, right])
        if reflected is not None:
            if not hasattr(right.cell.type, "__srcad_inlined__"):
                self.check_number(left)
            return self.called(reflected, [right, left])
        return super().binary(left, op, right)

    def check_number(self, part: gast.expr) -> None:
        """Raise if the operand is an array: NumPy would call the method for each element."""
        if not isinstance(part, (Structure, gast.Constant)):
            failure = gast.Raise(exc=call("TypeError", const("an array beside an object of the user's")), cause=None)
            test = gast.Compare(left=call("np.ndim", self.held_in_atom(part)), ops=[gast.Gt()], comparators=[const(0)])
            self.statement(at(gast.If(test=test, body=[at(failure, self.place)], orelse=[]), self.place))

    def compared(self, left: gast.expr, op: gast.cmpop, right: gast.expr) -> gast.expr:
        """A comparison."""
        if isinstance(op, (gast.In, gast.NotIn)) and (method := self.method_for(right, "__contains__")) is not None:
            return self.decided_by(self.called(method, [right, left]), isinstance(op, gast.In))
        own, reflected = _COMPARED.get(type(op), ("", ""))
        pairs = [(left, own, right), (right, reflected, left)]
        for part, name, other in reversed(pairs) if _is_derived(right, left) else pairs:
            if (method := self.method_for(part, name)) is not None:
                return self.called(method, [part, other])
            if name == "__ne__" and (method := self.method_for(part, "__eq__")) is not None:
                return self.decided_by(self.called(method, [part, other]), False)
        return super().compared(left, op, right)

    def decided_by(self, found: gast.expr, wanted: bool) -> gast.expr:
        """The result of a method as a truth value."""
        answer = self.part(call("bool", self.part(found)))
        return answer if wanted else self.negated(answer)

    def negated(self, operand: gast.expr) -> gast.expr:
        """`not operand`."""
        if not isinstance(operand, Structure) or operand.cell.is_container:
            return super().negated(operand)
        return self.negated(self.held_in_atom(self.truth_of_object(operand)))

    def parts_of_object(self, structure: Structure) -> list[gast.expr]:
        """What `__iter__` of the user's class iterates over: as that of a list, it is read in each iteration."""
        method = self.method_for(structure, "__iter__")
        if inspect.isgeneratorfunction(method):
            assert self.outside is not None
            method = self.outside.collected(method)
        made = None if method is None else self.called(method, [structure])
        if isinstance(made, Structure) and made.cell.type is Iterator:
            held = self.contents(made)
            start, over = self.constant(held["at"]), held["over"]
            made = over if isinstance(over, Structure) and start == 0 else None
        if not isinstance(made, Structure) or not made.cell.is_container:
            self.refuse(NOT_ITERABLE, what=structure.cell.called)
        return self.parts(made)

    def truth_of_object(self, structure: Structure) -> gast.expr:
        """The truth value of an object; of a builtin container, whether it is not empty."""
        if structure.cell.is_container:
            return const(bool(self.contents(structure)))
        for name in ("__bool__", "__len__"):
            if (method := self.method_for(structure, name)) is not None:
                return self.decided_by(self.called(method, [structure]), True)
        return const(True)


def is_generated(function: FunctionType) -> bool:
    """Whether `dataclasses` has made a method; what stands after `python -c` has the same name for a file."""
    code = function.__code__
    is_first = code.co_firstlineno == 2  # Python 3.10 tells no more
    return code.co_filename == "<string>" and getattr(code, "co_qualname", "__create_fn__" * is_first).startswith(
        "__create_fn__"
    )


def _operator(function: gast.expr) -> type[gast.operator] | None:
    """The operator that a function of the module `operator` applies."""
    return _FUNCTIONS.get(dotted_path(function.path if isinstance(function, Callee) else function) or "")


def _is_derived(one: gast.expr, other: gast.expr) -> bool:
    """Whether one object's class is derived from the other's: then its own reflected method goes first."""
    if not isinstance(one, Structure) or not isinstance(other, Structure):
        return False
    return one.cell.type is not other.cell.type and issubclass(one.cell.type, other.cell.type)
