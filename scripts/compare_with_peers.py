"""Gradients of the calls on the coverage page, and of SciPy's, beside autograd's and JAX's, at the same points.

    python scripts/compare_with_peers.py > docs/peers.md

Needs an environment with autograd and jax. Writes counts, each call whose gradients differ by more than rounding, and
why. The calls that a library does not differentiate, or whose result is complex, are left out.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import srcad
from srcad.errors import SrcadError
from srcad.tools.coverage.calls import CALLS, OTHERS
from srcad.tools.coverage.trials import Call, arguments_of, defined

INTRODUCTION = """\
# Gradients beside those of autograd and JAX

Gradients of calls by all of their arguments, at one point each, uncompiled, in double precision
(`python scripts/compare_with_peers.py > docs/peers.md`, in an environment with both libraries): all calls on the
page on [coverage](coverage.md) that the other library differentiates, and those of SciPy of which it has its own.
A difference is what is above 1e-8, relative to 1 and the gradient.
"""


def peers() -> dict[str, tuple[Any, Callable[..., Any]]]:
    """Each library's NumPy, and its gradient by several arguments."""
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    autograd = importlib.import_module("autograd")
    return {
        "autograd": (importlib.import_module("autograd.numpy"), autograd.grad),
        "JAX": (importlib.import_module("jax.numpy"), jax.grad),
    }


# Why gradients differ, by a library and a part of the call. In each case srcad agrees with central differences.
TRIANGLE = "srcad differentiates by the triangle that is read; with symmetric parts both agree"
REASONS = {
    ("", "cholesky("): TRIANGLE,
    ("", "eigh("): TRIANGLE,
    ("", "eigvalsh("): TRIANGLE,
    ("", "multivariate_normal"): TRIANGLE,
    ("autograd", "where="): "autograd leaves `where` out of account",
    ("autograd", "np.full("): "autograd's differs from central differences, srcad's does not",
    ("autograd", "norm(v, np.inf)"): "autograd's is nan",
    ("autograd", "norm='forward'"): "autograd's differs from central differences, srcad's does not",
    ("JAX", "spence("): "JAX's is nan",
}
# Of SciPy: the function, and where its arguments lie (`p` positive, `u` between -1 and 1, `v` any, `s` a number).
SCIPY = {
    "special": [
        *("gammaln(p)", "digamma(p)", "gamma(p)", "beta(p, p + 1.0)", "betaln(p, p + 0.5)", "erf(v)", "erfc(v)"),
        *("erfinv(u)", "expit(v)", "logit(0.4 * u + 0.5)", "logsumexp(v)", "logsumexp(m, axis=1)", "i0(v)", "i1(v)"),
        *("i0e(v)", "i1e(v)", "j0(v)", "j1(v)", "jn(2, p)", "y0(p)", "y1(p)", "ndtr(v)", "ndtri(0.4 * u + 0.5)"),
        *("log_ndtr(v)", "xlogy(v, p)", "xlog1py(v, p)", "entr(p)", "rel_entr(p, p + 0.3)", "kl_div(p, p + 0.3)"),
        *("gammainc(p, p + 0.2)", "gammaincc(p, p + 0.2)", "polygamma(1, p)", "multigammaln(p + 2.0, 2)", "expi(v)"),
        *(
            "exp1(p)",
            "expn(2, p)",
            "zeta(p + 1.2, p)",
            "spence(p)",
            "log_softmax(v)",
            "softmax(v)",
            "betainc(p, 1.3, 0.3)",
        ),
    ],
    "stats": [
        *("norm.logpdf(v, 0.3, 1.2)", "norm.cdf(v)", "norm.logcdf(v)", "norm.ppf(0.4 * u + 0.5)", "norm.sf(v)"),
        *("t.logpdf(v, 3.0)", "gamma.logpdf(p, 2.0)", "beta.logpdf(0.4 * u + 0.5, 2.0, 3.0)", "chi2.logpdf(p, 3.0)"),
        *(
            "expon.logpdf(p)",
            "laplace.logpdf(v)",
            "logistic.logpdf(v)",
            "cauchy.logpdf(v)",
            "pareto.logpdf(p + 1.0, 2.0)",
        ),
        *("uniform.logpdf(0.4 * u + 0.5)", "truncnorm.logpdf(u, -2.0, 2.0)", "vonmises.logpdf(v, 1.4)"),
        *("multivariate_normal.logpdf(h, g, e)", "dirichlet.logpdf(h / np.sum(h), np.array([1.5, 2.0, 0.7]))"),
        *("poisson.logpmf(i, p)", "bernoulli.logpmf(i % 2, 0.4 * u + 0.5)", "binom.logpmf(i, 5, 0.4 * u + 0.5)"),
    ],
    "linalg": [
        *("solve(q, h)", "inv(q)", "det(q)", "cholesky(e)", "cho_solve((t, True), h)", "expm(0.3 * q)", "sqrtm(e)"),
        *("solve_triangular(t, h, lower=True)", "block_diag(q, k)", "toeplitz(v)", "svd(m, compute_uv=False)"),
        *("eigh(e)[0]", "lu(q)[2]", "polar(q)[0]", "solve_sylvester(q, e, q)", "pinv(m)"),
    ],
    "signal": [
        *("convolve(v, h)", "fftconvolve(v, h)", "correlate(v, h)", "convolve2d(m, k)", "detrend(v)"),
    ],
    "interpolate": ["RegularGridInterpolator((np.arange(3.0), np.arange(4.0)), m)(np.array([[0.3, 1.2], [1.7, 2.4]]))"],
    "integrate": ["trapezoid(m)", "trapezoid(m, axis=0)"],
}


