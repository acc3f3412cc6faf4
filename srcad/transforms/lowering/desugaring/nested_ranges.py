"""Nested ranges: loops over all indices of an array, or over products of ranges, become nested `range` loops.

    for i, j in np.ndindex(x.shape):                      n, m = x.shape
        s += x[i, j]                                      for k in range(n):
                                                   ->         for l in range(m):
                                                                  i, j = k, l
                                                                  s += x[i, j]

    for (i, j), v in np.ndenumerate(x):                   likewise, with `v = x[k, l]`
    for i, j in itertools.product(range(n), range(m)):    likewise
    for i, j in itertools.combinations(range(n), 2):      likewise, the inner loop over range(k + 1, n)

A loop with a `break` or an `else` becomes one loop instead, whose counter is split into the indices.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeAlias

import gast

from srcad.errors import UnsupportedSyntax
from srcad.names import Names
from srcad.refusals.loops import ND_AXES, NDENUMERATE_TARGET, NDINDEX_CALL
from srcad.refusals.refusal import Refusal
from srcad.transforms.ir.block_exits import exits_of
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    attribute,
    binary,
    call,
    clone,
    const,
    dotted_path,
    load,
    one_or_tuple,
    place_of,
    stored,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.primitive import constant

# The first index of an axis, where it ends, and the step.
Bounds: TypeAlias = tuple[gast.expr, gast.expr, gast.expr]

_NESTS = ("np.ndindex", "np.ndenumerate", "itertools.product", "itertools.combinations")


def nest(loop: gast.For, names: Names) -> tuple[Block, gast.For] | None:
    """The statements before the loop, and the nested loops; None for loops over anything else.

    >>> from srcad.printing.printer import print_module
    >>> loop = gast.parse("for i, j in np.ndindex(n, m): s = s + x[i, j]").body[0]
    >>> setup, outer = nest(loop, Names({"x", "s", "n", "m", "i", "j"}))
    >>> print(print_module([*setup, outer]), end="")
    t1 = n
    t2 = m
    for i_2 in range(0, t1):
        for i_3 in range(0, t2):
            i, j = i_2, i_3
            s = s + x[i, j]
    """
    path = dotted_path(loop.iter.func) if isinstance(loop.iter, gast.Call) else None
    if path not in _NESTS:
        return None
    maker = _Nest(loop, names)
    match path:
        case "np.ndindex":
            maker.indices()
        case "np.ndenumerate":
            maker.elements()
        case "itertools.product":
            if not maker.product():
                return None
        case _:
            if not maker.combinations():
                return None
    return maker.setup, maker.made()


class _Nest:
    def __init__(self, loop: gast.For, names: Names) -> None:
        self.loop, self.names = loop, names
        self.setup: Block = []
        self.bounds: list[Bounds] = []
        self.element: gast.expr | None = None  # the array whose elements come with the indices
        self.is_ordered = False  # whether each index starts after the previous one

    def refuse(self, refusal: Refusal[UnsupportedSyntax]) -> NoReturn:
        raise refusal.at(place_of(self.loop))

    def once(self, node: gast.expr) -> gast.expr:
        """A literal, or a name for the value that an expression has before the loop."""
        if isinstance(constant(node), int):
            return node
        name = self.names.temporary()
        self.setup.append(assign(name, node, place_of(self.loop)))
        return load(name)

    def shaped(self, shape: gast.expr, target: gast.expr) -> None:
        """Bounds from a shape, with as many axes as the target has names."""
        if not isinstance(target, gast.Tuple) or any(isinstance(each, gast.Starred) for each in target.elts):
            self.refuse(ND_AXES)
        parts = [self.names.temporary() for _ in target.elts]
        whole = self.names.temporary()
        place = place_of(self.loop)
        error = call("ValueError", const("as many indices are expected as there are axes"))
        test = gast.Compare(left=call("len", load(whole)), ops=[gast.NotEq()], comparators=[const(len(parts))])
        check = gast.If(test=test, body=[at(gast.Raise(exc=error, cause=None), place)], orelse=[])
        self.setup += [assign(whole, shape, place), at(check, place)]
        self.setup += [assign(part, subscript(load(whole), const(k)), place) for k, part in enumerate(parts)]
        self.bounds = [(const(0), load(part), const(1)) for part in parts]

    def indices(self) -> None:
        """`np.ndindex`."""
        arguments, target = self.loop.iter.args, self.loop.target
        if len(arguments) == 1 and isinstance(arguments[0], gast.Tuple):
            arguments = arguments[0].elts
        if self.loop.iter.keywords or not arguments:
            self.refuse(NDINDEX_CALL)
        one = arguments[0].value if isinstance(arguments[0], gast.Starred) else arguments[0]
        is_shape = isinstance(one, gast.Attribute) and one.attr == "shape"
        names = len(target.elts) if isinstance(target, gast.Tuple) else 0
        if len(arguments) == 1 and (one is not arguments[0] or is_shape or names > 1):
            self.shaped(one, target)
        elif any(isinstance(each, gast.Starred) for each in arguments):
            self.refuse(NDINDEX_CALL)
        else:
            self.bounds = [(const(0), self.once(each), const(1)) for each in arguments]

    def elements(self) -> None:
        """`np.ndenumerate`."""
        match self.loop.iter, self.loop.target:
            case gast.Call(args=[array], keywords=[]), gast.Tuple(elts=[inner, _]):
                held = self.once(array)
                self.shaped(attribute(held, "shape"), inner)
                self.element = held
            case _:
                self.refuse(NDENUMERATE_TARGET)

    def product(self) -> bool:
        """`itertools.product` of ranges."""
        call_, repeat = self.loop.iter, 1
        for keyword in call_.keywords:
            repeat = constant(keyword.value)
            if keyword.arg != "repeat" or not isinstance(repeat, int) or repeat < 0:
                return False
        found = [_range_of(each) for each in call_.args]
        if not found or any(each is None for each in found):
            return False
        bounds = [_each(self.once, bounds) for bounds in found if bounds is not None]
        self.bounds = [_each(clone, each) for _ in range(repeat) for each in bounds]
        return bool(self.bounds)

    def combinations(self) -> bool:
        """`itertools.combinations` of a range."""
        match self.loop.iter:
            case gast.Call(args=[row, count], keywords=[]):
                found, size = _range_of(row), constant(count)
                if found is None or not isinstance(size, int) or not 0 < size < 5 or _is_left(self.loop):
                    return False
                self.bounds = [_each(self.once, found)] * size
                self.is_ordered = True
                return True
        return False

    def made(self) -> gast.For:
        """The loops."""
        if _is_left(self.loop):
            return self.counted()
        place, indices = place_of(self.loop), [self.names.fresh("i") for _ in self.bounds]
        body = [assign(self.loop.target, self.value([load(each) for each in indices]), place), *self.loop.body]
        for k in reversed(range(len(indices))):
            first, last, step = _each(clone, self.bounds[k])
            if self.is_ordered and k:
                first = binary(load(indices[k - 1]), gast.Add, clone(step))
            bounds = [first, last] if constant(step) == 1 else [first, last, step]
            body = [self.over(indices[k], call("range", *bounds), body)]
        (outer,) = body
        return outer

    def counted(self) -> gast.For:
        """One loop, whose counter is split into the indices."""
        place, counter = place_of(self.loop), self.names.fresh("i")
        counts = []
        for bounds in self.bounds:
            counts.append(self.names.temporary())
            self.setup.append(assign(counts[-1], call("max", const(0), _count(*_each(clone, bounds))), place))
        left, indices = load(counter), list[gast.expr]()
        total: gast.expr = const(1)
        for (first, _, step), count in reversed(list(zip(self.bounds, counts, strict=True))):
            digit: gast.expr = binary(clone(left), gast.Mod, load(count))
            if constant(step) != 1:
                digit = binary(digit, gast.Mult, clone(step))
            indices.insert(0, binary(clone(first), gast.Add, digit))
            left = binary(left, gast.FloorDiv, load(count))
            total = binary(load(count), gast.Mult, total)
        first_statement = assign(self.loop.target, self.value(indices), place)
        return self.over(counter, call("range", total), [first_statement, *self.loop.body], self.loop.orelse)

    def value(self, indices: list[gast.expr]) -> gast.expr:
        """The value that an iteration gets."""
        found = tuple_of(*indices)
        if self.element is None:
            return found
        index = [clone(each) for each in indices]
        return tuple_of(found, subscript(clone(self.element), one_or_tuple(index)))

    def over(self, index: str, iterator: gast.expr, body: Block, orelse: Block | None = None) -> gast.For:
        new = gast.For(target=stored(index), iter=iterator, body=body, orelse=orelse or [], type_comment=None)
        at(new, place_of(self.loop))
        return new


def _range_of(node: gast.expr) -> Bounds | None:
    """The bounds and the step of a range; None for others."""
    match node:
        case gast.Call(func=gast.Name(id="range"), args=[last], keywords=[]):
            return const(0), last, const(1)
        case gast.Call(func=gast.Name(id="range"), args=[first, last], keywords=[]):
            return first, last, const(1)
        case gast.Call(func=gast.Name(id="range"), args=[first, last, step], keywords=[]):
            return first, last, step
    return None


def _each(change: Callable[[gast.expr], gast.expr], bounds: Bounds) -> Bounds:
    first, last, step = map(change, bounds)
    return first, last, step


def _count(first: gast.expr, last: gast.expr, step: gast.expr) -> gast.expr:
    """How many indices there are; negative or 0 if there are none."""
    if constant(step) == 1:
        return binary(last, gast.Sub, first)
    floor = binary(binary(first, gast.Sub, last), gast.FloorDiv, step)  # minus the quotient that is rounded up
    return binary(const(0), gast.Sub, floor)


def _is_left(loop: gast.For) -> bool:
    """Whether the loop has a `break` or an `else`."""
    return bool(loop.orelse) or "break" in exits_of(loop.body)
