"""Work sharing: the iterations of `numba.prange` loops are divided among threads, in both sweeps.

Input        generated loops that stem from a `prange`.
Output       functions for parts of the iterations, and their call.
Invariant    sums are added in an order that does not depend on the number of threads; a loop is shared only if it is
             proved that its iterations are independent.
Elsewhere    loops that LLVM vectorises (`postoptimise`).
"""
