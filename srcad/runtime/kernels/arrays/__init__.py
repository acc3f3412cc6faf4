"""Kernels on arrays: broadcasting undone, axes, joins, scans, scatter, Fourier transforms.

Input        arrays and numbers.
Output       arrays and numbers.
Invariant    each runs under Python as it stands, and compiles in Numba where Numba can compile it.
Elsewhere    matrices (`linear_algebra`), the tape's own rules (`tape_rules`).
"""
