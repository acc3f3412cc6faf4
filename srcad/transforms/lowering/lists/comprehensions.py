"""Comprehensions: loops that fill a list or dictionary. `any` and `all` become loops that stop at the first hit, and
`sum` and `math.prod` loops that add up, as Python does it: without a list.

    [f(v) for v in x if v > 0]      becomes     t = []
                                                for v in x:
                                                    if v > 0:
                                                        t.append(f(v))
    any(f(v) for v in x)            becomes     t = False
                                                for v in x:
                                                    if f(v):
                                                        t = True
                                                        break
    sum(f(v) for v in x)            becomes     t = 0
                                                for v in x:
                                                    t = t + f(v)

The loops are emitted before the statement that contains the expression.
"""

from __future__ import annotations

import math

import gast

from srcad.refusals.loops import GENERATOR_EXPRESSION
from srcad.transforms.ir.build import Block, assign, at, const, load, stored, subscript, tuple_of, walk
from srcad.transforms.lowering.calls.array_like_arguments import ArrayLike
from srcad.transforms.lowering.desugaring.desugar import desugar
from srcad.transforms.lowering.desugaring.structured_exits import structure_exits
from srcad.transforms.lowering.structures.abstract_state import Structure

_ACCUMULATED = {sum: (gast.Add, 0), math.prod: (gast.Mult, 1)}
_LAZY = (range, zip, enumerate, reversed, map, filter)


