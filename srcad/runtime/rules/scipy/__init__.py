"""The derivative rules of SciPy's functions: a package for each of SciPy's, imported once a program has imported that.

Input        the names of `runtime.rulebook`, and the kernels of `runtime.kernels.scipy`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    a program that does not import SciPy does not import this package.
Elsewhere    NumPy's functions (`runtime.rules`).
"""