class SciPyCall(Call):
    """A call of SciPy's function, of which `module` is the package."""

    def __init__(self, module: str, text: str) -> None:
        super().__init__(f"{module}.{text}")
        self.module = module
        self.plain = defined([*self.names, *self.others], [f"from scipy import {module}"], self.result)

    @property
    def result(self) -> str:
        """The number that is differentiated."""
        return f"np.sum(np.sin({self.text}))"


def peers_of(module: str) -> dict[str, Any]:
    """The modules of other libraries that have the names of a package of SciPy's."""
    found = {}
    for library, name in (("autograd", f"autograd.scipy.{module}"), ("JAX", f"jax.scipy.{module}")):
        with contextlib.suppress(ImportError):
            found[library] = importlib.import_module(name)
    return found


def gradient(library: tuple[Any, Callable[..., Any]], call: Call, arguments: list[Any], **modules: Any) -> list[Any]:
    """A library's gradient of the sum of sines of a call."""
    numpy, grad = library
    names = [*call.names, *call.others]
    text = f"def f({', '.join(names)}):\n    return np.sum(np.sin({call.text}))\n"
    space: dict[str, Any] = {"np": numpy, **modules}
    exec(text, space)
    return list(grad(space["f"], tuple(range(len(call.names))))(*arguments))


def calls() -> Iterator[tuple[Call, Any, dict[str, Any]]]:
    """The calls, srcad's gradients of them, and by library the modules that other gradients need."""
    for texts in CALLS.values():
        for text in texts:
            call = Call(text)
            if ";" not in text and not call.gives_complex(arguments_of(call)):
                yield call, call.function(), {name: {} for name in OTHERS if text in OTHERS[name]}
    for module, texts in SCIPY.items():
        for text in texts:
            of_scipy = SciPyCall(module, text)
            yield of_scipy, of_scipy.plain, {name: {module: each} for name, each in peers_of(module).items()}


def main() -> int:
    """Compare, and print a page; the number of differences for which there is no reason."""
    warnings.simplefilter("ignore")
    libraries = peers()
    compared, differences, left, unexplained = dict.fromkeys(libraries, 0), list[str](), list[str](), 0
    for call, function, modules in calls():
        arguments = arguments_of(call)
        for library, needed in modules.items():
            try:
                expected = gradient(libraries[library], call, arguments, **needed)
            except Exception as problem:  # noqa: BLE001  # what a library refuses is no matter of ours
                left.append(f"| {library} | `{call.text}` | {type(problem).__name__} |")
                continue
            try:
                found = srcad.grad(function, wrt=tuple(range(len(call.names))), jit=False)(*arguments)
            except SrcadError as problem:
                left.append(f"| srcad | `{call.text}` | {type(problem).__name__} |")
                continue
            compared[library] += 1
            apart = max(float(np.max(np.abs(a - b) / (1.0 + np.abs(b)))) for a, b in zip(found, expected, strict=True))
            if not apart < 1e-8:
                known = (why for (of, part), why in REASONS.items() if of in library and part in call.text)
                reason = next(known, "")
                unexplained += not reason
                differences.append(f"| {library} | `{call.text}` | {apart:.1e} | {reason or 'not explained'} |")
    counts = ", ".join(f"{count} with {library}'s" for library, count in compared.items())
    print(f"{INTRODUCTION}\n{counts} were compared; {len(differences)} differ.\n")
    print("## Differences\n\n| library | call | relative | reason |\n|---|---|---|---|")
    print("\n".join(differences))
    print("\n## Not compared\n\nA library raises an exception, or has no such function.\n")
    print("| library | call | exception |\n|---|---|---|")
    print("\n".join(left))
    return unexplained


if __name__ == "__main__":
    sys.exit(main() > 0)
