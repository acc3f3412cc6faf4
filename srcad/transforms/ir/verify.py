"""Verification of core form: reports what in a tree is not in the form that later passes rely on.

    check_core      one operation to a statement: before differentiation
    check_nested    the same statements with operations of any depth: generated functions

The form itself is described in `docs/internals/ir.md`; `srcad.frontend.lower` produces it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import gast

from srcad.errors import CompilerBug
from srcad.transforms.ir.build import Block, has_place, inner_blocks, is_exit, place_of, walk, walk_statements
from srcad.transforms.ir.canonical_names import root_name
from srcad.transforms.ir.side_effects import all_written, is_check, reads, stored_in

_ATTRIBUTES = frozenset({"shape", "size", "ndim", "dtype"})
_AUGMENTED = (gast.Add, gast.Sub, gast.Mult, gast.Div)


def check_core(tree: gast.FunctionDef) -> None:
    r"""Raise CompilerBug naming the first statement that is not in core form.

    >>> check_core(gast.parse("def f(x, y):\n    z = x + y * 2\n    return z").body[0])
    Traceback (most recent call last):
    ...
    srcad.errors.CompilerBug: not in core form: a statement without a place: Assign
    """
    _Checker(tree).function(tree)


def check_nested(tree: gast.FunctionDef) -> None:
    r"""Raise CompilerBug naming the first statement of a generated function that is not in core form.

    Operations may be nested. No statement or expression occurs twice in the tree, and each name that is read has a
    store before it, or in a loop around it: passes change nodes in place, and look for stores upwards.

    >>> check_nested(gast.parse("def f(x, y):\n    z = x + y * np.sin(a)\n    a = 1\n    return z").body[0])
    Traceback (most recent call last):
    ...
    srcad.errors.CompilerBug: not in core form: a name that is read before it is stored: a
    """
    _NestedChecker(tree).function(tree)
    _check_order(tree)


class _Checker:
    def __init__(self, tree: gast.FunctionDef) -> None:
        names = (node for node in walk(tree) if isinstance(node, gast.Name))
        self.variables = {node.id for node in names if not isinstance(node.ctx, gast.Load)}

    def function(self, tree: gast.FunctionDef) -> None:
        arguments = tree.args
        extras = (arguments.posonlyargs, arguments.kwonlyargs, arguments.defaults, arguments.vararg, arguments.kwarg)
        self.require(not any(extras), "parameters other than plain ones", tree)
        last = tree.body[-1]
        self.require(isinstance(last, gast.Return), "a function without a last return", tree)
        self.block(tree.body[:-1])
        self.placed(last)
        self.require(self.is_tuple_of_atoms(last.value), "the returned value", last)

    def require(self, holds: bool, what: str, node: gast.AST) -> None:
        if not holds:
            raise CompilerBug(f"not in core form: {what}: {_text(node)}", at=place_of(node))

    def placed(self, statement: gast.stmt) -> None:
        if not has_place(statement) and not isinstance(statement, gast.Pass):
            raise CompilerBug(f"not in core form: a statement without a place: {type(statement).__name__}")

    def block(self, block: Block) -> None:
        for statement in block:
            self.placed(statement)
            self.statement(statement)

    def statement(self, statement: gast.stmt) -> None:
        match statement:
            case gast.Assign(targets=[gast.Name()], value=value):
                self.require(self.is_operation(value), "more than one operation", statement)
            case gast.Assign(targets=[gast.Subscript() as target], value=value):
                self.require(self.is_element(target) and self.is_atom(value), "a store", statement)
            case gast.AugAssign(target=gast.Subscript() as target, op=op, value=value):
                fits = self.is_element(target) and self.is_atom(value) and isinstance(op, _AUGMENTED)
                self.require(fits, "an augmented store", statement)
            case gast.If(test=test, body=body, orelse=orelse):
                self.require(self.is_atom(test) and bool(body), "a branch", statement)
                self.block(body)
                self.block(orelse)
            case gast.For():
                self.loop(statement)
            case gast.While(test=test, body=body, orelse=[]):
                last = body[-1] if body else None
                ends = isinstance(last, (gast.Assign, gast.If)) and isinstance(test, gast.Name)
                self.require(ends, "a while whose test is not computed at the end of its body", statement)
                self.block(body)
            case gast.Assert(test=test, msg=message):
                fits = self.is_atom(test) and (message is None or self.is_atom(message))
                self.require(fits, "an assertion", statement)
            case gast.Expr(value=gast.Call(func=gast.Name(id="print"))) | gast.Raise() | gast.Pass():
                pass
            case gast.Expr(value=call) if is_check(statement):
                self.require(all(isinstance(each, _NESTED) for each in walk(call)), "a check", statement)
            case gast.Expr(value=gast.Call(func=function) as call) if root_name(function) == "kernels":
                self.require(self.is_operation(call), "a check", statement)
            case _:
                self.require(False, "a statement of another kind", statement)

    def loop(self, statement: gast.For) -> None:
        match statement:
            case gast.For(
                target=gast.Name(), iter=gast.Call(func=gast.Name(id="range"), args=bounds, keywords=[]), orelse=[]
            ):
                self.require(all(self.is_atom(bound) for bound in bounds), "the bounds of a loop", statement)
                self.require(bool(statement.body), "an empty loop", statement)
                body = statement.body
                if is_exit(body[-1]):
                    self.placed(body[-1])
                    self.require(isinstance(body[-1].test, gast.Name), "the exit of a loop", statement)
                    body = body[:-1]
                self.block(body)
            case _:
                self.require(False, "a loop over something else than range", statement)

    def is_operation(self, node: gast.expr) -> bool:
        match node:
            case gast.BinOp(left=left, op=gast.Add(), right=right):  # of shapes too: x.shape + (1, 1)
                return self.is_tuple_of_atoms(left) and self.is_tuple_of_atoms(right)
            case gast.BinOp(left=left, right=right):
                return self.is_atom(left) and self.is_atom(right)
            case gast.UnaryOp(operand=operand):
                return self.is_atom(operand)
            case gast.Compare(left=left, ops=[_], comparators=[right]):  # of shapes too: x.shape == (2, 3)
                return self.is_tuple_of_atoms(left) and self.is_tuple_of_atoms(right)
            case gast.Call(func=function, args=arguments, keywords=keywords):
                values = [*arguments, *(keyword.value for keyword in keywords)]
                named = self.is_outside(function) and all(keyword.arg is not None for keyword in keywords)
                return named and all(self.is_tuple_of_atoms(value) for value in values)
            case gast.Subscript():
                return self.is_element(node)
            case gast.Attribute(value=gast.Name(id=name), attr=attribute) if name in self.variables:
                return attribute in _ATTRIBUTES
        return self.is_tuple_of_atoms(node)

    def is_element(self, node: gast.Subscript) -> bool:
        if not isinstance(node.value, gast.Name):
            return False
        parts = node.slice.elts if isinstance(node.slice, gast.Tuple) else [node.slice]
        return all(self.is_index(part) for part in parts)

    def is_index(self, node: gast.expr) -> bool:
        if isinstance(node, gast.Slice):
            return all(part is None or self.is_atom(part) for part in (node.lower, node.upper, node.step))
        return self.is_atom(node)

    def is_tuple_of_atoms(self, node: gast.expr) -> bool:
        if isinstance(node, gast.Tuple):
            return all(self.is_tuple_of_atoms(element) for element in node.elts)
        return self.is_atom(node)

    def is_atom(self, node: gast.expr) -> bool:
        match node:
            case gast.Name() | gast.Constant() | gast.UnaryOp(op=gast.USub(), operand=gast.Constant()):
                return True
        return isinstance(node, gast.Attribute) and self.is_outside(node)

    def is_outside(self, node: gast.expr) -> bool:
        """Whether this is a dotted path that starts outside of the function."""
        root = root_name(node)
        return root is not None and root not in self.variables


class _NestedChecker(_Checker):
    """Accepts the statements of core form with nested operations, and those that only generated code has."""

    def function(self, tree: gast.FunctionDef) -> None:
        last = tree.body[-1]
        self.block(tree.body[:-1] if isinstance(last, gast.Return) else tree.body)
        if isinstance(last, gast.Return):
            self.require(last.value is None or self.is_atom(last.value), "the returned value", last)

    def placed(self, statement: gast.stmt) -> None:
        """Generated statements need no place."""

    def statement(self, statement: gast.stmt) -> None:
        match statement:
            case gast.Assign(targets=[gast.Tuple(elts=names)], value=value):
                fits = all(isinstance(each, gast.Name) for each in names) and self.is_atom(value)
                self.require(fits, "an assignment to several names", statement)
            case gast.Assign(targets=[gast.Subscript() as target], value=value):
                self.require(self.is_atom(target) and self.is_atom(value), "a store", statement)
            case gast.AugAssign(target=gast.Name() | gast.Subscript() as target, value=value):
                self.require(self.is_atom(target) and self.is_atom(value), "an augmented store", statement)
            case gast.While(test=test, body=body, orelse=[]):
                self.require(self.is_atom(test) and bool(body), "a while loop", statement)
                self.block([each for each in body if not is_exit(each)])
            case gast.Expr(value=gast.Call() as call):
                self.require(self.is_atom(call), "a call for its effect", statement)
            case _:
                super().statement(statement)

    def loop(self, statement: gast.For) -> None:
        match statement:
            case gast.For(target=gast.Name(), iter=gast.Call(func=gast.Name(id="range" | "prange"), args=bounds)):
                self.require(all(self.is_atom(bound) for bound in bounds), "the bounds of a loop", statement)
                self.require(bool(statement.body) and not statement.orelse, "an empty loop", statement)
                self.block([each for each in statement.body if not is_exit(each)])
            case _:
                self.require(False, "a loop over something else than range", statement)

    def is_operation(self, node: gast.expr) -> bool:
        return self.is_atom(node)

    def is_atom(self, node: gast.expr) -> bool:
        return all(isinstance(each, _NESTED) for each in walk(node))


_NESTED = (
    *(gast.Name, gast.Constant, gast.Attribute, gast.Subscript, gast.Slice, gast.Tuple, gast.List, gast.Call),
    *(gast.keyword, gast.BinOp, gast.UnaryOp, gast.BoolOp, gast.Compare, gast.IfExp),
    *(gast.operator, gast.unaryop, gast.boolop, gast.cmpop),
)


def _check_order(tree: gast.FunctionDef) -> None:
    """Check that no statement or expression occurs twice, and that names are stored before they are read."""
    everything = list(walk_statements(tree.body))
    if len({id(each) for each in everything}) < len(everything):
        raise CompilerBug("not in core form: a statement that occurs twice")
    seen: set[int] = set()
    for node in walk(tree):
        if isinstance(node, gast.expr) and id(node) in seen:
            raise CompilerBug(f"not in core form: an expression that occurs twice: {_text(node)}")
        seen.add(id(node))
    own = {name for each in everything for name in all_written(each)}
    _check_block(tree.body, own, {argument.id for argument in tree.args.args})


def _check_block(block: Block, own: Collection[str], stored: set[str]) -> None:
    for statement in block:
        if isinstance(statement, (gast.For, gast.While)):
            stored |= stored_in([statement])
        for name in (*reads(statement), *(all_written(statement) if isinstance(statement, gast.AugAssign) else ())):
            if name in own and name not in stored:
                raise CompilerBug(f"not in core form: a name that is read before it is stored: {name}")
        stored.update(all_written(statement))
        for inner in inner_blocks(statement):
            _check_block(inner, own, stored)


def _text(node: gast.AST) -> str:
    dump: Callable[[gast.AST], str] = gast.dump
    return dump(node)
