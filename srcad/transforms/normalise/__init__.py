"""Core form made fit for differentiation: SSA names, no optional values, no hidden aliases, resolved callees.

Input        a `Unit` fresh from lowering, and its types once they are known.
Output       a `Unit` in which each name has one store on each path, and its `Types`.
Invariant    what the program computes stays the same; what cannot be told apart is refused.
Elsewhere    speed (`optimise`), checkpointed loops (`checkpointing`).
"""
