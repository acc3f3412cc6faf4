"""Lasting extents: the extents of arrays that are the same in each iteration of a loop, and known before it.

    for t in range(steps):
        rate = a @ y                    as many elements as a has rows, in each iteration
        kernels.same_extent(a.shape[0], y.shape[0])
        new = np.empty(a.shape[0])      as many elements as y has before the loop
        y = new

That y keeps its extents is assumed, and shown by each store of y. An assumption that is not shown is dropped, with all
that followed from it. Input: a loop of generated code, and the facts before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import gast

from srcad.transforms.analysis.affine.linear_forms import Form, name_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.build import Block, attribute, const, inner_blocks, load, names_in, subscript
from srcad.transforms.ir.side_effects import all_written, stored_in

_BEFORE = " before the loop"  # no name of Python's


def lasting_extents(loop: Any, before: Facts, carried: Iterable[str]) -> dict[gast.stmt, list[Form]]:
    """The extents of the arrays that statements of a loop's body assign to names, in terms of names before the loop.

    `before` are the facts before the loop, `carried` the names that it stores and that have a value before it.
    Statements whose arrays have other extents in another iteration are missing.
    """
    run = _shown(loop, before, carried)
    return {statement: [_plain(form) for form in forms] for statement, forms in run.found.items()}


def lasting_facts(loop: Any, before: Facts, carried: Iterable[str]) -> dict[gast.stmt, Facts]:
    """The facts before the loop and those that are shown by checks where such a statement has run."""
    run, found = _shown(loop, before, carried), {}
    for statement, known in run.known.items():
        found[statement] = before.copy()
        found[statement].suppose([_plain(form) for form in known])
    return found


def lasting_numbers(loop: Any, before: Facts, carried: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The extents of those of these arrays that have the same ones in all iterations, where these are numbers."""
    found = {}
    for name, extents in _shown(loop, before, carried).assumed.items():
        forms = [before.form(each) for each in extents]
        if forms and all(form is not None and not form.terms for form in forms):
            found[name] = tuple(int(form.constant) for form in forms if form is not None)
    return found


def known_throughout(statement: Any, before: Facts, carried: Iterable[str], points: Iterable[Facts]) -> None:
    """Note, at the start of a loop's body and after the loop, the extents of arrays that last and are numbers."""
    if isinstance(statement, (gast.For, gast.While)):
        found = lasting_numbers(statement, before, carried)
        for each in points:
            for name, numbers in found.items():
                each.note(name, tuple(map(const, numbers)))


def _shown(loop: Any, before: Facts, carried: Iterable[str]) -> _Run:
    """One iteration, under assumptions that hold."""
    stored = stored_in([loop])
    arrays = [name for name in sorted(set(carried) & stored) if before.rank_of(name)]
    outside = before.copy()
    outside.ranks = {**before.ranks, **{f"{name}{_BEFORE}": before.ranks[name] for name in arrays}}
    assumed = {name: extents for name in arrays if (extents := _assumed(outside, name, stored))}
    while True:
        run = _Run(loop, outside, assumed)
        if not run.failed:
            return run
        assumed = {name: extents for name, extents in assumed.items() if name not in run.failed}


def _assumed(outside: Facts, name: str, stored: frozenset[str]) -> tuple[gast.expr, ...]:
    """The extents that a name is assumed to keep: those that are known before the loop, or what they are there.

    What the name holds before the loop has another name.
    """
    shape = attribute(load(f"{name}{_BEFORE}"), "shape")
    return tuple(
        each if stored.isdisjoint(names_in(each)) else subscript(shape, const(axis))
        for axis, each in enumerate(outside.of(name) or ())
    )


def _plain(form: Form) -> Form:
    return form.renamed({symbol: symbol.replace(_BEFORE, "") for symbol in form.symbols})


class _Run:
    """One iteration, under assumptions."""

    def __init__(self, loop: Any, outside: Facts, assumed: Mapping[str, tuple[gast.expr, ...]]) -> None:
        self.assumed = assumed
        self.failed: set[str] = set()
        self.found: dict[gast.stmt, list[Form]] = {}
        self.known: dict[gast.stmt, list[Form]] = {}  # what is not negative there, of what lasts
        self.stored = stored_in([loop])
        index = {loop.target.id} if isinstance(loop, gast.For) else set()
        for block, inside in outside.copy().descend(loop):
            inside.restrict(self.stored - index)
            self.block(block, inside, True)

    def block(self, block: Block, at: Facts, is_own: bool) -> None:
        """Follow a block; `is_own` for the body of the loop itself."""
        self.suppose(at, self.assumed)
        for statement in block:
            if inner_blocks(statement):
                for inner, inside in at.descend(statement):
                    self.block(inner, inside, False)
                self.suppose(at, stored_in([statement]))
                continue
            at.learn(statement)
            at.learn_check(statement)
            for name in all_written(statement):
                self.show(name, at)
                if is_own and isinstance(statement, gast.Assign):
                    self.note(statement, name, at)

    def suppose(self, at: Facts, names: Iterable[str]) -> None:
        """Give names of these the extents that they are assumed to keep."""
        for name in names:
            if name in self.assumed:
                at.note(name, self.assumed[name])

    def show(self, name: str, at: Facts) -> None:
        """Whether a name that is stored has the extents that it is assumed to keep."""
        if name in self.assumed:
            forms, wanted = at.forms_of(load(name)), [at.form(each) for each in self.assumed[name]]
            pairs = list(zip(forms, wanted, strict=True)) if forms and len(forms) == len(wanted) else [(None, None)]
            if not all(one is not None and other is not None and are_equal(one, other, at) for one, other in pairs):
                self.failed.add(name)

    def note(self, statement: gast.stmt, name: str, at: Facts) -> None:
        """Note the extents of an array that a statement of the body assigns, if they last."""
        forms = at.forms_of(load(name)) if at.rank_of(name) else None
        if forms and all(self.stored.isdisjoint(map(name_of, form.symbols)) for form in forms):
            self.found[statement] = forms
            self.known[statement] = [each for each in at.known if self.stored.isdisjoint(map(name_of, each.symbols))]


def are_equal(one: Form, other: Form, at: Facts) -> bool:
    """Whether two extents are proved to be the same."""
    return one == other or (at.is_nonnegative(one - other) and at.is_nonnegative(other - one))
