"""Derivative rules of the tables as Python functions, on arrays, on tensors, or for many cotangents.

Input        a primitive, which of its inputs are wanted, what the choice of a rule depends on.
Output       a function from the adjoint of the result to those of the inputs.
Invariant    the rules are the compiler's; each is compiled once for the inputs that are wanted.
Elsewhere    the tables (`runtime.rules`), the loop that calls these functions (`core.reverse_sweep`).
"""
