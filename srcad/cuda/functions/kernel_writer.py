"""Writes the kernel that computes a group of values: one thread for each element, or reductions.

A value that is not in memory is computed where it is read, at the indices that the reader needs it for. Indices are
linear in the indices of the thread, so that an element that is read twice is known to be one. Extents and offsets
are parameters: one kernel serves all sizes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from srcad.cuda.functions.array_expressions import Expression
from srcad.cuda.functions.element_functions import literal, operand_dtype, text_of
from srcad.cuda.functions.index_maps import Along, Shape, View

LETTERS = "ijklmpqr"


@dataclass(frozen=True)
class Index:
    """An index: `step * name + start`; a number if there is no name."""

    name: str
    step: int
    start: int

    def moved(self, along: Along) -> Index:
        """The index into what a view is of, from that into the view."""
        if along.axis is None:
            return Index("", 0, along.start)
        return Index(self.name, self.step * along.step, self.start * along.step + along.start).plain()

    def plain(self) -> Index:
        """Without a name if the name does not matter."""
        return self if self.step else Index("", 0, self.start)


_SHORT = frozenset({0, 1, 2, 3, 4, 6, 8})  # halves
_TAKEN = re.compile(rf"[{LETTERS}ckr]|[apnt]\d+|(total|shared)\d+|thread|half|place|rows?|columns?|math|np|cuda")
_TAKEN_TYPES = frozenset({"float32", "float64", "int32", "int64"})


def safe(name: str) -> str:
    """A name of the caller's that no name of a kernel is equal to.

    >>> safe("x"), safe("t1"), safe("k")
    ('x', 't1_', 'k_')
    """
    return f"{name}_" if _TAKEN.fullmatch(name.rstrip("_")) or name.rstrip("_") in _TAKEN_TYPES else name


class Parameters:
    """The parameters of a kernel, in order of first use: arrays and numbers by name, integers by value."""

    def __init__(self, names: Sequence[str], kept: Collection[int]) -> None:
        self.names, self.kept = [safe(name) for name in names], kept
        self.given: dict[Any, str] = {}

    def of(self, each: Expression) -> str:
        """The name of an array in memory, or of a number of the caller's."""
        if each.op in ("argument", "number"):
            return self._named((each.op, each.data), self.names[each.data])
        return self._named(("kept", each.number), f"a{len(self.given)}")

    def partial(self, each: Expression) -> str:
        """The name of the array of partial results of a reduction."""
        return self._named(("partial", each.number), f"a{len(self.given)}")

    def integer(self, value: int) -> str:
        """The name of an integer."""
        return self._named(("integer", value), f"n{len(self.given)}")

    def real(self, value: float) -> str:
        """The name of a number that is not a short one: it may follow from sizes."""
        return self._named(("real", value), f"c{len(self.given)}")

    def _named(self, key: Any, name: str) -> str:
        return self.given.setdefault(key, name)


