"""The generated functions: both sweeps in one, forward and reverse apart, tangent.

Input        a unit with facts, the plan, the storage decisions.
Output       `Made`: functions, their names, what their free names mean.
Invariant    the reverse sweep reads the trace by index and leaves it as it is.
Elsewhere    tidying the result (`postoptimise`), printing it (`printing`).
"""
