"""Syntax trees to text.

Input        trees of generated functions, with comments.
Output       the text of a module, byte for byte the same for the same trees.
Invariant    the text parses to the tree that was printed; no redundant brackets; lines of at most 120 columns.
Elsewhere    names (`srcad.names`), colours (`highlight`).
"""
