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

from srcad.runtime.support.record_fields import RECORD_KINDS

_LIBRARIES = frozenset({"numpy", "scipy", "numba", "srcad", "builtins", "optree"}) | sys.stdlib_module_names


def is_object(kind: type) -> bool:
    """Whether instances of the class are structures of attributes."""
    if issubclass(kind, (tuple, list, dict, type, enum.Enum, np.ndarray, np.generic)):
        return False
    if kind in (types.SimpleNamespace,):
        return True
    if kind.__module__.partition(".")[0] in _LIBRARIES:
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
            or is_object(kind)
            or is_function(kind)
        )
        _PLAIN[kind] = known
    return known or (kind in RECORD_KINDS and value.dtype.names is not None)


def is_name(value: Any) -> bool:
    """Whether an argument stands for a choice: a text or None, which may be made a compile-time constant."""
    return value is None or type(value) is str


def is_typed_list(kind: type) -> bool:
    """Whether the class is Numba's typed list; the check does not import it."""
    return kind.__module__ == "numba.typed.typedlist" and kind.__name__ == "List"


def is_function(kind: type) -> bool:
    """Whether instances of the class are functions: Python's, NumPy's, Numba's, methods, functools.partial.

    >>> is_function(type(len)), is_function(np.ufunc), is_function(type), is_function(float)
    (True, True, False, False)
    """
    if issubclass(kind, (type, nb.Type)) or is_object(kind):
        return False
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
