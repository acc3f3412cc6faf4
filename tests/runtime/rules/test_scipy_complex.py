"""Special functions of complex numbers, and with complex results, in programs of real numbers, against differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import signal, special

import srcad
from srcad.errors import MissingRule
from tests.runtime.rules.test_scipy_optimize import differences

POINT = (1.3, 0.7)


def lambert(x, y):
    return special.lambertw(x).real * y + np.sum(special.lambertw(np.array([-0.1 * x, -0.2 * y]), -1).real)


def harmonics(theta, phi):
    return np.abs(special.sph_harm_y(3, 2, theta, phi) + 0.3) ** 2 + special.sph_harm_y(2, -2, theta, phi).imag


def faddeeva(x, y):
    both = special.wofz(x + 1j * y).real + special.wofz(x * (1 + 0j)).imag
    return both + special.voigt_profile(x, y, 0.4) + special.voigt_profile(x, 0.7, y)


def hankel(x, y):
    outgoing = special.hankel1(1.5, x * y) + special.hankel1e(1.5, x * y)
    return np.abs(outgoing + 0.2j) + np.real(special.hankel2e(0.5, x + 1j * y) + special.hankel2(0.5, x + 1j * y))


def gammas(x, y):
    z = x + 1j * y
    ratio = special.loggamma(z).imag + special.gamma(z).real + special.rgamma(-z).imag
    return ratio + special.psi(-3.0 * x + 2j * y).real + special.psi(30.0 * z).imag


def errors(x, y):
    near = special.erf(x + 1j * y).real + special.log_ndtr(x - 3j * y).imag + special.erfcx(3.0 * x + 1j * y).real
    far = special.erfcx(9.0 * x + 30j * y).real + special.erfcx(-0.1 * x + 30j * y).imag
    return near + special.erfcx(-1.5 * x + 3j * y).imag + 100.0 * far


def bessel(x, y):
    return special.jv(1.5, x + 1j * y).imag + special.kv(0.5, x + 1j * y).real + special.exp1(x + 1j * y).real


PROGRAMS = (harmonics, gammas, errors, lambert, faddeeva, hankel, bessel)


@pytest.mark.parametrize(
    "f", [pytest.param(each, marks=() if k < 1 else pytest.mark.nightly) for k, each in enumerate(PROGRAMS)]
)
def test_derivatives_to_second_order_are_differences(f):
    gradient = srcad.grad(f, (0, 1), jit=False)
    np.testing.assert_allclose(gradient(*POINT), differences(f, *POINT), rtol=1e-6, atol=1e-8)
    second = srcad.hessian(f, (0, 1), jit=False)(*POINT)
    for k in range(2):
        expected = differences(lambda x, y, k=k: gradient(x, y)[k], *POINT)
        np.testing.assert_allclose(second[k], expected, rtol=1e-5, atol=1e-7)
    assert srcad.jvp(f, POINT, (0.3, -0.4), jit=False)[1] == pytest.approx(np.dot(gradient(*POINT), (0.3, -0.4)))


def test_a_filter_of_which_scipy_takes_the_real_parts_is_refused():
    with pytest.raises(MissingRule, match="savgol_filter of complex numbers"):
        srcad.grad(lambda x: np.sum(np.abs(signal.savgol_filter(x, 3, 1))), jit=False)(np.arange(5) + 1j)
