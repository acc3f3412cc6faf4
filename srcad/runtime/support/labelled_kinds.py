"""Which classes are arrays with labels: those of pandas and xarray, known by name, so that neither is imported."""

from __future__ import annotations

_KINDS = frozenset({("pandas", "Series"), ("pandas", "DataFrame"), ("xarray", "DataArray")})


_seen: dict[type, bool] = {}  # whether a class is labelled: a cache, since the check is slow


def module_of(kind: type) -> str:
    """The name of a class's module; "" for a class whose objects have an attribute of this name, as Cython's functions.

    >>> module_of(float), module_of(type("Function", (), {"__module__": property(str)}))
    ('builtins', '')
    """
    name: object = kind.__module__
    return name if isinstance(name, str) else ""


def is_labelled(kind: type) -> bool:
    """Whether instances of a class are arrays with labels.

    >>> is_labelled(float), is_labelled(type("Series", (), {"__module__": "pandas"}))
    (False, True)
    """
    known = _seen.get(kind)
    if known is None:
        known = _seen[kind] = (module_of(kind).partition(".")[0], kind.__name__) in _KINDS
    return known