class Body:
    """The statements of a kernel."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.lines: list[str] = []
        self.depth = 1
        self.count = 0
        self.known: list[dict[Any, str]] = [{}]  # values that have names, by block
        self.ranges: dict[str, tuple[int, int]] = {}  # least and greatest value of an index

    def line(self, text: str) -> None:
        """Add a line."""
        self.lines.append("    " * self.depth + text)

    def open(self, text: str) -> None:
        """Begin a block."""
        self.line(text)
        self.depth += 1
        self.known.append({})

    def close(self, count: int = 1) -> None:
        """End blocks."""
        for _ in range(count):
            self.depth -= 1
            self.known.pop()

    def name(self, text: str, prefix: str = "t") -> str:
        """A new name for what a text computes."""
        self.count += 1
        made = f"{prefix}{self.count}"
        self.line(f"{made} = {text}")
        return made

    # Indices.

    def index(self, index: Index) -> str:
        """An index as text."""
        if not index.name:
            return "0" if index.start == 0 else self.integer(index.start)
        if index.step == -1 and index.start:
            return f"{self.integer(index.start)} - {index.name}"
        text = {1: index.name, -1: f"-{index.name}"}.get(index.step) or f"{self.integer(index.step)} * {index.name}"
        if index.start:
            sign = "+" if index.start > 0 else "-"
            text = f"{text} {sign} {self.parameters.integer(abs(index.start))}"
        return text

    def integer(self, value: int) -> str:
        """An integer as text."""
        name = self.parameters.integer(abs(value))
        return name if value >= 0 else f"(-{name})"

    def bounds(self, index: Index) -> tuple[int, int] | None:
        """The least and the greatest value of an index."""
        if not index.name:
            return index.start, index.start
        if index.name not in self.ranges:
            return None
        ends = [index.step * each + index.start for each in self.ranges[index.name]]
        return min(ends), max(ends)

    # Values.

    def value(self, each: Expression, at: tuple[Index, ...]) -> str:
        """The text of a value at an index: a name or a number."""
        if each.op == "constant":
            return self.constant(each.data)
        if each.op == "number":
            return self.parameters.of(each)
        if each.op == "count":
            text = self.index(at[0])
            return text if text.isidentifier() else self.name(text)
        key = each.number, at
        for block in reversed(self.known):
            if key in block:
                return str(block[key])
        if each.op == "argument" or each.number in self.parameters.kept:
            found = self.name(self.element(each, at))
        else:
            found = self.computed(each, at)
        self.known[-1][key] = found
        return found

    def computed(self, each: Expression, at: tuple[Index, ...]) -> str:
        """The text of a value that is not in memory."""
        match each.op:
            case "map":
                return self.mapped(each, at)
            case "view":
                return self.viewed(each, at)
            case "reshape":
                return self.reshaped(each, at)
        return self.updated(each, at)

    def constant(self, value: Any) -> str:
        """A number: short ones as they are, others as a parameter, as kernels are the same for all sizes."""
        if isinstance(value, (bool, np.bool_)) or not math.isfinite(value) or abs(2 * float(value)) in _SHORT:
            return literal(value)
        if isinstance(value, (int, np.integer)):
            return self.integer(int(value))
        return self.parameters.real(float(value))

    def element(self, each: Expression, at: tuple[Index, ...]) -> str:
        """An element of an array in memory, to be read or stored."""
        return self.parameters.of(each) + self.subscript(at)

    def subscript(self, at: Sequence[Index]) -> str:
        """A subscript; numbers are in arrays of one element."""
        return f"[{', '.join(map(self.index, at)) or '0'}]"

    def mapped(self, each: Expression, at: tuple[Index, ...]) -> str:
        """A function of elements."""
        kinds = [_python_type(operand) if operand.is_weak else operand.dtype for operand in each.inputs]
        texts, constants = [], []
        for k, operand in enumerate(each.inputs):
            own = at[len(at) - len(operand.shape) :]
            place = tuple(
                Index("", 0, 0) if extent == 1 and wide != 1 else index
                for extent, wide, index in zip(operand.shape, each.shape[len(at) - len(own) :], own, strict=True)
            )
            text = self.value(operand, place)
            dtype = operand_dtype(each.data, k, kinds, each.dtype)
            texts.append(self.cast(operand, text, dtype))
            constants.append(operand.data if operand.op == "constant" else None)
        text = text_of(each.data, texts, constants, each.dtype == np.bool_)
        if each.data == "cast":
            return self.name(_converted(texts[0], each.dtype, each.inputs[0].dtype))
        if each.dtype.kind in "fiu" and each.dtype.itemsize < 8:  # results of mixed operands are wider
            text = f"np.{each.dtype.name}({text})"
        return self.name(text)

    def cast(self, operand: Expression, text: str, dtype: np.dtype[Any] | None) -> str:
        """An operand in a dtype."""
        if dtype is None:
            return text
        if operand.op == "constant":
            made = self.constant(dtype.type(operand.data))
            return made if dtype.itemsize == 8 or dtype.kind == "b" else f"np.{dtype.name}({made})"
        return text if operand.dtype == dtype else _converted(text, dtype, operand.dtype)

    def viewed(self, each: Expression, at: tuple[Index, ...]) -> str:
        """An element of a view."""
        view: View = each.data
        return self.value(each.inputs[0], tuple(_moved(along, at) for along in view.along))

    def reshaped(self, each: Expression, at: tuple[Index, ...]) -> str:
        """An element of an array in another shape."""
        own, strides = each.inputs[0].shape, _strides(each.shape)
        terms = [
            self.index(index) if stride == 1 else f"({self.index(index)}) * {self.integer(stride)}"
            for index, stride in zip(at, strides, strict=True)
        ]
        rest = self.name(" + ".join(terms) or "0", "p")
        return self.value(each.inputs[0], self.places(rest, own))

    def places(self, rest: str, shape: Shape) -> tuple[Index, ...]:
        """The indices of the element of this number in an array of a shape."""
        found: list[Index] = []
        for k in reversed(range(len(shape))):
            name = rest if k == 0 else self.name(f"{rest} % {self.integer(shape[k])}", "p")
            if k:
                rest = self.name(f"{rest} // {self.integer(shape[k])}", "p")
            self.ranges[name] = 0, max(shape[k] - 1, 0)
            found.insert(0, Index(name, 1, 0))
        return tuple(found)

    def updated(self, each: Expression, at: tuple[Index, ...]) -> str:
        """An element of an array after elements of it have been overwritten."""
        old, new = each.inputs
        found = self.value(old, at)
        view: View = each.data
        inside = [Index("", 0, 0)] * len(view.shape)
        tests: list[str] = []
        narrowed = dict(self.ranges)
        for along, index in zip(view.along, at, strict=True):
            count = 1 if along.axis is None else view.shape[along.axis]
            place = self.place_along(along, index, tests)
            if place is None or not self.within(place, count, tests, narrowed):
                return found
            if along.axis is not None:
                inside[along.axis] = place
        if not tests:
            return self.value(new, tuple(inside))
        result = self.name(found)
        before, self.ranges = self.ranges, narrowed
        self.open(f"if {' and '.join(tests)}:")
        self.line(f"{result} = {self.value(new, tuple(inside))}")
        self.close()
        self.ranges = before
        return result

    def place_along(self, along: Along, index: Index, tests: list[str]) -> Index | None:
        """The index into what is written, from that into the array; None if the element is not written."""
        if along.axis is None:
            return replace(index, start=index.start - along.start)
        step = along.step
        if index.step % step == 0:
            start = index.start - along.start
            return Index(index.name, index.step // step, start // step) if start % step == 0 else None
        moved = self.name(self.index(replace(index, start=index.start - along.start)), "p")
        tests.append(f"{moved} % {self.integer(abs(step))} == 0")
        return Index(self.name(f"{moved} // {self.integer(step)}", "p"), 1, 0)

    def within(self, place: Index, count: int, tests: list[str], ranges: dict[str, tuple[int, int]]) -> bool:
        """Add the tests whether an index is in range, as far as it is not known; False if it never is."""
        known = self.bounds(place)
        if known is not None and (known[1] < 0 or known[0] >= count):
            return False
        if known is None or known[0] < 0:
            tests.append(f"0 <= {self.index(place)}")
        if known is None or known[1] >= count:
            tests.append(f"{self.index(place)} < {self.integer(count)}")
        if place.name in ranges and place.step in (1, -1):
            ends = sorted((place.step * (end - place.start)) for end in (0, count - 1))
            least, greatest = ranges[place.name]
            ranges[place.name] = max(least, ends[0]), min(greatest, ends[1])
        return True


def _moved(along: Along, at: Sequence[Index]) -> Index:
    return Index("", 0, along.start) if along.axis is None else at[along.axis].moved(along)


def _python_type(of: Expression) -> type:
    return {"b": bool, "i": int, "f": float}[of.dtype.kind]


def _strides(shape: Shape) -> list[int]:
    found: list[int] = []
    step = 1
    for extent in reversed(shape):
        found.insert(0, step)
        step *= extent
    return found


def _converted(text: str, dtype: np.dtype[Any], own: np.dtype[Any]) -> str:
    if dtype == own:
        return text
    return f"({text} != 0)" if dtype.kind == "b" else f"np.{dtype.name}({text})"
