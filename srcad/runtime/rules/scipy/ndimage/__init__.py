"""The definitions of `scipy.ndimage`.

Input        the names of `runtime.rulebook`, and the kernels of `runtime.kernels.scipy`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    imported only once a program has imported `scipy.ndimage`.
Elsewhere    filters of signals (`runtime.rules.scipy.signal`).
"""

from srcad.runtime.rules.scipy.ndimage import image_filters, interpolation

__all__ = ["image_filters", "interpolation"]
