"""Products of one derivative with several vectors at once, in vector mode.

Whether that pays depends on the function, and on whether eight times its vectors fit into the caches. So the time of
both ways is taken: single products first, until they have taken as long as it takes to compile the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from srcad.api import all_directions
from srcad.api.all_directions import lanes_of
from srcad.driver.version import Version
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.kernels.directions import WIDTH

Product = Callable[[Any], Any]


class VectorProducts:
    """The ways to the products of one derivative, and how long they have taken."""

    def __init__(self, is_compiled: bool) -> None:
        self._is_compiled, self._spent = is_compiled, 0.0
        self._single, self._block = np.inf, np.inf  # the least seconds that a product, and several at once, have taken
        self._held: tuple[Version, int, Callable[..., Any] | None] | None = None

    def timed(self, product: Product) -> Product:
        """The same products, with their time taken."""

        def product_in_time(vector: Any) -> Any:
            begun = time.thread_time()
            found = product(vector)
            taken = time.thread_time() - begun
            self._spent, self._single = self._spent + taken, min(self._single, taken)
            return found

        return product_in_time

    def pays(self, count: int) -> bool:
        """Whether so many products are to be tried in vector mode."""
        if not self._is_compiled or self._spent < all_directions.PAYS_AFTER or count < 2:
            return False
        blocks = -(-count // WIDTH)
        return self._block is np.inf or blocks * self._block < count * self._single

    def of_blocks(self, version: Version, index: int, args: Sequence[Any], blocks: Sequence[Any]) -> list[Any] | None:
        """The products with vectors that are the columns of blocks, as columns of blocks; None where that is not done.

        `index` is that of the generated function, and `args` are its arguments without the direction.
        """
        if self._held is None or self._held[0] is not version:
            self._held = version, index, lanes_of(version, index, len(args), which=0)
        routine = self._held[2]
        if routine is None:
            return None
        try:
            if self._block is np.inf:
                routine(*args, blocks[0])  # compiles it
            found = [self._timed_block(routine, args, block) for block in blocks]
        except CannotType:
            self._held = version, index, None
            self._is_compiled = False
            return None
        except Exception:  # noqa: BLE001 - single products raise it again where it is the function's own
            return None
        return found if all(np.isfinite(each).all() for each in found) else None

    def _timed_block(self, routine: Callable[..., Any], args: Sequence[Any], block: Any) -> Any:
        begun = time.thread_time()
        found = routine(*args, block)
        self._block = min(self._block, time.thread_time() - begun)
        return found[-1] if isinstance(found, tuple) else found


def in_blocks(vectors: Sequence[Any]) -> list[Any]:
    """Vectors as the columns of blocks; what remains of the last block is zero.

    >>> [each.shape for each in in_blocks([np.ones(3)] * 10)]
    [(3, 8), (3, 8)]
    """
    blocks = []
    for first in range(0, len(vectors), WIDTH):
        part = vectors[first : first + WIDTH]
        blocks.append(np.zeros((part[0].size, WIDTH)))
        for lane, vector in enumerate(part):
            blocks[-1][:, lane] = vector
    return blocks
