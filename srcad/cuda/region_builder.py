"""Core form to regions: copies are followed, equal operations and reads are made once, and each name gets one value.

t = x[i]; s = 0.0                      t = x[i]
while c:                        ->     loop carries s: first 0.0, next s_3, last s_2
    s = s + t * x[i]                       t2 = t * t; s_3 = s + t2
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import gast
from numba import types as nb

from srcad.cuda import intrinsics
from srcad.cuda.refused_kernels import COMPLEX_VALUE, KERNEL_RESULT, OUTSIDE_OF_KERNELS, USED_RESULT
from srcad.cuda.regions import Add, Assign, Barrier, Carried, If, Load, Loop, Merge, Region, Store, Thread
from srcad.cuda.thread_core import ThreadCore
from srcad.transforms.ir.build import clone, const, load, names_in, place_of, walk_statements
from srcad.transforms.ir.name_types import is_complex
from srcad.transforms.ir.primitive import constant, is_atom, primitive_of

_OTHERS = {
    gast.Raise: "an exception",
    gast.Assert: "an assertion",
    gast.Expr: "a call for its effect",
}


def thread_of(core: ThreadCore) -> Thread:
    """The regions of a typed kernel."""
    return _Builder(core).thread


@dataclass
class _Scope:
    """What is known in a region: the value of each variable, and the names of operations that have been made."""

    region: Region
    values: dict[str, gast.expr]
    made: dict[str, str] = field(default_factory=dict)

    def inner(self, owner: Any) -> _Scope:
        return _Scope(Region(owner=owner, parent=self.region), dict(self.values), dict(self.made))


class _Builder:
    def __init__(self, core: ThreadCore) -> None:
        unit, kinds = core.code.unit, dict(core.code.types.of)
        self.unit, self.names = unit, unit.names.copy()
        for name, kind in kinds.items():
            if is_complex(kind):
                raise COMPLEX_VALUE.at(None, name=name)
        self.taken: set[str] = set(unit.parameters)
        self.written = {target.value.id for target in _targets(unit.tree.body)}
        self.written |= {node.args[0].id for node in gast.walk(unit.tree) if self.is_atomic(node)}
        top = _Scope(Region(), {name: load(name) for name in unit.parameters})
        self.thread = Thread(
            unit.name, core.parameters, kinds, core.launch, core.arrays, top.region, dict(unit.bindings), self.names
        )
        self.reads = _reads(unit.tree.body)
        self.block(unit.tree.body, top)

    def is_atomic(self, node: Any) -> bool:
        return isinstance(node, gast.Call) and primitive_of(node, self.unit.bindings) is intrinsics.atomic_add

    def block(self, block: list[Any], scope: _Scope) -> None:
        for statement in block:
            self.statement(statement, scope)

    def statement(self, statement: Any, scope: _Scope) -> None:
        place = place_of(statement)
        match statement:
            case gast.Assign(targets=[gast.Name(id=name)], value=value):
                self.assign(name, value, place, scope)
            case gast.Assign(targets=[gast.Subscript() as target], value=value):
                array, index = self.element(target, place, scope)
                self.emit(Store(place, array, index, self.atom(value, scope)), scope)
            case gast.AugAssign(target=gast.Subscript() as target, op=op, value=value):
                self.update(target, op, value, place, scope)
            case gast.If():
                self.branch(statement, place, scope)
            case gast.For() | gast.While():
                self.loop(statement, place, scope)
            case gast.Pass() | gast.Return(value=gast.Constant(value=None)):
                pass
            case gast.Return():
                raise KERNEL_RESULT.at(place)
            case _:
                raise OUTSIDE_OF_KERNELS.at(place, what=_OTHERS.get(type(statement), "this statement"))

    # Values

    def atom(self, node: gast.expr, scope: _Scope) -> gast.expr:
        """The value of an atom: names of variables become those of values."""
        if isinstance(node, gast.Name) and node.id in scope.values:
            return clone(scope.values[node.id])
        return clone(node)

    def valued(self, node: gast.expr, scope: _Scope) -> gast.expr:
        made = clone(node)
        return _Renamer(scope.values).visit(made)

    def define(self, wish: str, kind: nb.Type | None, node: Any, scope: _Scope) -> str:
        """A name for a new value."""
        name = self.names.fresh(wish) if wish in self.taken else wish
        self.taken.add(name)
        if kind is not None:
            self.thread.kinds[name] = kind
        self.thread.regions[name], self.thread.nodes[name] = scope.region, node
        return name

    def emit(self, node: Any, scope: _Scope) -> Any:
        scope.region.nodes.append(node)
        return node

    def assign(self, name: str, value: gast.expr, place: Any, scope: _Scope) -> None:
        kind = self.thread.kinds.get(name)
        primitive = primitive_of(value, self.unit.bindings)
        if primitive is intrinsics.barrier:
            self.emit(Barrier(place), scope)
        elif primitive is intrinsics.atomic_add:
            self.atomic(name, value, place, scope)
        elif is_atom(value) and not isinstance(value, gast.Attribute):
            scope.values[name] = self.atom(value, scope)
        elif isinstance(value, gast.Subscript) and isinstance(self.kind_of(value.value), nb.Array):
            self.read(name, value, place, scope)
        elif isinstance(kind, nb.Array):
            raise OUTSIDE_OF_KERNELS.at(place, what="a view, a slice or a new array")
        else:
            self.operation(name, self.valued(value, scope), kind, place, scope)

    def kind_of(self, node: gast.expr) -> nb.Type | None:
        return self.thread.kinds.get(node.id) if isinstance(node, gast.Name) else None

    def operation(self, name: str, value: gast.expr, kind: Any, place: Any, scope: _Scope) -> None:
        if isinstance(value, gast.Subscript) and isinstance(value.value, gast.Tuple):
            chosen = constant(value.slice)
            if isinstance(chosen, int):
                scope.values[name] = value.value.elts[chosen]
                return
        if isinstance(value, gast.Tuple):
            scope.values[name] = value
            return
        key = f"{gast.dump(value)}:{kind}"
        if key not in scope.made:
            node = Assign(place, "", value)
            node.name = self.define(name, kind, node, scope)
            self.emit(node, scope)
            scope.made[key] = node.name
        scope.values[name] = load(scope.made[key])

    def element(self, target: gast.Subscript, place: Any, scope: _Scope) -> tuple[str, tuple[gast.expr, ...]]:
        """The array and the index of a subscript, which must select one element."""
        array = self.atom(target.value, scope)
        kind = self.kind_of(array)
        index = self.valued(target.slice, scope)
        parts = tuple(index.elts) if isinstance(index, gast.Tuple) else (index,)
        if not isinstance(kind, nb.Array) or len(parts) != kind.ndim or not all(map(self.is_integer, parts)):
            raise OUTSIDE_OF_KERNELS.at(place, what="a subscript that does not select one element by integers")
        if array.id not in self.thread.arrays:
            raise OUTSIDE_OF_KERNELS.at(place, what="an array that may be one of several")
        return str(array.id), parts

    def is_integer(self, node: gast.expr) -> bool:
        return isinstance(constant(node), int) or isinstance(self.kind_of(node), (nb.Integer, nb.Boolean))

    def read(self, name: str, value: gast.Subscript, place: Any, scope: _Scope) -> None:
        array, index = self.element(value, place, scope)
        key = f"{array}[{', '.join(map(gast.dump, index))}]"
        if array in self.written or key not in scope.made:
            node = Load(place, "", array, index)
            node.name = self.define(name, self.thread.kinds.get(name), node, scope)
            self.emit(node, scope)
            scope.made[key] = node.name
        scope.values[name] = load(scope.made[key])

    def update(self, target: Any, op: Any, value: Any, place: Any, scope: _Scope) -> None:
        """`a[i] op= v`; what is no sum is a read, an operation and a store."""
        array, index = self.element(target, place, scope)
        amount = self.atom(value, scope)
        if isinstance(op, (gast.Add, gast.Sub)):
            self.emit(Add(place, array, index, amount, False, isinstance(op, gast.Sub)), scope)
            return
        kind: Any = self.thread.kinds[array]
        old = Load(place, "", array, index)
        old.name = self.define("old", kind.dtype, old, scope)
        self.emit(old, scope)
        node = Assign(place, "", gast.BinOp(left=load(old.name), op=op, right=amount))
        node.name = self.define("new", kind.dtype, node, scope)
        self.emit(node, scope)
        self.emit(Store(place, array, index, load(node.name)), scope)

    def atomic(self, name: str, value: gast.Call, place: Any, scope: _Scope) -> None:
        if self.reads.get(name):
            raise USED_RESULT.at(place)
        target = gast.Subscript(value=value.args[0], slice=value.args[1], ctx=gast.Load())
        array, index = self.element(target, place, scope)
        self.emit(Add(place, array, index, self.atom(value.args[2], scope), True), scope)

    # Control flow

    def branch(self, statement: gast.If, place: Any, scope: _Scope) -> None:
        test = self.atom(statement.test, scope)
        node = If(place, test, Region(), Region(), [])
        then, orelse = scope.inner(node), scope.inner(node)
        node.then, node.orelse = then.region, orelse.region
        self.block(statement.body, then)
        self.block(statement.orelse, orelse)
        differing = [
            name
            for name in {**then.values, **orelse.values}
            if name in then.values
            and name in orelse.values
            and gast.dump(then.values[name]) != gast.dump(orelse.values[name])
        ]
        if self.as_condition(node, then, orelse, differing, scope):
            return
        self.emit(node, scope)
        for name in differing:
            merged = Merge("", then.values[name], orelse.values[name])
            merged.name = self.define(name, self.thread.kinds.get(name), node, scope)
            node.merges.append(merged)
            scope.values[name] = load(merged.name)
        for name in {**then.values, **orelse.values}:
            if name not in scope.values and name in then.values and name in orelse.values:
                scope.values[name] = then.values[name]
            elif name not in scope.values and not self.is_local(name, statement):
                self.one_sided(name, node, then, orelse, scope)

    def one_sided(self, name: str, node: If, then: _Scope, orelse: _Scope, scope: _Scope) -> None:
        """A variable that one side assigns and that is read later: 0 on the other side, where nothing reads it."""
        kind = self.thread.kinds.get(name)
        sides = [each.values.get(name, _zero(kind)) for each in (then, orelse)]
        merged = Merge("", *sides)
        merged.name = self.define(name, kind, node, scope)
        node.merges.append(merged)
        scope.values[name] = load(merged.name)

    def as_condition(self, node: If, then: _Scope, orelse: _Scope, differing: list[str], scope: _Scope) -> bool:
        """`a and b` or `a or b`, a branch in core form, as one expression, where `b` may be computed always."""
        sides = [*then.region.nodes, *orelse.region.nodes]
        if len(differing) != 1 or not all(isinstance(each, Assign) and _is_safe(each.value) for each in sides):
            return False
        name = differing[0]
        if not isinstance(self.thread.kinds.get(name), nb.Boolean):
            return False
        one, two, test = then.values[name], orelse.values[name], node.test
        if gast.dump(two) == gast.dump(test):
            value: Any = gast.BoolOp(op=gast.And(), values=[test, one])
        elif gast.dump(one) == gast.dump(test):
            value = gast.BoolOp(op=gast.Or(), values=[test, two])
        else:
            return False
        for each in sides:
            self.thread.regions[each.name] = scope.region
            self.emit(each, scope)
            scope.made[f"{gast.dump(each.value)}:{self.thread.kinds.get(each.name)}"] = each.name
        self.operation(name, value, nb.boolean, node.place, scope)
        return True

    def loop(self, statement: Any, place: Any, scope: _Scope) -> None:
        node = Loop(place, Region(), [])
        inner = scope.inner(node)
        node.body = inner.region
        inner.made = {key: name for key, name in scope.made.items() if not _reads_written(key, self.written)}
        body = list(statement.body)
        stop = body.pop() if body and isinstance(body[-1], gast.If) and _is_break(body[-1].body) else None
        changed = _assigned(body) - ({statement.target.id} if isinstance(statement, gast.For) else set())
        for name in sorted(changed, key=lambda each: (each not in scope.values, each)):
            first = scope.values.get(name)
            if first is None and self.is_local(name, statement):
                continue
            kind = self.thread.kinds.get(name)
            carried = Carried(self.define(name, kind, node, inner), first or _zero(kind), const(0), "")
            node.carried.append(carried)
            inner.values[name] = load(carried.name)
            carried.last = name  # until it has a name
        if isinstance(statement, gast.For):
            node.bounds = tuple(self.atom(each, scope) for each in statement.iter.args)
            node.index = self.define(statement.target.id, nb.int64, node, inner)
            inner.values[statement.target.id] = load(node.index)
        else:
            node.test = str(inner.values[statement.test.id].id)
        self.block(body, inner)
        if stop is not None:
            node.stopped = self.atom(stop.test, inner)
        node.count = self.define("trips", nb.int64, node, scope)
        self.emit(node, scope)
        for carried in node.carried:
            variable, carried.next = carried.last, clone(inner.values[carried.last])
            carried.last = self.define(variable, self.thread.kinds.get(carried.name), node, scope)
            scope.values[variable] = load(carried.last)
        scope.made = {key: name for key, name in scope.made.items() if not _reads_written(key, self.written)}

    def is_local(self, name: str, statement: Any) -> bool:
        """Whether a variable is read inside of a branch or a loop only."""
        return self.reads.get(name, 0) == _reads([statement]).get(name, 0)


class _Renamer(gast.NodeTransformer):  # type: ignore[misc]  # gast carries no annotations
    def __init__(self, values: dict[str, gast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: gast.Name) -> gast.expr:
        return clone(self.values[node.id]) if node.id in self.values else node


def _targets(block: list[Any]) -> list[Any]:
    """The subscripts that are stored."""
    found = []
    for statement in walk_statements(block):
        targets = statement.targets if isinstance(statement, gast.Assign) else [getattr(statement, "target", None)]
        found += [each for each in targets if isinstance(each, gast.Subscript)]
    return found


def _assigned(block: list[Any]) -> set[str]:
    return {
        target.id
        for statement in walk_statements(block)
        if isinstance(statement, gast.Assign)
        for target in statement.targets
        if isinstance(target, gast.Name)
    } | {statement.target.id for statement in walk_statements(block) if isinstance(statement, gast.For)}


def _reads(block: list[Any]) -> dict[str, int]:
    """How often each name is read."""
    found: dict[str, int] = {}
    for statement in block:
        for name in names_in(statement):
            found[name] = found.get(name, 0) + 1
    return found


def _is_break(block: list[Any]) -> bool:
    return len(block) == 1 and isinstance(block[0], gast.Break)


def _is_safe(value: gast.expr) -> bool:
    """Whether an operation may be carried out although its result is not used."""
    unsafe = (gast.Div, gast.FloorDiv, gast.Mod, gast.Pow)
    return not any(isinstance(each, (*unsafe, gast.Call)) for each in gast.walk(value))


def _reads_written(key: str, written: set[str]) -> bool:
    return key.partition("[")[0] in written


def _zero(kind: Any) -> gast.expr:
    return const(0.0) if isinstance(kind, nb.Float) else const(isinstance(kind, nb.Boolean) and False)
