"""Guards in code that was specialised to observed types and branches.

If Numba cannot type a function, types and branches are observed on actual arguments. A branch that was not taken then
raises `Unobserved`, and so does `expect` for a value of another kind than the observed one. The caller then observes
again and generates new code.
"""

from __future__ import annotations

from typing import Any

import numpy as np


class Unobserved(Exception):
    """Generated code has reached a branch or a kind of value that was not observed."""


def expect(value: Any, kind: str) -> None:
    """Raise `Unobserved` unless a value is of a kind, as spelled by `kind_of`, or of a simpler kind of number.

    A name that has held tuples of several lengths has the kind of an object, which any tuple matches.

    >>> expect(np.zeros((2, 3)), "f2"), expect(2, "f"), expect((1.0, np.zeros(3)), "(f,f1)")
    (None, None, None)
    >>> expect(np.zeros(3), "f2")
    Traceback (most recent call last):
        ...
    srcad.runtime.kernels.recording.observed_guards.Unobserved: expected f2, found f1
    """
    found = kind_of(value)
    is_object = kind == "?" and isinstance(value, tuple)
    if found != kind and not is_object and not _is_simpler(found, kind):
        raise Unobserved(f"expected {kind}, found {found}")


def kind_of(value: Any) -> str:
    """A letter for a number (as in `dtype.kind`), followed by the rank for an array; '?' for other objects.

    >>> kind_of(1.5), kind_of(np.float32(1.5)), kind_of(np.zeros(3, int)), kind_of((True, None))
    ('f', 'f', 'i1', '(b,?)')
    """
    if isinstance(value, np.ndarray):
        return f"{_letter(value.dtype)}{value.ndim}" if value.dtype.kind != "O" else "?"
    if isinstance(value, tuple):
        return f"({','.join(map(kind_of, value))})"
    if isinstance(value, np.generic):
        return _letter(value.dtype)
    for number, letter in _NUMBERS.items():
        if isinstance(value, number):
            return letter
    return "?"


def _letter(dtype: np.dtype[Any]) -> str:
    return dtype.kind if dtype.kind in _ORDER else "?"


_NUMBERS: dict[type, str] = {bool: "b", int: "i", float: "f", complex: "c"}
_ORDER = "buifc"


def _is_simpler(found: str, kind: str) -> bool:
    one, other = _ORDER.find(found[0]), _ORDER.find(kind[0])
    return 0 <= one <= other and found[1:] == kind[1:] and len(found) == 1
