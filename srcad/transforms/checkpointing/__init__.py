"""Loops of which the reverse sweep keeps snapshots, not a trace of every iteration.

Input        loops over `srcad.checkpointed`, or loops that would record more than a bound.
Output       the loop as a call, and the derivative of one iteration with the functions that run it.
Invariant    the same result as without checkpoints, with one iteration in memory.
Elsewhere    the schedule of snapshots (`runtime.kernels.recording.binomial_checkpointing`).
"""
