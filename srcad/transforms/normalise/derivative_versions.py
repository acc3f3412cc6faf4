"""Derivative versions: each call of a derivative gets a function for the types of its arguments.

    t = u_grad(p, x)        becomes        t2 = u_gradient(p, x)        where p is an array
                                           t2 = u_tangent(p, x, 1.0)    where the gradient is by one number

A tangent is core form, so calls of it are differentiated as calls of any function are. Gradients of one function are a
`Family`: the gradient of D, the function or a directional derivative of it. The tangent and the adjoint of a call of a
member are calls of other members (`srcad.transforms.sweeps.gradient_pairs`), because derivatives of a function along
several directions do not depend on their order. So a reverse sweep is never differentiated.

Andreas Griewank, Jean Utke and Andrea Walther, Evaluating higher derivative tensors by forward propagation of
univariate Taylor series, Mathematics of Computation 69, 2000.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import gast
from numba import types as nb

from srcad.errors import Place
from srcad.refusals.derivatives import COMPLEX_INNER_DERIVATIVE, INNER_ARGUMENT, INNER_DRAW, INNER_RESULT
from srcad.transforms.inference.derivative_callees import DerivativeCall, derivative_kind, results_in
from srcad.transforms.inference.subroutine_types import Kinds, Specialised, Summary
from srcad.transforms.inference.type_inference import as_written
from srcad.transforms.ir.build import Block, assign, call, const, effect, load, place_of, subscript, tuple_of, written
from srcad.transforms.ir.code import Code
from srcad.transforms.ir.generated_functions import Made
from srcad.transforms.ir.name_types import Types, differentiable, is_complex
from srcad.transforms.ir.side_effects import draws_numbers

Places = tuple[int, ...]


class Passes(Protocol):
    """What makes derivatives: the stages after this one, which the driver knows."""

    def finished(self, code: Code, is_reversed: bool) -> Code:
        """A function after the passes before differentiation."""

    def tangent(self, code: Code, wrt: Places) -> Code:
        """The derivative of the results along a direction, whose parts become the last parameters."""

    def gradient(self, code: Code, wrt: Places, callees: Any) -> Made:
        """The gradients as a tuple."""


@dataclass(eq=False)
class Family:
    """The derivatives of one function for arguments of these types: `code` is the function before its last passes."""

    code: Code
    wish: str
    passes: Passes
    numbers: Iterator[int]
    members: dict[tuple[Places, tuple[Places, ...]], Gradient] = field(default_factory=dict)
    tangents: dict[Places, Specialised] = field(default_factory=dict)
    _unfinished: dict[tuple[Places, ...], Code] = field(default_factory=dict)

    def directional(self, directions: tuple[Places, ...]) -> Code:
        """The derivative along these directions, one after the other, before its last passes."""
        if not directions:
            return self.code
        if directions not in self._unfinished:
            inner = self.passes.finished(self.directional(directions[:-1]), False)
            self._unfinished[directions] = self.passes.tangent(inner, directions[-1])
        return self._unfinished[directions]

    def member(self, wrt: Places, directions: tuple[Places, ...] = ()) -> Gradient:
        """The gradient, by the parameters in `wrt`, of the derivative along directions in these parameters."""
        if (wrt, directions) not in self.members:
            code = self.directional(directions)
            wish = f"{self.wish}{'_tangent' * len(directions)}_grad"
            made = Gradient(f"_gradient_{next(self.numbers)}_{self.wish}", None, code.signature, wish=wish)  # type: ignore[arg-type]
            made.family, made.wrt, made.directions = self, wrt, directions
            made.unit, made.types = code.unit, code.types
            kinds = tuple(derivative_kind(self.code.signature[place]) for place in wrt)
            made.summary = Summary(kinds, True, (), (None,) * len(kinds), ((),) * len(kinds))
            self.members[wrt, directions] = made
        return self.members[wrt, directions]

    def tangent(self, wrt: Places) -> Specialised:
        """The derivatives of the results along a direction in these parameters."""
        if wrt not in self.tangents:
            code = self.passes.finished(_returning_tuple(self.directional((wrt,))), False)
            name = f"_directional_{next(self.numbers)}_{self.wish}"
            made = Tangent(name, None, code.signature, wish=f"{self.wish}_tangent")  # type: ignore[arg-type]
            results = results_in(code.types.result or nb.none)
            made.summary = Summary(results, True, (), (None,) * len(results), ((),) * len(results))
            made.unit, made.types, made.counts = code.unit, code.types, code.counts
            self.tangents[wrt] = made
        return self.tangents[wrt]


@dataclass(eq=False)
class _Derived(Specialised):
    wish: str = ""


@dataclass(eq=False)
class Tangent(_Derived):
    """The derivative of a function's results along a direction, in core form."""


@dataclass(eq=False)
class Gradient(_Derived):
    """A gradient: `unit` is the function whose gradient it is."""

    family: Family = None  # type: ignore[assignment]  # given when it is made
    wrt: Places = ()
    directions: tuple[Places, ...] = ()
    _made: Made | None = None

    def made(self, callees: Any) -> Made:
        """The generated function; `callees` has the functions that all of a module's functions call."""
        if self._made is None:
            family = self.family
            code = family.passes.finished(family.directional(self.directions), True)
            self._made = family.passes.gradient(code, self.wrt, callees)
            self._made.functions[0].name = self.name
        return self._made


