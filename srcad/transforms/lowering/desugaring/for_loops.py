"""For loops: loops over arrays, `enumerate`, `zip` and `reversed` become loops over `range`.

    for i, (a, b) in enumerate(zip(x, y)):        for i in range(min(len(x), len(y))):
        s += a * b * i                       ->       a, b = x[i], y[i]
                                                      s += a * b * i

Lengths are read once, before the loop; a temporary holds the iterable if the body assigns another value to its name.
The index is a new name if the body could change the user's.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import gast

from srcad.names import Names
from srcad.refusals.loops import ITERATOR_CALL, ND_ITERATOR, RANGE_STEP, ZIP_OF_STARRED
from srcad.transforms.ir.build import (
    Block,
    assign,
    at,
    binary,
    call,
    clone,
    const,
    dotted_path,
    load,
    place_of,
    stored,
    subscript,
    tuple_of,
)
from srcad.transforms.ir.node_notes import note, notes_of
from srcad.transforms.ir.primitive import constant
from srcad.transforms.ir.side_effects import stored_names
from srcad.transforms.lowering.desugaring.iteration_sources import Sequence, minus, plus, taken_in_vain, times, total

ENDLESS = const(None)  # the number of elements of an iterator without end


def iterate(loop: gast.For, names: Names, rebound: Collection[str] = ()) -> Block:
    """The loop as one over `range`, after the statements that prepare it; functions may assign to names in `rebound`.

    >>> from srcad.printing.printer import print_module
    >>> loop = gast.parse("for u, v in zip(x, y[1:]): s = s + u * v").body[0]
    >>> print(print_module(iterate(loop, Names({"x", "y", "u", "v", "s"}))), end="")
    t1 = y[1:]
    for i in range(min(len(x), len(t1))):
        u, v = x[i], t1[i]
        s = s + u * v
    """
    changed = stored_names(loop.body).union(rebound)
    if called(loop.iter) == "range" and isinstance(loop.target, gast.Name):
        if loop.target.id not in changed:
            return [loop]
        return [_indexed(loop, names.fresh(loop.target.id), loop.iter, loop.target, lambda index: index)]
    iterator, target, index = loop.iter, loop.target, None
    if _counts_in_a_name(loop, changed):
        iterator, index, target = loop.iter.args[0], target.elts[0].id, target.elts[1]
    maker = _Maker(names, changed, loop)
    sequence = maker.sequence(iterator)
    if sequence.count is ENDLESS:
        raise ITERATOR_CALL.at(place_of(loop), name=(dotted_path(iterator.func) or "").rpartition(".")[2])
    counter = index or names.fresh("i")
    new = _indexed(loop, counter, call("range", sequence.count), target, sequence.element)
    note(new, looped_over=tuple(each.id for each in maker.over if isinstance(each, gast.Name)))
    new.orelse = [*sequence.ended, *new.orelse]
    return [*sequence.setup, new]


def _indexed(
    loop: gast.For, index: str, iterator: gast.expr, target: gast.expr, element: Callable[[gast.expr], gast.expr]
) -> gast.For:
    """The loop over another iterator, with the target assigned at the start of the body."""
    first = assign(target, element(load(index)), place_of(loop))
    new = gast.For(target=stored(index), iter=iterator, body=[first, *loop.body], orelse=loop.orelse, type_comment=None)
    notes = notes_of(loop)
    kept = note(new, checkpointed=notes.checkpointed, recovers=notes.recovers, on_disk=notes.on_disk)
    return at(kept, place_of(loop))


def called(node: gast.expr) -> str | None:
    """The builtin that an expression calls; no variable has such a name."""
    match node:
        case gast.Call(func=gast.Name(id=name)):
            return str(name)
    return None


def _counts_in_a_name(loop: gast.For, changed: set[str]) -> bool:
    """Whether this is `for i, ... in enumerate(...)`, from 0, where nothing else stores `i`."""
    if called(loop.iter) != "enumerate" or len(loop.iter.args) != 1 or loop.iter.keywords:
        return False
    match loop.target:
        case gast.Tuple(elts=[gast.Name(id=name), other]):
            return name not in changed and name not in stored_names([other])
    return False


class _Maker:
    def __init__(self, names: Names, changed: set[str], loop: gast.For) -> None:
        self.names, self.changed, self.loop = names, changed | stored_names([loop.target]), loop
        self.over: list[gast.expr] = []  # must not change their length during the loop

    def sequence(self, node: gast.expr) -> Sequence:
        match called(node), node:
            case "range", gast.Call(args=arguments):
                return self.range(arguments)
            case "enumerate", gast.Call(args=[inner, *start], keywords=keywords):
                return self.enumerate(inner, [*start, *(keyword.value for keyword in keywords)])
            case "zip", gast.Call(args=[gast.Starred(value=rows)], keywords=keywords) if _strict(keywords) is not None:
                return self.columns(rows, bool(_strict(keywords)))
            case "zip", gast.Call(args=[_, *_] as arguments, keywords=keywords) if _strict(keywords) is not None:
                return self.zip([self.sequence(argument) for argument in arguments], bool(_strict(keywords)))
            case "reversed", gast.Call(args=[inner]):
                known = len(self.over)
                sequence = self.sequence(inner)
                del self.over[known:]  # Python also counts from the length at the start
                return self.reversed(sequence)
            case "map", gast.Call(args=[_, *rows]) if rows and not any(isinstance(e, gast.Starred) for e in rows):
                return self.mapped(node)
            case "iter", gast.Call(args=[inner]):
                return self.sequence(inner)
            case ("enumerate" | "zip" | "reversed") as name, _:
                raise ITERATOR_CALL.at(place_of(self.loop), name=name)
        return self.elements(node)

    def mapped(self, node: gast.Call) -> Sequence:
        """`map`: the function is called in each iteration, and sees the changes of earlier ones."""
        is_path = isinstance(node.args[0], gast.Attribute) and dotted_path(node.args[0]) is not None
        setup, function = ([], node.args[0]) if is_path else self.once(node.args[0])
        rows = self.zip([self.sequence(each) for each in node.args[1:]], False)

        def element(index: gast.expr) -> gast.expr:
            found = rows.element(index).elts
            return at(gast.Call(func=clone(function), args=found, keywords=[]), place_of(self.loop))

        return Sequence(setup + rows.setup, rows.count, element, True, rows.ended)

    def elements(self, node: gast.expr) -> Sequence:
        """An iterable that is not a call of a builtin: an array, or what becomes an array or a structure."""
        path = dotted_path(node.func) if isinstance(node, gast.Call) else None
        if path in ("np.ndindex", "np.ndenumerate", "np.nditer"):
            raise ND_ITERATOR.at(place_of(self.loop), function=path)
        if path == "itertools.count" and not node.keywords and len(node.args) < 3:
            return self.counted(node.args)
        if path == "itertools.cycle" and len(node.args) == 1:
            return self.repeated(node.args[0])
        if path == "itertools.pairwise" and len(node.args) == 1:
            return self.pairs(node.args[0])
        if isinstance(node, gast.Attribute) and node.attr == "flat":
            note(node, is_iterated=True)
        setup, array = self.once(node)
        match node:
            case gast.Call(func=gast.Attribute(value=gast.Name() as held, attr="items" | "keys" | "values"), args=[]):
                self.over += [held, array]
            case _:
                self.over.append(array)
        return Sequence(setup, call("len", array), lambda index: _next(clone(array), index))

    def counted(self, arguments: list[gast.expr]) -> Sequence:
        """`itertools.count`, beside iterables that end."""
        before, start = self.once(arguments[0] if arguments else const(0))
        after, step = self.once(arguments[1] if len(arguments) > 1 else const(1))
        return Sequence(
            before + after,
            ENDLESS,
            lambda index: total(start, index if constant(step) == 1 else binary(clone(step), gast.Mult, index)),
        )

    def repeated(self, row: gast.expr) -> Sequence:
        """`itertools.cycle`, beside iterables that end."""
        setup, whole = self.once(row)
        return Sequence(
            setup,
            ENDLESS,
            lambda index: _next(clone(whole), binary(index, gast.Mod, call("len", clone(whole)))),
        )

    def pairs(self, row: gast.expr) -> Sequence:
        """`itertools.pairwise`."""
        setup, whole = self.once(row)
        ends = gast.Slice(None, const(-1), None), gast.Slice(const(1), None, None)
        pair = self.zip([self.sequence(subscript(clone(whole), each)) for each in ends], False)
        return Sequence(setup + pair.setup, pair.count, pair.element)

    def columns(self, rows: gast.expr, strict: bool) -> Sequence:
        """`zip(*rows)`, where the number of rows is that of the targets."""
        target, arguments = self.loop.target, getattr(self.loop.iter, "args", [])
        if not isinstance(target, gast.Tuple) or not (arguments and getattr(arguments[0], "value", None) is rows):
            raise ZIP_OF_STARRED.at(place_of(self.loop))
        parts = [self.names.temporary() for _ in target.elts]
        taken = at(gast.Assign(targets=[tuple_of(*map(stored, parts))], value=rows), place_of(self.loop))
        sequence = self.zip([self.sequence(load(part)) for part in parts], strict)
        return Sequence([taken, *sequence.setup], sequence.count, sequence.element)

    def once(self, node: gast.expr) -> tuple[Block, gast.expr]:
        """An expression with the present value of the node, and the statements that it needs."""
        if constant(node) is not None or (isinstance(node, gast.Name) and node.id not in self.changed):
            return [], node
        name = self.names.temporary()
        return [assign(name, node, place_of(self.loop))], load(name)

    def range(self, arguments: list[gast.expr]) -> Sequence:
        parts = [const(0), *arguments] if len(arguments) == 1 else arguments
        step = constant(parts[2]) if len(parts) == 3 else 1
        if not isinstance(step, int):
            raise RANGE_STEP.at(place_of(self.loop))
        before, start = self.once(parts[0])
        after, stop = self.once(parts[1])
        near, far = (start, stop) if step > 0 else (stop, start)
        count = plus(minus(far, near), abs(step) - 1)
        if abs(step) != 1:
            count = binary(count, gast.FloorDiv, const(abs(step)))
        return Sequence(before + after, count, lambda index: total(start, times(index, step)))

    def enumerate(self, inner: gast.expr, start: list[gast.expr]) -> Sequence:
        sequence = self.sequence(inner)
        setup, first = self.once(start[0] if start else const(0))
        return Sequence(
            sequence.setup + setup,
            sequence.count,
            lambda index: tuple_of(total(first, index), sequence.element(clone(index))),
            sequence.calls,
            sequence.ended,
        )

    def zip(self, sequences: list[Sequence], strict: bool) -> Sequence:
        counts = [sequence.count for sequence in sequences if sequence.count is not ENDLESS]
        if not counts:
            raise ITERATOR_CALL.at(place_of(self.loop), name="zip")
        setup = [statement for sequence in sequences for statement in sequence.setup]
        for number, other in enumerate(counts[1:], 2) if strict else ():
            counted = [self.names.temporary(), self.names.temporary()]
            setup += [
                assign(name, call("max", const(0), clone(each)), place_of(self.loop))
                for name, each in zip(counted, (counts[0], other), strict=True)
            ]
            error = call("ValueError", const(f"zip() argument {number} is shorter or longer than argument 1"))
            failure = at(gast.Raise(exc=error, cause=None), place_of(self.loop))
            test = gast.Compare(left=load(counted[0]), ops=[gast.NotEq()], comparators=[load(counted[1])])
            setup.append(at(gast.If(test=test, body=[failure], orelse=[]), place_of(self.loop)))
        count = counts[0] if len(counts) == 1 else call("min", *counts)
        return Sequence(
            setup,
            count,
            lambda index: tuple_of(*(sequence.element(clone(index)) for sequence in sequences)),
            any(sequence.calls for sequence in sequences),
            taken_in_vain(
                [each for each in sequences if each.count is not ENDLESS], count, self.names, place_of(self.loop)
            ),
        )

    def reversed(self, sequence: Sequence) -> Sequence:
        setup, count = self.once(sequence.count)
        last = plus(count, -1)
        return Sequence(
            sequence.setup + setup, count, lambda index: sequence.element(binary(clone(last), gast.Sub, index))
        )


def _strict(keywords: list[gast.keyword]) -> bool | None:
    """Whether `zip` checks the lengths; None where that is not known."""
    match keywords:
        case []:
            return False
        case [gast.keyword(arg="strict", value=gast.Constant(value=bool() as strict))]:
            return strict
    return None


def _next(sequence: gast.expr, index: gast.expr) -> gast.expr:
    """The element that a loop over the sequence gets; for a dictionary, a key."""
    return note(subscript(sequence, index), is_loop_element=True)
