"""Tests of objects: `a is b` and `isinstance(a, int)` of numbers, where generated code has types and no objects.

    if (v > 1) is True:         v from an array: NumPy's True, which is not Python's
    if x[0] is x[0]:            two objects in Python, one value that is computed once here
    if isinstance(k, int):      k from an array: no `int` in Python

Numba has one type for both of a kind, and would take the other way. Such a test is refused, unless the number is
certainly Python's own (`scalar_origins`). Numbers that are passed as arguments are taken for Python's own.
"""

from __future__ import annotations

import gast
from numba import types as nb
from numba.np.numpy_support import as_dtype

from srcad.refusals.types_and_results import IDENTITY, NUMPYS_SCALAR
from srcad.transforms.inference.scalar_origins import Origin, Origins
from srcad.transforms.ir.build import dotted_path, place_of, walk_statements
from srcad.transforms.ir.name_types import Types
from srcad.transforms.ir.primitive import constant, look_up
from srcad.transforms.ir.unit import Unit

_VALUES = (nb.Number, nb.Boolean, nb.Array)
_OWN = (Origin.PYTHON, Origin.ARGUMENT)
_CLASSES = {nb.Boolean: bool, nb.Integer: int, nb.Float: float, nb.Complex: complex}


def refuse_tests_of_objects(unit: Unit, known: Types) -> None:
    """Raise UnsupportedSyntax where a unit asks what only objects can tell."""
    origins = Origins(unit, known)
    for statement in walk_statements(unit.tree.body):
        match statement:
            case gast.Assign(value=gast.Compare(left=left, ops=[gast.Is() | gast.IsNot()], comparators=[right])):
                if _is_identity_of_values((left, right), known, origins):
                    raise IDENTITY.at(place_of(statement))
            case gast.Assign(value=gast.Call(func=gast.Name(id="isinstance"), args=[gast.Name(id=name), classes])):
                if _is_torn(name, classes, known, origins):
                    raise NUMPYS_SCALAR.at(place_of(statement))


def _is_identity_of_values(sides: tuple[gast.expr, gast.expr], known: Types, origins: Origins) -> bool:
    """Whether both sides are numbers, booleans or arrays, and not both booleans of Python.

    What is an array, or a number of another type, is none of Python's booleans: `type_decided_branches` decides that.
    """
    kinds = [_is_boolean(each, known) for each in sides]
    if any(isinstance(constant(each), bool) for each in sides) and not all(kinds):
        return False
    are_own = all(_is_boolean(each, known) and origins.of(each) in _OWN for each in sides)
    return all(_is_value(each, known) for each in sides) and not are_own


def _is_value(node: gast.expr, known: Types) -> bool:
    if isinstance(node, gast.Constant):
        return isinstance(node.value, (bool, int, float, complex))
    return isinstance(node, gast.Name) and isinstance(known.get(node.id), _VALUES)


def _is_boolean(node: gast.expr, known: Types) -> bool:
    if isinstance(node, gast.Constant):
        return isinstance(node.value, bool)
    return isinstance(node, gast.Name) and isinstance(known.get(node.id), nb.Boolean)


def _is_torn(name: str, classes: gast.expr, known: Types, origins: Origins) -> bool:
    """Whether a number may be NumPy's where NumPy's gives another answer than Python's, by which Numba decides."""
    kind = known.get(name)
    own = next((own for of, own in _CLASSES.items() if isinstance(kind, of)), None)
    asked = _classes(classes, origins.unit)
    if own is None or (asked and issubclass(own, asked) == issubclass(as_dtype(kind).type, asked)):
        return False
    is_single = kind in (nb.float32, nb.complex64)
    return is_single or origins.of(gast.Name(name, gast.Load(), None, None)) not in _OWN


def _classes(node: gast.expr, unit: Unit) -> tuple[type, ...]:
    """The classes that are asked for; none if they are not known."""
    paths = [dotted_path(each) for each in (node.elts if isinstance(node, gast.Tuple) else [node])]
    try:
        found = [look_up(path or "", unit.bindings) for path in paths]
    except AttributeError:
        return ()
    flat = [each for one in found for each in (one if isinstance(one, tuple) else (one,))]
    return tuple(flat) if all(isinstance(each, type) for each in flat) else ()
