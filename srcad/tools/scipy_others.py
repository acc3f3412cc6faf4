"""Functions of SciPy that autograd and JAX differentiate, by the names of SciPy.

Read from autograd 1.9.1 and JAX 0.10.2, and tried: what raised an exception or gave zeros is left out, and so is what
SciPy has no function for. A name that a library differentiates, but not by all arguments, is in.
"""

from __future__ import annotations

_DENSITIES = "logpdf pdf"
_TAILS = "cdf sf logcdf logsf"

AUTOGRAD: dict[str, str] = {
    "scipy.special": (
        "beta betainc betaln digamma erf erfc erfcinv erfinv expit gamma gammainc gammaincc gammaln i0 i1 iv ive j0 j1 "
        "jn logit logsumexp multigammaln polygamma psi rgamma y0 y1 yn"
    ),
    "scipy.linalg": "cholesky solve_banded solve_sylvester solve_triangular sqrtm",
    "scipy.integrate": "odeint",
    "scipy.signal": "convolve",
    "scipy.stats.beta": f"{_DENSITIES} cdf",
    "scipy.stats.chi2": f"{_DENSITIES} cdf",
    "scipy.stats.dirichlet": _DENSITIES,
    "scipy.stats.gamma": f"{_DENSITIES} cdf",
    "scipy.stats.multivariate_normal": f"{_DENSITIES} entropy",
    "scipy.stats.norm": f"{_DENSITIES} {_TAILS}",
    "scipy.stats.poisson": "logpmf pmf cdf",
    "scipy.stats.t": f"{_DENSITIES} cdf logcdf",
}

JAX: dict[str, str] = {
    "scipy.special": (
        "beta betainc betaln boxcox boxcox1p comb dawsn digamma entr erf erfc erfcx erfinv exp1 expi expit expn "
        "factorial fresnel gamma gammainc gammaincc gammaln hyp1f1 hyp2f1 i0 i0e i1 i1e kl_div log_ndtr log_softmax "
        "loggamma logit logsumexp multigammaln ndtr ndtri owens_t poch polygamma rel_entr sici softmax spence "
        "sph_harm_y wofz xlog1py xlogy zeta"
    ),
    "scipy.linalg": (
        "block_diag cho_factor cho_solve cholesky circulant companion convolution_matrix det eigh eigh_tridiagonal "
        "expm expm_frechet fiedler fiedler_companion hankel inv leslie lu lu_factor lu_solve polar qr rsf2csf solve "
        "solve_sylvester solve_triangular svd toeplitz"
    ),
    "scipy.integrate": "trapezoid",
    "scipy.signal": "convolve convolve2d correlate correlate2d csd detrend fftconvolve istft stft welch",
    "scipy.ndimage": "map_coordinates",
    "scipy.interpolate": "RegularGridInterpolator",
    "scipy.fft": "dct dctn idct idctn",
    "scipy.optimize": "minimize",
    "scipy.sparse.linalg": "bicgstab cg gmres",
    "scipy.stats": "gaussian_kde sem",
    "scipy.stats.bernoulli": "logpmf pmf cdf",
    "scipy.stats.beta": f"{_DENSITIES} {_TAILS}",
    "scipy.stats.betabinom": "logpmf pmf",
    "scipy.stats.binom": "logpmf pmf",
    "scipy.stats.cauchy": f"{_DENSITIES} {_TAILS} ppf isf",
    "scipy.stats.chi2": f"{_DENSITIES} {_TAILS}",
    "scipy.stats.dirichlet": _DENSITIES,
    "scipy.stats.expon": f"{_DENSITIES} {_TAILS} ppf",
    "scipy.stats.gamma": f"{_DENSITIES} {_TAILS}",
    "scipy.stats.gennorm": f"{_DENSITIES} cdf",
    "scipy.stats.geom": "logpmf pmf",
    "scipy.stats.gumbel_l": f"{_DENSITIES} {_TAILS} ppf",
    "scipy.stats.gumbel_r": f"{_DENSITIES} {_TAILS} ppf",
    "scipy.stats.laplace": f"{_DENSITIES} cdf",
    "scipy.stats.logistic": f"{_DENSITIES} cdf sf ppf isf",
    "scipy.stats.multinomial": "logpmf pmf",
    "scipy.stats.multivariate_normal": _DENSITIES,
    "scipy.stats.nbinom": "logpmf pmf",
    "scipy.stats.norm": f"{_DENSITIES} {_TAILS} ppf isf",
    "scipy.stats.pareto": f"{_DENSITIES} {_TAILS} ppf",
    "scipy.stats.poisson": "logpmf pmf cdf entropy",
    "scipy.stats.t": _DENSITIES,
    "scipy.stats.truncnorm": f"{_DENSITIES} {_TAILS}",
    "scipy.stats.uniform": f"{_DENSITIES} cdf ppf",
    "scipy.stats.vonmises": _DENSITIES,
    "scipy.stats.wrapcauchy": _DENSITIES,
}

# Without a derivative in any sense, though JAX gives zeros or takes a number through.
NONE = {
    "scipy.special.bernoulli": "numbers of integers",
    "scipy.special.gammasgn": "a sign",
    "scipy.linalg.dft": "a constant matrix, as hadamard, helmert, hilbert, invhilbert, pascal and invpascal",
    "scipy.stats.bernoulli.ppf": "a count, as every quantile of a discrete distribution",
    "scipy.stats.rankdata": "ranks change by jumps",
    "scipy.stats.mode": "the most frequent value changes by jumps",
    "scipy.cluster.vq.vq": "an assignment changes by jumps",
    "scipy.optimize.linear_sum_assignment": "an assignment changes by jumps",
    "scipy.optimize.linprog": "the solution is a corner, which stays or jumps",
}

# Differentiated by another library, and not here.
MISSING = {
    "scipy.linalg.rsf2csf": "a complex form of a real one that has no derivative: schur has none in JAX either",
    "scipy.signal.csd": "spectral densities between signals",
    "scipy.signal.welch": "spectral densities",
    "scipy.signal.stft": "write it with np.fft",
    "scipy.signal.istft": "write it with np.fft",
    "scipy.ndimage.map_coordinates": "interpolation between pixels",
    "scipy.interpolate.RegularGridInterpolator": "interpolation on grids",
}
