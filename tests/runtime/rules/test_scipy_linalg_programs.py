"""Functions of `scipy.linalg` and `integrate` in programs: gradients against differences."""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import integrate, linalg, stats

import srcad
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.support.nested_structures import flatten
from tests.night import by_day
from tests.runtime import scipy_linalg_samples, scipy_signal_samples
from tests.runtime.rules.test_rules import smooth_places
from tests.runtime.sample_points import Sample

INTEGRALS = {each: scipy_signal_samples.DEFINED[each] for each in (integrate.trapezoid, integrate.cumulative_trapezoid)}
CASES = [
    pytest.param(primitive, sample, id=f"{primitive_name(primitive).rpartition('.')[2]}-{number}")
    for primitive, samples in {**scipy_linalg_samples.DEFINED, **INTEGRALS}.items()
    if primitive_name(primitive).startswith("scipy.")
    for number, sample in enumerate(samples)
    if smooth_places(sample)
]
# Their kernels have no form in Numba.
UNCOMPILED = {"sqrtm", "logm", "solve_sylvester", "solve_continuous_lyapunov", "solve_discrete_lyapunov"}
UNCOMPILED |= {"solve_banded", "solveh_banded", "eigh", "eigh_tridiagonal"}
UNCOMPILED |= {"fractional_matrix_power", "tanhm"}
# In terms of others that are compiled by day.
LIKE_OTHERS = {"cosm", "sinm", "tanm", "coshm", "sinhm", "tanhm", "expm_frechet", "orthogonal_procrustes", "khatri_rao"}
LIKE_OTHERS |= {
    "matmul_toeplitz",
    "solve_circulant",
    "companion",
    "leslie",
    "fiedler",
    "convolution_matrix",
    "block_diag",
}
LIKE_OTHERS |= {"eig", "polar", "pinv", "eigvalsh_tridiagonal", "fiedler_companion", "lu", "lu_factor", "lu_solve"}
TURNING = {"eigh_tridiagonal"}  # with some LAPACKs its vectors point the other way at a point close by
HEADER = "import numpy as np\nimport scipy.integrate\nimport scipy.linalg\n\n\n"


def program(primitive: Any, sample: Sample, folder: Any) -> tuple[Any, list[Any]]:
    """A function of the smooth arguments of a sample: a number, which depends on all results."""
    names, smooth = list[str](), list[Any]()
    for place, value in enumerate(sample.args):
        is_smooth = place in smooth_places(sample)
        if isinstance(value, tuple) and any(isinstance(each, np.ndarray) for each in value):
            parts = []
            for each in value:
                parts.append(f"x{len(smooth)}" if isinstance(each, np.ndarray) else repr(each))
                smooth += [each] if isinstance(each, np.ndarray) else []
            names.append(f"({', '.join(parts)})")
        else:
            names.append(f"x{len(smooth)}" if is_smooth else repr(value))
            smooth += [value] if is_smooth else []
    keywords = "".join(f", {name}={value!r}" for name, value in sample.kwargs.items())
    call = f"{primitive_name(primitive)}({', '.join(names)}{keywords})"
    expected = primitive(*sample.args, **sample.kwargs)
    parts = [f"y[{k}]" for k in range(len(expected))] if isinstance(expected, tuple) else ["y"]
    kinds = [np.asarray(value).dtype.kind for value in flatten(expected)]
    kept = [part if kind == "f" else f"np.abs({part})" for part, kind in zip(parts, kinds, strict=True) if kind in "fc"]
    power = " ** 2" if primitive.__name__ in TURNING else ""
    total = " + ".join(f"np.sum(np.sin({part}{power}))" for part in kept)
    parameters = ", ".join(f"x{k}" for k in range(len(smooth)))
    path = folder / "program.py"
    path.write_text(f"{HEADER}def f({parameters}):\n    y = {call}\n    return {total}\n")
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f, smooth


