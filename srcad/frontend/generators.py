"""Generators: a loop over a generator of the user's becomes the generator's statements around the body of the loop.

    def powers(x, n):                           v = x
        for k in range(n):                      s = 0.0
            yield k, x**k                       for k in range(n):
                                    becomes         j, u = k, x**k
    for j, u in powers(v, n):                       s += j * u
        s += j * u

So the generator is advanced as by Python: what the body changes, it sees, and it may go on without end if the loop is
left. Functions that take all values at once, such as `list` and `sum`, get them in a list.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

import gast
import numpy as np

from srcad.errors import Place
from srcad.frontend.language_subset import fence
from srcad.frontend.load_source import load as load_source
from srcad.frontend.match_and_try import without_match
from srcad.frontend.scope import Meaning, Method, Procedure, Scope, is_users, procedure_of
from srcad.names import Names
from srcad.refusals.loops import MANY_YIELDS
from srcad.transforms.ir.block_exits import exits_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    branch,
    call,
    clone,
    const,
    load,
    place_of,
    stored,
    walk,
)
from srcad.transforms.ir.canonical_names import root_name
from srcad.transforms.lowering.lowering_context import Draft

CONSUMERS = (list, tuple, sum, max, min, sorted, dict)
_MOST_YIELDS = 8
_FUNCTIONS = (gast.FunctionDef, gast.Lambda)


def yields(tree: gast.FunctionDef) -> list[gast.expr]:
    """The `yield` expressions of a function's own statements."""
    return [each for statement in tree.body for each in _own(statement) if isinstance(each, gast.Yield)]


def readable(procedure: Procedure, draft: Draft) -> Procedure:
    """Refuse unsupported syntax and note the function's text. `match` becomes `if` before names are resolved."""
    if procedure.scope is not None:
        return procedure
    fence(procedure.source)
    draft.note_source(procedure.source.text)
    return replace(procedure, tree=without_match(copy.deepcopy(procedure.tree), procedure.source))


def generator(meaning: Meaning | None, draft: Draft) -> Procedure | None:
    """The procedure of a generator function; None for what is another thing."""
    value: Any = None if meaning is None else meaning.value
    found: Procedure | None
    if isinstance(value, Procedure):
        found = value if any(map(_is_yield, (e for each in value.tree.body for e in _own(each)))) else None
    else:
        function: Any = value.function if isinstance(value, Method) else value
        if not inspect.isgeneratorfunction(getattr(function, "py_func", function)) or not is_users(function):
            return None
        receiver = value.receiver if isinstance(value, Method) else None
        found = readable(procedure_of(load_source(function), receiver), draft)
    return None if found is None else replace(found, tree=_with_single_yields(found.tree))


def unbound(node: gast.expr, scope: Scope, meaning: Callable[[gast.expr], Meaning | None], draft: Draft) -> gast.expr:
    """A call of a generator that is a method of an object of a known class, as a call of the class's function.

    An object that is looped over, and whose `__iter__` is a generator, is such a call as well. Others stay as they are.
    """
    match node:
        case gast.Call(func=gast.Attribute(value=gast.Name(id=name) as held, attr=attribute)):
            arguments, keywords = node.args, node.keywords
        case gast.Name(id=name) as held:
            attribute, arguments, keywords = "__iter__", [], []
        case _:
            return node
    function = inspect.getattr_static(_class_of(name, scope, meaning), attribute, None)
    if not isinstance(function, FunctionType) or not inspect.isgeneratorfunction(function):
        return node
    called = draft.names.temporary()
    scope.statics[called] = Meaning(function)
    return at(gast.Call(func=load(called), args=[clone(held), *arguments], keywords=keywords), place_of(node))


def _class_of(name: str, scope: Scope, meaning: Callable[[gast.expr], Meaning | None]) -> type | None:
    """The class of the object that a variable holds: of a parameter, or of a variable that is assigned once."""
    if name not in scope.variables or name in scope.classes:
        return scope.classes.get(name)
    if name in scope.procedure.names or scope.stores.get(name) != 1:
        return None
    for each in (inner for statement in scope.procedure.tree.body for inner in _own(statement)):
        match each:
            case gast.Assign(targets=[gast.Name(id=target)], value=value) if target == name:
                return _class_made(value, meaning)
            case gast.Assign(targets=[gast.Tuple(elts=targets)], value=gast.Tuple(elts=values)):
                named = [getattr(target, "id", None) for target in targets]
                if name in named and len(values) == len(named):
                    return _class_made(values[named.index(name)], meaning)
    return None


