"""`docs/coverage.md`: which functions of NumPy have which derivatives, found by trying.

    python -m srcad.tools.coverage > docs/coverage.md

Input        calls of NumPy's functions (`calls`), and which of them other libraries differentiate (`others`).
Output       a page in Markdown.
Invariant    every cell is found by differentiating the call and comparing with central differences.
Elsewhere    SciPy's functions (`srcad.tools.scipy_page`); the rules (`srcad.runtime.rules`).
"""
