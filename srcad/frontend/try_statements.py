"""Desugar `try` into branches: whether a statement raises is asked before it runs.

    try:                                        caught = 0
        factor = cholesky(k)                    caught = attempt(lambda: cholesky(k), (LinAlgError,))
        trace = inverse(factor)                 if caught == 0:
    except LinAlgError:             becomes         factor = cholesky(k)
        factor = diagonal(k)                        caught = attempt(lambda: inverse(factor), (LinAlgError,))
                                                    if caught == 0:
                                                        trace = inverse(factor)
                                                if caught == 1:
                                                    factor = diagonal(k)

An attempt evaluates expressions on copies and catches what the handlers name; 0 says that nothing was caught, k that it
is for the k-th handler. What no handler catches is raised by the statement itself. So what has run before an exception
stays done, and derivatives follow the statements that have run. The `finally` block is repeated wherever the statement
is left.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import gast

from srcad.names import Names
from srcad.transforms.ir.build import clone, const, load, stored, walk

ATTEMPT, CAUGHT = "attempt of srcad", "caught by srcad"
_LOOPS = (gast.For, gast.While)
_FUNCTIONS = (gast.FunctionDef, gast.Lambda)
_PLAIN = (gast.Add, gast.Sub, gast.Mult)


def without_try(node: gast.Try, names: Names) -> list[gast.stmt]:
    """The statements that stand for a `try` statement, in which there is no other one left."""
    body, handlers, orelse = node.body, node.handlers, node.orelse
    code = names.fresh("caught")
    for handler in handlers:
        handler.body = [_Renamed(handler.name).visit(each) for each in handler.body]
    if node.finalbody:
        leaving = Leaving(node.finalbody, names)
        body, orelse = leaving.block(body), leaving.block(orelse)
        for handler in handlers:
            handler.body = leaving.block(handler.body)
    if not handlers:
        return [*body, *orelse, *node.finalbody]
    kinds = [const(None) if each.type is None else each.type for each in handlers]
    guarded = _Guarded(code, kinds, names).block(body)
    rest: list[gast.stmt] = _if(code, 0, orelse) if orelse else []
    for number, handler in enumerate(handlers, 1):
        rest += _if(code, number, handler.body)
    made = [gast.Assign(targets=[stored(code)], value=const(0), type_comment=None), *guarded, *rest, *node.finalbody]
    return [_located(each, node) for each in made]


def with_caught_finally(node: gast.Try, names: Names) -> list[gast.stmt]:
    """A `try` statement whose `finally` block also runs where nothing of its own catches an exception, by a handler.

    try: B        becomes       try: B
    finally: F                  except: F; raise
                                F
    """
    leaving = Leaving(node.finalbody, names)
    body, orelse = leaving.block(node.body), leaving.block(node.orelse)
    for handler in node.handlers:
        handler.body = leaving.block(handler.body)
    if node.handlers:
        body = [gast.Try(body=body, handlers=node.handlers, orelse=orelse, finalbody=[])]
    else:
        body = [*body, *orelse]
    again = [*map(clone, node.finalbody), gast.Raise(exc=None, cause=None)]
    handler = gast.ExceptHandler(type=None, name=None, body=again)
    tried = gast.Try(body=body, handlers=[handler], orelse=[], finalbody=[])
    return [_located(each, node) for each in (tried, *node.finalbody)]


def changes_what_others_see(block: list[gast.stmt], free: Collection[str]) -> bool:
    """Whether statements may change more than variables of the function, whose other names are `free`.

    >>> block = gast.parse("a[0] = 1.0").body
    >>> changes_what_others_see(block, {"np"}), changes_what_others_see(gast.parse("n = 1; np.seterr()").body, {"np"})
    (True, False)
    """
    for node in (each for statement in block for each in walk(statement)):
        match node:
            case gast.Subscript(ctx=gast.Store() | gast.Del()) | gast.Attribute(ctx=gast.Store()) | gast.Nonlocal():
                return True
            case gast.Call(func=called):
                root = called
                while isinstance(root, gast.Attribute):
                    root = root.value
                is_known = isinstance(root, gast.Name) and (root.id in free or root.id == "print")
                if not is_known or (root is called and root.id != "print"):
                    return True
    return False


class _Renamed(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """The statements of a handler, in which the exception is called by what gives it."""

    def __init__(self, name: Any) -> None:
        self.name = getattr(name, "id", name)

    def visit_Name(self, node: gast.Name) -> gast.expr:
        is_it = node.id == self.name and isinstance(node.ctx, gast.Load)
        return gast.copy_location(_caught(), node) if is_it else node

    def visit_Raise(self, node: gast.Raise) -> gast.stmt:
        if node.exc is None:
            node.exc = gast.copy_location(_caught(), node)
        return self.generic_visit(node)


def _caught() -> gast.expr:
    return gast.Call(func=load(CAUGHT), args=[], keywords=[])


class Leaving:
    """Repeats the `finally` block before statements that leave the `try` statement."""

    def __init__(self, final: list[gast.stmt], names: Names) -> None:
        self.final, self.names = final, names

    def block(self, block: list[gast.stmt], in_loop: bool = False) -> list[gast.stmt]:
        """The statements, with the block before each that leaves."""
        return [each for statement in block for each in self.statement(statement, in_loop)]

    def statement(self, node: gast.stmt, in_loop: bool) -> list[gast.stmt]:
        """The statements that stand for one."""
        if isinstance(node, gast.Return):
            held = self.names.fresh("returned")
            value = const(None) if node.value is None else node.value
            first = gast.Assign(targets=[stored(held)], value=value, type_comment=None)
            last = gast.Return(value=None if node.value is None else load(held))
            made = [*([] if node.value is None else [first]), *map(clone, self.final), last]
            return [_located(each, node) for each in made]
        if isinstance(node, (gast.Break, gast.Continue)) and not in_loop:
            return [*map(clone, self.final), node]
        if not isinstance(node, _FUNCTIONS):
            for name in ("body", "orelse"):
                if isinstance(getattr(node, name, None), list):
                    # What leaves the `else` of a loop leaves the loop around it.
                    inside = in_loop or (name == "body" and isinstance(node, _LOOPS))
                    setattr(node, name, self.block(getattr(node, name), inside))
        return [node]


class _Guarded:
    """Asks of each statement whether it raises before it runs."""

    def __init__(self, code: str, kinds: list[gast.expr], names: Names) -> None:
        self.code, self.kinds, self.names = code, kinds, names

    def block(self, block: list[gast.stmt]) -> list[gast.stmt]:
        result: list[gast.stmt] = []
        for position, statement in enumerate(block):
            made = [_located(each, statement) for each in self.statement(statement)]
            result += made
            if made != [statement]:
                rest = self.block(block[position + 1 :])
                return result + (_if(self.code, 0, rest) if rest else [])
        return result

    def statement(self, node: gast.stmt) -> list[gast.stmt]:
        """The statement, after it is asked whether it raises; the same one if it cannot."""
        match node:
            case gast.Assign(value=gast.Call(func=gast.Name(id=called))) if called == ATTEMPT:
                return [node]
            case gast.FunctionDef() | gast.Pass() | gast.Break() | gast.Continue() | gast.Nonlocal():
                return [node]
            case gast.If(test=test):
                node.body, node.orelse = self.block(node.body), self.block(node.orelse)
                return self.after([test], [node], always=True)
            case gast.While():
                return self.loop(node)
            case gast.For(iter=source):
                node.body, node.orelse = [*self.block(node.body), *self.left()], self.block(node.orelse)
                return self.after([source], [node], always=True)
            case gast.With():
                node.body = self.block(node.body)
                return [node, gast.Pass()]
            case gast.Raise() | gast.Assert():
                return [*self.attempt([clone(node)]), *_if(self.code, 0, [node])]
            case gast.Return(value=value):
                return self.after([] if value is None else [value], [node])
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                return self.after([gast.BinOp(left=load(name), op=op, right=clone(value))], [node])
            case gast.Assign(targets=targets, value=value):
                return self.after(
                    [value, *(each.slice for each in targets if isinstance(each, gast.Subscript))], [node]
                )
            case gast.AugAssign(target=target, op=op, value=value):
                return self.after([gast.BinOp(left=_read(target), op=op, right=clone(value))], [node])
            case gast.Expr(value=gast.Call(func=gast.Attribute() | gast.Name(id="print")) as called):
                given = [*called.args, *(each.value for each in called.keywords)]
                return self.after(given, [node])  # a method may change its object, and text is printed once
            case gast.AnnAssign(value=value) | gast.Expr(value=value) if value is not None:
                return self.after([value], [node])
        return [node]

    def loop(self, node: gast.While) -> list[gast.stmt]:
        """A `while` loop ends where something is caught; its test is asked before each turn."""
        node.orelse = self.block(node.orelse)
        if _cannot_raise(node.test):
            node.body = [*self.block(node.body), *self.left()]
            return [node, gast.Pass()]

        def asked() -> list[gast.stmt]:
            return self.attempt(_held([clone(node.test)], self.names))

        continuing = _Continuing(asked)
        body = [continuing.visit(each) for each in self.block(node.body)]
        node.body = [*body, *_if(self.code, 0, asked()), *self.left()]
        return [*asked(), *_if(self.code, 0, [node])]

    def left(self) -> list[gast.stmt]:
        """A loop is left where something has been caught."""
        test = gast.Compare(left=load(self.code), ops=[gast.NotEq()], comparators=[const(0)])
        return [gast.If(test=test, body=[gast.Break()], orelse=[])]

    def after(self, read: list[gast.expr], made: list[gast.stmt], always: bool = False) -> list[gast.stmt]:
        """Statements after it is asked whether what they evaluate raises."""
        read = [each for each in read if not _cannot_raise(each)]
        if not read:
            return [*made, gast.Pass()] if always else made
        return [*self.attempt(_held([clone(each) for each in read], self.names)), *_if(self.code, 0, made)]

    def attempt(self, body: list[gast.stmt]) -> list[gast.stmt]:
        """Ask whether these statements raise: a function of them, and an attempt to call it."""
        name = self.names.fresh("attempted")
        empty = gast.arguments([], [], None, [], [], None, [])
        last = gast.Return(value=const(0))
        function = gast.FunctionDef(name, empty, [*body, last], [], None, None, [])
        kinds = gast.Tuple(elts=[clone(each) for each in self.kinds], ctx=gast.Load())
        called = gast.Call(func=load(ATTEMPT), args=[load(name), kinds], keywords=[])
        return [function, gast.Assign(targets=[stored(self.code)], value=called, type_comment=None)]


class _Continuing(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    """Repeats statements before each `continue` of a loop."""

    def __init__(self, before: Callable[[], list[gast.stmt]]) -> None:
        self.before = before

    def visit_Continue(self, node: gast.Continue) -> list[gast.stmt]:
        return [*self.before(), node]

    def visit_For(self, node: gast.For) -> gast.stmt:
        return node

    def visit_While(self, node: gast.While) -> gast.stmt:
        return node

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.stmt:
        return node


def _if(code: str, number: int, body: list[gast.stmt]) -> list[gast.stmt]:
    test = gast.Compare(left=load(code), ops=[gast.Eq()], comparators=[const(number)])
    return [gast.If(test=test, body=body, orelse=[])]


def _held(read: list[gast.expr], names: Names) -> list[gast.stmt]:
    return [gast.Assign(targets=[stored(names.fresh("held"))], value=each, type_comment=None) for each in read]


def _read(target: gast.expr) -> gast.expr:
    found = clone(target)
    found.ctx = gast.Load()
    return found


def _cannot_raise(node: gast.expr) -> bool:
    """Whether evaluating an expression raises nothing: names, literals, and a name with a number added."""
    match node:
        case gast.Name() | gast.Constant() | gast.Lambda():
            return True
        case gast.UnaryOp(operand=operand):
            return _cannot_raise(operand)
        case gast.Tuple(elts=parts) | gast.List(elts=parts) | gast.BoolOp(values=parts):
            return all(map(_cannot_raise, parts))
        case gast.Compare(left=left, comparators=others):
            return all(map(_cannot_raise, [left, *others]))
        case gast.BinOp(left=left, op=op, right=right) if isinstance(op, _PLAIN):
            return isinstance(left, gast.Constant) or isinstance(right, gast.Constant)
    return False


def _located(node: Any, at: Any) -> Any:
    for each in walk(node):
        if isinstance(each, (gast.expr, gast.stmt)) and getattr(each, "lineno", None) is None:
            gast.copy_location(each, at)
    return node


@dataclass(frozen=True, eq=False)
class Attempted:
    """What an attempt runs, a nested function, and the classes that each handler catches."""

    function: Any
    handlers: tuple[tuple[type[BaseException], ...], ...]


def is_attempt(node: gast.Call) -> bool:
    """Whether a call is one that is written here."""
    return isinstance(node.func, gast.Name) and node.func.id in (ATTEMPT, CAUGHT)
