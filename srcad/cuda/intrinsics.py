"""What a kernel has from its launch, as functions of core form: places in the grid, memory, barriers, atomics.

`kernel_source` puts them in place of the functions of `numba.cuda`, which have no meaning outside of a kernel. The
types of those that stay in core form are told to Numba's inference here; none of them is ever run.
"""

from __future__ import annotations

from typing import Any

from numba.core.extending import overload

AXES = ("x", "y", "z")
# name in core form -> how a kernel spells it
PLACES = {
    f"{name}_{axis}": spelling.format(axis=axis, ndim=k + 1)
    for name, spelling in (
        ("thread", "cuda.threadIdx.{axis}"),
        ("block", "cuda.blockIdx.{axis}"),
        ("block_dim", "cuda.blockDim.{axis}"),
        ("grid_dim", "cuda.gridDim.{axis}"),
    )
    for k, axis in enumerate(AXES)
}


def place(name: str) -> int:
    """The index of a thread or a block, or an extent of the launch; `name` is a key of `PLACES`."""
    return 0


def grid(axis: int) -> int:
    """The index of the thread in the whole grid."""
    return 0


def gridsize(axis: int) -> int:
    """The number of threads of the whole grid along an axis."""
    return 1


def array(number: int) -> Any:
    """A shared or local array: the one of this number in the kernel's list."""
    return None


def barrier() -> int:
    """`cuda.syncthreads()`."""
    return 0


def atomic_add(target: Any, index: Any, value: Any) -> int:
    """`cuda.atomic.add(target, index, value)`, whose result is not used."""
    return 0


for _each in (place, grid, gridsize, array, barrier, atomic_add):
    setattr(_each, "__srcad_primitive__", True)  # noqa: B010  an attribute that mypy does not know


@overload(barrier)  # type: ignore[untyped-decorator]
def _barrier() -> Any:
    return lambda: 0


@overload(atomic_add)
def _atomic_add(target, index, value):  # type: ignore[no-untyped-def]  # Numba compares the signatures
    return lambda target, index, value: 0
