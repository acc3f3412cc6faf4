"""Functions of `scipy.fft`, `signal`, `spatial`, `interpolate` and `ndimage` in programs, some calls in each.

The derivative along a direction is compared with differences, in reverse and in forward mode, and twice.
"""

from __future__ import annotations

import importlib.util
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.fft
import scipy.ndimage
import scipy.signal

import srcad
from srcad.errors import MissingRule
from srcad.runtime.rulebook.rule_template import primitive_name
from tests.runtime import scipy_fft_samples, scipy_ndimage_samples, scipy_signal_samples, scipy_spatial_samples
from tests.runtime.rules.test_rules import smooth_places
from tests.runtime.sample_points import Sample

SIGNAL = scipy_signal_samples.DEFINED | {
    each: [*scipy_signal_samples.DEFINED[each], *samples] for each, samples in scipy_signal_samples.GIVEN.items()
}
TABLES = {
    "fft": scipy_fft_samples.DEFINED,
    "signal": SIGNAL,
    "spatial": scipy_spatial_samples.DEFINED,
    "ndimage": scipy_ndimage_samples.DEFINED,
}
HEADER = "".join(f"import {name}\n" for name in ("numpy as np", *(f"scipy.{each}" for each in (*TABLES, "integrate"))))
SIZE = 6  # calls in a program
# What runs uncompiled, with a warning: windows of any shape, and what SciPy designs.
UNCOMPILED = {
    *("maximum_filter", "minimum_filter", "median_filter", "rank_filter", "percentile_filter", "maximum_filter1d"),
    *("minimum_filter1d", "zoom", "rotate", "affine_transform", "stft", "istft", "welch", "csd", "periodogram"),
    *("spectrogram", "filtfilt", "sosfilt_zi", "sosfiltfilt", "decimate", "savgol_filter", "resample", "upfirdn"),
    *("freqz", "deconvolve", "gaussian", "kaiser", "jensenshannon", "detrend"),
}


def calls_of(table: dict[Any, list[Sample]], most: int | None = None) -> list[tuple[Any, Sample]]:
    """The calls of public functions in a table of samples, at most so many of each function."""
    public = [each for each in table if primitive_name(each).startswith("scipy.")]
    if most is not None:
        public = [each for each in public if each.__name__ not in UNCOMPILED]
    return [(each, sample) for each in public for sample in table[each][:most] if smooth_places(sample)]


GROUPS = [
    pytest.param(calls[k : k + SIZE], id=f"{name}-{k // SIZE}")
    for name, table in TABLES.items()
    for calls in [calls_of(table)]
    for k in range(0, len(calls), SIZE)
]
COMPILED = [
    pytest.param(calls[k : k + SIZE], id=f"{name}-{k // SIZE}")
    for name, table in TABLES.items()
    for calls in [calls_of(table, 1)]
    for k in range(0, len(calls), SIZE)
]


# Groups of calls that the plain suite takes as well.
PLAIN = ("fft-1", "signal-0", "signal-1", "spatial-0", "ndimage-1")


