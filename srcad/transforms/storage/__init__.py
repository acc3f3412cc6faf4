"""What the reverse sweep has of the primal: still there, computed again, or recorded (the TBR analysis and its costs).

Input        a `Program` and the plan of its reverse sweep.
Output       `storage_decisions.Decisions`: for each value how the reverse sweep gets it, and where traces are kept.
Invariant    a value is recorded only where it is neither there nor cheap to compute again.
Elsewhere    checkpoints of whole loops (`checkpointing`).
"""
