"""Optimisation before differentiation, where it pays twice: fusion, common subexpressions, invariant code.

Input        a normalised `Unit` with types.
Output       a `Unit` that computes the same, and the types of its new names.
Invariant    every pass may be left out: derivatives are then slower, never different.
Elsewhere    optimisation of generated code (`postoptimise`).
"""
