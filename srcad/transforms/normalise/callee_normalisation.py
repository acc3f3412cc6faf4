"""Callee normalisation: the passes that a called function, in core form, goes through before type inference."""

from __future__ import annotations

from srcad.transforms.ir.code import Code
from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.exception_messages import with_plain_messages
from srcad.transforms.normalise.list_arrays import with_lists_of_floats
from srcad.transforms.normalise.optional_values import with_flags
from srcad.transforms.normalise.ssa import to_ssa


def normalised(unit: Unit) -> Unit:
    """Bring a unit to SSA form, and rewrite lists, optional values and messages in a form that Numba can type."""
    return with_plain_messages(with_flags(to_ssa(Code(with_lists_of_floats(unit))))).unit
