"""Itertools calls on known elements, `x.flat`, and calls that are refused with a hint.

combinations(points, 2)     chain(first, second)     accumulate(values)     pairwise(knots)     for v in x.flat: ...
"""

from __future__ import annotations

import builtins
import enum
import itertools
from collections.abc import Callable
from typing import Any, NoReturn

import gast
import numpy as np

from srcad.refusals.loops import KEPT_ITERATOR
from srcad.refusals.names_and_functions import READS_NAMES
from srcad.refusals.numpy_calls import (
    ENUM_MEMBER,
    ENUM_VALUE,
    GROUPS_AT_RUN_TIME,
    ITERTOOLS,
    ITERTOOLS_OF_ARRAY,
    PAD_VALUES,
    POLY1D,
    REPEAT_WITHOUT_END,
)
from srcad.transforms.ir.build import assign, at, call, clone, const, dotted, dotted_path, load, stored, tuple_of, walk
from srcad.transforms.ir.canonical_names import literal
from srcad.transforms.ir.constant_conditions import UNKNOWN, Member
from srcad.transforms.ir.node_notes import notes_of
from srcad.transforms.lowering.calls.effect_arguments import Effects
from srcad.transforms.lowering.structures.abstract_state import Structure
from srcad.transforms.lowering.structures.container_methods import Parts
from srcad.transforms.lowering.structures.iterator_objects import Iterator
from srcad.transforms.lowering.structures.structure_expressions import NeedsConstant

_ROWS: dict[Any, Callable[..., Any]] = {
    each: each
    for each in (
        *(itertools.product, itertools.combinations, itertools.combinations_with_replacement),
        *(itertools.permutations, itertools.pairwise, itertools.zip_longest),
    )
}
_SINGLE = {itertools.chain: itertools.chain, itertools.islice: itertools.islice, itertools.repeat: itertools.repeat}
_NUMBERS = {itertools.combinations, itertools.combinations_with_replacement, itertools.permutations, itertools.islice}
# These read their inputs element by element; the others read all of it first.
_STEPWISE = {itertools.chain, itertools.accumulate, itertools.pairwise, itertools.islice, itertools.zip_longest}


def _starred_calls(function: gast.expr, rows: gast.expr, each: str, other: str) -> gast.expr:
    value = gast.Call(func=function, args=[gast.Starred(value=load(each), ctx=gast.Load())], keywords=[])
    return _listed(value, stored(each), rows, [])


def _not_filtered(test: gast.expr, row: gast.expr, each: str, other: str) -> gast.expr:
    fails = gast.UnaryOp(op=gast.Not(), operand=gast.Call(func=test, args=[load(each)], keywords=[]))
    return _listed(load(each), stored(each), row, [fails])


def _compressed(row: gast.expr, tests: gast.expr, each: str, other: str) -> gast.expr:
    return _listed(load(each), tuple_of(stored(each), stored(other)), call("zip", row, tests), [load(other)])


def _listed(value: gast.expr, target: gast.expr, row: gast.expr, tests: list[gast.expr]) -> gast.expr:
    return gast.ListComp(elt=value, generators=[gast.comprehension(target=target, iter=row, ifs=tests, is_async=0)])


_COMPREHENSIONS: dict[Any, Callable[..., gast.expr]] = {
    itertools.starmap: _starred_calls,
    itertools.filterfalse: _not_filtered,
    itertools.compress: _compressed,
}
_DTYPES = {"int": "np.int64", "float": "np.float64", "bool": "np.bool_", "complex": "np.complex128"}
# The iterators of these are consumed when read, so generated code, which may read them again, cannot keep them.
_USED_UP = (iter, next, zip, enumerate, reversed, np.nditer, np.ndenumerate, np.ndindex, np.broadcast, np.nested_iters)
_BY_NAME = (eval, exec, locals, globals, vars)


