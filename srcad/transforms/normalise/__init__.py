"""Core form prepared for differentiation: SSA names, no optional values, no hidden aliases, resolved callees.

Input        a `Unit` fresh from lowering, and its types once they are known.
Output       a `Unit` in which each name has one store on each path, and its `Types`.
Invariant    the program computes the same values; aliases that cannot be told apart are refused.
Elsewhere    speed (`optimise`), checkpointed loops (`checkpointing`).
"""
