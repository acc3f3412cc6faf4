"""Dead store elimination for the zeros that reverse loops write into adjoints.

    for i in range(n):                      for i in range(n):
        u_bar = y_bar[i]        becomes         u_bar = y_bar[i]
        y_bar[i] = 0.0                          x_bar[i] += u_bar * w[i]
        x_bar[i] += u_bar * w[i]

The adjoint of an overwritten value is zero after the store is reversed. Where the array is dead after the loop nest and
each iteration has its own element, the zero is never read. Does not apply where the array has other names in the nest,
or where a loop does not count from or down to zero: negative indices could visit an element twice.
"""

from __future__ import annotations

import gast

from srcad.transforms.analysis.aliases import aliases_of
from srcad.transforms.analysis.liveness import Live, liveness_of
from srcad.transforms.ir.build import mentions, position, stores_into, walk_statements
from srcad.transforms.ir.code import Code
from srcad.transforms.loop_analysis.loop_accesses import is_counted
from srcad.transforms.postoptimise.array_contraction_to_scalar import (
    common_index,
    is_from_zero,
    is_zero_store,
    loops_around,
)


def without_spent_zeros(code: Code) -> Code:
    """Drop zero stores that no later statement reads."""
    saver = _Saver(code)
    live = liveness_of(code).after
    for statement in list(walk_statements(code.body)):
        if is_counted(statement):
            saver.nest(statement, live[statement])
    return code.with_body(code.body)


class _Saver:
    def __init__(self, code: Code) -> None:
        self.aliases = aliases_of(code)
        self.groups: dict[str, set[str]] = {}
        for name in mentions(code.body):
            self.groups.setdefault(self.aliases.alias_class(name), set()).add(name)

    def nest(self, nest: gast.For, behind: Live) -> None:
        """Drop the dead zero stores in a loop nest."""
        targets = (stores_into(each) for each in walk_statements([nest]))
        for name in sorted({each.value.id for each in targets if each and isinstance(each.value, gast.Name)}):
            group = self.groups[self.aliases.alias_class(name)]
            others = group & set(mentions([nest])) - {name}
            if not self.aliases.is_local(name) or group & behind or others:
                continue
            loops = loops_around(nest, {name})
            body = loops[-1].body
            zero = next((each for each in body if is_zero_store(each, name)), None)
            if zero is None or common_index(loops, {name}) is None or not all(map(is_from_zero, loops)):
                continue
            if name not in mentions(body[position(body, zero) + 1 :]) and len(body) > 1:
                body.remove(zero)
