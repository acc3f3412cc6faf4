"""Comprehensions as loops that fill a list or a dictionary.

[f(v) for v in x if v > 0]     becomes     t = []
for v in x:
if v > 0:
t.append(f(v))
"""

from __future__ import annotations

import gast

from srcad.transforms.arraylike import ArrayLike
from srcad.transforms.build import at, load, stored, subscript, tuple_of
from srcad.transforms.desugar import desugar
from srcad.transforms.memory import Structure

_LAZY = (range, zip, enumerate, reversed, map, filter)


class Comprehensions(ArrayLike):
    """Lowers comprehensions where they stand."""

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        match node:
            case gast.ListComp(elt=element, generators=generators):
                return self.comprehension(self.memory.new(list, {}), element, None, generators)
            case gast.DictComp(key=key, value=value, generators=generators):
                return self.comprehension(self.memory.new(dict, {}), value, key, generators)
            case gast.GeneratorExp():
                self.refuse(
                    "a generator expression is supported only as the argument of a builtin function",
                    "write it as a list, in square brackets",
                )
        return super().core(node)

    def rows_of(self, node: gast.expr) -> gast.ListComp | None:
        """`zip(a, b)` and `enumerate(a)` as a comprehension, unless all that they go through is known by element."""
        meaning = self.meant(node.func) if isinstance(node, gast.Call) else None
        if meaning not in (zip, enumerate) or any(isinstance(each, gast.Starred) for each in node.args):
            return None
        for position, each in enumerate(node.args if meaning is zip else node.args[:1]):
            if not isinstance(each, gast.Call) or self.meant(each.func) not in _LAZY:
                node.args[position] = self.part(each)
        if not any(isinstance(each, gast.Name) or self.is_open(each) for each in node.args):
            return None
        names = [self.names.temporary() for _ in (node.args if meaning is zip else range(2))]
        loop = gast.comprehension(target=tuple_of(*map(stored, names)), iter=node, ifs=[], is_async=0)
        return gast.ListComp(elt=tuple_of(*map(load, names)), generators=[loop])

    def is_open(self, part: gast.expr) -> bool:
        """Whether this is a list of which the length is known only at run time."""
        return isinstance(part, Structure) and not isinstance(self.memory.cells[part.cell], dict)

    def comprehension(
        self, made: Structure, value: gast.expr, key: gast.expr | None, generators: list[gast.comprehension]
    ) -> gast.expr:
        """Fill the list or dictionary `made`."""
        name = self.names.temporary()
        self.memory.bind(name, made)
        if key is None:
            append = gast.Attribute(value=load(name), attr="append", ctx=gast.Load())
            body: gast.stmt = gast.Expr(value=gast.Call(func=append, args=[value], keywords=[]))
        else:
            body = gast.Assign(targets=[subscript(load(name), key, store=True)], value=value, type_comment=None)
        for each in reversed(generators):
            for test in reversed(each.ifs):
                body = at(gast.If(test=test, body=[at(body, self.place)], orelse=[]), self.place)
            body = gast.For(
                target=each.target, iter=each.iter, body=[at(body, self.place)], orelse=[], type_comment=None
            )
        place = self.place
        for statement in desugar([at(body, place)], self.names):
            self.statement(statement)
        self.place = place
        return self.value(load(name))
