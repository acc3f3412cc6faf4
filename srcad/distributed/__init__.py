"""Gradients of sums over chunks that other processes or machines compute: `srcad.distributed.map_gradient`.

Input: a function of parameters and a chunk, chunks, and processes, an executor or Dask.
Output: the gradient of the sum over all chunks.
Invariant: the sums are those of one binary tree over the chunks: results do not depend on who computes what, and when.
Elsewhere: one process that goes through batches is `srcad.batching`.
"""

from srcad.distributed.distributed_gradient import DistributedGradient, map_gradient

__all__ = ["DistributedGradient", "map_gradient"]
