"""Products of matrices and vectors in generated code: which of them share a pass over memory.

Input        the code of one generated function, with products as calls.
Output       statements that compute the same.
Invariant    the primal's results, and what a choice depends on, are rounded as before.
Elsewhere    the kernels (`runtime.kernels.linear_algebra.shared_passes`).
"""
