"""Checkpointed loops: the reverse sweep keeps snapshots instead of a trace of every iteration.

Input        loops over `srcad.checkpointed`, or loops that would record more than a bound.
Output       the loop as a call, and the derivative of one iteration with the functions that run it.
Invariant    the same derivative as without checkpoints; only the iterations that are being reversed have a trace.
Elsewhere    the schedule of snapshots (`runtime.kernels.recording.binomial_checkpointing`).
"""
