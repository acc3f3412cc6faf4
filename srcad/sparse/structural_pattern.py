"""The pattern of a Jacobian or Hessian from index sets, which one call of the function propagates.

Each value has the set of elements of the argument that it depends on, beside its number. Entries that are zero at the
point, or cancel each other, are in the pattern: it holds at all points where the call takes the same branches.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba import typeof
from numba.core.errors import NumbaError
from scipy.sparse import csr_array

from srcad.driver.version import Request, Version
from srcad.errors import SrcadError
from srcad.runtime.jit.dispatchers import plain
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.kernels import index_sets
from srcad.runtime.support.event_log import log
from srcad.sparse.compiled_loops import compiled_loop
from srcad.sparse.sparse_loops import members, pairs_of_members

_ROOM, _STEPS = 8, 400  # nodes for each element at first; steps of the search for members, for each node and element


def structural_pattern(
    version: Version, where: int, args: Sequence[Any], is_symmetric: bool, jit: bool, mode: str
) -> Any:
    """The pattern in CSR form, None where there are no index sets for what the function does.

    `version` is the function with the values that it captures now, and `where` the place of the vector among `args`;
    with the mode "pattern" the branches are those that the call takes, with "pattern_of_all" all that it might take.
    """
    width = int(args[where].size)
    try:
        sets, found = _propagated(version.asked(Request(mode, (where,))), where, args, is_symmetric, jit)
    except (SrcadError, CannotType, NumbaError) as problem:
        log.debug("%s has no index sets: %s", version.unit.name, problem)
        return None
    nodes, pairs = sets
    most = _STEPS * (int(nodes[0, 0]) + width + found.size)
    return _second(nodes, pairs, width, most) if is_symmetric else _first(nodes, found, width, most)


def _propagated(
    version: Version, where: int, args: Sequence[Any], is_symmetric: bool, jit: bool
) -> tuple[tuple[Any, Any], Any]:
    """The recorded unions, and the sets of the result, one after the other."""
    given = (*args, *version.hidden())
    kinds = tuple(plain(typeof(each)) for each in given)
    module, stored = version.module(kinds)
    routine = version.compiled(kinds)[0] if jit else vars(module)[stored.functions[0]]
    width = int(args[where].size)
    nodes, pairs = _ROOM * width, _ROOM * width * is_symmetric
    while True:
        sets = index_sets.new_sets(width, nodes, pairs)
        copied = [each.copy() if isinstance(each, np.ndarray) else each for each in given]
        found = routine(*copied, np.arange(1, width + 1), sets)
        needed = int(sets[0][0, 0]) - width, int(sets[1][0, 0]) * is_symmetric
        if needed[0] <= nodes and needed[1] <= pairs:
            return sets, np.concatenate([np.ravel(each) for each in found])
        nodes, pairs = max(nodes, needed[0]), max(pairs, needed[1])


def _first(nodes: Any, found: Any, width: int, most: int) -> Any:
    """The pattern of the Jacobian: the members of each set of the result."""
    starts, columns = compiled_loop(members)(nodes, width, found, most)
    return csr_array((np.ones(columns.size, bool), columns, starts), shape=(found.size, width)) if starts.size else None


def _second(nodes: Any, pairs: Any, width: int, most: int) -> Any:
    """The pattern of the Hessian: the members of sets that meet."""
    listed = pairs[:, 1 : pairs[0, 0] + 1]
    wanted, places = np.unique(listed, return_inverse=True)
    starts, columns = compiled_loop(members)(nodes, width, wanted, most)
    if not starts.size:
        return None
    one, other = places.reshape(listed.shape)
    rows, across = compiled_loop(pairs_of_members)(starts, columns, one, other, most)
    if not rows.size and listed.size:
        return None
    both = np.concatenate((rows, across)), np.concatenate((across, rows))
    made = csr_array((np.ones(both[0].size, bool), both), shape=(width, width))
    made.sum_duplicates()
    return made
