"""How the reverse sweep gets primal values: still there, computed again, or recorded (TBR analysis, minimum cut).

Input        a `Program` and the plan of its reverse sweep.
Output       `tbr_result.Decisions`: for each value how the reverse sweep gets it, and where traces are kept.
Invariant    a value is recorded only if it is neither still there nor cheap to compute again.
Elsewhere    checkpoints of whole loops (`checkpointing`).
"""
