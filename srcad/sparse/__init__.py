"""Sparse Jacobians and Hessians from few sweeps: `srcad.sparse_jacobian`, `srcad.sparse_hessian`.

Input        a function of a vector, a pattern or none; at each call, arguments.
Output       a `scipy.sparse.csr_array`; a `Plan`, which can be saved.
Invariant    what is returned agrees with a sweep along a random direction; else the pattern is found again, or refused.
Elsewhere    tangents and Hessian-vector products (`srcad.api`); sparse Jacobians for SciPy's solvers (`srcad.bridges`).
"""
