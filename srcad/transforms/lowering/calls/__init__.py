"""Calls whose arguments or results are structures, iterators or functions, in terms of calls of primitives.

Input        a call with what is known of its arguments.
Output       core statements and the structure of the result.
Invariant    a call that is not understood is left to typing, or refused with a way out.
Elsewhere    inlining (`lowering.inlining`), calls that stay calls (`frontend.recursive_and_large_helpers`).
"""
