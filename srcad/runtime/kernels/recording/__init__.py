"""Kernels for the trace: arrays and lists that grow, snapshots, checks of overlap, parts of parallel loops.

Input        values to be kept.
Output       the same values, read by index.
Invariant    a trace is read, never used up.
Elsewhere    the decision what is recorded (`transforms.storage`).
"""
