"""Facts about the loops of generated code: subscripts, accesses, what iterations pass on to each other.

Input        statements after differentiation, with types of names.
Output       affine subscripts, array accesses, alias classes, recurrences, whether iterations may be reordered.
Invariant    what is not proved counts as not so.
Elsewhere    facts about core form before differentiation (`analysis`), the rewrites that use these facts
             (`postoptimise`).
"""
