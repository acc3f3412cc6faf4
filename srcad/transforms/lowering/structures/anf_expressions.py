"""Atomic operations: an expression becomes one operation on atoms, preceded by statements for everything else.

Parts are evaluated from left to right, and each value is kept in a temporary as soon as it is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import gast

from srcad.errors import CompilerBug, Place, SrcadError, UnsupportedSyntax
from srcad.names import Names
from srcad.refusals.names_and_functions import FUNCTION_AS_VALUE, HANDED_FUNCTION, RUNTIME_FUNCTION, WRONG_CALL
from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.transforms.ir.build import Block, assign, at, clone, load, place_of
from srcad.transforms.ir.canonical_names import RESERVED, root_name
from srcad.transforms.ir.primitive import is_atom, primitive_of

# Emits the statements of a call and returns its value; None if the call is a primitive that stays.
Inline = Callable[[gast.Call, Any], "gast.expr | None"]


class Operations:
    """Decomposes expressions; generated statements are appended to the current block."""

    def __init__(self, names: Names, bindings: Mapping[str, Any], inline: Inline) -> None:
        self.names, self.bindings, self.inline = names, bindings, inline
        self.made: Block = []
        self.place: Place | None = None
        self.changing: set[str] = set()  # names that `:=` stores in the current statement

    def emit(self, *statements: gast.stmt) -> None:
        """Append finished statements."""
        self.made += statements

    def assign(self, target: gast.expr, value: gast.expr) -> None:
        """`target = value`."""
        raise NotImplementedError

    def decide(self, name: str, value: gast.expr) -> None:
        """Assign a value that may be evaluated only in part."""
        raise NotImplementedError

    def atom(self, node: gast.expr) -> gast.expr:
        """A name or literal with the current value of an expression."""
        outer, self.place = self.place, place_of(node) or self.place
        made = self.held_in_atom(self.core(node))
        self.place = outer
        return made

    def is_atom(self, node: gast.expr) -> bool:
        """Whether this is a name, a literal, or something like `np.pi`."""
        if isinstance(node, gast.Attribute):
            return root_name(node) in self.bindings
        return is_atom(node)

    def is_user_call(self, node: gast.AST) -> bool:
        """Whether this is a call that may write to arrays."""
        return isinstance(node, gast.Call) and isinstance(node.func, gast.Name) and node.func.id in self.bindings

    @contextmanager
    def refusing(self) -> Iterator[None]:
        """Turn errors about wrong arguments, such as `len()`, into refusals."""
        try:
            yield
        except SrcadError:
            raise
        except (TypeError, ValueError, LookupError, AttributeError) as problem:
            raise WRONG_CALL.at(self.place, problem=f"{type(problem).__name__}: {problem}") from problem

    def held_in_atom(self, made: gast.expr) -> gast.expr:
        """A name or literal for an operation."""
        if self.is_atom(made):
            return made
        name = self.names.temporary()
        self.emit(assign(name, made, self.place_for(made)))
        return load(name)

    def place_for(self, made: gast.expr) -> Place | None:
        """The place of an operation; only operations from inlined functions have their own."""
        return self.place if self.is_atom(made) else place_of(made) or self.place

    def tuple_of_atoms(self, node: gast.expr) -> gast.expr:
        """An atom, or a tuple of atoms; list displays, which only occur as arguments, become tuples."""
        if isinstance(node, (gast.Tuple, gast.List)):
            return gast.Tuple(elts=[self.tuple_of_atoms(element) for element in node.elts], ctx=gast.Load())
        if isinstance(node, gast.Call):
            made = self.core(node)
            return made if isinstance(made, gast.Tuple) else self.held_in_atom(made)
        return self.atom(node)

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms."""
        match node:
            case gast.Name() | gast.Constant():
                return self.value(node)
            case gast.Attribute():
                return self.attribute(node)
            case gast.BinOp(left=left, op=op, right=right):
                first = self.atom(left)
                return gast.BinOp(left=first, op=op, right=self.atom(right))
            case gast.UnaryOp():
                return self.unary(node)
            case gast.Compare(left=left, ops=[op], comparators=[right]):
                first = self.atom(left)
                return gast.Compare(left=first, ops=[op], comparators=[self.atom(right)])
            case gast.NamedExpr(target=target, value=value):
                self.assign(target, value)
                return self.value(load(target.id))
            case gast.IfExp() | gast.BoolOp() | gast.Compare():
                name = self.names.temporary()
                self.decide(name, node)
                return self.value(load(name))
            case gast.Call():
                return self.call(node)
            case gast.Subscript():
                return self.element(node)
            case gast.Tuple() | gast.List():
                return self.tuple_of_atoms(node)
        raise CompilerBug(f"flatten: an expression {type(node).__name__}", at=self.place)

    def value(self, node: gast.expr) -> gast.expr:
        """A name or literal; refuses names of functions."""
        meaning = self.bindings.get(node.id) if isinstance(node, gast.Name) else None
        if meaning is not None and not isinstance(meaning, type):
            raise FUNCTION_AS_VALUE.at(place_of(node) or self.place, name=getattr(meaning, "name", None) or node.id)
        return self.unchanged(node)

    def unchanged(self, node: gast.expr) -> gast.expr:
        """An atom; a copy if it is a name that the current statement changes."""
        if not isinstance(node, gast.Name) or node.id not in self.changing:
            return node
        copied = self.names.temporary()
        self.emit(assign(copied, node, self.place))
        return load(copied)

    def attribute(self, node: gast.Attribute) -> gast.expr:
        """An attribute of a named array, or something like `np.pi`."""
        if self.is_atom(node):
            return node
        return gast.Attribute(value=self.named(node.value), attr=node.attr, ctx=gast.Load())

    def named(self, node: gast.expr) -> gast.expr:
        """A name for the value of an expression."""
        atom = self.atom(node)
        if isinstance(atom, gast.Name):
            return atom
        name = self.names.temporary()
        self.emit(assign(name, atom, self.place))
        return load(name)

    def unary(self, node: gast.UnaryOp) -> gast.expr:
        """An operation on one atom; literals keep their sign."""
        operand = self.atom(node.operand)
        if isinstance(operand, gast.Constant):
            if isinstance(node.op, gast.USub) and type(operand.value) in (int, float, complex):
                return gast.UnaryOp(op=gast.USub(), operand=operand)
            if isinstance(node.op, gast.Not):
                return gast.Constant(value=not operand.value, kind=None)
        return gast.UnaryOp(op=node.op, operand=operand)

    def call(self, node: gast.Call) -> gast.expr:
        """The value of an inlined call, or the call of a primitive with atoms and tuples of atoms."""
        inlined = self.inline(node, self)
        if inlined is not None:
            return inlined
        if root_name(node.func) not in self.bindings and root_name(node.func) not in RESERVED:
            raise RUNTIME_FUNCTION.at(place_of(node) or self.place)
        try:
            arguments = [self.tuple_of_atoms(argument) for argument in node.args]
            keywords = [gast.keyword(arg=each.arg, value=self.tuple_of_atoms(each.value)) for each in node.keywords]
        except UnsupportedSyntax as problem:
            self.refuse_handed(node, problem)
            raise
        if len(arguments) > 2 and registry.folds(primitive_of(node, self.bindings)):
            arguments = [self.folded(node.func, arguments[:-1]), arguments[-1]]
        return gast.Call(func=node.func, args=arguments, keywords=keywords)

    def refuse_handed(self, node: gast.Call, problem: UnsupportedSyntax) -> None:
        """Raise for a function that is handed to one of a library, if that is what an argument is refused for."""
        primitive = primitive_of(node, self.bindings)
        if primitive is not None and FUNCTION_AS_VALUE.fits(problem):
            name = primitive_name(primitive)
            raise HANDED_FUNCTION.at(problem.at, function=name, handed=problem.what.split("`")[1]) from None

    def folded(self, function: gast.expr, arguments: list[gast.expr]) -> gast.expr:
        """An atom for `max(a, b, c)`, computed from two arguments at a time."""
        result = arguments[0]
        for argument in arguments[1:]:
            result = self.held_in_atom(gast.Call(func=clone(function), args=[result, argument], keywords=[]))
        return result

    def element(self, node: gast.Subscript) -> gast.Subscript:
        """An element or slice of a named array, with atoms in the index, for reading or storing like the node."""
        base = self.named(node.value)
        return at(gast.Subscript(value=base, slice=self.index(node.slice), ctx=node.ctx), place_of(node))

    def index(self, node: gast.expr) -> gast.expr:
        """An index of atoms, slices between atoms, or a tuple of these."""
        match node:
            case gast.Tuple(elts=parts):
                return gast.Tuple(elts=[self.index(part) for part in parts], ctx=gast.Load())
        match node:
            case gast.Slice(lower=lower, upper=upper, step=step):
                bounds = [None if part is None else self.atom(part) for part in (lower, upper, step)]
                return gast.Slice(lower=bounds[0], upper=bounds[1], step=bounds[2])
        return self.atom(node)
