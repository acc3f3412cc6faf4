"""From a call on tensors to a node of the tape, by the rule tables.

Input        a primitive with its arguments.
Output       the result as a tensor, and a node on each active tape that follows an input.
Invariant    what a call's kind determines is found out once, in its plan; a node holds the call, not its derivative.
Elsewhere    what recordings, nodes and sweeps are (`core`); rules as functions (`reverse`).
"""
