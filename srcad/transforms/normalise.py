"""What a function that is called, in core form, goes through before its types are inferred."""

from __future__ import annotations

from srcad.transforms.lists import with_lists_of_floats
from srcad.transforms.messages import with_plain_messages
from srcad.transforms.optional import with_flags
from srcad.transforms.ssa import to_ssa
from srcad.transforms.unit import Unit


def normalised(unit: Unit) -> Unit:
    """The unit with every name stored once per path, and nothing that Numba has no types for if there is a way."""
    return with_plain_messages(with_flags(to_ssa(with_lists_of_floats(unit))))
