"""Sample points for the rules of SciPy's functions, of the form of `samples`, which contains them all."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from srcad.runtime import kernels
from tests.runtime.sample_points import ABOVE, ANY, MATRIX, POSITIVE, ROW, SIGNED, UNIT, Sample, between, s

k = kernels.scipy
SHARE = between(0.1, 0.9, 4)  # probabilities, parameters of elliptic integrals
LARGE = np.array([8.5, 12.0, 40.0, 150.0])

# One argument, and where it may lie.
UNARY: dict[Any, Any] = {
    special.gamma: np.array([-1.7, -0.4, 0.6, 2.3]), special.gammaln: POSITIVE, special.loggamma: POSITIVE,
    special.psi: SIGNED, special.rgamma: SIGNED, k.reciprocal_gamma_slope: SIGNED,
    k.riemann_zeta: np.array([-4.3, -0.5, 0.4, 2.5]), special.zetac: ABOVE,
    special.erf: ANY, special.erfc: ANY, special.erfi: ANY, special.erfcx: SIGNED, special.dawsn: SIGNED,
    special.erfinv: UNIT, special.erfcinv: ABOVE / 2.0, special.ndtr: ANY, special.ndtri: SHARE,
    special.log_ndtr: np.array([-30.0, -4.0, 0.3, 5.0]), special.ndtri_exp: -POSITIVE,
    special.expit: ANY, special.logit: SHARE, special.log_expit: ANY, special.exp10: UNIT, special.exprel: SIGNED,
    special.exp2: ANY, special.expm1: ANY, special.log1p: POSITIVE, special.cbrt: SIGNED,
    special.sindg: 50.0 * SIGNED, special.cosdg: 50.0 * SIGNED,
    special.tandg: 20.0 * SIGNED, special.cotdg: 20.0 * SIGNED,
    special.wrightomega: SIGNED,
    special.ber: POSITIVE, special.bei: POSITIVE, special.ker: POSITIVE, special.kei: POSITIVE, special.berp: POSITIVE,
    special.beip: POSITIVE, special.kerp: POSITIVE, special.keip: POSITIVE,
    special.cosm1: ANY, special.entr: POSITIVE,
    special.j0: SIGNED, special.j1: SIGNED, special.y0: POSITIVE, special.y1: POSITIVE, special.i0: SIGNED,
    special.i1: SIGNED, special.k0: POSITIVE, special.k1: POSITIVE, special.i0e: SIGNED, special.i1e: SIGNED,
    special.k0e: POSITIVE, special.k1e: POSITIVE,
    k.airy_ai: SIGNED, k.airy_ai_slope: SIGNED, k.airy_bi: SIGNED, k.airy_bi_slope: SIGNED,
    special.ellipk: np.array([-2.0, 0.0, 0.4, 0.9]), special.ellipe: np.array([-2.0, 0.0, 0.4, 0.9]),
    special.ellipkm1: SHARE, k.ellipk_slope: SHARE, k.ellipkm1_slope: SHARE, k.ellipe_slope: SHARE,
    special.expi: SIGNED, special.exp1: POSITIVE, k.sine_integral: SIGNED, k.cosine_integral: POSITIVE,
    k.sinh_integral: SIGNED, k.cosh_integral: POSITIVE, k.fresnel_s: SIGNED, k.fresnel_c: SIGNED,
    k.log_gamma_ratio: np.array([0.3, 1.7, 19.0, 35.0]),
    special.spence: POSITIVE, k.spence_slope: POSITIVE, special.gammasgn: SIGNED, special.round: SIGNED,
}  # fmt: skip

# Two arguments by both of which there is a derivative.
BINARY: dict[Any, Any] = {
    special.beta: (POSITIVE, ABOVE), special.betaln: (POSITIVE, ABOVE), special.binom: (ABOVE + 2.0, POSITIVE),
    special.poch: (POSITIVE, ABOVE), k.digamma_difference: (POSITIVE, ABOVE), k.gamma_density: (POSITIVE, ABOVE),
    special.gammainc: (POSITIVE, ABOVE), special.gammaincc: (ABOVE, POSITIVE), special.gammaincinv: (ABOVE, SHARE),
    special.gammainccinv: (POSITIVE + 0.5, SHARE), k.gammainc_slope: (POSITIVE, ABOVE),
    k.hurwitz_zeta: (ABOVE, POSITIVE), special.stdtr: (ABOVE, SIGNED), special.stdtrit: (ABOVE, SHARE),
    k.t_density: (ABOVE, SIGNED),
    special.owens_t: (ANY, SIGNED), special.powm1: (POSITIVE, SIGNED), special.xlogy: (ANY, POSITIVE),
    special.xlog1py: (ANY, POSITIVE), special.rel_entr: (POSITIVE, ABOVE), special.kl_div: (POSITIVE, ABOVE),
    special.huber: (POSITIVE, np.array([-3.0, 0.1, 0.2, 2.5])), special.pseudo_huber: (POSITIVE, SIGNED),
    special.boxcox: (POSITIVE, SIGNED), special.boxcox1p: (POSITIVE, SIGNED),
    special.inv_boxcox: (POSITIVE, SHARE), special.inv_boxcox1p: (POSITIVE, SHARE),
    special.chdtr: (POSITIVE, ABOVE), special.chdtrc: (ABOVE, POSITIVE), special.chdtri: (ABOVE, SHARE),
    special.agm: (POSITIVE, ABOVE), special.elliprc: (POSITIVE, ABOVE),
    k.mean_log1p: (UNIT, SHARE), k.log_ndtr_between: (np.array([-1.7, -0.4, 0.6, -30.3]), ABOVE),
    k.skewnorm_cdf: (SIGNED, ANY), k.skewnorm_ppf: (SHARE, ANY), k.vonmises_cdf: (SIGNED, POSITIVE),
    k.vonmises_ppf: (SHARE, POSITIVE),
    special.ellipkinc: (SIGNED, SHARE), special.ellipeinc: (SIGNED, SHARE),
}  # fmt: skip


def by_last(*args: Any) -> list[Sample]:
    """Samples of a function with a derivative by its last argument only: the others are kept."""
    return [s(*args, fixed=tuple(range(len(args) - 1)))]


SAMPLES: dict[Any, list[Sample]] = {
    **{function: [s(x)] for function, x in UNARY.items()},
    **{function: [s(*xs)] for function, xs in BINARY.items()},
    k.choose: [s(ANY > 0.0, ANY, ROW), s(True, 0.3, 0.7)],
    special.gammainc: [s(POSITIVE, ABOVE), s(LARGE, LARGE[::-1] * 0.3 + 5.0), s(0.7, 1.3)],
    special.gammaincc: [s(ABOVE, POSITIVE), s(LARGE, LARGE * 1.2)],
    special.betainc: [s(POSITIVE, ABOVE, SHARE), s(LARGE, POSITIVE, SHARE), s(0.7, 1.3, 0.2)],
    special.betaincc: [s(POSITIVE, ABOVE, SHARE)],
    special.betaincinv: [s(POSITIVE, ABOVE, SHARE)],
    special.betainccinv: [s(POSITIVE, ABOVE, SHARE)],
    k.beta_density: [s(POSITIVE, ABOVE, SHARE)],
    k.betainc_slope_a: by_last(POSITIVE, ABOVE, SHARE),
    k.betainc_slope_b: by_last(POSITIVE, ABOVE, SHARE),
    k.stdtr_slope: by_last(ABOVE, SIGNED),
    k.count: [s(ANY, fixed=(0,))],
    k.vonmises_slope: [s(1, 0, SIGNED, POSITIVE), s(2, 1, SIGNED, 30.0 * POSITIVE)],
    k.gammainc_bend: by_last(POSITIVE, ABOVE),
    k.hurwitz_zeta_slope: by_last(ABOVE, POSITIVE),
    k.riemann_zeta_slope: [s(2.5, fixed=(0,))],
    k.polygamma: [s(0, SIGNED), s(1, SIGNED), s(2, POSITIVE), s(1, -23.4)],
    k.erfcx_derivative: [s(1, SIGNED), s(2, LARGE)],
    k.exponential_moment: [s(1, SIGNED), s(2, LARGE * 0.1), s(0, -LARGE)],
    k.dawsn_derivative: [s(1, SIGNED), s(2, LARGE)],
    **{each: [by_last(v, x)[0] for v, x in ((0.5, POSITIVE), (-1.3, ABOVE), (2.0, 0.7))] for each in (
        special.jv, special.yv, special.iv, special.kv, special.ive, special.kve, k.ive_slope, k.kve_slope)},
    special.yn: [s(2, POSITIVE), s(0, ABOVE)],
    special.kn: [s(2, POSITIVE), s(0, ABOVE)],
    **{each: [s(2, POSITIVE), s(0, ABOVE), s(1, 0.7)]
       for each in (k.spherical_jn, k.spherical_yn, k.spherical_in, k.spherical_kn)},
    k.ellipkinc_slope: [s(SIGNED, SHARE, fixed=(1,))],
    k.ellipeinc_slope: [s(SIGNED, SHARE, fixed=(1,))],
    **{each: [s(SIGNED, SHARE, fixed=(1,))] for each in (k.jacobi_sn, k.jacobi_cn, k.jacobi_dn, k.jacobi_amplitude)},
    special.elliprf: [s(POSITIVE, ABOVE, SHARE)],
    **{each: [*by_last(1.7, 1.2, SHARE), s(POSITIVE, ABOVE, SHARE)] for each in (
        special.gdtr, special.gdtrc, special.fdtr, special.fdtrc)},
    **{each: [s(np.array([0.0, 1.0, 3.5]), ABOVE[:3], fixed=(0,))] for each in (special.pdtr, special.pdtrc)},
    **{each: [s(np.array([0.0, 1.0, 3.5]), 6, SHARE[:3], fixed=(0,))] for each in (special.bdtr, special.bdtrc)},
    **{each: [s(2, 5, SHARE)] for each in (special.nbdtr, special.nbdtrc)},
    special.radian: [s(ANY, ROW, SIGNED)],
    **{each: by_last(1.5, ABOVE) for each in (
        special.jve, special.yve, special.struve, special.modstruve)},
    special.lpmv: [s(np.array([0, 1, 2, 1]), np.array([0, 1, 3, 2.5]), UNIT, fixed=(1,))],
    k.hyp1f1_slope_a: [s(0.7, 1.3, ANY, fixed=(0, 1))],
    k.hyp1f1_slope_b: [s(0.7, 1.3, ANY, fixed=(0, 1))],
    k.hyp2f1_slope_a: [s(0.7, 1.3, 2.1, UNIT, fixed=(0, 1, 2))],
    k.hyp2f1_slope_c: [s(0.7, 1.3, 2.1, UNIT, fixed=(0, 1, 2))],
    special.elliprd: [s(POSITIVE, ABOVE, SHARE, fixed=(0, 1, 2))],
    special.expn: [s(2, POSITIVE), s(1, POSITIVE), s(0, ABOVE)],
    **{each: [s(n, SHARE) for n in (0, 1, 4)] for each in (
        special.eval_legendre, special.eval_sh_legendre, special.eval_chebyt, special.eval_chebyu,
        special.eval_chebyc, special.eval_chebys, special.eval_sh_chebyt, special.eval_sh_chebyu,
        special.eval_hermite, special.eval_hermitenorm, special.eval_laguerre)},
    **{each: [s(n, 0.7, SHARE, fixed=(1,)) for n in (0, 1, 4)]
       for each in (special.eval_gegenbauer, special.eval_genlaguerre)},
    special.eval_jacobi: [s(n, 0.7, 1.2, SHARE, fixed=(1, 2)) for n in (0, 1, 4)],
    special.eval_sh_jacobi: [s(n, 2.7, 1.2, SHARE, fixed=(1, 2)) for n in (0, 1, 4)],
    special.hyp0f1: by_last(1.3, ANY),
    special.hyp1f1: [*by_last(0.7, 1.3, ANY), s(POSITIVE, ABOVE, 2.0 * ANY), s(-1.5, 0.3, ANY)],
    special.hyp2f1: [*by_last(0.7, 1.3, 2.1, UNIT), s(POSITIVE, 0.4, ABOVE, UNIT), s(-1.5, ABOVE, 0.3, -POSITIVE)],
    special.hyperu: by_last(0.7, 1.3, POSITIVE),
}  # fmt: skip

DEFINED: dict[Any, list[Sample]] = {
    special.polygamma: [s(0, POSITIVE), s(1, POSITIVE), s(3, ABOVE)],
    special.multigammaln: [s(3.7, 3), s(ABOVE + 1.0, 2)],
    special.zeta: [s(ABOVE), s(ABOVE, POSITIVE), s(np.array([-2.5, 0.3]))],
    special.logsumexp: [
        *(s(ANY), s(MATRIX), s(MATRIX, axis=1), s(MATRIX, 0, keepdims=True), s(MATRIX, axis=(0, 1))),
        *(s(MATRIX, 0, MATRIX**2), s(ANY, b=ROW, return_sign=True), s(np.array([-np.inf, 0.3]))),
    ],
    special.softmax: [s(ANY), s(MATRIX, axis=0), s(MATRIX)],
    special.log_softmax: [s(ANY), s(MATRIX, axis=1), s(MATRIX)],
    **{each: [s(2, POSITIVE), s(0, ABOVE, True), s(3, ABOVE, derivative=True)] for each in (
        special.spherical_jn, special.spherical_yn, special.spherical_in, special.spherical_kn)},
    special.airy: [s(SIGNED)],
    special.softplus: [s(20.0 * ANY)],
    special.diric: [s(SIGNED, 4), s(np.array([0.0, 2.0 * np.pi, 0.7]), 3), s(SIGNED, 7)],
    special.factorial: [s(np.array([0.0, 1.5, -1.0, 4.0])), s(4)],
    special.comb: [s(5.0, np.array([0.0, 2.0, 6.0, -1.0])), s(5.5, 2.0, repetition=True)],
    special.perm: [s(5.0, np.array([0.0, 2.0, 6.0, -1.0]))],
    **{each: [s(1.5, ABOVE), s(2.0, ABOVE, 0), s(0.5, ABOVE, 3)] for each in (
        special.jvp, special.yvp, special.ivp, special.kvp)},
    special.voigt_profile: [s(ANY, POSITIVE, ABOVE)],
    special.sph_harm_y: [s(2, 1, POSITIVE, ANY)],
    special.lambertw: [s(POSITIVE), s(-0.2 * SHARE, -1)],
    special.ellipj: [s(SIGNED, SHARE, fixed=(1,))],
    special.sici: [s(POSITIVE)],
    special.shichi: [s(POSITIVE)],
    special.fresnel: [s(SIGNED)],
}  # fmt: skip

# Functions whose derivative has none by one of the arguments, so that second derivatives are refused.
ONCE = {
    *(special.betainc, special.betaincc, special.betaincinv, special.betainccinv, special.elliprf, special.ellipkinc),
    *(special.hyp1f1, special.hyp2f1, special.chdtr, special.chdtrc, special.chdtri, special.gdtr, special.gdtrc),
    *(special.fdtr, special.fdtrc, special.agm, special.elliprc),
    *(special.ellipeinc, special.zetac, special.zeta, special.stdtr, special.stdtrit),
}

# Of complex numbers only.
COMPLEX = {
    *(special.wofz, special.hankel1, special.hankel2, special.hankel1e, special.hankel2e),
    *(k.lambert_w, k.spherical_harmonic),
}

# The derivative is 0 by definition.
DISCRETE = {
    *(k.finite_or_zero, special.roots_legendre, special.roots_chebyc, special.roots_chebys, special.roots_chebyt),
    *(special.roots_chebyu, special.roots_hermite, special.roots_hermitenorm, special.roots_laguerre),
    *(special.roots_sh_chebyt, special.roots_sh_chebyu, special.roots_sh_legendre),
}
