"""`check_grads`: compare gradients with finite differences, element by element.

Central differences with two step widths are extrapolated; their disagreement is an estimate of the error. An element
counts as different only if srcad and the differences disagree by more than the tolerances and that error allow.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import typeof

from srcad.api.argument_binding import bind, refuse_single
from srcad.api.compiled_function import Function, function_of
from srcad.api.pytree_specialisation import Shape, shaped
from srcad.api.recorded_call import is_differentiable
from srcad.api.vjp_pair import Pair, pair_of
from srcad.api.wrt import among_arguments, positions, refuse_paths
from srcad.driver.options import Options, Without
from srcad.driver.version import Version
from srcad.errors import BadArgument, WrongGradient
from srcad.frontend.load_source import name_of, signature_of
from srcad.runtime.support.array_snapshots import snapshot
from srcad.runtime.support.structured_arguments import is_structured

_MOST_ELEMENTS = 1000
_SHOWN = 5


@dataclass(frozen=True)
class _Difference:
    where: str
    gradient: float
    expected: float


def check_grads(
    f: Callable[..., Any],
    args: Sequence[Any],
    wrt: int | str | tuple[int | str, ...] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    jit: bool = True,
    seed: int = 0,
    without: Without = (),
) -> None:
    """Compare reverse mode with finite differences. Raises `WrongGradient`, an AssertionError, if they differ.

    args        the arguments of `f`, which are not changed
    wrt         the arguments to differentiate with respect to; by default all that can have a derivative
    rtol, atol  tolerances; by default what differences in the arguments' precision allow, rtol=1e-6 for float64
    seed        seed of the random weights that are used if the result is more than one number
    without     compiler passes to leave out: "fuse", ("spot", "skip")

    For arguments with more than a thousand elements, a sample of the elements is compared.
    >>> check_grads(lambda x, k: k * x ** 3, (2.0, 0.5))
    """
    refuse_single(args, "args")
    f, wrt, args = among_arguments(f, wrt, args)
    options, signature = Options.of(without, function=f), signature_of(f)
    given, run = bind(signature, tuple(args), {}), f.__wrapped__ if isinstance(f, Function) else f
    if (taken := _taken_apart(run, given, jit)) is not None:
        places = taken[0].smooth if wrt is None else taken[0].wrt(positions(f, wrt)[0])
        check_grads(taken[0].flat, taken[1], places, rtol=rtol, atol=atol, jit=jit, seed=seed, without=options.without)
        return
    where = _plain_positions(f, given, wrt)
    expected = _called(run, signature, _copied(given))
    weights = _weights(expected, np.random.default_rng(seed))
    bars = _gradients(pair_of(run, where, jit, options).current(), name_of(run), given, expected, weights)
    tolerances, names = _tolerances([_dtype(given[place]) for place in where], rtol, atol), list(signature.parameters)
    found, compared = list[_Difference](), 0
    for place, bar in zip(where, bars, strict=True):
        pairs = list(_compare(run, signature, given, place, names[place], bar, weights, tolerances, seed))
        compared, found = compared + len(pairs), found + [each for each, differs in pairs if differs]
    if found:
        raise WrongGradient(_report(name_of(f), found, compared))


def _plain_positions(f: Callable[..., Any], given: tuple[Any, ...], wrt: Any) -> tuple[int, ...]:
    where = _differentiable(given) if wrt is None else positions(f, wrt)[0]
    if not where:
        raise BadArgument(f"no argument of {name_of(f)} can have a derivative", hint="pass floats, or arrays of floats")
    refuse_paths(f, where)
    return where


def _tolerances(kinds: list[Any], rtol: float | None, atol: float | None) -> tuple[float, float]:
    single = any(each in (np.float32, np.complex64) for each in kinds)
    return rtol or (2e-2 if single else 1e-6), atol or (1e-3 if single else 1e-8)


def _taken_apart(run: Callable[..., Any], given: tuple[Any, ...], jit: bool) -> tuple[Shape, list[Any]] | None:
    """The function of leaves and the leaves, if arguments or result are structures, else None."""
    always = not any(map(is_structured, given)) and function_of(run, jit).returns_structure
    return shaped(run, given, always)


def _gradients(
    made: tuple[Version, Pair], name: str, given: tuple[Any, ...], expected: Any, weights: Any
) -> tuple[Any, ...]:
    version, pair = made
    arguments = (*snapshot(given), *version.hidden())  # arguments that overlap do so in the copies
    value, trace = pair.forward(*arguments)
    _compare_values(name, value, expected)
    return pair.pullback(arguments, value, trace)(weights)


def _report(name: str, found: list[_Difference], compared: int) -> str:
    found.sort(key=lambda each: -_relative(each))
    lines = [f"the gradient of {name} differs from finite differences in {len(found)} of {compared} elements:"]
    for each in found[:_SHOWN]:
        lines.append(
            f"    {each.where}: gradient {each.gradient:.9g}, differences {each.expected:.9g} "
            f"(relative difference {_relative(each):.1e})"
        )
    return "\n".join(lines + ([f"    and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []))


def _relative(each: _Difference) -> float:
    scale = max(abs(each.gradient), abs(each.expected), 1e-300)
    off = abs(each.gradient - each.expected)
    return off / scale if np.isfinite(off) else np.inf


def _compare(
    run: Callable[..., Any],
    signature: inspect.Signature,
    given: tuple[Any, ...],
    place: int,
    name: str,
    bar: Any,
    weights: Any,
    tolerances: tuple[float, float],
    seed: int,
) -> Iterator[tuple[_Difference, bool]]:
    """For each element of one argument: the two numbers, and whether they differ."""
    value = given[place]

    def along(index: tuple[int, ...], step: complex) -> float:
        moved = list(_copied(given))
        if isinstance(value, np.ndarray):
            moved[place][index] += step
        else:
            moved[place] = type(value)(value + step)
        return _weighted(_called(run, signature, tuple(moved)), weights)

    if np.shape(bar) != np.shape(value):
        raise WrongGradient(f"the gradient by {name} has the shape {np.shape(bar)}, {name} has {np.shape(value)}")
    gradient = np.asarray(bar)
    for index in _sample(np.shape(value), seed):
        for unit, component in _units(gradient[index], _dtype(value)):
            expected, error = _slope(along, index, unit, np.asarray(value)[index])
            spot = f"{name}[{', '.join(map(str, index))}]" if index else name
            off = abs(component - expected)
            allowed = tolerances[1] + tolerances[0] * max(abs(expected), abs(component)) + 3.0 * error
            yield _Difference(spot + (", imaginary" if unit == 1j else ""), component, expected), not off <= allowed


def _slope(along: Callable[..., float], index: tuple[int, ...], unit: complex, at: Any) -> tuple[float, float]:
    """The derivative along one element, and an estimate of its error."""
    precision = np.finfo(at.dtype).eps
    step = float(precision**0.2) * max(1.0, abs(complex(at))) * 0.1
    wide, narrow = (
        (along(index, unit * each) - along(index, -unit * each)) / (2.0 * each) for each in (step, 0.5 * step)
    )
    best = (4.0 * narrow - wide) / 3.0
    # At a kink or a jump the widths disagree however small the step, so the estimate is bounded.
    return best, min(abs(narrow - wide) / 10.0, 1e-3 * abs(best))


def _units(gradient: Any, dtype: np.dtype[Any]) -> list[tuple[complex, float]]:
    """The directions of one element, and the gradient's component along each; complex gradients point uphill."""
    if dtype.kind != "c":
        return [(1.0, float(np.real(gradient)))]
    return [(1.0, float(np.real(gradient))), (1j, float(np.imag(gradient)))]


