"""Reuse window: which rows of an array are live at the same time: in iteration i rows i + c for a few constants c.

    for i in range(n - 1, -1, -1):
        t = a_bar[i + 1, j]             rows i and i + 1, in the first of the dimensions
        a_bar[i, j] += t

Statements before the loop may access rows of its first iteration, statements after it rows of an iteration that would
follow the last. Every row has one live range: a row that has left the window is never accessed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

import gast

from srcad.transforms.analysis.affine.integer_facts import Bounds
from srcad.transforms.analysis.affine.linear_forms import Form, is_nonnegative, name_of
from srcad.transforms.ir.build import Block, clone, const, dotted_path, inner_blocks, is_exit, names_in, walk
from srcad.transforms.ir.cost_model import MOST_WINDOW_ROWS
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_in
from srcad.transforms.loop_analysis.array_uses import Array, Use


@dataclass
class Window:
    """The rows of an array that are live at the same time.

    axis            the dimension along which only some rows are needed
    loop            the loop, and its `step`, 1 or -1
    least, width    iteration i uses rows i + least to i + least + width - 1
    inside          uses in the loop, each with its c
    outside         uses elsewhere, each with its row as an expression
    dead            stores that nothing reads
    """

    array: Array
    axis: int
    loop: gast.For
    step: int
    least: int
    width: int
    inside: list[tuple[Use, int]]
    outside: list[tuple[Use, gast.expr]] = field(default_factory=list)
    dead: list[gast.stmt] = field(default_factory=list)


class LastStores:
    """Where each name is stored last in a block. Found once for each block, which must not change meanwhile."""

    def __init__(self) -> None:
        self._last: dict[int, tuple[Block, dict[str, int]]] = {}

    def stored(self, block: Block, position: int, name: str) -> bool:
        """Whether a block stores a name in the statement at a position, or after it."""
        if id(block) not in self._last:
            last = {name: k for k, each in enumerate(block) for name in stored_in([each])}
            self._last[id(block)] = block, last
        return self._last[id(block)][1].get(name, -1) >= position


def windows(arrays: Iterable[Array], bounds: Mapping[int, Bounds]) -> list[Window]:
    """The windows of arrays, as far as they have one."""
    stores = LastStores()
    return [found for each in arrays if (found := window(each, bounds, stores)) is not None]


def window(array: Array, bounds: Mapping[int, Bounds], stores: LastStores | None = None) -> Window | None:
    """The window of an array; None where all rows may be needed, or nothing is known.

    `bounds` has the bounds of loops, by the loops' identity.
    """
    stores = stores or LastStores()
    positions = [use.position(array.block) for use in array.uses]
    if None in positions:
        return None
    for position in sorted({each for each in positions if each is not None}):
        loop = array.block[position]
        if id(loop) in bounds and abs(bounds[id(loop)].step) == 1 and position > array.position:
            for axis in range(len(array.extents)):
                found = _Fitter(array, position, axis, bounds[id(loop)], stores).window()
                if found is not None:
                    return found
    return None


def _is_lasting(extent: gast.expr, is_stored: Callable[[str], bool]) -> bool:
    """Whether an expression can be evaluated again later, with the same result."""
    called = {dotted_path(node.func) for node in walk(extent) if isinstance(node, gast.Call)}
    return called <= {"max", "min"} and not any(map(is_stored, names_in(extent)))


class _Fitter:
    """Tries one loop and one dimension."""

    def __init__(self, array: Array, position: int, axis: int, bounds: Bounds, stores: LastStores) -> None:
        self.array, self.axis, self.stores = array, axis, stores
        self.loop: gast.For = array.block[position]
        self.step = bounds.step
        self.parts: tuple[list[Use], list[Use], list[Use]] = [], [], []  # before the loop, in it, after it
        for use in array.uses:
            at = use.position(array.block)
            assert at is not None
            self.parts[(at >= position) + (at > position)].append(use)
        self.size = array.sizes[axis]
        self.start, last = (bounds.low, bounds.high) if bounds.step == 1 else (bounds.high, bounds.low)
        self.stop = None if last is None else last + bounds.step

    def window(self) -> Window | None:
        """The window, if there is one."""
        offsets = [self.offset(use) for use in self.parts[1]]
        inside = [(use, offset) for use, offset in zip(self.parts[1], offsets, strict=True) if offset is not None]
        if len(inside) < len(offsets):
            return None
        self.least = min(offset for _, offset in inside)
        self.most = max(offset for _, offset in inside)
        width = self.most - self.least + 1
        if (
            width > MOST_WINDOW_ROWS
            or self._is_short(width)
            or self.stores.stored(self.loop.body, 0, self.loop.target.id)
        ):
            return None
        stored = partial(self.stores.stored, self.array.block, self.array.position)
        self.size, self.start, self.stop = (_lasting(each, stored) for each in (self.size, self.start, self.stop))
        made = Window(self.array, self.axis, self.loop, self.step, self.least, width, inside)
        fits = all(_is_lasting(each, stored) for each in self.array.extents) and self._is_kept(inside)
        return made if fits and self._fits_outside(made) else None

    def offset(self, use: Use) -> int | None:
        """The constant c of a use in the loop."""
        form = use.form(self.axis)
        distance = None if form is None else form - Form.of(self.loop.target.id)
        if distance is None or distance.terms or use.statement is self.loop:
            return None
        return distance.constant

    def _is_short(self, width: int) -> bool:
        return self.size is not None and not self.size.terms and self.size.constant <= width

    def _is_kept(self, inside: list[tuple[Use, int]]) -> bool:
        """Whether the uses in the loop are known to access rows within the array, and none by a negative index."""
        for use in {(each.forms, each.known): each for each, _ in inside}.values():
            form = use.form(self.axis)
            if form is None or self.size is None:
                return False
            if not is_nonnegative(form, use.known) or not is_nonnegative(self.size - form - 1, use.known):
                return False
        return True

    def _fits_outside(self, made: Window) -> bool:
        """Whether accesses before and after the loop are in the window, too."""
        before, _, behind = self.parts
        if all(use.is_target and not notes_of(use.statement).effect for use in behind):
            made.dead = [use.statement for use in behind]
            behind = []
        if behind and is_exit(self.loop.body[-1]):
            return False
        for use in before + behind:
            if self.start is None or self.stop is None or not self._is_there(use, use in before):
                return False
            made.outside.append((use, self.row(use)))
        return True

    def _is_there(self, use: Use, is_before: bool) -> bool:
        """Whether a use outside of the loop is in the window of the first iteration, or of one after the last."""
        form = self.number(use)
        if form is None or self.size is None:
            return False
        facts = [*use.known, self.size, form, self.size - form - 1]
        if is_before:
            return self._is_within(facts, form, self.start)
        some, none = [*facts, self.length - 1], [*facts, self.length.scaled(-1)]
        return self._is_within(some, form, self.stop) and self._is_within(none, form, self.start)

    @property
    def length(self) -> Form:
        """The trip count; no iterations if it is negative."""
        assert self.start is not None
        assert self.stop is not None
        return (self.stop - self.start).scaled(self.step)

    def _is_within(self, facts: list[Form], form: Form, index: Form | None) -> bool:
        assert index is not None
        low, high = index + self.least, index + self.most
        return is_nonnegative(form - low, facts) and is_nonnegative(high - form, facts)

    def number(self, use: Use) -> Form | None:
        """The row that a use outside of the loop accesses, counted from the start; None if that is not known."""
        form = use.form(self.axis)
        if form is None or self.size is None:
            return None
        if not form.terms and form.constant < 0:
            return self.size + form.constant
        # The use accesses an existing element: -size <= row < size.
        facts = [*use.known, self.size, form + self.size, self.size - form - 1]
        return form if is_nonnegative(form, facts) else None

    def row(self, use: Use) -> gast.expr:
        """The row as an expression."""
        index = use.node.slice
        part = index.elts[self.axis] if isinstance(index, gast.Tuple) else index
        value = constant(part)
        if isinstance(value, int) and value < 0:
            return gast.BinOp(left=clone(self.array.extents[self.axis]), op=gast.Sub(), right=const(-value))
        return part


def _lasting(form: Form | None, is_stored: Callable[[str], bool]) -> Form | None:
    """A form, if nothing after the array's allocation stores a name in it; else None."""
    return None if form is None or any(is_stored(name_of(each)) for each in form.symbols) else form


def without(block: Block, dead: list[gast.stmt]) -> Block:
    """The statements without dead ones, and without loops and branches that become empty."""
    result = []
    for statement in block:
        inner = inner_blocks(statement)
        before = [len(each) for each in inner]
        for each in inner:
            each[:] = without(each, dead)
        if any(statement is each for each in dead) or (any(before) and not any(inner)):
            continue
        for each, length in zip(inner[:1], before, strict=False):
            each[:] = each or ([gast.Pass()] if length else [])
        result.append(statement)
    return result
