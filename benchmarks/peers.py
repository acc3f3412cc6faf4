"""What is timed: the workloads' functions and their gradients, by whom they are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np

import srcad
from benchmarks import by_hand
from benchmarks.workloads import WITH_SNAPSHOTS, WORKLOADS, Workload

FUNCTIONS = ("function", "fast function")
GRADIENTS = ("by hand", "srcad", "fast srcad", "jax")
NAMED = {each.name: each for each in WORKLOADS}


def made(workload: Workload, peer: str) -> Callable[..., Any]:
    """A workload's function or gradient, not compiled yet; `fast` ones with `fastmath=True`."""
    compiled = numba.njit(fastmath=peer.startswith("fast"))(workload.function)
    if peer in FUNCTIONS:
        return compiled
    if peer == "by hand":
        return numba.njit(by_hand.ADJOINTS[workload.name].py_func)
    if peer == "jax":
        from benchmarks.in_jax import gradient

        return gradient(workload.name, workload.wrt)
    if peer == "snapshots":
        return srcad.grad(WITH_SNAPSHOTS[workload.name], wrt=workload.wrt)
    return srcad.grad(compiled, wrt=workload.wrt)


def arguments(workload: Workload, size: int) -> tuple[Any, ...]:
    """A workload's arguments, the same each time."""
    return workload.arguments(size, np.random.default_rng(0))
