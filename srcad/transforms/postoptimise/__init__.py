"""Optimisation of generated code: dead code, copies, loops and buffers, for Numba and LLVM.

Input        the code of one generated function.
Output       statements that compute the same, faster, and that read like written code.
Invariant    knows nothing of derivatives: takes any statements of this form.
Elsewhere    optimisation before differentiation (`optimise`), threads (`parallel`).
"""
