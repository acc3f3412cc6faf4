"""Small modules that the rest of the run time uses: the clock of passes, NumPy with less overhead, nested structures.

Input        values and types of NumPy and Python.
Output       the same.
Invariant    imports no other package of srcad but `errors`.
Elsewhere    anything that knows of derivatives.
"""
