"""The tape without its rules: tensors and variables, what is being recorded, and the reverse sweep.

    active_recordings           which tapes record in this thread, and what each of them follows
    operand, tensor, variable   array values with an identity, by which tapes know them
    node                        one recorded operation, through which derivatives pass
    reverse_sweep               from the adjoints of targets to those of sources, over the nodes, last to first

Input        operations on tensors and variables, in the block of a tape.
Output       nodes, and adjoints.
Invariant    nothing here knows a derivative: what computes and records a call fills in `arithmetic.hook`, and makes the
             nodes.
"""
