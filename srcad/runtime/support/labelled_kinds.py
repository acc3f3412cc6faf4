"""Which classes are arrays with labels: those of pandas and xarray, known by name, so that neither is imported."""

from __future__ import annotations

_KINDS = frozenset({("pandas", "Series"), ("pandas", "DataFrame"), ("xarray", "DataArray")})


_seen: dict[type, bool] = {}  # whether a class is labelled: a cache, since the check is slow


def is_labelled(kind: type) -> bool:
    """Whether instances of a class are arrays with labels.

    >>> is_labelled(float), is_labelled(type("Series", (), {"__module__": "pandas"}))
    (False, True)
    """
    known = _seen.get(kind)
    if known is None:
        known = _seen[kind] = (kind.__module__.partition(".")[0], kind.__name__) in _KINDS
    return known
