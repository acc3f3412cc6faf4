"""Integers and subscripts: which elements of arrays are accessed, when two accesses meet, what is never negative.

Input        statements, of core form or generated; what may alias is asked elsewhere.
Output       linear forms, index ranges, accesses, dependences and kills.
Invariant    a proof holds for all values of the symbols; what is not proved counts as false.
"""
