"""Adjoint statements: what each statement of core form adds to the adjoints of what it reads.

Input        one core statement, its types, the derivative rule of its primitive.
Output       the statements of the reverse sweep for it, and the plan of the whole sweep.
Invariant    adds contributions; what was overwritten is the concern of `storage`.
Elsewhere    control flow in reverse (`sweeps`), rules (`runtime.rules`).
"""