def program(calls: list[tuple[Any, Sample]], folder: Any) -> tuple[Any, list[Any]]:
    """A function that adds up the results of calls: of one tuple of their smooth arguments, and of all others."""
    smooth, kept, lines = list[Any](), list[Any](), list[str]()

    def name_of(value: Any, is_smooth: bool) -> str:
        if isinstance(value, tuple) and any(isinstance(each, np.ndarray) for each in value):
            return f"({', '.join(name_of(each, is_smooth) for each in value)},)"
        held = smooth if is_smooth else kept
        if not is_smooth and not isinstance(value, np.ndarray):
            return repr(value).replace("inf", "np.inf") if isinstance(value, float) else repr(value)
        held.append(value)
        return f"{'x' if is_smooth else 'c'}[{len(held) - 1}]"

    for number, (primitive, sample) in enumerate(calls):
        names = [name_of(value, place in smooth_places(sample)) for place, value in enumerate(sample.args)]
        names += [f"{name}={name_of(value, False)}" for name, value in sample.kwargs.items()]
        result = primitive(*sample.args, **sample.kwargs)
        lines.append(f"y{number} = {primitive_name(primitive)}({', '.join(names)})")
        several = isinstance(result, tuple)
        parts = {f"y{number}[{k}]": each for k, each in enumerate(result)} if several else {f"y{number}": result}
        for part, each in parts.items():
            is_complex = np.iscomplexobj(each)
            lines.append(f"s += np.sum(np.abs({part} - 0.3) ** 2)" if is_complex else f"s += np.sum(np.sin({part}))")
    text = "def f(x, c):\n    s = 0.0\n" + "".join(f"    {line}\n" for line in lines) + "    return s\n"
    path = folder / "program.py"
    path.write_text(f"{HEADER}\n\n{text}")
    spec = importlib.util.spec_from_file_location("program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f, [tuple(smooth), tuple(kept) or (1,)]


def along(x: Any, towards: Any, step: float) -> Any:
    return tuple(one + step * other for one, other in zip(x, towards, strict=True))


def dot(x: Any, y: Any) -> float:
    return sum(float(np.sum(np.real(one * np.conjugate(other)))) for one, other in zip(x, y, strict=True))


def direction(x: Any) -> Any:
    random = np.random.default_rng(3)
    return tuple(random.normal(size=np.shape(each)) * (1.0 + 0.5j if np.iscomplexobj(each) else 1.0) for each in x)


@pytest.mark.nightly
@pytest.mark.parametrize("calls", GROUPS)
def test_derivatives_are_differences_and_second_ones_those_of_gradients(calls, tmp_path):
    f, (x, kept) = program(calls, tmp_path)
    towards = direction(x)
    value, bars = srcad.value_and_grad(f, jit=False)(x, kept)
    assert value == pytest.approx(f(x, kept), rel=1e-10)
    expected = (f(along(x, towards, 1e-6), kept) - f(along(x, towards, -1e-6), kept)) / 2e-6
    assert dot(bars, towards) == pytest.approx(expected, rel=1e-6, abs=1e-6)
    _, tangent = srcad.jvp(f, (x, kept), (towards, None), jit=False)
    assert tangent == pytest.approx(dot(bars, towards), rel=1e-9, abs=1e-9)
    if any(map(np.iscomplexobj, x)):
        return
    bent = srcad.hvp(f, jit=False)(x, kept, towards)
    gradient = srcad.grad(f, jit=False)
    there, back = (gradient(along(x, towards, step), kept) for step in (1e-5, -1e-5))
    for one, plus, minus in zip(bent, there, back, strict=True):
        np.testing.assert_allclose(one, (plus - minus) / 2e-5, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("calls", [each for each in COMPILED if each.id in PLAIN])
def test_gradients_are_differences(calls, tmp_path):
    f, (x, kept) = program(calls, tmp_path)
    towards = direction(x)
    value, bars = srcad.value_and_grad(f, jit=False)(x, kept)
    assert value == pytest.approx(f(x, kept), rel=1e-10)
    expected = (f(along(x, towards, 1e-6), kept) - f(along(x, towards, -1e-6), kept)) / 2e-6
    assert dot(bars, towards) == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.nightly
@pytest.mark.compiled
@pytest.mark.parametrize("calls", COMPILED)
def test_compiled_gradients_are_those_of_uncompiled_code(calls, tmp_path):
    f, (x, kept) = program(calls, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error", srcad.PerformanceWarning)
        value, bars = srcad.value_and_grad(f)(x, kept)
    assert value == pytest.approx(f(x, kept), rel=1e-10)
    for one, other in zip(bars, srcad.grad(f, jit=False)(x, kept), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


RECORD = np.sin(0.4 * np.arange(40.0))
BY_RATES = {
    "fftfreq": lambda s: np.sum(np.fft.fftfreq(5, s) ** 2) + np.sum(np.fft.fftfreq(6, d=s)[1:3] * 3.0),
    "rfftfreq": lambda s: np.sum(np.fft.rfftfreq(5, s) ** 2) + np.sum(scipy.fft.rfftfreq(6, d=s)),
    "scipy.fft.fftfreq": lambda s: np.sum(scipy.fft.fftfreq(5, s) ** 3),
    "welch": lambda s: np.sum(np.sin(scipy.signal.welch(RECORD, s, nperseg=16))),
    "csd": lambda s: np.sum(scipy.signal.csd(RECORD, RECORD**2, s, nperseg=16, return_onesided=False)[0] ** 2),
    "periodogram": lambda s: np.sum(scipy.signal.periodogram(RECORD, s)[0] ** 2),
    "stft": lambda s: np.sum(scipy.signal.stft(RECORD, s, nperseg=16)[0] ** 2),
    "spectrogram": lambda s: np.sum(scipy.signal.spectrogram(RECORD, s, nperseg=16)[0] ** 2),
    "savgol_filter": lambda s: np.sum(scipy.signal.savgol_filter(RECORD, 7, 2, deriv=1, delta=s) ** 2),
    "savgol_filter wrapped": lambda s: scipy.signal.savgol_filter(RECORD, 7, 3, 2, s, mode="wrap")[3],
}


@pytest.mark.parametrize("name", BY_RATES)
def test_sampling_rates_and_spacings_have_derivatives(name):
    f, h = BY_RATES[name], 1e-5
    found = srcad.grad(f, jit=False)(0.7)
    assert found == pytest.approx((f(0.7 + h) - f(0.7 - h)) / (2.0 * h), rel=1e-6)
    assert srcad.jvp(f, (0.7,), (1.0,), jit=False)[1] == pytest.approx(found, rel=1e-12)


def test_the_parameter_of_a_window_is_refused():
    def f(beta):
        return np.sum(scipy.signal.welch(RECORD, window=("kaiser", beta), nperseg=16)[1])

    with pytest.raises(MissingRule, match="no derivative rule by its argument"):
        srcad.grad(f, jit=False)(0.7)


def test_one_element_without_its_trend_is_zero():
    """The value was nan, of 0 / 0."""
    one = np.array([2.0])
    assert srcad.jvp(lambda x: np.sum(scipy.signal.detrend(x)), (one,), (one,), jit=False) == (0.0, 0.0)


@pytest.mark.parametrize("axes", [(1, 0), (-1, 0)])
def test_axes_of_filters_in_another_order_than_the_arrays_are_refused(axes):
    weights = np.arange(6.0).reshape(3, 2)
    with pytest.raises(MissingRule, match="another order"):
        srcad.grad(lambda x: np.sum(scipy.ndimage.correlate(x, weights, axes=axes)), jit=False)(np.ones((4, 5)))