class Comprehensions(ArrayLike):
    """Lowers comprehensions to loops."""

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        match node:
            case gast.ListComp(elt=element, generators=generators):
                return self.comprehension(self.memory.new(list, {}), element, None, generators)
            case gast.SetComp(elt=element, generators=generators):
                return self.comprehension(self.memory.new(set, {}), element, None, generators)
            case gast.DictComp(key=key, value=value, generators=generators):
                return self.comprehension(self.memory.new(dict, {}), value, key, generators)
            case gast.GeneratorExp():
                self.refuse(GENERATOR_EXPRESSION)
        return super().core(node)

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        meaning = self.meant(node.func)
        if (meaning is any or meaning is all) and len(node.args) == 1 and not node.keywords:
            match node.args[0]:
                case gast.GeneratorExp(elt=value, generators=generators):
                    return self.searched(meaning is any, value, generators)
                case gast.Call(func=function) as row if self.meant(function) in _LAZY:
                    each = self.names.temporary()
                    loop = gast.comprehension(target=stored(each), iter=row, ifs=[], is_async=0)
                    return self.searched(meaning is any, load(each), [loop])
        if meaning is next and node.args and isinstance(node.args[0], gast.GeneratorExp) and not node.keywords:
            return self.first_found(node.args[0], node.args[1:])
        if any(meaning is each for each in _ACCUMULATED) and (found := self.accumulated_in_loop(node)) is not None:
            return found
        if meaning is zip and any(map(self.is_mapped, node.args)) and (rows := self.rows_of(node)) is not None:
            return self.core(rows)
        return super().call(node)

    def searched(self, wanted: bool, value: gast.expr, generators: list[gast.comprehension]) -> gast.expr:
        """Whether any of the values is true, or false; later values are not computed."""
        found, place = self.names.temporary(), self.place
        leave = at(gast.Break(), place)
        test = value if wanted else gast.UnaryOp(op=gast.Not(), operand=value)
        body = [at(gast.If(test=test, body=[assign(found, const(wanted), place), leave], orelse=[]), place)]
        for each in reversed(generators):
            for condition in reversed(each.ifs):
                body = [at(gast.If(test=condition, body=body, orelse=[]), place)]
            body = [at(gast.For(target=each.target, iter=each.iter, body=body, orelse=[], type_comment=None), place)]
            if each is not generators[0]:
                hit = load(found) if wanted else gast.UnaryOp(op=gast.Not(), operand=load(found))
                body.append(at(gast.If(test=hit, body=[leave], orelse=[]), place))
        return self.worth([assign(found, const(not wanted), place), *body], found)

    def accumulated_in_loop(self, node: gast.Call) -> gast.expr | None:
        """`sum` or `math.prod` of a comprehension; None for other arguments."""
        operation, neutral = _ACCUMULATED[self.meant(node.func)]
        starts = [*node.args[1:], *(each.value for each in node.keywords if each.arg == "start")]
        start = self.constant(starts[0]) if starts else neutral
        is_known = len(starts) == len(node.args) + len(node.keywords) - 1 < 2 and type(start) in (int, float, complex)
        match node.args[:1]:  # an array to start with would be the result itself where nothing is added
            case [
                gast.GeneratorExp(elt=value, generators=generators) | gast.ListComp(elt=value, generators=generators)
            ]:
                total, place = self.names.temporary(), self.place
                body: gast.stmt = assign(total, gast.BinOp(left=load(total), op=operation(), right=value), place)
                begin = assign(total, const(start), place)
                return self.worth([begin, *self.in_loops([body], generators)], total) if is_known else None
        return None

    def in_loops(self, body: Block, generators: list[gast.comprehension]) -> Block:
        """Statements in the loops of a comprehension."""
        for each in reversed(generators):
            for test in reversed(each.ifs):
                body = [at(gast.If(test=test, body=body, orelse=[]), self.place)]
            loop = gast.For(target=each.target, iter=each.iter, body=body, orelse=[], type_comment=None)
            body = [at(loop, self.place)]
        return body

    def first_found(self, values: gast.GeneratorExp, otherwise: list[gast.expr]) -> gast.expr:
        """`next` of a generator expression: its first value; later values are not computed."""
        found, ended, place = self.names.temporary(), self.names.temporary(), self.place
        leave = at(gast.Break(), place)
        body = [assign(found, values.elt, place), assign(ended, const(True), place), leave]
        for each in reversed(values.generators):
            for condition in reversed(each.ifs):
                body = [at(gast.If(test=condition, body=body, orelse=[]), place)]
            body = [at(gast.For(target=each.target, iter=each.iter, body=body, orelse=[], type_comment=None), place)]
            if each is not values.generators[0]:
                body.append(at(gast.If(test=load(ended), body=[leave], orelse=[]), place))
        before = [assign(ended, const(False), place), *(assign(found, each, place) for each in otherwise)]
        stop = at(gast.Raise(exc=gast.Call(func=load("StopIteration"), args=[], keywords=[]), cause=None), place)
        test = gast.UnaryOp(op=gast.Not(), operand=load(ended))
        after = [] if otherwise else [at(gast.If(test=test, body=[stop], orelse=[]), place)]
        return self.worth([*before, *body, *after], found)

    def worth(self, block: Block, name: str) -> gast.expr:
        """The value of a name after statements, which are emitted here."""
        place = self.place
        last = at(gast.Return(value=load(name)), place)
        desugared = desugar(block, self.names, self.memory.rebound)
        for statement in structure_exits([*desugared, last], self.names, place)[:-1]:
            self.statement(statement)
        self.place = place
        return self.value(load(name))

    def rows_of(self, node: gast.expr) -> gast.ListComp | None:
        """`zip(a, b)` or `enumerate(a)` as a comprehension, unless all their elements are known individually."""
        meaning = self.meant(node.func) if isinstance(node, gast.Call) else None
        if meaning not in (zip, enumerate) or any(isinstance(each, gast.Starred) for each in node.args):
            return None
        for position, each in enumerate(node.args if meaning is zip else node.args[:1]):
            if not isinstance(each, gast.Call) or self.meant(each.func) not in _LAZY:
                node.args[position] = self.part(each)
        if not any(isinstance(each, gast.Name) or self.is_open(each) or self.is_mapped(each) for each in node.args):
            return None
        names = [self.names.temporary() for _ in (node.args if meaning is zip else range(2))]
        loop = gast.comprehension(target=tuple_of(*map(stored, names)), iter=node, ifs=[], is_async=0)
        return gast.ListComp(elt=tuple_of(*map(load, names)), generators=[loop])

    def is_mapped(self, node: gast.expr) -> bool:
        """Whether this is a call of `map`, which computes each element in its iteration."""
        return isinstance(node, gast.Call) and self.meant(node.func) is map

    def is_open(self, part: gast.expr) -> bool:
        """Whether this is a list whose length is known only at run time."""
        return isinstance(part, Structure) and not isinstance(self.memory.cells[part.cell], dict)

    def comprehension(
        self, made: Structure, value: gast.expr, key: gast.expr | None, generators: list[gast.comprehension]
    ) -> gast.expr:
        """Fill the list or dictionary `made`."""
        name, before = self.names.temporary(), Block()
        self.memory.bind(name, made)
        if key is None:
            method = "add" if made.cell.is_set else "append"
            append = gast.Attribute(value=load(name), attr=method, ctx=gast.Load())
            body: gast.stmt = gast.Expr(value=gast.Call(func=append, args=[value], keywords=[]))
        else:
            if any(self.is_user_call(each) or isinstance(each, gast.NamedExpr) for each in walk(key)):
                held = self.names.temporary()
                before, key = [assign(held, key, self.place)], load(held)  # which is evaluated before the value
            body = gast.Assign(targets=[subscript(load(name), key, store=True)], value=value, type_comment=None)
        return self.worth(self.in_loops([*before, at(body, self.place)], generators), name)
