"""The statements of a sweep in vector mode.

Sums and products of numbers stay what they are, as lanes are added and multiplied like numbers. Arrays that are made
become arrays of lanes. Any other statement that varies becomes a loop over the lanes, which computes what does not vary
before it:

    u_bar += np.roll(v_bar, k + 1)          shift = k + 1
                                            for lane in range(directions.WIDTH):
                                                u_bar_lane = directions.layer(u_bar, lane)
                                                u_bar_lane += np.roll(directions.pick(v_bar, lane), shift)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import gast
from numba import types as nb

from srcad.transforms.ir.build import (
    Block,
    assign,
    attribute,
    augment,
    call,
    clone,
    const,
    dotted,
    dotted_path,
    load,
    loop,
    stored,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.sweeps.vector_mode import PLUS, NotInLanes, Sweep, Varying, changed_by, is_new, own_names, strong

_ALLOCATIONS = {"np.zeros": "zeros", "np.empty": "empty", "np.zeros_like": "zeros", "np.empty_like": "empty"}
_OF_WHOLE_ARRAYS = {"np.copy": "copied", "np.transpose": "transposed"}
_NOT_MOVED = (gast.IfExp, gast.BoolOp, gast.Lambda, gast.ListComp, gast.GeneratorExp)


def in_lanes(sweep: Sweep, name: str) -> gast.FunctionDef:
    """The sweep for several directions: these, and the derivatives that it returns, have one more axis, the last.

    Raises NotInLanes where there is none.
    """
    return _Writer(sweep).function(name)


class _Writer:
    def __init__(self, sweep: Sweep) -> None:
        self.sweep = replace(sweep, tree=clone(sweep.tree))
        self.varying, self.fresh = Varying(self.sweep), own_names(sweep.tree).fresh
        self._lane = self.fresh("lane")

    def function(self, name: str) -> gast.FunctionDef:
        """The function of this name."""
        begin: Block = []
        parameters = []
        for each in self.sweep.parameters:
            if each in self.sweep.directions:
                parameters.append(self.fresh(f"{each}s"))
                begin.append(assign(each, call("directions.of_rows", load(parameters[-1]))))
            else:
                parameters.append(each)
        return function(name, parameters, begin + self.block(self.sweep.tree.body))

    def block(self, statements: Block) -> Block:
        """The statements of a block."""
        return [made for each in statements for made in self.statement(each)]

    def statement(self, statement: Any) -> Block:
        """What becomes of one statement."""
        match statement:
            case gast.If(test=test, body=body, orelse=orelse):
                statement.test = self._test(test)
                statement.body, statement.orelse = self.block(body), self.block(orelse)
                return [statement]
            case gast.For(body=body) | gast.While(body=body):
                statement.body = self.block(body)
                return [statement]
            case gast.Return(value=value):
                return self._returned(value)
            case gast.Assign(targets=[gast.Name(id=name)], value=value) if name in self.varying.names:
                return self._assigned(statement, name, value)
            case gast.Assign(targets=[gast.Subscript(value=gast.Name(id=base))]) if base in self.varying.names:
                return self._stored(statement, base)
            case gast.AugAssign(target=gast.Subscript(value=gast.Name(id=base))) if base in self.varying.names:
                return self._stored(statement, base)
            case gast.AugAssign(target=gast.Name(id=name)) if name in self.varying.names:
                return self._added(statement, name)
            case gast.Expr(value=gast.Call() as value) if self.varying.holds(value):
                return self._called(statement, value)
        if self.varying.holds(statement):
            raise NotInLanes(f"a {type(statement).__name__} varies")
        return [self._plain(statement)]

    def _plain(self, node: Any) -> Any:
        """An expression or statement that does not vary; shapes of arrays of lanes stand for the arrays."""
        return _Shapes(self.varying).visit(node)

    def _test(self, test: gast.expr) -> gast.expr:
        if not self.varying.holds(test):
            return self._plain(test)
        match test:
            case gast.Compare(left=left, ops=[gast.NotEq()], comparators=[gast.Constant(value=0)]):
                if self.varying.is_number(left):
                    return call("directions.any_nonzero", self._number(left))
            case gast.BoolOp(op=gast.Or(), values=values):
                return gast.BoolOp(op=gast.Or(), values=[self._test(each) for each in values])
        raise NotInLanes("a branch varies")

    def _number(self, value: gast.expr) -> gast.expr:
        """A number of lanes, from an expression that is computed with all lanes at once."""
        if not self.varying.holds(value):
            return call("directions.spread", self._plain(value))
        return _InLanes(self.varying).visit(value)

    def _assigned(self, statement: gast.stmt, name: str, value: gast.expr) -> Block:
        if not self.varying.is_array(name):
            if self.varying.is_number(value) or not self.varying.holds(value):
                return [assign(name, self._number(value))]
            return self._number_by_lane(name, value)
        made = self._array(value)
        if made is not None:
            return [assign(name, made)]
        if not is_new(value) and self.varying.is_written_later(name, statement):
            raise NotInLanes("an array may be a view of another one")
        return self._array_by_lane(name, value)

    def _array(self, value: gast.expr) -> gast.expr | None:
        """An array of lanes that is made, copied or seen as a whole; None for other expressions."""
        match value:
            case gast.Name(id=name) if name in self.varying.names:
                return value
            case gast.Subscript(value=gast.Name(id=name), slice=index) if name in self.varying.names:
                if self.varying.is_view(index) or self.varying.is_row(name, index):
                    return gast.Subscript(value=load(name), slice=self._plain(index), ctx=gast.Load())
            case gast.Call(func=called, args=[first, *others]) if (path := dotted_path(called)) in _ALLOCATIONS:
                is_like = path.endswith("_like")
                is_computed = self.varying.holds(first) and not self.varying.is_seen(first)
                if len(others) > 1 or value.keywords or is_computed:
                    return None
                shape = attribute(first, "shape") if is_like else first
                return call(f"directions.{_ALLOCATIONS[path]}", self._plain(shape))
            case gast.Call(func=called, args=[gast.Name(id=name)], keywords=[]) if name in self.varying.names:
                if (path := dotted_path(called)) in _OF_WHOLE_ARRAYS:
                    return call(f"directions.{_OF_WHOLE_ARRAYS[path]}", load(name))
        if self.varying.holds(value):
            return None
        if not is_new(value):
            raise NotInLanes("an array of the primal would vary")
        return call("directions.spread", self._plain(value))

    def _stored(self, statement: Any, base: str) -> Block:
        """A store, or an augmented one, into an array of lanes."""
        target = statement.targets[0] if isinstance(statement, gast.Assign) else statement.target
        if self.varying.is_element(base, target.slice) and (
            self.varying.is_number(statement.value) or not self.varying.holds(statement.value)
        ):
            target.slice, statement.value = self._plain(target.slice), self._number(statement.value)
            return [statement]
        return self._in_place(statement, target, base)

    def _in_place(self, statement: Any, target: gast.expr, base: str) -> Block:
        before, seen = _Lane(self), self.fresh(f"{base}_lane")
        value = before.of(statement.value)
        into: gast.expr = stored(seen)
        if isinstance(target, gast.Subscript):
            into = subscript(load(seen), before.of(target.slice), store=True)
        change = assign(into, value) if isinstance(statement, gast.Assign) else augment(into, type(statement.op), value)
        return before.loop([assign(seen, call("directions.layer", load(base), load(self._lane))), change])

    def _added(self, statement: Any, name: str) -> Block:
        if self.varying.is_array(name):
            return self._in_place(statement, statement.target, name)
        if self.varying.is_number(statement.value) or not self.varying.holds(statement.value):
            statement.value = self._number(statement.value)
            return [statement]
        part = self.fresh(f"{name}_part")
        before = self._number_by_lane(part, statement.value)
        statement.value = load(part)
        return [*before, statement]

    def _number_by_lane(self, name: str, value: gast.expr) -> Block:
        before, found, new = _Lane(self), self.fresh(f"{name}_lanes"), self.fresh(f"{name}_lane")
        own = assign(new, before.of(value))
        kept = assign(found, call("directions.with_lane", load(found), load(self._lane), load(new)))
        begin = assign(found, call("directions.spread", const(0.0)))
        return [begin, *before.loop([own, kept]), assign(name, load(found))]

    def _array_by_lane(self, name: str, value: gast.expr) -> Block:
        before, found, new = _Lane(self), self.fresh(f"{name}_lanes"), self.fresh(f"{name}_lane")
        own = assign(new, before.of(value))
        shape = gast.BinOp(
            left=tuple_of(dotted("directions.WIDTH")), op=gast.Add(), right=attribute(load(new), "shape")
        )
        is_first = gast.Compare(left=load(self._lane), ops=[gast.Eq()], comparators=[const(0)])
        first = gast.If(test=is_first, body=[assign(found, call("np.empty", shape))], orelse=[])
        kept = assign(subscript(load(found), load(self._lane), store=True), load(new))
        return [*before.loop([own, first, kept]), assign(name, call("directions.together", load(found)))]

    def _called(self, statement: Any, value: gast.Call) -> Block:
        """A call that writes into arrays of lanes: it is given copies of each lane, which are put back."""
        names = [each.id for each in value.args if isinstance(each, gast.Name) and each.id in self.varying.names]
        written = [each for each in changed_by(statement) if each in self.varying.names]
        if self.varying.may_overlap(names) or len(set(names)) < len(names) or not set(written) <= set(names):
            raise NotInLanes("arguments of a call may overlap")
        if any(not self.varying.is_array(each) for each in written):
            raise NotInLanes("a call may change a number")
        lanes, after = _Lane(self), []
        for place, each in enumerate(value.args):
            if isinstance(each, gast.Name) and each.id in written:
                value.args[place] = own = lanes.apart(each)
                after.append(gast.Expr(value=call("directions.put", load(each.id), own.value)))
        call_of_lane = gast.Expr(value=lanes.of(value))
        return [*lanes.loop([call_of_lane]), *after]

    def _returned(self, value: gast.expr) -> Block:
        """The results; derivatives get an axis of the directions."""
        parts = value.elts if isinstance(value, gast.Tuple) else [value]
        of_parts = isinstance(value, gast.Tuple) and isinstance(self.sweep.result, nb.BaseTuple)
        kinds = list(self.sweep.result) if of_parts else [self.sweep.result]
        if len(kinds) != len(parts):
            raise NotInLanes("what is returned has no known parts")
        before, results = [], []
        for place, (part, kind) in enumerate(zip(parts, kinds, strict=True)):
            if place < self.sweep.primals:
                if self.varying.holds(part):
                    raise NotInLanes("the value of the function varies")
                results.append(self._plain(part))
                continue
            if not isinstance(part, gast.Name) or part.id not in self.varying.names:
                name = self.fresh("result_lanes")
                before += self._result(name, part, kind)
                part = load(name)
            results.append(call("directions.rows_of", part))
        returned = tuple_of(*results) if isinstance(value, gast.Tuple) else results[0]
        return [*before, gast.Return(value=returned)]

    def _result(self, name: str, value: gast.expr, kind: nb.Type) -> Block:
        is_array = isinstance(kind, nb.Array) and kind.ndim and kind.dtype == nb.float64
        if not is_array and kind != nb.float64:
            raise NotInLanes(f"a derivative is {kind}")
        if not self.varying.holds(value):
            return [assign(name, call("directions.spread", self._plain(value)))]
        if is_array:
            made = self._array(value)
            return self._array_by_lane(name, value) if made is None else [assign(name, made)]
        if self.varying.is_number(value):
            return [assign(name, self._number(value))]
        return self._number_by_lane(name, value)


class _Lane:
    """Expressions for one lane, and what they need before the loop over the lanes."""

    def __init__(self, writer: _Writer) -> None:
        self._writer, self._varying, self._before = writer, writer.varying, list[gast.stmt]()
        self._apart: dict[str, str] = {}  # by expression

    def of(self, node: gast.expr, moves: bool = True) -> Any:
        """The expression for one lane. What does not vary is computed before the loop, if it is in any case."""
        if not self._varying.holds(node):
            return self._moved(self._writer._plain(node)) if moves else self._writer._plain(node)
        if self._varying.is_number(node) and not isinstance(node, gast.Call):
            return self._picked(self._writer._number(node))
        match node:
            case gast.Name():
                return self.apart(node)
            case gast.Subscript(value=gast.Name(id=name), slice=index):
                if self._varying.is_view(index) or self._varying.is_row(name, index):
                    return self.apart(subscript(load(name), self._writer._plain(index)))
        moves = moves and not isinstance(node, _NOT_MOVED)
        for field, value in gast.iter_fields(node):
            if isinstance(value, gast.expr) and field != "func":
                setattr(node, field, self.of(value, moves))
            elif isinstance(value, list):
                setattr(node, field, [self._part(each, moves) for each in value])
        return node

    def _part(self, node: Any, moves: bool) -> Any:
        if isinstance(node, gast.keyword):
            node.value = self.of(node.value, moves)
            return node
        return self.of(node, moves) if isinstance(node, gast.expr) else node

    def apart(self, lanes: gast.expr) -> gast.Subscript:
        """One lane of an array, from a copy that is made before the loop."""
        key = gast.dump(lanes)
        if key not in self._apart:
            self._apart[key] = self._writer.fresh("lanes_apart")
            self._before.append(assign(self._apart[key], call("directions.apart", lanes)))
        return subscript(load(self._apart[key]), load(self._writer._lane))

    def _picked(self, lanes: gast.expr) -> gast.expr:
        return call("directions.pick", lanes, load(self._writer._lane))

    def _moved(self, node: gast.expr) -> gast.expr:
        if not isinstance(node, (gast.BinOp, gast.Call)):
            return node
        name = self._writer.fresh("shared")
        self._before.append(assign(name, node))
        return load(name)

    def loop(self, body: Sequence[gast.stmt]) -> Block:
        """The loop over the lanes with this body."""
        return [*self._before, loop(self._writer._lane, [dotted("directions.WIDTH")], list(body))]


class _Shapes(gast.NodeTransformer):  # type: ignore[misc]
    """In what does not vary, shapes and types of arrays of lanes."""

    def __init__(self, varying: Varying) -> None:
        self._names = varying.names

    def visit_Attribute(self, node: Any) -> Any:
        """The type of an array of lanes is that of one lane."""
        if node.attr == "dtype" and isinstance(node.value, gast.Name) and node.value.id in self._names:
            return dotted("np.float64")
        return node

    def visit_Call(self, node: Any) -> Any:
        """An array like one of lanes has its shape."""
        path = dotted_path(node.func) or ""
        if path.endswith("_like") and any(isinstance(each, gast.Name) and each.id in self._names for each in node.args):
            return call(path.removesuffix("_like"), attribute(node.args[0], "shape"))
        self.generic_visit(node)
        return node


class _InLanes(gast.NodeTransformer):  # type: ignore[misc]
    """In numbers of lanes, products and quotients that keep zeros."""

    def __init__(self, varying: Varying) -> None:
        self._varying = varying

    def visit(self, node: Any) -> Any:
        """What does not vary stays as it is."""
        return super().visit(node) if self._varying.holds(node) else _Shapes(self._varying).visit(node)

    def visit_Call(self, node: Any) -> Any:
        """The function for lanes."""
        self.generic_visit(node)
        if dotted_path(node.func) == PLUS:
            return gast.BinOp(left=node.args[0], op=gast.Add(), right=node.args[1])
        return call(f"directions.{strong(node)}", *node.args)
