"""Desugaring: express the user's statements by fewer kinds of statements.

    a = b = x + 1          becomes    a = x + 1; b = a
    y += x                            y = operator.iadd(y, x)
    for v in x: ...                   for i in range(len(x)): v = x[i]; ...
    del values[i]                     values.pop(i)

`y += x` on a name works in place if `y` is an array and makes a new value if it is a number; which of the two is known
only once types are. Docstrings and `pass` are dropped. What remains are assignments to one target (a name, an element
or a tuple of these), augmented elements, branches, loops over `range`, `while`, exits and effects.
"""

from __future__ import annotations

from collections.abc import Collection

import gast

from srcad.names import Names
from srcad.transforms.ir.block_exits import exits_of
from srcad.transforms.ir.build import Block, assign, at, call, clone, load, place_of, stored
from srcad.transforms.ir.primitive import constant, is_atom
from srcad.transforms.ir.side_effects import stored_names
from srcad.transforms.lowering.desugaring.for_loops import iterate
from srcad.transforms.lowering.desugaring.nested_ranges import nest

IN_PLACE: dict[type[gast.operator], str] = {
    gast.Add: "operator.iadd",
    gast.Sub: "operator.isub",
    gast.Mult: "operator.imul",
    gast.Div: "operator.itruediv",
    gast.FloorDiv: "operator.ifloordiv",
    gast.Mod: "operator.imod",
    gast.Pow: "operator.ipow",
    gast.MatMult: "operator.imatmul",
    gast.BitAnd: "operator.iand",
    gast.BitOr: "operator.ior",
    gast.BitXor: "operator.ixor",
    gast.LShift: "operator.ilshift",
    gast.RShift: "operator.irshift",
}


def desugar(block: Block, names: Names, rebound: Collection[str] = ()) -> Block:
    r"""The desugared statements; functions that are called there may assign to the names in `rebound`.

    >>> from srcad.printing.printer import print_module
    >>> body = gast.parse("a = b = x + 1\nb -= a\nfor v in x: c[0] += v").body
    >>> print(print_module(desugar(body, Names({"a", "b", "c", "x", "v"}))), end="")
    a = x + 1
    b = a
    b = operator.isub(b, a)
    for i in range(len(x)):
        v = x[i]
        c[0] += v
    """
    return _Desugarer(names, rebound).block(block)


class _Desugarer:
    def __init__(self, names: Names, rebound: Collection[str]) -> None:
        self.names, self.rebound = names, rebound

    def block(self, block: Block) -> Block:
        return [new for statement in block for new in self.statement(statement)]

    def statement(self, statement: gast.stmt) -> Block:
        match statement:
            case gast.Pass() | gast.Expr(value=gast.Constant()):
                return []
            case gast.Assign(targets=[_, _, *_]):
                return self.chain(statement)
            case gast.AugAssign(target=gast.Name(id=name), op=op, value=value):
                new = call(IN_PLACE[type(op)], load(name), value)
                at(new, place_of(statement))
                return [assign(name, new, place_of(statement))]
            case gast.Delete(targets=targets):
                names = [at(gast.Delete(targets=[each]), place_of(statement)) for each in targets if _is_name(each)]
                return names + [self.taken_out(each, statement) for each in targets if not _is_name(each)]
            case gast.If() | gast.While() | gast.For():
                statement.body = self.block(statement.body)
                statement.orelse = self.block(statement.orelse)
        return self.loop(statement) if isinstance(statement, gast.For) else [statement]

    def loop(self, statement: gast.For) -> Block:
        """A loop as one over `range`, or as nested ones."""
        if isinstance(statement.iter, gast.GeneratorExp) and _is_lazy_loop(statement):
            return self.generated(statement)
        statement = _filtered(statement, self.names)
        nested = nest(statement, self.names)
        if nested is None:
            return iterate(statement, self.names, self.rebound)
        setup, outer = nested
        return [new for each in setup for new in self.statement(each)] + iterate(outer, self.names, self.rebound)

    def generated(self, loop: gast.For) -> Block:
        """`for v in (x * y for x in a if x > 0)` as a loop over `a`: each value is computed in its iteration."""
        place = place_of(loop)
        body = [assign(loop.target, loop.iter.elt, place), *loop.body]
        for each in reversed(loop.iter.generators):
            for test in reversed(each.ifs):
                body = [at(gast.If(test=test, body=body, orelse=[]), place)]
            orelse = loop.orelse if each is loop.iter.generators[0] else []
            body = self.loop(at(gast.For(target=each.target, iter=each.iter, body=body, orelse=orelse), place))
        return body

    def taken_out(self, target: gast.Subscript, statement: gast.stmt) -> gast.stmt:
        """`del values[i]` as `values.pop(i)`."""
        pop = gast.Attribute(value=target.value, attr="pop", ctx=gast.Load())
        taken = at(gast.Call(func=pop, args=[target.slice], keywords=[]), place_of(statement))
        return at(gast.Expr(value=taken), place_of(statement))

    def chain(self, statement: gast.Assign) -> Block:
        """Evaluate the value once, then assign the targets from left to right."""
        value, targets = statement.value, list(statement.targets)
        result: Block = []
        if constant(value) is None and not (isinstance(value, gast.Name) and value.id not in stored_names(targets)):
            match targets[0]:
                case gast.Name(id=name) if not is_atom(value) and name not in stored_names(targets[1:]):
                    result.append(assign(targets.pop(0), value, place_of(statement)))
                case _:
                    name = self.names.temporary()
                    result.append(assign(name, value, place_of(statement)))
            value = load(name)
        return result + [assign(target, clone(value), place_of(statement)) for target in targets]


def _is_name(target: gast.expr) -> bool:
    return isinstance(target, gast.Name)


def _is_lazy_loop(loop: gast.For) -> bool:
    """Whether a generator may become nested loops: with several, `break` would leave only the innermost."""
    return len(loop.iter.generators) == 1 or not ("break" in exits_of(loop.body) or loop.orelse)


def _filtered(loop: gast.For, names: Names) -> gast.For:
    """`for v in filter(p, x)` as a loop over x with a branch in its body: `p` sees changes of earlier iterations."""
    match loop.iter:
        case gast.Call(func=gast.Name(id="filter"), args=[function, rows]):
            name, place = names.temporary(), place_of(loop)
            is_plain = isinstance(function, gast.Constant) and function.value is None
            test = load(name) if is_plain else at(gast.Call(func=function, args=[load(name)], keywords=[]), place)
            body = [assign(loop.target, load(name), place), *loop.body]
            branch = at(gast.If(test=test, body=body, orelse=[]), place)
            new = gast.For(target=stored(name), iter=rows, body=[branch], orelse=loop.orelse, type_comment=None)
            return at(new, place)
    return loop
