"""Iterations of `numba.prange` shared out among threads, in the primal and in the reverse sweep.

Input        generated loops that stem from a `prange`.
Output       functions for parts of the iterations, and their call.
Invariant    sums are added in an order that does not depend on the number of threads.
Elsewhere    loops that LLVM vectorises (`postoptimise`).
"""
