"""Snapshots in files: the oldest of a checkpointed loop, which its reverse sweep uses last.

Such an array is mapped into memory from a temporary file without a name (`numpy.memmap`): the system writes it out when
it needs the memory, and the file vanishes with the array, also after exceptions, or when the process is killed.
"""

from __future__ import annotations

import tempfile
from typing import Any

import numba
import numpy as np
from numba import objmode, types
from numba.extending import overload, register_jitable

from srcad.runtime.kernels.recording.binomial_checkpointing import snapshot


def in_file(value: Any) -> Any:
    """A row-major copy of an array in a temporary file.

    >>> found = in_file(np.array([1.0, 2.0]))
    >>> found.tolist(), type(found.base).__name__
    ([1.0, 2.0], 'memmap')
    """
    if not value.size:
        return np.array(value, order="C")
    with tempfile.TemporaryFile(prefix="srcad_") as file:
        kept = np.memmap(file, dtype=value.dtype, mode="w+", shape=value.shape)
    kept[...] = value
    return kept.view(np.ndarray)


def snapshot_at(value: Any, is_on_disk: bool) -> Any:
    """A row-major copy of an array, in memory or in a file.

    >>> snapshot_at(np.array([1.0, 2.0]), True)
    array([1., 2.])
    """
    return in_file(value) if is_on_disk else snapshot(value)


@overload(snapshot_at)
def _snapshot_at(value: Any, is_on_disk: Any) -> Any:
    kept = _in_object_mode(types.Array(value.dtype, value.ndim, "C"))

    def taken(value: Any, is_on_disk: Any) -> Any:
        if is_on_disk:
            return kept(value)
        return snapshot(value)

    return taken


def _in_object_mode(kind: types.Array) -> Any:
    """`in_file` for compiled code, with a result of this type; defined in no module, as in `sparse_systems`."""
    text = "def kept(value):\n    with objmode(found=kind):\n        found = in_file(value)\n    return found\n"
    namespace = {"objmode": objmode, "kind": kind, "in_file": in_file}
    exec(text, namespace)
    return numba.njit(namespace["kept"])


@register_jitable
def goes_to_disk(on_disk: list[bool], slot: int, most: int) -> bool:
    """Whether the next snapshot is kept in a file: where fewer than `most` are, apart from one that it replaces.

    >>> goes_to_disk([True, False], 2, 2), goes_to_disk([True, True], 2, 2), goes_to_disk([True, True], 1, 2)
    (True, False, True)
    """
    count = 0
    for k in range(len(on_disk)):
        count += int(on_disk[k] and k != slot)
    return count < most
