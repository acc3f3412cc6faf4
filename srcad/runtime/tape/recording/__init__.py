"""From a call on tensors to an entry of the tape, in three tiers.

    fast_operators          + - * / ** of a tensor with a tensor or a number, written by hand
    generated_recorders     any kind of call that was seen before, by a function written for that kind
    dispatch                every call; it has `generated_recorders` write the function for a new kind

Input        a primitive with its arguments.
Output       the result as a tensor, and an entry on each active tape that follows an input.
Invariant    all tiers append entries of the same form; what a tier does not handle it passes to the next one.
Elsewhere    what a node does in reverse (`reverse`).
"""