def _class_made(value: gast.expr, meaning: Callable[[gast.expr], Meaning | None]) -> type | None:
    """The class that an expression calls, if it calls one."""
    made = meaning(value.func) if isinstance(value, gast.Call) else None
    return made.value if made is not None and isinstance(made.value, type) else None


def collector(procedure: Procedure) -> Procedure:
    """The function that returns a list of what a generator yields."""
    tree = copy.deepcopy(procedure.tree)
    name = Names(_names(tree)).fresh("values")
    tree.body = [assign(name, gast.List(elts=[], ctx=gast.Load())), *tree.body, gast.Return(value=load(name))]
    tree = _Collecting(name).visit(tree)
    for node in walk(tree):
        if isinstance(node, (gast.expr, gast.stmt)) and getattr(node, "lineno", None) is None:
            gast.copy_location(node, procedure.tree)
    return replace(procedure, tree=tree)


def only_reads(tree: gast.FunctionDef) -> bool:
    """Whether a generator keeps no state of its own and calls nothing, so that its k-th value may be read at any time.

    That is so if it is a row of `yield` statements, or loops over `yield` statements.
    """
    return all(
        isinstance(each, gast.Expr) or (isinstance(each, gast.For) and not each.orelse and only_reads(each))
        for each in tree.body
    ) and not any(isinstance(each, (gast.Call, gast.NamedExpr)) for each in walk(tree))


class _Collecting(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, name: str) -> None:
        self.name, self.depth = name, 0

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.stmt:
        if self.depth:
            return node
        self.depth += 1
        return self.generic_visit(node)

    def visit_Lambda(self, node: gast.Lambda) -> gast.expr:
        return node

    def visit_Return(self, node: gast.Return) -> gast.stmt:
        return gast.copy_location(gast.Return(value=load(self.name)), node)

    def visit_Expr(self, node: gast.Expr) -> gast.stmt:
        if isinstance(node.value, gast.Yield):
            append = gast.Attribute(value=load(self.name), attr="append", ctx=gast.Load())
            node.value = gast.Call(func=append, args=[node.value.value or const(None)], keywords=[])
        return node


class Consumed:
    """A loop over a generator, whose names are resolved, as are those of the generator's statements."""

    def __init__(self, loop: gast.For, names: Names, counter: str | None) -> None:
        self.loop, self.names, self.counter, self.place = loop, names, counter, place_of(loop)
        kinds = exits_of(loop.body)
        self.once = bool(kinds & {"break", "continue"})
        self.left = names.fresh("left") if "break" in kinds else None
        self.ended: str | None = None

    def statements(self, block: Block) -> Block:
        """The statements that stand for the loop, given those of the generator."""
        if len([each for statement in block for each in walk(statement) if _is_yield(each)]) > _MOST_YIELDS:
            raise MANY_YIELDS.at(self.place, count=_MOST_YIELDS)
        if any("return" in exits_of([each]) for each in block):
            self.ended = self.names.fresh("ended")
        made = self.block(block)
        flags = [each for each in (self.left, self.ended) if each is not None]
        if flags:
            made = [self.single(made)]
        before = [assign(each, const(False), self.place) for each in flags]
        after = self.loop.orelse
        if after and self.left is not None:
            after = [branch(gast.UnaryOp(op=gast.Not(), operand=load(self.left)), after, [], self.place)]
        return [*before, *made, *after]

    def single(self, body: Block) -> gast.stmt:
        """A loop of one iteration, which `break` leaves."""
        new = gast.For(
            target=stored(self.names.fresh("once")),
            iter=at(call("range", const(1)), self.place),
            body=body,
            orelse=[],
            type_comment=None,
        )
        return at(new, self.place)

    def block(self, block: Block) -> Block:
        """The statements that stand for the generator's."""
        return [new for each in block for new in self.statement(each)]

    def statement(self, statement: gast.stmt) -> Block:
        """The statements that stand for one of the generator's."""
        match statement:
            case gast.Expr(value=gast.Yield(value=value)):
                return self.turn(const(None) if value is None else value, place_of(statement) or self.place)
            case gast.Return():
                assert self.ended is not None
                return self.leave(self.ended)
            case gast.If():
                statement.body = self.block(statement.body) or [gast.Pass()]
                statement.orelse = self.block(statement.orelse)
            case gast.For() | gast.While():
                has_yield = any(map(_is_yield, walk(statement)))
                flags = [self.left] if has_yield else []
                flags += [self.ended] if "return" in exits_of(statement.body) else []
                statement.body = self.block(statement.body)
                statement.orelse = self.block(statement.orelse)
                behind = [self.leave_if(each) for each in flags if each is not None]
                return [statement, *behind]
        return [statement]

    def turn(self, value: gast.expr, place: Place | None) -> Block:
        """What is done for one value: the target is assigned, the body runs."""
        first: Block = []
        if self.counter is not None:
            held = self.names.temporary()
            first = [assign(held, load(self.counter), place)]
            first += [assign(self.counter, binary(load(self.counter), gast.Add, const(1)), place)]
            value = gast.Tuple(elts=[load(held), value], ctx=gast.Load())
        first.append(at(assign(clone(self.loop.target), value), place))
        body = self.with_flags([clone(each) for each in self.loop.body])
        if not self.once:
            return [*first, *body]
        behind = [self.leave_if(self.left)] if self.left is not None else []
        return [*first, self.single(body), *behind]

    def with_flags(self, block: Block) -> Block:
        """The body of the loop, in which a `break` sets the flag as well."""
        made: Block = []
        for each in block:
            if isinstance(each, gast.Break) and self.left is not None:
                made += self.leave(self.left)
                continue
            if isinstance(each, gast.If):
                each.body, each.orelse = self.with_flags(each.body), self.with_flags(each.orelse)
            elif isinstance(each, (gast.For, gast.While)):
                each.orelse = self.with_flags(each.orelse)
            made.append(each)
        return made

    def leave(self, flag: str) -> Block:
        """The statements that set a flag and leave a loop."""
        return [assign(flag, const(True), self.place), at(gast.Break(), self.place)]

    def leave_if(self, flag: str) -> gast.stmt:
        """A branch that leaves a loop if a flag is set."""
        return at(gast.If(test=load(flag), body=[at(gast.Break(), self.place)], orelse=[]), self.place)


