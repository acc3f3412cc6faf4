"""A Numba type for each name of a core function.

Input        a `Unit` and the types of its parameters.
Output       `Types`: a type for each name and for the result; types of single expressions; types again after a
             rewrite.
Invariant    a function that Numba cannot type raises `CannotType` with the place in the user's source.
Elsewhere    calling Numba (`runtime.jit.numba_inference`), types observed in a run (`normalise.observed_types`).
"""
