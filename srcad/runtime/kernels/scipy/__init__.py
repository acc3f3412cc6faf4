"""Kernels of the derivatives of SciPy's functions, and these functions in Numba. Called as `kernels.scipy.name`.

Input        numbers, arrays.
Output       numbers, arrays.
Invariant    imported only by programs that use SciPy: this is the one package that imports it.
Elsewhere    the rules that call these kernels (`runtime.rules.scipy`).
"""

from srcad.runtime.kernels.scipy.bessel_functions import (
    ive_slope,
    kve_slope,
    spherical_in,
    spherical_jn,
    spherical_kn,
    spherical_yn,
)
from srcad.runtime.kernels.scipy.beta_functions import (
    beta_density,
    betainc_slope_a,
    betainc_slope_b,
)
from srcad.runtime.kernels.scipy.elliptic_and_integrals import (
    airy_ai,
    airy_ai_slope,
    airy_bi,
    airy_bi_slope,
    cosh_integral,
    cosine_integral,
    ellipe_slope,
    ellipeinc_slope,
    ellipk_slope,
    ellipkinc_slope,
    ellipkm1_slope,
    finite_or_zero,
    fresnel_c,
    fresnel_s,
    jacobi_amplitude,
    jacobi_cn,
    jacobi_dn,
    jacobi_sn,
    sine_integral,
    sinh_integral,
    spence_slope,
)
from srcad.runtime.kernels.scipy.error_functions import (
    dawsn_derivative,
    erfcx_derivative,
    exponential_moment,
)
from srcad.runtime.kernels.scipy.gamma_functions import (
    digamma_difference,
    gamma_density,
    gammainc_bend,
    gammainc_slope,
    hurwitz_zeta,
    hurwitz_zeta_slope,
    polygamma,
    reciprocal_gamma_slope,
    riemann_zeta,
    riemann_zeta_slope,
)

__all__ = [
    "airy_ai",
    "airy_ai_slope",
    "airy_bi",
    "airy_bi_slope",
    "beta_density",
    "betainc_slope_a",
    "betainc_slope_b",
    "cosh_integral",
    "cosine_integral",
    "dawsn_derivative",
    "digamma_difference",
    "ellipe_slope",
    "ellipeinc_slope",
    "ellipk_slope",
    "ellipkinc_slope",
    "ellipkm1_slope",
    "erfcx_derivative",
    "exponential_moment",
    "finite_or_zero",
    "fresnel_c",
    "fresnel_s",
    "gamma_density",
    "gammainc_bend",
    "gammainc_slope",
    "hurwitz_zeta",
    "hurwitz_zeta_slope",
    "ive_slope",
    "jacobi_amplitude",
    "jacobi_cn",
    "jacobi_dn",
    "jacobi_sn",
    "kve_slope",
    "polygamma",
    "reciprocal_gamma_slope",
    "riemann_zeta",
    "riemann_zeta_slope",
    "sine_integral",
    "sinh_integral",
    "spence_slope",
    "spherical_in",
    "spherical_jn",
    "spherical_kn",
    "spherical_yn",
]
