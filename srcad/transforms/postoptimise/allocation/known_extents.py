"""Known extents: the extents of an array that are numbers, as checks, literals and allocations say.

kernels.known_extent(f.shape[0], 3)     from here on, f has 3 rows
c = np.empty((f.shape[0], 2))           3 by 2
d = trace[t]                            a row of 3 by 3, if that is what the trace was made of
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.affine.linear_forms import Form
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.build import dotted_path


def known_extents(array: gast.expr, facts: Facts) -> tuple[int, ...] | None:
    """The extents of an array, of a view of it by integers, or of a transposed matrix, if all are numbers."""
    match array:
        case gast.Call(func=function, args=[inner], keywords=[]) if dotted_path(function) == "np.transpose":
            return (known_extents(inner, facts) or ())[::-1] or None
    return _numbers(facts.forms_of(array) or [])


def known_numbers(nodes: list[gast.expr], facts: Facts) -> tuple[int, ...] | None:
    """The numbers that integer expressions are, if that is known of all."""
    return _numbers([facts.form(each) for each in nodes])


def _numbers(forms: list[Form] | list[Form | None]) -> tuple[int, ...] | None:
    found = [int(form.constant) for form in forms if form is not None and not form.terms]
    return tuple(found) if found and len(found) == len(forms) else None