class Iterators(Effects):
    """Calls that are replaced by a list of the elements that they would yield."""

    def argument(self, node: gast.expr) -> gast.expr:
        """An argument of a builtin."""
        raise NotImplementedError

    def core(self, node: gast.expr) -> gast.expr:
        """The expression as one operation on atoms, or as a structure."""
        if isinstance(node, gast.Attribute) and notes_of(node).is_iterated:
            base = self.part(node.value)
            return self.slot(base, node.attr) if isinstance(base, Structure) else self.in_a_row(base)
        return super().core(node)

    def element(self, node: gast.Subscript) -> gast.expr:
        """An element or slice; a slice of `x.flat` is a copy."""
        if not isinstance(node.value, gast.Attribute) or node.value.attr != "flat" or self.is_atom(node.value):
            return super().element(node)
        base = self.part(node.value.value)
        if isinstance(base, Structure):
            node.value = self.slot(base, "flat")
            return super().element(node)
        row = self.as_name(self.held_in_atom(self.in_a_row(base)))
        found = gast.Subscript(value=row, slice=self.index(node.slice), ctx=gast.Load())
        return call("np.copy", self.held_in_atom(found)) if isinstance(node.slice, gast.Slice) else found

    def attribute_of(self, base: gast.expr, name: str) -> gast.expr:
        """`base.name`; for a member of an enumeration, its value or its name."""
        if name == "__getitem__" and not isinstance(base, Structure):
            return self.bound_access(name, base)
        known = self.constant(base)
        if not isinstance(known, Member) or name not in ("value", "name"):
            return super().attribute_of(base, name)
        found = literal(getattr(known.member, name))
        if found is None:
            self.refuse(ENUM_MEMBER, member=known.member)
        return self.part(found)

    def member(self, kind: enum.EnumMeta, value: gast.expr) -> gast.expr:
        """The member of an enumeration with a value, or the member itself."""
        known = self.constant(self.argument(value))
        given = known.member if isinstance(known, Member) else known
        members: list[enum.Enum] = [*kind]
        found = next((each for each in members if known is not UNKNOWN and given in (each, each.value)), None)
        if found is None:
            if known is UNKNOWN and self.memory.loops:
                raise NeedsConstant
            self.refuse(ENUM_VALUE, kind=kind.__name__)
        return self.part(literal(found))

    def in_a_row(self, array: gast.expr) -> gast.expr:
        """All elements of an array, in order."""
        return self.call(call("np.reshape", self.as_name(array), const(-1)))

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call."""
        meaning = self.meant(node.func)
        if getattr(meaning, "__module__", None) == "numpy":
            node.args = [self.dtype_of(each) for each in node.args]
            for keyword in node.keywords:
                keyword.value = self.dtype_of(keyword.value) if keyword.arg == "dtype" else keyword.value
        if isinstance(meaning, type) and meaning.__module__ == "itertools":
            return self.iterated(meaning, node)
        if isinstance(meaning, enum.EnumMeta) and len(node.args) == 1:
            return self.member(meaning, node.args[0])
        if any(meaning is each for each in _BY_NAME):
            self.refuse(READS_NAMES, function=dotted_path(node.func))
        if meaning is np.poly1d:
            self.refuse(POLY1D)
        if any(meaning is each for each in _USED_UP):
            return self.first_of(node) or self.refuse_iterator(node.func)
        if meaning is np.pad and any(
            each.arg == "constant_values" and self.is_computed_tuple(each.value) for each in node.keywords
        ):
            self.refuse(PAD_VALUES)
        return super().call(node)

    def first_of(self, node: gast.Call) -> gast.expr | None:
        """What `iter` and `next` give; None for other calls."""
        function, count = self.meant(node.func), len(node.args)
        if function is iter and count == 1 and not node.keywords:
            return self.iterator_over(node.args[0])
        if function is not next or not 0 < count < 3 or node.keywords:
            return None
        iterator = self.part(node.args[0])
        if not isinstance(iterator, Structure) or iterator.cell.type is not Iterator:
            return None
        name = "__next__" if count == 1 else "next_or"
        return self.called(vars(Iterator)[name], [iterator, *node.args[1:]])

    def iterator_over(self, node: gast.expr) -> gast.expr:
        """An iterator over an array or a sequence; what an iterator of a dictionary reads must not change."""
        if isinstance(node, gast.Call) and any(self.meant(node.func) is each for each in _USED_UP):
            self.refuse_iterator(node.func)
        values = self.argument(node)
        if isinstance(values, Structure):
            if values.cell.type is Iterator:
                return values
            behind = [*self.memory.behind.get(values.cell, ()), *([] if values.cell.is_sequence else [values.cell])]
            self.memory.frozen |= dict.fromkeys(behind, "an iterator runs over it")
            values = values if values.cell.is_sequence else self.sequence(tuple, self.parts(values))
        return self.construct(Iterator, gast.Call(func=load("iter"), args=[values], keywords=[]))

    def refuse_iterator(self, function: gast.expr) -> NoReturn:
        """Refuse an iterator that is kept, or advanced explicitly."""
        self.refuse(KEPT_ITERATOR, function=dotted_path(function))

    def dtype_of(self, node: gast.expr) -> gast.expr:
        """`int` and the like as dtypes: Numba only knows NumPy's names."""
        path = _DTYPES.get(node.id) if isinstance(node, gast.Name) else None
        return node if path is None or self.meant(node) is not getattr(builtins, node.id) else dotted(path)

    def is_computed_tuple(self, node: gast.expr) -> bool:
        """Whether this is a tuple with elements that are not constants."""
        part = self.part(node)
        return isinstance(part, Structure) and self.constant(part) is UNKNOWN

    def iterated(self, kind: Any, node: gast.Call) -> gast.expr:
        """An iterator of itertools, as a list."""
        if kind in _COMPREHENSIONS and len(node.args) == 2 and not node.keywords:
            return self.part(_COMPREHENSIONS[kind](*node.args, self.names.temporary(), self.names.temporary()))
        if kind is itertools.groupby:
            return self.grouped(node)
        if kind in (itertools.takewhile, itertools.dropwhile) and len(node.args) == 2:
            return self.part_of_run(kind is itertools.takewhile, *node.args)
        arguments = [self.argument(each) for each in node.args]
        keywords = {str(each.arg): self.part(each.value) for each in node.keywords}
        is_sum = kind is itertools.accumulate and bool(arguments)
        made = self.accumulated(arguments, keywords) if is_sum else self.iterated_over(kind, arguments, keywords)
        if kind in _STEPWISE:
            self.memory.behind[made.cell] = [each.cell for each in arguments if isinstance(each, Structure)]
        return made

    def grouped(self, node: gast.Call) -> Structure:
        """`itertools.groupby` with keys that are constants, as a list of keys and lists."""
        row, *others = node.args
        function = (*others, *(each.value for each in node.keywords if each.arg == "key"), None)[0]
        parts = self.known_parts(itertools.groupby, self.argument(row))
        keys: Parts = []
        for each in parts:
            found = each if function is None else gast.Call(func=clone(function), args=[each], keywords=[])
            keys.append(self.kept(self.part(found)))
        known = [self.constant(each) for each in keys]
        if any(each is UNKNOWN for each in known):
            if self.memory.loops:
                raise NeedsConstant
            self.refuse(GROUPS_AT_RUN_TIME)
        groups: Parts = []
        for _, places in itertools.groupby(range(len(parts)), key=known.__getitem__):
            own = [*places]
            members = self.sequence(list, [parts[k] for k in own])
            groups.append(self.sequence(tuple, [keys[own[0]], members]))
        return self.sequence(list, groups)

    def part_of_run(self, first: bool, test: gast.expr, row: gast.expr) -> gast.expr:
        """`takewhile` and `dropwhile`, as a list."""
        found, each, ended, place = *(self.names.temporary() for _ in range(3)), self.place
        self.memory.bind(found, self.memory.new(list, {}))
        append = gast.Attribute(value=load(found), attr="append", ctx=gast.Load())
        take: gast.stmt = gast.Expr(value=gast.Call(func=append, args=[load(each)], keywords=[]))
        fails = gast.UnaryOp(op=gast.Not(), operand=gast.Call(func=test, args=[load(each)], keywords=[]))
        if first:
            body: list[gast.stmt] = [gast.If(test=fails, body=[gast.Break()], orelse=[]), take]
        else:
            over = gast.BoolOp(op=gast.Or(), values=[load(ended), fails])
            body = [assign(ended, over, place), gast.If(test=load(ended), body=[take], orelse=[])]
        loop = gast.For(target=stored(each), iter=row, body=body, orelse=[], type_comment=None)
        for inner in walk(loop):
            if isinstance(inner, gast.stmt):
                at(inner, place)
        return self.worth([assign(ended, const(False), place), loop], found)

    def worth(self, block: list[gast.stmt], name: str) -> gast.expr:
        """The value of a name after statements, which are emitted here."""
        raise NotImplementedError

    def iterated_over(self, kind: Any, arguments: Parts, keywords: dict[str, gast.expr]) -> Structure:
        """An iterator that only selects or combines elements, as a list."""
        if kind not in _ROWS and kind not in _SINGLE:
            self.refuse(ITERTOOLS, function=kind.__name__)
        if kind is itertools.repeat:
            if len(arguments) + len(keywords) != 2:
                self.refuse(REPEAT_WITHOUT_END)
            value, *times = arguments
            found: Any = itertools.repeat(value, self.key((*times, *keywords.values())[0]))
        elif kind in _NUMBERS:
            row, *numbers = arguments
            named = {name: self.key(each) for name, each in keywords.items()}
            found = kind(self.known_parts(kind, row), *map(self.key, numbers), **named)
        else:
            if kind is itertools.zip_longest:
                keywords["fillvalue"] = self.kept(keywords.get("fillvalue", const(None)))
            else:
                keywords = {name: self.key(each) for name, each in keywords.items()}
            found = kind(*(self.known_parts(kind, each) for each in arguments), **keywords)
        rows = [self.kept(each) if kind in _SINGLE else self.sequence(tuple, list(each)) for each in found]
        return self.sequence(list, rows)

    def accumulated(self, arguments: Parts, keywords: dict[str, gast.expr]) -> Structure:
        """`itertools.accumulate`."""
        parts = self.known_parts(itertools.accumulate, arguments[0])
        function = (*arguments[1:], *(keywords[each] for each in ("func",) if each in keywords), None)[0]
        if self.constant(keywords.get("initial", const(None))) is not None:
            parts.insert(0, keywords["initial"])
        found: Parts = []
        for each in parts:
            if not found:
                found.append(self.kept(each))
            elif function is None:
                found.append(self.kept(self.part(gast.BinOp(left=found[-1], op=gast.Add(), right=each))))
            else:
                made = gast.Call(func=function, args=[found[-1], each], keywords=[])
                found.append(self.kept(self.part(made)))
        return self.sequence(list, found)

    def known_parts(self, kind: Any, node: gast.expr) -> Parts:
        """The elements that an iterator visits."""
        parts = self.elements(node)
        if parts is None:
            self.refuse(ITERTOOLS_OF_ARRAY, function=kind.__name__)
        return [self.kept(each) for each in parts]
