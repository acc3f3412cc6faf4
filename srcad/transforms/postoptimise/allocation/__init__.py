"""Where arrays of loops live: in memory that is allocated once, in the rows of a trace, in two buffers by turns.

Input        the code of one generated function.
Output       code that computes the same, with fewer allocations and copies in loops.
Invariant    no iteration sees what another has left in its memory, and nothing that is returned shares it.
Elsewhere    arrays that hold less (`array_contraction`), that take over the memory of dead ones (`buffer_reuse`).
"""
