"""Index sets: which elements of a vector the values of a program depend on, and which of them meet in a product.

Input        numbers that stand for sets, in place of tangents; `sets`, in which unions are recorded.
Output       numbers that stand for unions.
Invariant    a union takes constant time: it is recorded as a node with two parts, whose members are found later.
Elsewhere    programs that work on sets (`srcad.transforms.sweeps.index_set_mode`), and members (`srcad.sparse`).
"""

from srcad.runtime.kernels.index_sets.recorded_unions import (
    like,
    meet,
    new_sets,
    peek,
    poke,
    present,
    product,
    running,
    unite,
    unite_all,
    unite_along,
)

__all__ = [
    "like",
    "meet",
    "new_sets",
    "peek",
    "poke",
    "present",
    "product",
    "running",
    "unite",
    "unite_all",
    "unite_along",
]
