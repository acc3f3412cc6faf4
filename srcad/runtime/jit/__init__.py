"""Numba: type inference without compiling, dispatchers for generated text, and the folder of generated modules.

Input        the text of generated modules; Python functions with argument types.
Output       dispatchers; inferred types; modules stored on disk.
Invariant    a file in the cache is used only if everything that it depends on is the same.
Elsewhere    what is generated (`driver`).
"""
