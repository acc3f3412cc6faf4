"""Definitions of the methods of distributions in `scipy.stats`, written out from their formulas (`formulas`).

    def norm_logcdf(x, loc=0.0, scale=1.0):
        z = (x - loc) / scale
        return kernels.scipy.choose(scale > 0.0, special.log_ndtr(z), np.nan)

A method of a distribution is known by the distribution and its name: `stats.norm.logcdf` is the same wherever it is
looked up. Derivatives by a count are refused (`kernels.scipy.count`).
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence

import numpy as np
import scipy.special
import scipy.stats

from srcad.runtime import kernels
from srcad.runtime.rulebook.registry import partial, refused, zero
from srcad.runtime.rules.scipy.stats.discrete_formulas import DISCRETE
from srcad.runtime.rules.scipy.stats.forms import Continuous, Discrete
from srcad.runtime.rules.scipy.stats.formulas import COMMON
from srcad.runtime.rules.scipy.stats.further_formulas import FURTHER
from srcad.runtime.rules.scipy.written_out import define_by_text

CONTINUOUS = {**COMMON, **FURTHER}
_NAMES = {"np": np, "special": scipy.special, "kernels": kernels}


def _continuous(form: Continuous) -> Iterator[tuple[str, str, list[str]]]:
    """The methods of a continuous distribution: name, parameter, lines."""
    density = _inside(form, f"{form.log_density} - np.log(scale)", "-np.inf", "-np.inf")
    yield "logpdf", "x", density
    yield "pdf", "x", [*density[:-1], density[-1].replace("return ", "return np.exp(") + ")"]
    if form.cdf:
        yield "cdf", "x", _inside(form, form.cdf, "0.0", "1.0")
        yield "sf", "x", _inside(form, form.sf or f"1.0 - ({form.cdf})", "1.0", "0.0")
        sf = form.sf or f"1.0 - ({form.cdf})"
        logcdf, logsf = form.logcdf or _logarithm(form.cdf, sf), form.logsf or _logarithm(sf, form.cdf)
        yield "logcdf", "x", _inside(form, logcdf, "-np.inf", "0.0")
        yield "logsf", "x", _inside(form, logsf, "0.0", "-np.inf")
    for name, formula in (("ppf", form.ppf), ("isf", form.isf)):
        if formula:
            yield name, "q", [f"return loc + scale * ({formula})"]


def _all(tests: Sequence[str]) -> str:
    """The expression for all of several tests."""
    return functools.reduce(lambda one, other: f"np.logical_and({one}, {other})", tests)


def _where_valid(form: Continuous | Discrete, shapes: Sequence[str], parameter: str, lines: Sequence[str]) -> list[str]:
    """The lines of a method that returns nan for shapes, scales and probabilities that have no meaning."""
    tests = [f"{each} > 0.0" for each in shapes] if form.valid is None else [*form.valid]
    tests += ["scale > 0.0"] if isinstance(form, Continuous) else []
    given = ", ".join([parameter, *shapes, "loc", *(["scale"] if isinstance(form, Continuous) else [])])
    tests.append(f"kernels.scipy.are_real({given})")
    tests += ["q >= 0.0", "q <= 1.0"] if parameter == "q" else []
    value = lines[-1].removeprefix("return ")
    return [*lines[:-1], f"return kernels.scipy.choose({_all(tests)}, {value}, np.nan)"]


def _logarithm(value: str, rest: str) -> str:
    """The logarithm of a probability, of which the rest to 1 is given as well."""
    return f"kernels.scipy.choose({rest} < 0.5, special.xlog1py(1.0, -({rest})), special.xlogy(1.0, {value}))"


def _inside(form: Continuous, value: str, below: str, above: str) -> list[str]:
    """Lines that return a value in the support, and others below and above it."""
    lines = ["z = (x - loc) / scale"]
    tests = [f"z {'>' if form.is_open else '>='} {form.lowest}"] if form.lowest != "-np.inf" else []
    tests += [f"z {'<' if form.is_open_above else '<='} {form.highest}"] if form.highest != "np.inf" else []
    if not tests:
        return [*lines, f"return {value}"]
    lines += [f"inside = {_all(tests)}", f"y = kernels.scipy.choose(z <= {form.lowest}, {below}, {above})"]
    return [
        *lines,
        f"z = kernels.scipy.choose(inside, z, {form.inside})",
        f"return kernels.scipy.choose(inside, {value}, y)",
    ]


def _discrete(form: Discrete) -> Iterator[tuple[str, str, list[str]]]:
    """The methods of a discrete distribution."""
    ends = f"np.logical_and(k >= {form.lowest}, k <= {form.highest})"
    counts = [f"{each} = kernels.scipy.count({each})" for each in form.counts]
    counts = ["k = kernels.scipy.count(k - loc)", *counts]
    mass = [
        *counts,
        f"inside = np.logical_and({ends}, k == np.floor(k))",
        f"k = kernels.scipy.choose(inside, k, {form.inside or form.lowest})",
        f"return kernels.scipy.choose(inside, {form.log_mass}, -np.inf)",
    ]
    yield "logpmf", "k", mass
    yield "pmf", "k", [*mass[:-1], mass[-1].replace("return ", "return np.exp(") + ")"]
    if form.cdf:
        lines = [*counts, f"floor = np.maximum(np.floor(k), {form.lowest})"]
        values = {
            "cdf": (form.cdf, "0.0"),
            "sf": (form.sf, "1.0"),
            "logcdf": (_logarithm(form.cdf, form.sf), "-np.inf"),
            "logsf": (_logarithm(form.sf, form.cdf), "0.0"),
        }
        for name, (value, before) in values.items():
            yield name, "k", [*lines, f"return kernels.scipy.choose(k < {form.lowest}, {before}, {value})"]


def _define(name: str, method: str, head: str, lines: list[str]) -> None:
    """Define a method of a distribution by a function of these lines."""
    primitive = getattr(getattr(scipy.stats, name), method)
    define_by_text(primitive, f"scipy.stats.{name}.{method}", head, lines, _NAMES)


def _define_all() -> None:
    forms: dict[str, Continuous | Discrete] = {**CONTINUOUS, **DISCRETE}
    for name, form in forms.items():
        shapes = getattr(scipy.stats, name).shapes
        given = shapes.split(", ") if shapes else []
        is_discrete = isinstance(form, Discrete)
        rest = ["loc=0.0"] if is_discrete else ["loc=0.0", "scale=1.0"]
        for method, parameter, lines in _discrete(form) if isinstance(form, Discrete) else _continuous(form):
            valid = _where_valid(form, given, parameter, lines)
            _define(name, method, ", ".join([parameter, *given, *rest]), valid)


_define_all()
zero(kernels.scipy.are_real)


@partial(kernels.scipy.count)
def count(y, k):
    return refused  # a distribution of counts has no derivative by the count
