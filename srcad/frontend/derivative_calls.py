"""Calls of derivatives: the function is lowered separately, and the call becomes one of a `DerivativeCall` of it.

    slope = srcad.grad(u, 1)(p, x)      becomes     t1 = u_grad(p_w, p_b, x)      where `p` is a dictionary
                                                    t2 = t1[0]
                                                    slope = t2

A gradient has the structure of its argument. Jacobians and Hessians are loops over derivatives along unit directions.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator
from typing import Any

import gast

from srcad.errors import Place
from srcad.frontend.call_arguments import known_arguments
from srcad.frontend.derivative_functions import (
    EVERY,
    DerivedFunction,
    Described,
    assembled,
    positions,
    procedure_for,
    reads_enclosing,
    weighted,
)
from srcad.frontend.load_source import load as load_source
from srcad.frontend.scope import Procedure, procedure_of
from srcad.refusals.derivatives import INNER_OPTION
from srcad.transforms.inference.derivative_callees import DerivativeCall
from srcad.transforms.inference.subroutine_types import Subroutine
from srcad.transforms.ir.build import (
    Block,
    assign,
    call,
    clone,
    const,
    dotted_path,
    effect,
    load,
    names_in,
    subscript,
    walk_statements,
)
from srcad.transforms.ir.side_effects import changed_in
from srcad.transforms.lowering.desugaring.desugar import IN_PLACE
from srcad.transforms.lowering.inlining import bind_arguments
from srcad.transforms.lowering.structure_passing import at_call, leaves_of, returned_length
from srcad.transforms.lowering.structures.abstract_state import Callee, Structure

_IN_PLACE = frozenset(IN_PLACE.values())
_MAKING = frozenset(f"np.{name}{like}" for name in ("zeros", "empty", "ones", "full") for like in ("", "_like")) | {
    "np.copy"
}


class DerivativeCalls:
    """Lowers calls of derivatives; `lowering` lowers functions, `made` has the derivatives of this derivation."""

    def __init__(self, lowering: Any, made: dict[tuple[Any, ...], DerivativeCall]) -> None:
        self.lowering, self.made = lowering, made

    def call(self, node: gast.Call, derived: Described, caller: Any, place: Place | None) -> gast.expr:
        """The value of a call of a derivative."""
        procedure = procedure_for(derived.function, self.lowering.read, self.lowering.procedure)
        names = [*procedure.parameters, *procedure.keyword_only]
        if derived.transform == "vjp":
            return self.with_pullback(node, derived, procedure, caller, place)
        if derived.transform == "pullback":
            return self.pulled_back(node, derived, procedure, caller, place)
        try:
            places = positions(derived, names)
        except LookupError as missing:
            option = f"`wrt` names {missing.args[0]!r}, which is no parameter of {procedure.name}"
            raise INNER_OPTION.at(place, transform=derived.transform, option=option) from None
        if derived.transform in ("jacobian", "hessian"):
            inner = procedure_of(load_source(assembled(derived, names, places)))
            return self.inlined(node, inner, caller, place)
        if derived.transform == "value":
            args, keywords = self.held(node, caller)
            return self.value(gast.Call(func=node.func, args=args, keywords=keywords), procedure, caller, place)
        if derived.transform == "value_and_grad":
            return self.with_value(node, derived, procedure, caller, place)
        if derived.transform == "jvp":
            return self.with_tangent(node, derived, procedure, caller, place)
        count = len(places) if derived.transform in ("hvp", "tangent") else 0
        own, directions = (node.args[:-count], node.args[-count:]) if count else (node.args, [])
        if derived.transform == "tangent":
            own, directions = node.args[count:], node.args[:count]
        plain = gast.Call(func=node.func, args=own, keywords=node.keywords)
        return self.lowered(plain, directions, derived, procedure, places, caller, place)

    def inlined(self, node: gast.Call, procedure: Procedure, caller: Any, place: Place | None) -> gast.expr:
        """A call of a function in place of the derivative."""
        name = self.lowering.draft.bind(procedure.name, procedure)
        made: gast.expr = caller.part(gast.Call(func=load(name), args=node.args, keywords=node.keywords))
        return made

    def value(self, node: gast.Call, procedure: Procedure, caller: Any, place: Place | None) -> gast.expr:
        """The value of the function, of arguments that are evaluated; of copies of them if it writes into arrays."""
        before, count, made = caller.memory.copy(), len(caller.made), len(self.lowering.outline.made)
        value = self.inlined(clone(node), procedure, caller, place)
        if not _writes(caller.made[count:]):
            return value
        caller.memory.become(before)
        del caller.made[count:]
        self.lowering.outline.forget(made)
        args = [self.copied(each, caller, place) for each in node.args]
        keywords = [gast.keyword(arg=each.arg, value=self.copied(each.value, caller, place)) for each in node.keywords]
        return self.inlined(gast.Call(func=node.func, args=args, keywords=keywords), procedure, caller, place)

    def with_value(
        self, node: gast.Call, derived: Described, procedure: Procedure, caller: Any, place: Place | None
    ) -> gast.expr:
        """The value and the gradient, of arguments that are evaluated once."""
        args, keywords = self.held(node, caller)
        value = self.value(gast.Call(func=node.func, args=args, keywords=keywords), procedure, caller, place)
        inner = derived._replace(transform="grad")
        found = self.call(gast.Call(func=node.func, args=args, keywords=keywords), inner, caller, place)
        pair: gast.expr = caller.memory.new(tuple, {0: value, 1: found})
        return pair

    def with_tangent(
        self, node: gast.Call, derived: Described, procedure: Procedure, caller: Any, place: Place | None
    ) -> gast.expr:
        """The value and the tangent, of arguments that are evaluated once; the directions come first."""
        args, _ = self.held(node, caller)
        count = len(derived.wrt)
        plain = gast.Call(func=node.func, args=args[count:], keywords=[])
        value = self.value(plain, procedure, caller, place)
        inner = derived._replace(transform="tangent")
        found = self.call(gast.Call(func=node.func, args=args, keywords=[]), inner, caller, place)
        pair: gast.expr = caller.memory.new(tuple, {0: value, 1: found})
        return pair

    def with_pullback(
        self, node: gast.Call, derived: Described, procedure: Procedure, caller: Any, place: Place | None
    ) -> gast.expr:
        """The value and the pullback, which holds copies of the arguments."""
        args = [self.copied(caller.kept(caller.part(each)), caller, place) for each in node.args]
        value = self.value(gast.Call(func=node.func, args=args, keywords=[]), procedure, caller, place)
        pull = DerivedFunction(derived._replace(transform="pullback"))
        memory = caller.memory
        parts = {
            "func": Callee(load(self.lowering.draft.bind(pull.__name__, pull))),
            "args": memory.new(tuple, dict(enumerate(args))),
            "keywords": memory.new(dict, {}),
        }
        pair: gast.expr = memory.new(tuple, {0: caller.kept(value), 1: memory.new(functools.partial, parts)})
        return pair

    def copied(self, value: gast.expr, caller: Any, place: Place | None) -> gast.expr:
        """A value in memory of its own, since the pullback may be called after an array has been overwritten."""
        if isinstance(value, Structure):
            parts = {key: self.copied(each, caller, place) for key, each in caller.memory.cells[value.cell].items()}
            made: gast.expr = caller.memory.new(value.cell.type, parts)
            return made
        if isinstance(value, (Callee, gast.Constant)):
            return value
        copy = self.lowering.draft.names.temporary()
        caller.emit(assign(copy, gast.UnaryOp(op=gast.UAdd(), operand=value), place))
        caller.memory.learn(copy, load(copy))
        return load(copy)

    def pulled_back(
        self, node: gast.Call, derived: Described, procedure: Procedure, caller: Any, place: Place | None
    ) -> gast.expr:
        """A call of a pullback: the gradient of the results times the cotangent, which is the last argument."""
        own = node.args[:-1]
        names = procedure.parameters[: len(own)]
        is_by_all = derived.wrt == EVERY
        by = tuple(k for k, each in enumerate(own) if _may_have_slope(each)) if is_by_all else derived.wrt
        sums = weighted(derived.function, names, returned_length(procedure.tree))
        inner = Described("grad", sums, by, is_by_all or derived.many)
        found = self.call(node, inner, caller, place)
        if not is_by_all:
            return found
        gradients = iter(caller.memory.cells[found.cell].values())
        every = {k: next(gradients) if k in by else const(None) for k in range(len(own))}
        made: gast.expr = caller.memory.new(tuple, every)
        return made

    def held(self, node: gast.Call, caller: Any) -> tuple[list[gast.expr], list[gast.keyword]]:
        """The arguments of a call, evaluated."""
        args = [caller.part(each) for each in node.args]
        return args, [gast.keyword(arg=each.arg, value=caller.part(each.value)) for each in node.keywords]

    def lowered(
        self,
        node: gast.Call,
        directions: list[gast.expr],
        derived: Described,
        procedure: Procedure,
        places: tuple[int, ...],
        caller: Any,
        place: Place | None,
    ) -> gast.expr:
        """The call of a `DerivativeCall`, and its results in the structure of the arguments."""
        first = derived.transform == "tangent"  # whether directions come before the arguments
        along = [caller.part(each) for each in directions] if first else []
        called, values = self.separate(node, derived, procedure, places, caller, place)
        along = along or [caller.part(each) for each in directions]
        by = [(*procedure.parameters, *procedure.keyword_only)[at] for at in places]
        leaves = {name: leaves_of(value, caller) for name, value in values.items()}
        count = itertools.count()
        numbers = {name: [next(count) for _ in each] for name, each in leaves.items()}
        wrt = tuple(number for name in by for number in numbers[name])
        structured = [name for name in by if isinstance(values[name], Structure)]
        parts = frozenset(number for name in structured for number in numbers[name])
        transform = "tangent" if first else "grad"
        made = self.derivative(called, transform, wrt, int(bool(directions)), parts)
        directed = [leaf for each in along for leaf in leaves_of(each, caller)]
        whole = self.lowering.draft.names.temporary()
        arguments = [*directed, *(leaf for each in leaves.values() for leaf in each)]
        caller.emit(effect(assign(whole, call(made.name, *arguments), place)))
        caller.memory.learn(whole, load(whole))
        if first:
            return self.tangents(whole, returned_length(procedure.tree), caller, place)
        found = self.parts(whole, len(wrt), caller, place)
        gradients = [_like(values[name], found, caller) for name in by]
        if not derived.many:
            return gradients[0]
        every: gast.expr = caller.memory.new(tuple, dict(enumerate(gradients)))
        return every

    def separate(
        self,
        node: gast.Call,
        derived: Described,
        procedure: Procedure,
        places: tuple[int, ...],
        caller: Any,
        place: Place | None,
    ) -> tuple[Subroutine, dict[str, gast.expr]]:
        """The function, lowered separately, and the arguments of a call of it."""
        lowering = self.lowering
        given = bind_arguments(node, procedure, place)
        by = [(*procedure.parameters, *procedure.keyword_only)[at] for at in places]
        statics = known_arguments(procedure, given, caller.memory, lowering.draft.bindings)
        statics = {name: meaning for name, meaning in statics.items() if name not in by}
        base, around = lowering.outline.base(procedure, statics, given), None
        if reads_enclosing(derived.function):
            around, key = at_call(caller.memory, procedure.name)
            base = (*base, ("around", key))
        found: tuple[Subroutine, dict[str, gast.expr]] = lowering.separate(
            procedure, base, given, statics, caller, place, around
        )
        return found

    def derivative(
        self, of: Subroutine, transform: str, wrt: tuple[int, ...], order: int, parts: frozenset[int]
    ) -> DerivativeCall:
        """The object that generated code calls; one for each derivative of a function."""
        key = of, transform, wrt, order, parts
        if key not in self.made:
            draft = self.lowering.draft
            name = draft.names.fresh(f"{of.name}_{transform}")
            self.made[key] = draft.bindings[name] = DerivativeCall(name, of, transform, wrt, order, parts)
        return self.made[key]

    def tangents(self, whole: str, length: int | None, caller: Any, place: Place | None) -> gast.expr:
        """The tangents of results: one, or a tuple where the function returns a tuple."""
        found = list(self.parts(whole, 1 if length is None else length, caller, place))
        if length is None:
            return found[0]
        every: gast.expr = caller.memory.new(tuple, dict(enumerate(found)))
        return every

    def parts(self, whole: str, count: int, caller: Any, place: Place | None) -> Iterator[gast.expr]:
        """The elements of a tuple of results, in variables."""
        for position in range(count):
            part = self.lowering.draft.names.temporary()
            caller.emit(assign(part, subscript(load(whole), const(position)), place))
            caller.memory.learn(part, subscript(load(whole), const(position)))
            yield load(part)


def _may_have_slope(value: gast.expr) -> bool:
    """Whether an argument is no constant other than a float."""
    if isinstance(value, gast.UnaryOp):
        return _may_have_slope(value.operand)
    is_other_constant = isinstance(value, gast.Constant) and not isinstance(value.value, float)
    return not isinstance(value, Callee) and not is_other_constant


def _like(value: gast.expr, found: Iterator[gast.expr], caller: Any) -> gast.expr:
    """Gradients in the structure of an argument."""
    if not isinstance(value, Structure):
        return next(found)
    held = caller.memory.cells[value.cell]
    contents = {key: _like(part, found, caller) for key, part in held.items()}
    made: gast.expr = caller.memory.new(value.cell.type, contents)
    return made


def _writes(block: Block) -> bool:
    """Whether statements may write into an array that they have not made."""
    stored: dict[str, list[Any]] = {}
    written = set(changed_in(block))
    for each in walk_statements(block):
        if isinstance(each, gast.Assign) and isinstance(each.targets[0], gast.Name):
            value = each.value
            if isinstance(value, gast.Call) and dotted_path(value.func) in _IN_PLACE:
                written.update(names_in(value.args[0]))
            else:
                stored.setdefault(each.targets[0].id, []).append(value)
    return not all(name in stored and all(map(_is_new, stored[name])) for name in written)


def _is_new(value: gast.expr) -> bool:
    """Whether an operation makes a number or an array of its own."""
    if isinstance(value, gast.Call):
        return dotted_path(value.func) in _MAKING
    return isinstance(value, (gast.Constant, gast.BinOp, gast.UnaryOp))
