"""Kernels on matrices: products in reverse, decompositions, determinants, eigenvalues.

Input        matrices, and stacks of them.
Output       adjoints and tangents of matrix functions.
Invariant    operands lie in lines, by rows or by columns, before BLAS or LAPACK see them; others are copied.
Elsewhere    rules that call these (`runtime.rules.linalg`, `runtime.rules.decompositions`).
"""
