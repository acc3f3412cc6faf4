"""Gradient pairs: the derivatives of a call of a gradient, which are calls of other gradients of the same family.

A gradient g of D, the derivative of a function along directions v, has these derivatives, where w is a cotangent of g:

    adjoint of the arguments    the gradient of D along w as well
    adjoint of a direction      the gradient of the function along the other directions and w
    tangent                     the gradient of D along the arguments' tangent as well; for the tangent of a direction,
                                the gradient along it in place of the direction

since the derivative along several directions is linear in each of them, and does not depend on their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gast
from numba import types as nb

from srcad.names import Names
from srcad.transforms.adjoint.call_derivatives import Pair
from srcad.transforms.ir.build import Block, assign, binary, call, const, load, subscript, tuple_of
from srcad.transforms.ir.generated_functions import function
from srcad.transforms.ir.name_types import differentiable
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.derivative_versions import Gradient


class _Layout:
    """The parameters of a gradient: the function's own, then for each direction those of its parts."""

    def __init__(self, gradient: Gradient) -> None:
        self.gradient = gradient
        self.parameters = gradient.unit.parameters
        self.own = len(gradient.family.code.signature)

    def direction(self, number: int) -> range:
        """The positions of the parts of one direction."""
        before = self.own + sum(map(len, self.gradient.directions[:number]))
        return range(before, before + len(self.gradient.directions[number]))

    def part(self, position: int) -> tuple[int, int]:
        """The direction that a parameter is a part of, and the function's parameter that it belongs to."""
        for number, places in enumerate(self.gradient.directions):
            if position in self.direction(number):
                return number, places[position - self.direction(number)[0]]
        raise IndexError(position)

    def moved(self, positions: Sequence[int]) -> dict[int, list[int]]:
        """Of these parameters those that are parts of directions, by direction."""
        found: dict[int, list[int]] = {}
        for position in positions:
            if position >= self.own:
                found.setdefault(self.part(position)[0], []).append(position)
        return found

    def without(self, number: int) -> tuple[tuple[tuple[int, ...], ...], list[str]]:
        """All directions but one, and the names of the parameters without its parts."""
        gradient, left_out = self.gradient, self.direction(number)
        rest = tuple(each for k, each in enumerate(gradient.directions) if k != number)
        return rest, [name for position, name in enumerate(self.parameters) if position not in left_out]


def make_gradient_pair(pair: Pair) -> tuple[int, ...]:
    """Make the functions of a pair for a gradient; returns the positions of the arguments that the reverse one gets."""
    version = pair.version
    assert isinstance(version, Gradient)
    layout, names = _Layout(version), Names(version.unit.parameters)
    bindings: dict[str, Any] = {version.name: version}
    bars = [names.fresh("result_bar") for _ in pair.outs]
    seeded = tuple(version.wrt[position] for position in pair.outs)
    body: Block = []
    found: dict[int, gast.expr] = {}

    def called(member: Gradient, arguments: Sequence[str]) -> list[gast.expr]:
        return _called(member, arguments, body, names, bindings)

    own = tuple(position for position in pair.wrt if position < layout.own)
    if own:
        member = version.family.member(own, (*version.directions, seeded))
        found |= zip(own, called(member, [*layout.parameters, *bars]), strict=True)
    for number, positions in layout.moved(pair.wrt).items():
        rest, given = layout.without(number)
        member = version.family.member(tuple(layout.part(each)[1] for each in positions), (*rest, seeded))
        found |= zip(positions, called(member, [*given, *bars]), strict=True)
    arrays = [position for position in pair.wrt if isinstance(version.kinds[position], nb.Array)]
    added = [names.fresh(f"{layout.parameters[position]}_bar") for position in arrays]
    for name, position in zip(added, arrays, strict=True):
        whole = subscript(load(name), gast.Constant(value=..., kind=None), store=True)
        body.append(gast.AugAssign(target=whole, op=gast.Add(), value=found[position]))
    numbers = [found[position] for position in pair.wrt if position not in arrays]
    body.append(gast.Return(value=tuple_of(*numbers) if numbers else const(None)))
    calls, at = names.fresh("calls"), names.fresh("at")
    forward: Block = [gast.Return(value=call(version.name, *map(load, layout.parameters)))]
    pair.outputs = (*added, calls, at)
    pair.functions = [
        function(pair.forward, (*layout.parameters, calls), forward),
        function(pair.reverse, (*layout.parameters, *added, calls, at, *bars), body),
    ]
    pair.bindings = bindings
    return tuple(range(len(layout.parameters)))


def make_gradient_tangent(name: str, version: Gradient, wrt: tuple[int, ...]) -> Unit:
    """The tangent function of a gradient: its results, then the tangents of these."""
    layout, names = _Layout(version), version.unit.names.copy()
    bindings: dict[str, Any] = {**version.unit.bindings, version.name: version}
    dots = {position: names.fresh(f"{layout.parameters[position]}_dot") for position in wrt}
    body: Block = []

    def called(member: Gradient, arguments: Sequence[str]) -> list[gast.expr]:
        return _called(member, arguments, body, names, bindings)

    results = called(version, layout.parameters)
    terms: list[list[gast.expr]] = []
    own = tuple(position for position in wrt if position < layout.own)
    if own:
        member = version.family.member(version.wrt, (*version.directions, own))
        terms.append(called(member, [*layout.parameters, *(dots[each] for each in own)]))
    for number, positions in layout.moved(wrt).items():
        rest, given = layout.without(number)
        member = version.family.member(version.wrt, (*rest, tuple(layout.part(each)[1] for each in positions)))
        terms.append(called(member, [*given, *(dots[each] for each in positions)]))
    tangents = [_total(each, body, names) for each in zip(*terms, strict=True)]
    kept = [dot for dot, kind in zip(tangents, version.outcome, strict=True) if differentiable(kind)]
    body.append(gast.Return(value=tuple_of(*results, *kept)))
    tree = function(name, (*layout.parameters, *dots.values()), body)
    return Unit(name, tree, bindings, names, without=version.unit.without)


def _called(
    member: Gradient, arguments: Sequence[str], body: Block, names: Names, bindings: dict[str, Any]
) -> list[gast.expr]:
    bindings[member.name] = member
    whole = names.temporary()
    body.append(assign(whole, call(member.name, *map(load, arguments))))
    parts = [names.temporary() for _ in member.wrt]
    body += [assign(part, subscript(load(whole), const(k))) for k, part in enumerate(parts)]
    return [load(part) for part in parts]


def _total(terms: Sequence[gast.expr], body: Block, names: Names) -> gast.expr:
    total = terms[0]
    for term in terms[1:]:
        part = names.temporary()
        body.append(assign(part, binary(total, gast.Add, term)))
        total = load(part)
    return total
