"""Lists whose length is known only at run time, and record arrays, as arrays of core form.

Input        comprehensions, `append` and its kin in loops, structured dtypes.
Output       arrays with room that grow, one for each leaf of an element.
Invariant    elements of one list have one form.
Elsewhere    short lists of known length (`lowering.structures`).
"""
