"""Kernels on matrices: products in reverse, decompositions, determinants, eigenvalues.

Input        matrices, and stacks of them.
Output       adjoints and tangents of matrix functions.
Invariant    operands are made contiguous before BLAS or LAPACK see them.
Elsewhere    rules that call these (`runtime.rules.linalg`, `runtime.rules.decompositions`).
"""
