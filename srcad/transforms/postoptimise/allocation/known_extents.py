"""Known extents: the arrays of a generated function whose extents are numbers, at each statement.

    kernels.known_extent(f.shape[0], 3)     from here on, f has 3 rows
    c = np.empty((f.shape[0], 2))           3 by 2
    d = trace[t]                            a row of 3 by 3, if that is what the trace was made of
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gast

from srcad.transforms.analysis.affine.linear_forms import Form, name_of
from srcad.transforms.analysis.affine.point_facts import Facts
from srcad.transforms.ir.array_functions import last_part
from srcad.transforms.ir.build import dotted_path

_CHECKS = ("same_extent", "known_extent")


class KnownExtents:
    """The extents that are numbers, as the statements of a function are followed."""

    def __init__(self, stores: Mapping[str, int], numbers: Mapping[str, int] | None = None) -> None:
        """`stores` says how often each name is stored, parameters once more."""
        self.stores = stores
        self.numbers = dict(numbers or {})  # by symbol, where its name is stored once

    def copy(self) -> KnownExtents:
        """The same, for a branch or the body of a loop: what is learnt there is not known after it."""
        return KnownExtents(self.stores, self.numbers)

    def learn(self, statement: gast.stmt, facts: Facts) -> None:
        """Note what a check, which raises an exception otherwise, says of an extent."""
        match statement:
            case gast.Expr(value=gast.Call(func=function, args=[one, other])) if last_part(function) in _CHECKS:
                for this, that in ((one, other), (other, one)):
                    form, number = facts.form(this), self.value(that, facts)
                    symbols = () if form is None or form.constant else form.terms
                    if number is not None and len(symbols) == 1 and symbols[0][1] == 1:
                        if self.stores[name_of(symbols[0][0])] == 1:
                            self.numbers.setdefault(symbols[0][0], number)

    def value(self, node: gast.expr, facts: Facts) -> int | None:
        """The number that an integer expression is known to be."""
        form = facts.form(node)
        return None if form is None else self.of_form(form)

    def of_form(self, form: Form) -> int | None:
        """The number that a linear form is known to be."""
        total = form.constant
        for symbol, factor in form.terms:
            if symbol not in self.numbers:
                return None
            total += factor * self.numbers[symbol]
        return int(total)

    def of(self, array: gast.expr, facts: Facts) -> tuple[int, ...] | None:
        """The extents of an array, of a view of it by integers, or of a transposed matrix, if all are numbers."""
        match array:
            case gast.Call(func=function, args=[inner], keywords=[]) if dotted_path(function) == "np.transpose":
                return (self.of(inner, facts) or ())[::-1] or None
        forms: Any = facts.forms_of(array)
        found = [self.of_form(each) for each in forms or ()]
        return tuple(found) if found and None not in found else None  # type: ignore[arg-type]
