"""The definitions of `scipy.interpolate`.

Input        the names of `runtime.rulebook`, and the kernels of `runtime.kernels.scipy`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    imported only once a program has imported `scipy.interpolate`.
Elsewhere    splines on a grid of pixels (`runtime.rules.scipy.ndimage`), `np.interp`.
"""

from srcad.runtime.rules.scipy.interpolate import basis_splines, fitted_splines, grids, piecewise

__all__ = ["basis_splines", "fitted_splines", "grids", "piecewise"]
