"""Mutating calls: calls that write to an array become stores.

    np.multiply(x, y, out=z)              z[...] = np.multiply(x, y)
    a.fill(0.0)                           a[...] = 0.0
    np.copyto(a, b, where=m)              a[...] = np.where(m, b, a)
    np.add.at(a, i, v)                    a[...] = kernels.added_at(a, i, v)      see `rules/mutating_functions.py`

Everything is computed before the first element is stored, as NumPy does where result and operands overlap.
"""

from __future__ import annotations

import functools
import inspect
from typing import Any

import gast
import numpy as np

from srcad.refusals.numpy_calls import COPYTO, SEVERAL_OUTPUTS, WHERE_WITHOUT_OUT
from srcad.transforms.ir.build import assign, at, call, clone, const, dotted, load, place_of, subscript
from srcad.transforms.ir.node_notes import note
from srcad.transforms.lowering.calls.builtin_calls import Containers
from srcad.transforms.lowering.structures.abstract_state import Structure

# Methods that change their array.
IN_PLACE = frozenset({"fill", "sort", "put"})
SCATTERS = tuple(
    ufunc.at
    for ufunc in (*(np.add, np.subtract, np.multiply, np.divide), *(np.power, np.maximum, np.minimum, np.negative))
)
_HARMLESS = {np.arccosh: 1.5}  # elsewhere 0.5: operands at which functions and derivatives are finite


class Effects(Containers):
    """Lowers calls that write to arrays."""

    def changed(self, node: gast.Call) -> gast.expr | None:
        """A call that is made for its effect; None where the effect is not known."""
        self.spread(node)
        function = node.func
        if isinstance(function, gast.Attribute) and function.attr in IN_PLACE and not self.is_atom(function):
            function.value = receiver = self.part(function.value)
            if not isinstance(receiver, Structure):
                return self.filled(receiver, function.attr, node)
        if self.meant(function) in SCATTERS and len(node.args) > 1:
            node.args[1:] = [self.places(self.part(node.args[1])), *map(self.as_array, map(self.part, node.args[2:]))]
        if self.meant(function) is np.copyto:
            return self.copied(node)
        return self.call(node) if self.target_of(node) is not None else super().changed(node)

    def filled(self, array: gast.expr, method: str, node: gast.Call) -> gast.expr | None:
        """A method that changes its array."""
        if method == "put":
            node.func, node.args = dotted("np.put"), [array, *node.args]
            return self.changed(node)
        if method == "fill" and len(node.args) == 1 and not node.keywords:
            return self.store_all(array, node.args[0])
        return self.store_all(array, self.call(call("np.sort", array, *node.args, **_named(node))))

    def places(self, index: gast.expr) -> gast.expr:
        """An index with lists turned into arrays: in core form both lists and tuples are tuples."""
        if not isinstance(index, Structure):
            return index
        if index.cell.type is list:
            return self.held_in_atom(self.call(call("np.array", index)))
        return self.sequence(tuple, [self.places(each) for each in self.parts(index)])

    def copied(self, node: gast.Call) -> gast.expr:
        """`np.copyto`."""
        given = dict(zip(("dst", "src", "casting", "where"), node.args, strict=False)) | _named(node)
        if not {"dst", "src"} <= given.keys() <= {"dst", "src", "casting", "where"}:
            self.refuse(COPYTO)
        array, mask = self.as_name(self.part(given["dst"])), given.get("where")
        value = given["src"]
        if mask is not None and not (isinstance(mask, gast.Constant) and mask.value is True):
            value = self.where(self.part(mask), self.part(value), array)
        return self.store_all(array, value)

    def call(self, node: gast.Call) -> gast.expr:
        """The value of a call: with `out=`, the array that the result was written to."""
        self.spread(node)
        target = self.target_of(node)
        if target is None:
            self.check_everywhere(node)
            return super().call(node)
        array = self.as_name(self.part(target))
        keywords = [each for each in node.keywords if each.arg != "out"]
        plain = gast.Call(func=node.func, args=list(node.args), keywords=keywords)
        at(plain, place_of(node))
        where = next((each for each in keywords if each.arg == "where"), None)
        if where is None or not isinstance(self.meant(node.func), np.ufunc):
            stored = self.store_all(array, self.held_in_atom(self.call(plain)))
            note(
                self.made[-1], must_not_truncate=True
            )  # unlike `array[...] =`, NumPy refuses to store floats into integers here
            return stored
        keywords.remove(where)
        return self.store_where(array, self.atom(where.value), plain)

    def check_everywhere(self, node: gast.Call) -> None:
        """Refuse `where=` without `out=`: NumPy leaves the other elements uninitialised."""
        where = next((each for each in node.keywords if each.arg == "where"), None)
        if where is None or not isinstance(self.meant(node.func), np.ufunc):
            return
        if self.constant(self.part(where.value)) is not True:
            self.refuse(WHERE_WITHOUT_OUT)
        node.keywords.remove(where)

    def part_of_complex(self, target: gast.expr) -> tuple[gast.Name, str, gast.expr] | None:
        """The array, the property and the index that `z.imag[i] = ...`, `z.imag = ...` or `z.real = ...` writes to."""
        match target:
            case gast.Subscript(value=gast.Attribute(attr="imag") as part, slice=index):
                pass
            case gast.Attribute(attr="real" | "imag") as part:
                index = gast.Constant(value=..., kind=None)
            case _:
                return None
        if self.is_atom(part):
            return None
        part.value = base = self.part(part.value)
        return None if isinstance(base, Structure) else (self.as_name(base), part.attr, self.index(index))

    def read_part(self, place: tuple[gast.Name, str, gast.expr]) -> gast.expr:
        """Read the real or imaginary part."""
        array, name, index = place
        return self.part(call(f"np.{name}", self.held_in_atom(subscript(clone(array), clone(index)))))

    def store_part(self, place: tuple[gast.Name, str, gast.expr], value: gast.expr) -> None:
        """Store complex numbers with a new real or imaginary part."""
        array, name, index = place
        other = self.read_part((array, "imag" if name == "real" else "real", index))
        new = self.held_in_atom(self.as_array(value))
        real, imaginary = (new, other) if name == "real" else (other, new)
        turned = self.held_in_atom(gast.BinOp(left=const(1j), op=gast.Mult(), right=imaginary))
        whole = self.held_in_atom(gast.BinOp(left=real, op=gast.Add(), right=turned))
        self.emit(assign(subscript(clone(array), index, store=True), whole, self.place))

    def store_where(self, array: gast.expr, mask: gast.expr, node: gast.Call) -> gast.expr:
        """`out=` with `where=`: other elements are unchanged, and their operands do not influence the derivative."""
        harmless = const(_HARMLESS.get(self.meant(node.func), 0.5))
        operands = [self.part(each) for each in node.args]
        node.args = [each if isinstance(each, gast.Constant) else self.where(mask, each, harmless) for each in operands]
        found = self.held_in_atom(self.call(node))
        return self.store_all(array, self.where(mask, found, array))

    def where(self, mask: gast.expr, value: gast.expr, other: gast.expr) -> gast.expr:
        """`np.where`, held."""
        return self.held_in_atom(self.call(call("np.where", clone(mask), clone(value), clone(other))))

    def store_all(self, array: gast.expr, value: gast.expr) -> gast.expr:
        """`array[...] = value`, and the array."""
        name = self.as_name(array)
        everything = gast.Constant(value=..., kind=None)
        stored = self.held_in_atom(self.as_array(self.part(value)))
        self.emit(assign(subscript(name, everything, store=True), stored, self.place))
        return load(name.id)

    def target_of(self, node: gast.Call) -> gast.expr | None:
        """The expression given for `out`, which is made a keyword argument; None if there is none."""
        if self.is_user_call(node):
            return None
        _name_out(node, parameters(self.meant(node.func)))
        given = next((each.value for each in node.keywords if each.arg == "out"), None)
        if given is None:
            return None
        if isinstance(given, gast.Constant) and given.value is None:
            node.keywords = [each for each in node.keywords if each.arg != "out"]
            return None
        if isinstance(given, (gast.Tuple, gast.List)):
            if len(given.elts) != 1:
                self.refuse(SEVERAL_OUTPUTS)
            named = next(each for each in node.keywords if each.arg == "out")
            named.value = given = given.elts[0]
        return given


