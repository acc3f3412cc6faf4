"""Expressions and statements of Python rewritten to core form, one primitive call to a statement.

Input        the resolved tree of a user's function.
Output       a block of core statements; structures whose form is known are taken apart into their parts.
Invariant    Python's order of evaluation is kept; a construct without a meaning in core form is refused with its
             place.
Elsewhere    reading source and meanings of names (`frontend`), types (`inference`).
"""
