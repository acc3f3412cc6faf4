"""The definitions of `scipy.signal`.

Input        the names of `runtime.rulebook`, and the kernels of `runtime.kernels.scipy`.
Output       nothing: rules are found again by `runtime.rulebook.registry`.
Invariant    imported only once a program has imported `scipy.signal`.
Elsewhere    filters of images (`runtime.rules.scipy.ndimage`).
"""

from srcad.runtime.rules.scipy.signal import filters, smoothing, spectra

__all__ = ["filters", "smoothing", "spectra"]
