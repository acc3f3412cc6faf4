"""Trip counts: an upper bound on a loop's iterations, as an expression known before the loops around it start.

for j in range(n):              n, with j as the number of the iteration
for i in range(j + 1, n):   n, with i as the number of the iteration: i >= j + 1 >= 0
for q in range(j):      n - 1, since j <= n - 1
for p in range(y[:j].shape[0]):         n - 1, however long y is
for p in range(y[j : j + 5].shape[0]):  5
for j in range(1, n, 2):        (n - 1 + 1) // 2, with (j - 1) // 2 as the number of the iteration
"""

from __future__ import annotations

from dataclasses import dataclass

import gast

from srcad.transforms.analysis.affine.integer_facts import expression_of, step_of
from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.ssa_facts import sliced
from srcad.transforms.ir.build import binary, call, clone, const, load
from srcad.transforms.ir.cost_model import DEEPEST_EXTENT
from srcad.transforms.ir.primitive import constant
from srcad.transforms.storage.placement import Loop, Sites


@dataclass(frozen=True)
class Extent:
    """At most `size` iterations, numbered by `number`; exact if both bounds are known before the loops around it."""

    size: gast.expr
    number: gast.expr
    is_exact: bool


def extent(sites: Sites, loop: Loop) -> Extent | None:
    """The extent of a loop; None where it cannot be bounded."""
    if not isinstance(loop, gast.For) or not step_of(loop):
        return None
    if abs(step_of(loop)) != 1:
        return _in_steps(sites, loop)
    start, stop, step = loop.iter.args
    if sites.is_known(start) and sites.is_known(stop):
        low, high = (start, stop) if constant(step) == 1 else (stop, start)
        number = load(loop.target.id)
        if constant(step) == -1:
            return Extent(_count(sites, high, low), binary(clone(start), gast.Sub, number), True)
        return Extent(_count(sites, high, low), _less(number, start), True)
    if constant(step) == -1:
        return _widest_down(sites, loop, start, stop)
    return _as_form(sites, loop, start, stop) or _widest(sites, loop, start, stop)


def _in_steps(sites: Sites, loop: gast.For) -> Extent | None:
    """The extent of a loop whose step is another number than 1 or -1."""
    start, stop, _ = loop.iter.args
    if not (sites.is_known(start) and sites.is_known(stop)):
        return None
    width, index = abs(step_of(loop)), load(loop.target.id)
    low, high = (start, stop) if step_of(loop) > 0 else (stop, start)
    gone = _less(index, start) if step_of(loop) > 0 else binary(clone(start), gast.Sub, index)
    length = binary(_less(high, low), gast.Add, const(width - 1))
    size = call("max", binary(length, gast.FloorDiv, const(width)), const(0))
    return Extent(size, binary(gone, gast.FloorDiv, const(width)), True)


def _as_form(sites: Sites, loop: gast.For, start: gast.expr, stop: gast.expr) -> Extent | None:
    """The extent of a loop whose last index depends on array lengths that are known under other names."""
    first, form = constant(start), sites.program.meeting.form(stop)
    high = known_extent(sites, form) if form is not None else None
    if high is None or type(first) is not int or first < 0:  # a negative difference may mean an empty slice
        return None
    return Extent(call("max", _less(high, start), const(0)), _less(load(loop.target.id), start), True)


def _widest(sites: Sites, loop: gast.For, start: gast.expr, stop: gast.expr) -> Extent | None:
    high = greatest(sites, stop)
    first = start if sites.is_known(start) else const(0)
    if high is None or not (first is start or _is_natural(sites, start, 0)):
        return None
    return Extent(call("max", _less(high, first), const(0)), _less(load(loop.target.id), first), False)


def _widest_down(sites: Sites, loop: gast.For, start: gast.expr, stop: gast.expr) -> Extent | None:
    high = greatest(sites, start)
    if high is None or not _is_natural(sites, stop, 1):
        return None
    return Extent(call("max", binary(high, gast.Add, const(1)), const(0)), load(loop.target.id), False)


