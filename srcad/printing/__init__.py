"""Syntax trees as text: the one printer.

Input        trees of generated functions, with comments.
Output       the text of a module, byte for byte the same for the same trees.
Invariant    no bracket that precedence makes idle; lines of at most 120 columns.
Elsewhere    names (`srcad.names`), colours (`tools.highlight`).
"""