def _name_out(node: gast.Call, names: tuple[str, ...]) -> None:
    """Pass `out`, and what follows it, by keyword: `np.sum(x, 0, None, y)` becomes `np.sum(x, 0, out=y)`.

    >>> node = gast.parse("np.sum(x, 0, None, y)").body[0].value
    >>> _name_out(node, parameters(np.sum))
    >>> gast.unparse(node).strip()
    'np.sum(x, 0, out=y)'
    """
    place = names.index("out") if "out" in names else len(node.args)
    if len(node.args) <= place or any(isinstance(each, gast.Starred) for each in node.args):
        return
    behind = zip(names[place:], node.args[place:], strict=False)
    node.keywords = [*(gast.keyword(arg=name, value=value) for name, value in behind), *node.keywords]
    del node.args[place:]
    while isinstance(node.args[-1], gast.Constant) and node.args[-1].value is None:
        node.args.pop()  # placeholders before `out`


@functools.cache
def parameters(function: Any) -> tuple[str, ...]:
    """The names of the positional parameters of a NumPy function that takes `out`; none of other functions.

    >>> parameters(np.hypot), parameters(np.outer), parameters(np.zeros)
    (('', '', 'out'), ('a', 'b', 'out'), ())
    """
    if isinstance(function, np.ufunc):
        return (*[""] * function.nin, "out") if function.nout == 1 else ()
    if not str(getattr(function, "__module__", "")).startswith("numpy") or isinstance(function, type):
        return ()
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # functions that are not written in Python
        return ()
    names = tuple(each.name for each in found if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD))
    return names if "out" in names else ()


def _named(node: gast.Call) -> dict[str, gast.expr]:
    return {each.arg: each.value for each in node.keywords}