def greatest(sites: Sites, node: gast.expr, depth: int = 0) -> gast.expr | None:
    """The greatest value of an integer atom, in terms of values known before the loops around it; or None."""
    if sites.is_known(node):
        return clone(node)
    assert isinstance(node, gast.Name)
    for loop in sites.program.flow.stores.get(node.id, []):
        if isinstance(loop, gast.For):
            start, stop, step = loop.iter.args
            if constant(step) == 1:
                return _shifted(greatest(sites, stop, depth + 1), gast.Sub, 1)
            return greatest(sites, start, depth + 1) if constant(step) == -1 else None
    match sites.program.flow.definition(node.id):
        case gast.BinOp(left=left, op=gast.Add() | gast.Sub() as operator, right=right) if depth < DEEPEST_EXTENT:
            amount = constant(right)
            if isinstance(amount, int) and isinstance(left, gast.Name):
                return _shifted(greatest(sites, left, depth + 1), type(operator), amount)
        case gast.Subscript(value=gast.Name(id=shape), slice=gast.Constant(value=int() as axis)):
            return _longest(sites, sites.program.flow.definition(shape), axis)
    return None


def _longest(sites: Sites, shape: gast.expr | None, axis: int) -> gast.expr | None:
    """The greatest extent of a dimension of `x.shape`, where x is a slice by the index of a loop around it."""
    flow, meeting = sites.program.flow, sites.program.meeting
    view = flow.definition(shape.value.id) if isinstance(shape, gast.Attribute) and axis >= 0 else None
    cut = sliced(view, axis) if isinstance(view, gast.Subscript) else None
    if view is None or cut is None:
        return None
    low, high = cut[1].lower, cut[1].upper
    if high is None:
        by_index = low is not None and greatest(sites, low) is not None
        return known_extent(sites, meeting.size(view.value.id, cut[0])) if by_index else None
    if low is None:
        return greatest(sites, high) if _is_natural(sites, high, 0) else None
    start, stop = meeting.form(low), meeting.form(high)
    if start is None or stop is None or not _is_natural(sites, low, 0) or not _is_natural(sites, high, 0):
        return None
    length = stop - start
    return None if length.terms else const(length.constant)


def _shifted(node: gast.expr | None, operator: type[gast.operator], amount: int) -> gast.expr | None:
    return None if node is None else binary(node, operator, const(amount))


def _count(sites: Sites, high: gast.expr, low: gast.expr) -> gast.expr:
    """`high - low`, but at least zero."""
    meeting = sites.program.meeting
    form, base = meeting.form(high), meeting.form(low)
    known = form is not None and base is not None and meeting.is_nonnegative(form - base)
    return _less(high, low) if known else call("max", _less(high, low), const(0))


def _less(node: gast.expr, amount: gast.expr) -> gast.expr:
    return clone(node) if constant(amount) == 0 else binary(clone(node), gast.Sub, clone(amount))


def _is_natural(sites: Sites, node: gast.expr, more: int) -> bool:
    """Whether an integer plus `more` cannot be negative."""
    form = sites.program.meeting.form(node)
    return form is not None and sites.program.meeting.is_nonnegative(form + more)


def known_extent(sites: Sites, form: Form) -> gast.expr | None:
    """A linear form as an expression of values known before the loops around it, or None.

    A negative value stands for zero; None for a sum with the length of a slice that may itself be cut off at zero.
    """
    rests = (form - length for length in sites.program.meeting.shortened if length.symbols & form.symbols)
    if any(rest.terms or rest.constant > 0 for rest in rests):
        return None
    return expression_of(form) if all(is_lasting(sites, name) for name in form.names) else None


def is_lasting(sites: Sites, name: str) -> bool:
    """Whether a name has one value only, which is known before the loops around its use."""
    stores = sites.program.flow.stores.get(name, ())
    return len(stores) == (name not in sites.program.unit.parameters) and sites.is_known(load(name))
