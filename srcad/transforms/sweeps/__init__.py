"""The generated functions: a gradient with both sweeps in one, a forward and a reverse function, a tangent.

Input        a unit with facts, the plan, the storage decisions.
Output       `Made`: functions, their names, what their free names mean.
Invariant    the reverse sweep reads the trace by index and leaves it as it is.
Elsewhere    optimising the result (`postoptimise`), printing it (`printing`).
"""
