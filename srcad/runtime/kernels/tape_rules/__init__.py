"""What the tape's own rules of composed NumPy functions are made of.

Input        arrays, or tensors where a tape records the derivative itself.
Output       arrays, or tensors.
Invariant    never called by generated code.
Elsewhere    the rules (`runtime.rules.tape_only`).
"""