def calls_no_function(node: gast.AST, meaning: Callable[[gast.expr], Meaning | None]) -> bool:
    """Whether a comprehension calls nothing of the user's, which could change what a generator still reads."""
    parts = [node.elt] if hasattr(node, "elt") else [node.key, node.value]
    parts += [each for loop in node.generators for each in loop.ifs]
    called = [each.func for part in parts for each in walk(part) if isinstance(each, gast.Call)]
    names = [each for each in called if isinstance(each, gast.Name)]
    loops = [each for each in walk(node) if isinstance(each, gast.comprehension)]
    own = {each.id for loop in loops for each in walk(loop.target) if isinstance(each, gast.Name)}
    if any(each.id in own for each in names):
        return False
    attributes = [each for each in called if isinstance(each, gast.Attribute) and root_name(each) not in own]
    methods = [each for each in attributes if root_name(each) is None or meaning(each) is None]
    if not all(hasattr(np.ndarray, each.attr) for each in methods):
        return False
    found = [meaning(each) for each in names]
    return not any(each is None or isinstance(each.value, Procedure) or is_users(each.value) for each in found)


def _with_single_yields(tree: gast.FunctionDef) -> gast.FunctionDef:
    """The function with `for v in e: yield v` for `yield from e`."""
    tree = copy.deepcopy(tree)
    names = Names(_names(tree))

    class Delegated(gast.NodeTransformer):  # type: ignore[misc]
        def visit_Expr(self, node: gast.Expr) -> gast.stmt:
            if not isinstance(node.value, gast.YieldFrom):
                return node
            name = names.fresh("value")
            each = gast.Expr(value=gast.Yield(value=load(name)))
            new = gast.For(target=stored(name), iter=node.value.value, body=[each], orelse=[], type_comment=None)
            for inner in walk(new):
                if isinstance(inner, (gast.expr, gast.stmt)) and getattr(inner, "lineno", None) is None:
                    gast.copy_location(inner, node)
            return new

        def visit_Lambda(self, node: gast.Lambda) -> gast.expr:
            return node

    tree.body = [Delegated().visit(each) if not isinstance(each, _FUNCTIONS) else each for each in tree.body]
    return tree


def _names(tree: gast.AST) -> list[str]:
    return [each.id for each in walk(tree) if isinstance(each, gast.Name)]


def _is_yield(node: gast.AST) -> bool:
    return isinstance(node, (gast.Yield, gast.YieldFrom))


def _own(node: gast.AST) -> Iterator[gast.AST]:
    """The node and those inside it, those of inner functions aside."""
    if not isinstance(node, _FUNCTIONS):
        yield node
        for each in gast.iter_child_nodes(node):
            yield from _own(each)


def starts_with(arguments: list[Any]) -> gast.expr:
    """The first number of an `enumerate`."""
    return arguments[0] if arguments else const(0)
