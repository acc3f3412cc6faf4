"""The intermediate representation: core form, and what every pass needs to read and build it.

Input        nothing but `gast` trees.
Output       `Unit`, builders and readers of statements, notes on nodes, facts about NumPy functions, the cost model.
Invariant    a leaf: imports no other package of `transforms`.
Elsewhere    types of names (`inference`), facts about programs (`analysis`).
"""
