"""Rules of the distribution functions in `scipy.special`, in terms of incomplete gamma and beta functions.

By a count there is no derivative: SciPy rounds it down.
"""

import numpy as np
import scipy.special

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import partial, refused


@partial(scipy.special.chdtr)
def chdtr(y, v, x):
    return (
        0.5 * kernels.scipy.gammainc_slope(0.5 * v, 0.5 * x),
        0.5 * kernels.scipy.gamma_density(0.5 * v, 0.5 * x),
    )


@partial(scipy.special.chdtrc)
def chdtrc(y, v, x):
    return (
        -0.5 * kernels.scipy.gammainc_slope(0.5 * v, 0.5 * x),
        -0.5 * kernels.scipy.gamma_density(0.5 * v, 0.5 * x),
    )


@partial(scipy.special.chdtri)
def chdtri(x, v, p):
    density = kernels.scipy.gamma_density(0.5 * v, 0.5 * x)
    return -kernels.scipy.gammainc_slope(0.5 * v, 0.5 * x) / density, -2.0 / density


@partial(scipy.special.gdtr)
def gdtr(y, a, b, x):
    density = kernels.scipy.gamma_density(b, a * x)
    return x * density, kernels.scipy.gammainc_slope(b, a * x), a * density


@partial(scipy.special.gdtrc)
def gdtrc(y, a, b, x):
    density = kernels.scipy.gamma_density(b, a * x)
    return -x * density, -kernels.scipy.gammainc_slope(b, a * x), -a * density


@partial(scipy.special.pdtr)
def pdtr(y, k, m):
    return refused, -kernels.scipy.gamma_density(np.floor(k) + 1.0, m)


@partial(scipy.special.pdtrc)
def pdtrc(y, k, m):
    return refused, kernels.scipy.gamma_density(np.floor(k) + 1.0, m)


@partial(scipy.special.bdtr)
def bdtr(y, k, n, p):
    return refused, refused, -kernels.scipy.beta_density(np.floor(k) + 1.0, n - np.floor(k), p)


@partial(scipy.special.bdtrc)
def bdtrc(y, k, n, p):
    return refused, refused, kernels.scipy.beta_density(np.floor(k) + 1.0, n - np.floor(k), p)


@partial(scipy.special.nbdtr)
def nbdtr(y, k, n, p):
    return refused, refused, kernels.scipy.beta_density(1.0 * n, np.floor(k) + 1.0, p)


@partial(scipy.special.nbdtrc)
def nbdtrc(y, k, n, p):
    return refused, refused, -kernels.scipy.beta_density(1.0 * n, np.floor(k) + 1.0, p)


@partial(scipy.special.fdtr)
def fdtr(y, dfn, dfd, x):
    whole = dfd + dfn * x
    share = dfn * x / whole
    density = kernels.scipy.beta_density(0.5 * dfn, 0.5 * dfd, share) / (whole * whole)
    return (
        0.5 * kernels.scipy.betainc_slope_a(0.5 * dfn, 0.5 * dfd, share) + density * x * dfd,
        0.5 * kernels.scipy.betainc_slope_b(0.5 * dfn, 0.5 * dfd, share) - density * x * dfn,
        density * dfn * dfd,
    )


@partial(scipy.special.fdtrc)
def fdtrc(y, dfn, dfd, x):
    whole = dfd + dfn * x
    share = dfn * x / whole
    density = kernels.scipy.beta_density(0.5 * dfn, 0.5 * dfd, share) / (whole * whole)
    return (
        -0.5 * kernels.scipy.betainc_slope_a(0.5 * dfn, 0.5 * dfd, share) - density * x * dfd,
        -0.5 * kernels.scipy.betainc_slope_b(0.5 * dfn, 0.5 * dfd, share) + density * x * dfn,
        -density * dfn * dfd,
    )
