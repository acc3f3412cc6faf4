"""Comprehensions as loops that fill a list or a dictionary.

[f(v) for v in x if v > 0]     becomes     t = []
for v in x:
if v > 0:
t.append(f(v))
"""

from __future__ import annotations

import gast

from srcad.transforms.arraylike import ArrayLike
from srcad.transforms.build import at, load, subscript
from srcad.transforms.desugar import desugar
from srcad.transforms.memory import Structure


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