def _sample(shape: tuple[int, ...], seed: int) -> list[tuple[int, ...]]:
    size = int(np.prod(shape, dtype=int))
    if size <= _MOST_ELEMENTS:
        return list(np.ndindex(shape))
    drawn = np.sort(np.random.default_rng(seed).choice(size, _MOST_ELEMENTS, replace=False))
    return [tuple(int(axis) for axis in np.unravel_index(each, shape)) for each in drawn]


def _weights(value: Any, generator: np.random.Generator) -> Any:
    if isinstance(value, tuple):
        return tuple(_weights(each, generator) for each in value)
    if np.ndim(value) == 0 and not np.iscomplexobj(value):
        return 1.0
    drawn = generator.uniform(0.5, 1.5, np.shape(value))
    return drawn + 1j * generator.uniform(0.5, 1.5, np.shape(value)) if np.iscomplexobj(value) else drawn


def _weighted(value: Any, weights: Any) -> float:
    if isinstance(value, tuple):
        return sum(_weighted(each, weight) for each, weight in zip(value, weights, strict=True))
    total = np.sum(np.conj(weights) * np.asarray(value, np.complex128 if np.iscomplexobj(value) else np.float64))
    return float(np.real(total))


def _compare_values(name: str, value: Any, expected: Any) -> None:
    if isinstance(expected, tuple) and isinstance(value, tuple) and len(value) == len(expected):
        for part, other in zip(value, expected, strict=True):
            _compare_values(name, part, other)
        return
    close = np.shape(value) == np.shape(expected) and np.allclose(value, expected, rtol=1e-4, equal_nan=True)
    if not close:
        raise WrongGradient(f"the forward function of {name} gives {value!r}, {name} itself {expected!r}")


def _called(run: Callable[..., Any], signature: inspect.Signature, values: tuple[Any, ...]) -> Any:
    """The result for arguments in the order of the parameters, some of which may be keyword-only."""
    bound = inspect.BoundArguments(signature, dict(zip(signature.parameters, values, strict=True)))
    return run(*bound.args, **bound.kwargs)


def _copied(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in values)


def _differentiable(values: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(place for place, each in enumerate(values) if is_differentiable(typeof(each)))


def _dtype(value: Any) -> np.dtype[Any]:
    return np.asarray(value).dtype
