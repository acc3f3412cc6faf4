"""What is recorded: `Tensor`, `Variable`, their operators, indexed slices.

Input        arrays and numbers.
Output       immutable values with an identity, by which tapes know them.
Invariant    an operator on them is one call of a primitive.
Elsewhere    what happens when one is called (`recording`).
"""
