"""What runs: derivative rules, kernels that generated code calls, Numba dispatchers, the tape.

Input        values.
Output       values; for the compiler, rules and their templates.
Invariant    imports nothing of the compiler (`transforms`) nor of what lies above it.
Elsewhere    generating source (`transforms`, `driver`).
"""
