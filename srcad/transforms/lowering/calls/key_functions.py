"""Functions that are given to Python's library, and functions that it makes.

max(range(n), key=lambda i: x[i])       sorted(pairs, key=itemgetter(1))        reduce(f, x)        asdict(config)
"""

from __future__ import annotations

import copy
import dataclasses
import functools
import operator
from types import SimpleNamespace
from typing import Any

import gast

from srcad.refusals.numpy_calls import COPY_OF_ONE_ARRAY, KEY_FUNCTION, REDUCE
from srcad.runtime.kernels.arrays import order_and_selection
from srcad.transforms.ir.build import at, call, const, dotted
from srcad.transforms.ir.constant_conditions import UNKNOWN
from srcad.transforms.lowering.calls.higher_order_calls import Functional
from srcad.transforms.lowering.structures.abstract_state import Callee, Cell, Structure
from srcad.transforms.lowering.structures.container_methods import Parts

_BOUND = {"__getitem__": order_and_selection.item_at, "get": order_and_selection.entry_at}
_BY_KEY = {max: order_and_selection.largest_by, min: order_and_selection.smallest_by}


class KeyFunctions(Functional):
    """Calls of `sorted`, `max` and `min` with a key, and of `operator` and `dataclasses`."""

    def bound_access(self, name: str, base: gast.expr) -> Structure:
        """`values.get` or `values.__getitem__` as a value."""
        return self.partial_of(_BOUND[name], [base])

    def partial_of(self, function: Any, arguments: Parts) -> Structure:
        """A function of ours with its first arguments, as `functools.partial` makes it."""
        parts = {
            "func": self.part(self.ours(function)),
            "args": self.sequence(tuple, [self.kept(each) for each in arguments]),
            "keywords": self.memory.new(dict, {}),
        }
        made: Structure = self.memory.new(functools.partial, parts)
        return made

    def with_key(self, thing: Any, node: gast.Call) -> gast.expr:
        """`sorted`, `max` and `min` by the ranks that a function gives."""
        given = {each.arg: each.value for each in node.keywords}
        if thing is not sorted and "default" in given and len(node.args) == 1:
            return self.with_default(thing, node, given.pop("default"), given)
        key = self.part(given.pop("key", const(None)))
        reverse = self.key(given.pop("reverse", const(False)))
        if given or not node.args or any(isinstance(each, gast.Starred) for each in node.args):
            self.refuse(KEY_FUNCTION, function=thing.__name__)
        key = self.part(self.ours(order_and_selection.itself)) if self.constant(key) is None else key
        values = self.ranked_values(node.args)
        if thing is not sorted:
            return self.called(_BY_KEY[thing], [values, key])
        parts = self.counted_elements(values)
        if parts is not None and (order := self.known_order(parts, key, bool(reverse))) is not None:
            return self.sequence(list, [parts[k] for k in order])
        return self.called(order_and_selection.ranked_by, [values, key, const(bool(reverse))])

    def with_default(self, thing: Any, node: gast.Call, default: gast.expr, given: dict[Any, gast.expr]) -> gast.expr:
        """`max` and `min` with a value for nothing to choose from."""
        values = self.ranked_values(node.args)
        keywords = [gast.keyword(arg=name, value=value) for name, value in given.items()]
        found = at(gast.Call(func=node.func, args=[values], keywords=keywords), self.place)
        if isinstance(values, Structure) and (parts := self.counted_elements(values)) is not None:
            return self.call(found) if parts else self.part(default)
        is_empty = gast.Compare(left=call("len", values), ops=[gast.Eq()], comparators=[const(0)])
        return self.part(gast.IfExp(test=is_empty, body=default, orelse=found))

    def ours(self, function: Any) -> gast.expr:
        """A name for a function of ours."""
        assert self.outside is not None
        return dotted(self.outside.bind(function.__name__, function))

    def ranked_values(self, arguments: Parts) -> gast.expr:
        """The values to choose from: a list, a tuple or an array."""
        if len(arguments) > 1:
            return self.sequence(tuple, [self.kept(self.part(each)) for each in arguments])
        (node,) = arguments
        match node:
            case gast.Call(func=gast.Name(id="range"), args=bounds, keywords=[]):
                known = [self.constant(self.part(each)) for each in bounds]
                if all(type(each) is int for each in known):
                    return self.sequence(tuple, [const(k) for k in range(*known)])
                return self.part(call("np.arange", *bounds))
            case gast.GeneratorExp():
                node = gast.ListComp(elt=node.elt, generators=node.generators)
        part = self.part(node)
        if isinstance(part, Structure) and (part.cell.is_mapping or part.cell.is_set):
            return self.sequence(list, self.parts(part))
        return part if isinstance(part, Structure) else self.as_name(part)

    def counted_elements(self, values: gast.expr) -> Parts | None:
        """The elements, if it is known while compiling how many there are."""
        grows = isinstance(values, Structure) and not isinstance(self.memory.cells[values.cell], dict)
        return None if grows else self.elements(values)

    def known_order(self, parts: Parts, key: gast.expr, reverse: bool) -> list[int] | None:
        """The order of parts that are constants, or have constants in them, if their ranks are constants."""
        if not all(self.has_constants(each) for each in parts):
            return None
        ranks = []
        for each in parts:
            node = at(gast.Call(func=key, args=[each], keywords=[]), self.place)
            ranks.append(self.constant(self.part(node)))
        try:
            return None if UNKNOWN in ranks else sorted(range(len(parts)), key=ranks.__getitem__, reverse=reverse)
        except TypeError:
            return None

    def has_constants(self, part: gast.expr) -> bool:
        """Whether a part is a constant, or an object or tuple with a constant in it."""
        if not isinstance(part, Structure):
            return self.constant(part) is not UNKNOWN
        held = self.memory.cells[part.cell]
        return isinstance(held, dict) and any(self.has_constants(each) for each in held.values())

    def combined(self, function: gast.expr, row: gast.expr) -> gast.expr:
        """`functools.reduce` of an array or of a list of unknown length."""
        if isinstance(row, Structure) and not row.cell.is_sequence:
            self.refuse(REDUCE)
        return self.called(order_and_selection.folded, [function, row])

    # operator

    def itemgetter(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`operator.itemgetter`."""
        if len(arguments) == 1:
            return self.partial_of(order_and_selection.item_of, arguments)
        return self.partial_of(order_and_selection.items_at, [self.sequence(tuple, arguments)])

    def attrgetter(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`operator.attrgetter`."""
        paths = [self.sequence(tuple, [const(each) for each in str(self.key(name)).split(".")]) for name in arguments]
        if len(paths) == 1:
            return self.partial_of(order_and_selection.attribute_at, list(paths))
        return self.partial_of(order_and_selection.attributes_at, [self.sequence(tuple, list(paths))])

    # dataclasses and copy

    def replaced(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`dataclasses.replace`: an object with other values in some fields."""
        (base,) = arguments
        if not isinstance(base, Structure) or not dataclasses.is_dataclass(base.cell.type):
            return None
        contents = self.contents(base)
        given = {each.name: contents[each.name] for each in dataclasses.fields(base.cell.type) if each.init} | keywords
        pairs = [gast.keyword(arg=name, value=value) for name, value in given.items()]
        return self.construct(base.cell.type, gast.Call(func=const(None), args=[], keywords=pairs))

    def as_dictionary(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`dataclasses.asdict`."""
        return self.taken_apart(arguments[0], dict) if isinstance(arguments[0], Structure) else None

    def as_tuple(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`dataclasses.astuple`."""
        return self.taken_apart(arguments[0], tuple) if isinstance(arguments[0], Structure) else None

    def taken_apart(self, part: gast.expr, kind: type) -> gast.expr:
        """The fields of an object as a dictionary or a tuple, those of objects in it too; arrays are copied."""
        if not isinstance(part, Structure):
            return self.copy_of_leaf(part)
        contents = self.contents(part)
        if dataclasses.is_dataclass(part.cell.type):
            held = {
                each.name: self.taken_apart(contents[each.name], kind) for each in dataclasses.fields(part.cell.type)
            }
            return self.memory.new(kind, held if kind is dict else dict(enumerate(held.values())))
        made = Structure(part.cell.alike())
        self.memory.cells[made.cell] = {key: self.taken_apart(each, kind) for key, each in contents.items()}
        return made

    def fields_of(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`dataclasses.fields`: objects that have a `name`."""
        (base,) = arguments
        kind = base.cell.type if isinstance(base, Structure) else self.meant(base)
        if not isinstance(kind, type) or not dataclasses.is_dataclass(kind):
            return None
        found = [self.memory.new(SimpleNamespace, {"name": const(each.name)}) for each in dataclasses.fields(kind)]
        return self.sequence(tuple, list(found))

    def shallow(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`copy.copy`."""
        (base,) = arguments
        if not isinstance(base, Structure):
            return self.copy_of_leaf(base)
        made = Structure(base.cell.alike())
        self.memory.cells[made.cell] = dict(self.contents(base))
        return made

    def deep(self, arguments: Parts, keywords: dict[str, Any]) -> gast.expr | None:
        """`copy.deepcopy`."""
        return self.copied_all(arguments[0], {})

    def copied_all(self, part: gast.expr, known: dict[Any, Structure]) -> gast.expr:
        """A copy of a part and of all that is in it; a structure at two places stays one."""
        if not isinstance(part, Structure):
            if isinstance(part, gast.Name) and self.constant(part) is UNKNOWN:
                origin = self.memory.origin(part.id)
                if origin in known:  # the copy of one array at two places would be one array
                    self.refuse(COPY_OF_ONE_ARRAY)
                known[origin] = Structure(Cell(object))
            return self.copy_of_leaf(part)
        if part.cell not in known:
            made = known[part.cell] = Structure(part.cell.alike())
            self.memory.cells[made.cell] = {k: self.copied_all(each, known) for k, each in self.contents(part).items()}
        return known[part.cell]

    def copy_of_leaf(self, part: gast.expr) -> gast.expr:
        """A copy of an array; numbers, texts and functions are the same."""
        if isinstance(part, Callee) or self.constant(part) is not UNKNOWN:
            return part
        return self.kept(self.held_in_atom(gast.UnaryOp(op=gast.UAdd(), operand=part)))


MADE = {
    operator.itemgetter: KeyFunctions.itemgetter,
    operator.attrgetter: KeyFunctions.attrgetter,
    dataclasses.replace: KeyFunctions.replaced,
    dataclasses.asdict: KeyFunctions.as_dictionary,
    dataclasses.astuple: KeyFunctions.as_tuple,
    dataclasses.fields: KeyFunctions.fields_of,
    copy.copy: KeyFunctions.shallow,
    copy.deepcopy: KeyFunctions.deep,
}
