"""Recognise structured arguments: tuples, lists, dictionaries, objects with attributes; and functions.

Functions are compile-time constants, as are the classes, keys and lengths of structures.
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from typing import Any

import numpy as np
from numba.core import types as nb

from srcad.runtime.support.labelled_kinds import is_labelled, module_of
from srcad.runtime.support.record_fields import RECORD_KINDS

_LIBRARIES = frozenset({"numpy", "scipy", "numba", "srcad", "builtins", "optree"}) | sys.stdlib_module_names


def is_object(kind: type) -> bool:
    """Whether instances of the class are structures of attributes."""
    if issubclass(kind, (tuple, list, dict, type, enum.Enum, np.ndarray, np.generic)):
        return False
    if kind in (types.SimpleNamespace,):
        return True
    if module_of(kind).partition(".")[0] in _LIBRARIES:
        return False
    if is_labelled(kind):
        return False
    return not issubclass(kind, (types.FunctionType, types.ModuleType)) and not hasattr(kind, "__array__")


_PLAIN: dict[type, bool] = dict.fromkeys((float, int, complex, bool, str, type(None), np.ndarray, np.float64), False)


def is_structured(value: Any) -> bool:
    """Whether an argument is a tuple, list (of Numba too), dictionary, an object with attributes, or a function.

    >>> is_structured((1.0, 2.0)), is_structured({}), is_structured(np.sin), is_structured(np.ones(2))
    (True, True, True, False)

    So are NumPy's structured scalars and arrays.
    """
    kind = type(value)
    known = _PLAIN.get(kind)
    if known is None:
        known = (
            issubclass(kind, (tuple, list, dict, enum.Enum))
            or is_typed_list(kind)
            or is_labelled(kind)
            or is_object(kind)
            or is_function(kind)
            or kind is Frozen
        )
        _PLAIN[kind] = known
    return known or (kind in RECORD_KINDS and value.dtype.names is not None)


class Constants(enum.IntEnum):
    """Which arguments are compile-time constants, apart from functions; each level has those of the levels before."""

    FUNCTIONS = 0
    NAMES = 1  # texts and None, which stand for choices
    INTEGERS = 2  # integers and booleans as well: numbers of layers, orders, flags
    EXTENTS = 3  # the shapes of arrays as well, so that loops over them can be unrolled


class Frozen:
    """A value among the leaves of the arguments that is a compile-time constant."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


_LARGEST = 4096  # elements of arrays whose shapes may be constants
_LEVELS: dict[type, Constants] = {
    **dict.fromkeys((str, type(None)), Constants.NAMES),
    **dict.fromkeys((int, bool), Constants.INTEGERS),
    **dict.fromkeys((float, complex), Constants.EXTENTS),  # that they have no extents
}


def level_of(value: Any) -> Constants:
    """The lowest level at which an argument that is no structure is a compile-time constant; 0 if there is none.

    >>> level_of("tanh"), level_of(3), level_of(3.0)
    (<Constants.NAMES: 1>, <Constants.INTEGERS: 2>, <Constants.EXTENTS: 3>)
    """
    if type(value) is np.ndarray:
        return Constants.EXTENTS if value.ndim > 0 and value.size <= _LARGEST else Constants.FUNCTIONS
    return _LEVELS.get(type(value), Constants.FUNCTIONS)


def extent_of(value: Any) -> tuple[int, ...] | None:
    """The shape of a leaf, () for a number; None for booleans, which select as indices, and for other objects.

    >>> extent_of(np.ones((2, 3))), extent_of(2.0), extent_of(True)
    ((2, 3), (), None)
    """
    if type(value) is np.ndarray:
        return value.shape if value.dtype.kind in "fciu" else None
    return () if type(value) in (float, int, complex, np.float64) else None


def is_typed_list(kind: type) -> bool:
    """Whether the class is Numba's typed list; the check does not import it."""
    return module_of(kind) == "numba.typed.typedlist" and kind.__name__ == "List"


def is_function(kind: type) -> bool:
    """Whether instances of the class are functions: Python's, NumPy's, Numba's, methods, functools.partial.

    >>> is_function(type(len)), is_function(np.ufunc), is_function(type), is_function(float)
    (True, True, False, False)
    """
    if issubclass(kind, (type, nb.Type)) or is_object(kind):
        return False
    if module_of(kind).startswith("scipy.sparse._"):
        return True  # constants as functions are: by their elements there is no derivative
    return any("__call__" in vars(each) for each in kind.__mro__)


def attributes(value: Any) -> tuple[str, ...]:
    """The names of an object's own attributes, in the order in which they were set."""
    own = getattr(value, "__dict__", ())
    kind: Any = type(value)
    slots = _slots(kind)
    return (*[slot for slot in slots if hasattr(value, slot)], *own) if slots else tuple(own)


@functools.lru_cache(1024)
def _slots(kind: Any) -> tuple[str, ...]:
    found = [vars(each).get("__slots__", ()) for each in kind.__mro__]
    names = [name for slots in found for name in ((slots,) if isinstance(slots, str) else tuple(slots))]
    return tuple([name for name in names if name not in ("__dict__", "__weakref__")])