def rewritten(statement: Any, callee: DerivativeCall, kinds: Kinds, rewriter: Any) -> Block:
    """A call of a derivative as calls of functions for these types of its arguments.

    `rewriter` holds names, bindings and the library of `callee_specialisation`.
    """
    place, arguments = place_of(statement), statement.value.args
    family = rewriter.library.family(callee.of, kinds[callee.count :], place)
    if draws_numbers(family.code.unit):
        raise INNER_DRAW.at(place, function=callee.of.wish)
    own, directions = arguments[callee.count :], arguments[: callee.count]
    by = _Calls(rewriter, place)
    if callee.transform == "tangent":
        smooth = tuple(at for at in callee.wrt if _is_smooth(callee, family.code, at, place))
        moving = [each for each, at in zip(directions, callee.wrt, strict=True) if at in smooth]
        parts = by.call(family.tangent(smooth), [*own, *moving])
    else:
        smooth = tuple(at for at in callee.wrt if _is_smooth(callee, family.code, at, place))
        _refuse_result(callee, family.code, place)
        if callee.order:
            moving = [each for each, at in zip(directions, callee.wrt, strict=True) if at in smooth]
            found = by.call(family.member(smooth, (smooth,)), [*own, *moving])
        elif len(smooth) <= _MOST_TANGENTS and all(isinstance(family.code.signature[at], nb.Float) for at in smooth):
            found = [by.call(family.tangent((at,)), [*own, _one(family.code.signature[at])])[0] for at in smooth]
        else:
            found = by.call(family.member(smooth), own)
        each = iter(found)
        parts = [next(each) if at in smooth else const(0.0) for at in callee.wrt]
    value = tuple_of(*parts)
    return [*by.code, assign(str(written(statement)), value, place)]


# A gradient by so many numbers is computed in forward mode.
_MOST_TANGENTS = 1


class _Calls:
    """Writes calls of functions that return tuples."""

    def __init__(self, rewriter: Any, place: Place | None) -> None:
        self.rewriter, self.place = rewriter, place
        self.code: Block = []

    def call(self, version: Specialised, arguments: list[gast.expr]) -> list[gast.expr]:
        """A call; the names of its results."""
        names, known = self.rewriter.names, self.rewriter.known
        self.rewriter.bindings[version.name] = version
        whole = names.temporary()
        known[whole] = nb.Tuple(version.outcome)
        self.code.append(effect(assign(whole, call(version.name, *arguments), self.place)))
        parts = []
        for position, kind in enumerate(version.outcome):
            part = names.temporary()
            known[part] = kind
            self.code.append(assign(part, subscript(load(whole), const(position)), self.place))
            parts.append(load(part))
        return parts


def _one(kind: nb.Type) -> gast.expr:
    return const(1.0) if kind == nb.float64 else call(f"np.{kind}", const(1.0))


def _returning_tuple(code: Code) -> Code:
    """The function with its results as a tuple, each of them in memory of its own."""
    tree, names, known = code.unit.copy_tree(), code.unit.names.copy(), dict(code.types.of)
    *body, last = tree.body
    results = list(last.value.elts) if isinstance(last.value, gast.Tuple) else [last.value]
    kinds = results_in(code.types.result or nb.none)
    if len(results) != len(kinds):
        results = [subscript(last.value, const(position)) for position in range(len(kinds))]
    found: list[gast.expr] = []
    for value, kind in zip(results, kinds, strict=True):
        if isinstance(kind, nb.Array) or not isinstance(value, (gast.Name, gast.Constant)):
            part = names.temporary()
            body.append(assign(part, call("np.copy", value) if isinstance(kind, nb.Array) else value, place_of(last)))
            known[part] = derivative_kind(kind)
            value = load(part)
        found.append(value)
    last.value = tuple_of(*found)
    tree.body = [*body, last]
    outcome = nb.Tuple(tuple(map(derivative_kind, kinds)))
    return code.with_unit(code.unit.with_tree(tree, names=names), Types(known, outcome))


def _is_smooth(callee: DerivativeCall, code: Code, at: int, place: Place | None) -> bool:
    kind = code.signature[at]
    if differentiable(kind) and not is_complex(kind):
        return True
    if at in callee.parts and not is_complex(kind):
        return False
    _refuse_arguments(callee, code, (at,), place)
    return False


def _refuse_arguments(callee: DerivativeCall, code: Code, wrt: Places, place: Place | None) -> None:
    for at in wrt:
        kind, name = code.signature[at], as_written(f"'{code.unit.parameters[at]}'", None).strip("'")
        if is_complex(kind):
            raise COMPLEX_INNER_DERIVATIVE.at(place, function=callee.of.wish, name=name)
        if not differentiable(kind):
            raise INNER_ARGUMENT.at(place, function=callee.of.wish, name=name, kind=kind)


def _refuse_result(callee: DerivativeCall, code: Code, place: Place | None) -> None:
    if not isinstance(code.types.result, nb.Float):
        raise INNER_RESULT.at(place, function=callee.of.wish, kind=code.types.result)
