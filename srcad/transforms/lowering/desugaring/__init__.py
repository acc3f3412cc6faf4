"""Statements of Python in terms of fewer kinds of statement: loops over ranges, exits as branches.

Input        a tree of Python statements.
Output       the same with `for _ in range(...)`, `while`, `if` and assignments only.
Invariant    works on syntax alone, without the meaning of names.
Elsewhere    expressions (`lowering`, `lowering.calls`), structures (`lowering.structures`).
"""