def check(f: Any, smooth: list[Any], jit: bool) -> None:
    places = tuple(k for k, each in enumerate(smooth) if each.dtype.kind == "f")
    value, bars = srcad.value_and_grad(f, wrt=places, jit=jit)(*smooth)
    assert value == pytest.approx(f(*smooth), rel=1e-10)
    random = np.random.default_rng(3)
    towards = [random.normal(size=each.shape) if each.dtype.kind == "f" else 0 for each in smooth]
    there, back = (f(*(a + step * b for a, b in zip(smooth, towards, strict=True))) for step in (1e-6, -1e-6))
    slope = sum(np.sum(bar * towards[place]) for bar, place in zip(bars, places, strict=True))
    assert slope == pytest.approx((there - back) / 2e-6, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(("primitive", "sample"), CASES)
def test_uncompiled_gradients_are_differences(primitive, sample, tmp_path):
    check(*program(primitive, sample, tmp_path), jit=False)


def is_first_that_compiles(primitive: Any, sample: Sample) -> bool:
    """One sample of each function is compiled by day, of those that Numba has: others have the same kernels."""
    first = next(each.values[1] for each in CASES if each.values[0] is primitive)
    is_like_others = primitive_name(primitive).rpartition(".")[2] in LIKE_OTHERS
    return sample is first and not runs_uncompiled(primitive) and not is_like_others


def runs_uncompiled(primitive: Any) -> bool:
    return primitive_name(primitive).rpartition(".")[2] in UNCOMPILED


@pytest.mark.compiled
@pytest.mark.parametrize(("primitive", "sample"), by_day(CASES, is_first_that_compiles))
def test_compiled_gradients_are_differences(primitive, sample, tmp_path):
    with warnings.catch_warnings():
        if runs_uncompiled(primitive):
            warnings.simplefilter("ignore", srcad.PerformanceWarning)
        if any(np.ndim(each) == 3 for each in sample.args if not isinstance(each, tuple)):
            warnings.simplefilter("ignore")  # stacks, some of which run uncompiled, and products of their parts
        check(*program(primitive, sample, tmp_path), jit=True)


STACKED = np.stack([np.diag([3.0, 4.0, 5.0]) + 0.3 * np.cos(np.arange(9.0) + k).reshape(3, 3) for k in range(3)])
HERMITIAN = (STACKED + np.swapaxes(STACKED, 1, 2))[0] + 1j * (STACKED - np.swapaxes(STACKED, 1, 2))[0]
# Calls with stacks of matrices, and with complex ones: SciPy takes them all.
UNUSUAL = [
    *((each, STACKED) for each in ("inv(x, assume_a='pos')", "polar(x)[0]", "toeplitz(x)", "eigh(x)[1]", "sqrtm(x)")),
    *((each, STACKED) for each in ("hankel(x[0])", "circulant(x[0])", "solve_toeplitz(x[0], x[1])", "lu_factor(x)[0]")),
    *((each, STACKED) for each in ("solve_sylvester(x, x, x)", "cho_solve((x, True), x)")),
    *((each, STACKED) for each in ("solve_continuous_lyapunov(x, x)", "solve_discrete_lyapunov(0.1 * x, x)")),
    *((each, HERMITIAN) for each in ("solve(x, x[0], assume_a='pos')", "inv(x, assume_a='her')", "cholesky(x)")),
    *(
        (each, HERMITIAN)
        for each in ("toeplitz(x[0])", "solve_toeplitz(x[0], x[1])", "block_diag(x, x)", "polar(x)[1]")
    ),
    *((each, HERMITIAN) for each in ("eigh(x)[1]", "cho_solve((x, True), x)", "expm(x)", "eigvalsh(x, lower=False)")),
    *((each, HERMITIAN) for each in ("fiedler_companion(x[0])", "orthogonal_procrustes(x, x @ x)[0]")),
]


@pytest.mark.parametrize(
    ("call", "x"),
    [
        pytest.param(call, x, id=f"{call}-{x.dtype}", marks=() if k % 4 == 0 else pytest.mark.nightly)
        for k, (call, x) in enumerate(UNUSUAL)
    ],
)
def test_stacks_and_complex_matrices_are_right_or_refused(call, x, tmp_path):
    path = tmp_path / "unusual.py"
    value = "np.sum(np.sin(np.real(y)) + np.imag(y) + np.imag(y) ** 2)"
    path.write_text(f"{HEADER}def f(x):\n    y = scipy.linalg.{call}\n    return {value}\n")
    spec = importlib.util.spec_from_file_location("unusual", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    try:
        found, bar = srcad.value_and_grad(module.f, jit=False)(x)
    except NotImplementedError:
        return
    assert found == pytest.approx(module.f(x), rel=1e-9)
    towards = 1e-6 * np.conj(np.swapaxes(x, -1, -2)) * np.cos(x.real + np.swapaxes(x.real, -1, -2))
    towards = towards + np.conj(np.swapaxes(towards, -1, -2))
    slope = np.sum(np.real(np.conj(bar) * towards))
    assert slope == pytest.approx((module.f(x + towards) - module.f(x - towards)) / 2.0, rel=1e-5, abs=1e-12)


def by_density(a):
    spread = np.array([[a + 1.0, 0.2], [0.2, 1.0]])
    return stats.multivariate_normal.logpdf(np.array([a, 0.2]), np.zeros(2), spread)


def by_wishart(a):
    return stats.wishart.logpdf(np.array([[a + 1.0, 0.2], [0.2, a + 1.0]]), 4.0, np.eye(2) * a)


def by_exponential(a):
    return np.sum(linalg.expm(a * STACKED[0, :2, :2] * 0.2) ** 2)


def by_logarithm(a):
    return np.sum(linalg.logm(a * STACKED[0, :2, :2]) ** 3)


def by_factors(a):
    factor = np.linalg.cholesky(a * STACKED[0, :2, :2] @ STACKED[0, :2, :2].T)
    return np.sum(linalg.cho_solve((factor, True), np.ones((2, 2))) ** 2) + np.sum(linalg.eigh(a * factor)[1][0] ** 3)


SECOND = (by_density, by_exponential, by_wishart, by_logarithm, by_factors)


@pytest.mark.parametrize(
    "f", [pytest.param(each, marks=() if k < 1 else pytest.mark.nightly) for k, each in enumerate(SECOND)]
)
def test_second_derivatives_are_differences_of_first_ones(f):
    gradient = srcad.grad(f, jit=False)
    slope = (gradient(1.3 + 1e-5) - gradient(1.3 - 1e-5)) / 2e-5
    assert srcad.hessian(f, jit=False)(1.3) == pytest.approx(slope, rel=1e-6)
