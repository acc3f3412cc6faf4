"""What a function that is called, in core form, goes through before its types are inferred."""

from __future__ import annotations

from srcad.transforms.ir.unit import Unit
from srcad.transforms.normalise.list_arrays import with_lists_of_floats
from srcad.transforms.normalise.messages import with_plain_messages
from srcad.transforms.normalise.optional_values import with_flags
from srcad.transforms.normalise.ssa import to_ssa


def normalised(unit: Unit) -> Unit:
    """The unit with every name stored once per path, and nothing that Numba has no types for if there is a way."""
    return with_plain_messages(with_flags(to_ssa(with_lists_of_floats(unit))))
