"""Facts about the loops of generated code: subscripts, accesses, dependences between iterations.

Input        statements after differentiation, with types of names.
Output       affine subscripts, array accesses, alias classes, recurrences, whether iterations may be reordered.
Invariant    what is not proved counts as false.
Elsewhere    facts about core form before differentiation (`analysis`), the rewrites that use these facts
             (`postoptimise`).
"""
