"""From a call on tensors to a node: three tiers, each faster and narrower than the next.

Input        a primitive with its arguments.
Output       the result as a tensor, and a node on each active tape that follows an input.
Invariant    `fast_operators` serve the commonest calls; `generated_recorders` are written for each kind of call;
             `dispatch` serves any call.
Elsewhere    what a node does in reverse (`reverse`).
"""
