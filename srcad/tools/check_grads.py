"""`check_grads`: compare gradients with finite differences, element by element, and the adjoint with the tangent.

The verdict on each element is *right*, *wrong*, or *not reliable*: differences do not tell, because of a kink, a jump,
noise or a value that is not finite. Most elements are settled by four values of the function. Where these disagree with
the gradient, `finite_differences.slope` looks at steps of many sizes and estimates its own error; only a difference
that is many times that error is wrong. Beside it stands the dot-product test, which needs no differences: for a random
direction v and the weights w of the result, <w, J v> from forward mode is <J' w, v> from reverse mode.

What is not finite is looked for in debug mode, which finds the line.
"""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import typeof

from srcad.api.argument_binding import bind, refuse_single
from srcad.api.compiled_function import Function, function_of
from srcad.api.derivative_object import made
from srcad.api.pytree_specialisation import Shape, shaped
from srcad.api.recorded_call import is_differentiable
from srcad.api.vjp_pair import pair_of
from srcad.api.wrt import among_arguments, positions, refuse_paths
from srcad.driver.options import Options, Without
from srcad.driver.version import Request, Version
from srcad.errors import BadArgument, NonFinite, SrcadError, UnreliableDifferences, WrongGradient
from srcad.frontend.load_source import name_of, signature_of
from srcad.runtime.jit.numba_inference import CannotType
from srcad.runtime.support.array_snapshots import snapshot
from srcad.runtime.support.debug_mode import debug
from srcad.runtime.support.structured_arguments import is_structured
from srcad.tools.finite_differences import Slope, quick_slope, slope
from srcad.tools.work_progress import note, working

_MOST_ELEMENTS = 1000
_MOST_FOUND = 32  # elements that are settled with steps of many sizes; others are taken to be as the last of them
_SHOWN = 5
_MOST_NUMBERS = 6  # components of each argument whose numbers are kept

# Functions that read one triangle of a matrix, which stands for a symmetric one.
_READS_TRIANGLE = re.compile(r"\b(cholesky|eigh|eigvalsh|cho_factor|cho_solve)\b")


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
    boundscheck: bool | None = None,
) -> None:
    """Compare reverse mode with finite differences and with forward mode.

    args        the arguments of `f`, which are not changed
    wrt         the arguments to differentiate with respect to; by default all that can have a derivative
    rtol, atol  tolerances; by default rtol=1e-6 for float64 and 2e-2 for float32, and atol as small against the largest
                element of the gradient. The estimated error of the differences is allowed in any case
    seed        seed of the random weights that are used if the result is more than one number
    without     compiler passes to leave out: "loop_order", ("loop_order", "dead_code")
    boundscheck False leaves out the checks that indices are in range

    Raises `WrongGradient`, an AssertionError, where the gradient is wrong. Where differences do not tell (kinks, jumps,
    noise), it warns with `UnreliableDifferences` and says why. For arguments with more than a thousand elements, a
    sample of the elements is compared. A symmetric matrix of which the function reads one triangle, as
    `np.linalg.cholesky` does, is moved symmetrically.

    >>> check_grads(lambda x, k: k * x ** 3, (2.0, 0.5))
    """
    checked(f, args, wrt, rtol=rtol, atol=atol, jit=jit, seed=seed, without=without, boundscheck=boundscheck).tell()


def checked(
    f: Callable[..., Any],
    args: Sequence[Any],
    wrt: int | str | tuple[int | str, ...] | None = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    jit: bool = True,
    seed: int = 0,
    without: Without = (),
    boundscheck: bool | None = None,
) -> Check:
    """What `check_grads` finds, before it tells."""
    refuse_single(args, "args")
    f, wrt, args = among_arguments(f, wrt, args)
    options, signature = Options.of(without, function=f, boundscheck=boundscheck), signature_of(f)
    given, run = bind(signature, tuple(args), {}), f.__wrapped__ if isinstance(f, Function) else f
    if (taken := _taken_apart(run, given, jit)) is not None:
        places = taken[0].smooth if wrt is None else taken[0].wrt(positions(f, wrt)[0])
        how: dict[str, Any] = {"jit": jit, "without": options.without, "boundscheck": options.boundscheck}
        return checked(taken[0].flat, taken[1], places, rtol=rtol, atol=atol, seed=seed, **how)
    check = Check(run, name_of(f), signature, given, _plain_positions(f, given, wrt), jit, options, seed)
    check.tolerances = _tolerances([_dtype(given[place]) for place in check.where], rtol, atol)
    with working(), np.errstate(all="ignore"):
        check.run_all()
    return check


def _plain_positions(f: Callable[..., Any], given: tuple[Any, ...], wrt: Any) -> tuple[int, ...]:
    where = _differentiable(given) if wrt is None else positions(f, wrt)[0]
    if not where:
        raise BadArgument(f"no argument of {name_of(f)} can have a derivative", hint="pass floats, or arrays of floats")
    refuse_paths(f, where)
    return where


def _tolerances(kinds: list[Any], rtol: float | None, atol: float | None) -> tuple[float, float | None]:
    single = any(each in (np.float32, np.complex64) for each in kinds)
    return rtol or (2e-2 if single else 1e-6), atol


def _taken_apart(run: Callable[..., Any], given: tuple[Any, ...], jit: bool) -> tuple[Shape, list[Any]] | None:
    """The function of leaves and the leaves, if arguments or result are structures, else None."""
    always = not any(map(is_structured, given)) and function_of(run, jit).returns_structure
    return shaped(run, given, always)


@dataclass(frozen=True)
class _Finding:
    """An element of which the gradient is wrong, or is not settled, with the slope that differences give."""

    where: str
    gradient: float
    expected: Slope
    is_wrong: bool

    @property
    def relative(self) -> float:
        """The difference, relative to the larger number."""
        scale = max(abs(self.gradient), abs(self.expected.value), 1e-300)
        off = abs(self.gradient - self.expected.value)
        return float(off / scale) if np.isfinite(off) else np.inf

    def __str__(self) -> str:
        if self.is_wrong:
            numbers = f"gradient {self.gradient:.9g}, differences {self.expected.value:.9g}"
            return f"    {self.where}: {numbers} (relative difference {self.relative:.1e})"
        return f"    {self.where}: gradient {self.gradient:.9g}; {self.expected.reason or self._noise()}"

    def _noise(self) -> str:
        return f"differences give {self.expected.value:.9g} with an error of about {self.expected.error:.1g}"


@dataclass(frozen=True)
class _Element:
    """One direction to move an argument along, and the component of the gradient along it."""

    where: str
    moves: tuple[tuple[tuple[int, ...], complex], ...]
    component: float
    size: float


@dataclass(frozen=True)
class Compared:
    """A component of the gradient, and the slope from four values of the function."""

    where: str
    gradient: float
    expected: Slope


class Check:
    """One comparison: a function at a point, its gradient there, and what has been found.

    `numbers` are the first components with what differences give for them, `sides` the two sides of the dot-product
    test: None where there is no forward mode.
    """

    tolerances: tuple[float, float | None]

    def __init__(
        self,
        run: Callable[..., Any],
        name: str,
        signature: inspect.Signature,
        given: tuple[Any, ...],
        where: tuple[int, ...],
        jit: bool,
        options: Options,
        seed: int,
    ) -> None:
        self.run, self.name, self.signature, self.given = run, name, signature, given
        self.where, self.jit, self.options, self.seed = where, jit, options, seed
        self.found = list[_Finding]()
        self.compared = 0
        self.numbers, self.room = list[Compared](), 0
        self.sides: tuple[float, float] | None = None
        self.born, self.disagreement = "", ""

    def run_all(self) -> None:
        """Compare all elements of the gradient."""
        expected = self.called(_copied(self.given))
        generator = np.random.default_rng(self.seed)
        self.weights = _weights(expected, generator)
        version, bars = self.gradients()
        if not all(np.all(np.isfinite(bar)) for bar in bars) or not _is_finite(expected):
            self.born = self.where_born(self.gradients)
        names = list(self.signature.parameters)
        for place, bar in zip(self.where, bars, strict=True):
            self.compare(place, names[place], bar, version)
        self.compare_modes(bars, generator)

    def gradients(self, given: tuple[Any, ...] | None = None) -> tuple[Version, tuple[Any, ...]]:
        """The adjoints of the arguments, at another point if one is given, and the version that they are of."""
        point = self.given if given is None else given
        version, pair = pair_of(self.run, self.where, self.jit, self.options).current()
        arguments = (*snapshot(point), *version.hidden())  # arguments that overlap do so in the copies
        value, trace = pair.forward(*arguments)
        _compare_values(self.name, value, self.called(_copied(point)))
        return version, pair.pullback(arguments, value, trace)(self.weights)

    def called(self, values: tuple[Any, ...]) -> Any:
        """The result for arguments in the order of the parameters, some of which may be keyword-only."""
        bound = inspect.BoundArguments(self.signature, dict(zip(self.signature.parameters, values, strict=True)))
        return self.run(*bound.args, **bound.kwargs)

    def where_born(self, call: Callable[[], Any]) -> str:
        """Where a call makes its first NaN or infinity; empty where that is not found."""
        try:
            with debug():
                call()
        except NonFinite as problem:
            return str(problem)
        except (SrcadError, CannotType):
            pass
        return ""

    def compare(self, place: int, name: str, bar: Any, version: Version) -> None:
        """Compare the gradient by one argument."""
        value = self.given[place]
        if np.shape(bar) != np.shape(value):
            raise WrongGradient(f"the gradient by {name} has the shape {np.shape(bar)}, {name} has {np.shape(value)}")
        gradient, precision = np.asarray(bar), float(np.finfo(_dtype(value)).eps)
        finite = np.abs(gradient[np.isfinite(gradient)])
        largest = float(finite.max()) if finite.size else 0.0
        self.room = len(self.numbers) + _MOST_NUMBERS
        is_symmetric = _is_symmetric(value) and _READS_TRIANGLE.search("\n".join(version.unit.sources)) is not None
        elements = list(_elements(name, gradient, value, is_symmetric, self.seed))
        for count, element in enumerate(elements, 1):
            note(f"comparing {name} with differences, element {count:,} of {len(elements):,}")
            self.compared += 1
            finding = self.judged(element, self.along(place, element), largest, precision)
            if finding is not None:
                self.found.append(finding)

    def along(self, place: int, element: _Element) -> Callable[[float], float]:
        """The weighted result as a function of the step along an element; NaN where it raises beside the point."""
        value = self.given[place]

        def moved(step: float) -> tuple[Any, ...]:
            values = list(_copied(self.given))
            for index, unit in element.moves:
                if isinstance(value, np.ndarray):
                    values[place][index] += step * unit
                else:
                    values[place] = type(value)(value + step * unit)
            return tuple(values)

        def weighted(step: float) -> float:
            try:
                found = _weighted(self.called(moved(step)), self.weights)
            except (ArithmeticError, ValueError):  # outside of what the function accepts
                return np.nan
            if not np.isfinite(found) and not self.born:
                self.born = self.where_born(lambda: function_of(self.run, self.jit, self.options)(*moved(step)))
            return found

        return weighted

    def judged(
        self, element: _Element, along: Callable[[float], float], largest: float, precision: float
    ) -> _Finding | None:
        """What is wrong or not settled about an element; None where it is right."""
        expected = quick_slope(along, element.size, precision)
        if len(self.numbers) < self.room:
            self.numbers.append(Compared(element.where, element.component, expected))
        if self.is_within(element.component, expected, largest, 1.0):
            return None
        if len(self.found) >= _MOST_FOUND:
            return _Finding(element.where, element.component, expected, is_wrong=self.found[-1].is_wrong)
        expected = slope(along, element.size, precision)
        if expected.reason or not np.isfinite(expected.error):
            return _Finding(element.where, element.component, expected, is_wrong=False)
        if self.is_within(element.component, expected, largest, 3.0):
            size = max(abs(element.component), abs(expected.value), 1e-2 * largest)
            is_settled = expected.error <= 1e-2 * size or expected.error <= precision
            return None if is_settled else _Finding(element.where, element.component, expected, is_wrong=False)
        if expected.is_flat and self.is_within(element.component, Slope(0.0, 0.0), largest, 0.0):
            reason = (
                f"the function is constant over narrow steps; differences over wider ones give {expected.value:.3g}"
            )
            return _Finding(element.where, element.component, replace(expected, reason=reason), is_wrong=False)
        is_wrong = not self.is_within(element.component, expected, largest, 10.0)
        return _Finding(element.where, element.component, expected, is_wrong)

    def is_within(self, component: float, expected: Slope, largest: float, errors: float) -> bool:
        """Whether a component is as far from a slope as the tolerances and so many errors allow."""
        rtol, atol = self.tolerances
        absolute = 1e-2 * rtol * largest if atol is None else atol
        allowed = absolute + rtol * max(abs(expected.value), abs(component)) + errors * expected.error
        return bool(abs(component - expected.value) <= allowed)

    def compare_modes(self, bars: tuple[Any, ...], generator: np.random.Generator) -> None:
        """The dot-product test: forward and reverse mode along a random direction.

        What a change of the arguments by rounding makes of the two numbers is allowed, ten times over.
        """
        directions = [_like(self.given[place], generator) for place in self.where]
        try:
            forward, reverse, size = self.products(self.given, bars, directions)
        except (SrcadError, CannotType):  # what has no forward rule is checked by differences alone
            return
        self.sides, off = (forward, reverse), abs(forward - reverse)
        if not np.isfinite(off) or off <= self.tolerances[0] * size:
            return
        near = tuple(_rounded_off(each, generator) if k in self.where else each for k, each in enumerate(self.given))
        forward_near, reverse_near, _ = self.products(near, self.gradients(near)[1], directions)
        if not off <= 10.0 * max(abs(forward_near - forward), abs(reverse_near - reverse)):
            self.disagreement = (
                f"forward and reverse mode of {self.name} disagree: along a random direction the tangent gives "
                f"{forward:.9g}, the adjoint {reverse:.9g}"
            )

    def products(
        self, given: tuple[Any, ...], bars: tuple[Any, ...], directions: list[Any]
    ) -> tuple[float, float, float]:
        """The weighted tangent, the adjoints times the direction, and the size of the terms in them."""
        tangent = made(self.run, Request("tangent", self.where, options=self.options), self.jit)
        _, dot = tangent(*_copied(given), *directions)
        terms = [np.real(np.conj(bar) * step) for bar, step in zip(bars, directions, strict=True)]
        forward, reverse = _weighted(dot, self.weights), float(sum(np.sum(each) for each in terms))
        return forward, reverse, abs(forward) + float(sum(np.sum(np.abs(each)) for each in terms))

    def tell(self) -> None:
        """Raise for what is wrong, warn of what is not settled."""
        wrong = sorted((each for each in self.found if each.is_wrong), key=lambda each: -each.relative)
        unsettled = [each for each in self.found if not each.is_wrong]
        lines: list[str] = []
        if wrong:
            count = f"{len(wrong)} of {self.compared} elements"
            lines += [f"the gradient of {self.name} differs from finite differences in {count}:", *_listed(wrong)]
        if self.disagreement:
            lines.append(self.disagreement)
        is_wrong = bool(lines)
        if unsettled:
            count = f"{len(unsettled)} of {self.compared} elements"
            what = f"they do not tell whether the gradient of {self.name} is right in {count}"
            lines += [f"differences are not reliable here: {what}:", *_listed(unsettled)]
        if lines and self.born:
            lines += ["the first value that is not finite:", *(f"    {line}" for line in self.born.splitlines())]
        if is_wrong:
            raise WrongGradient("\n".join(lines))
        if unsettled:
            warnings.warn("\n".join(lines), UnreliableDifferences, stacklevel=3)


def _listed(found: list[_Finding]) -> list[str]:
    more = [f"    and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return [*map(str, found[:_SHOWN]), *more]


def _elements(name: str, gradient: Any, value: Any, is_symmetric: bool, seed: int) -> Iterator[_Element]:
    """The directions to move an argument along, each with the component of the gradient."""
    array = np.asarray(value)
    for index in _sample(array.shape, seed):
        size = max(1.0, abs(complex(array[index])))
        spot = f"{name}[{', '.join(map(str, index))}]" if index else name
        mirrored = (*index[:-2], *reversed(index[-2:]))
        is_moved_twice = is_symmetric and mirrored != index
        if is_moved_twice and mirrored < index:
            continue  # the other one moves both
        for unit in _units(array.dtype):
            moves: tuple[tuple[tuple[int, ...], complex], ...] = ((index, unit),)
            component = _component(gradient[index], unit)
            where = spot + (", imaginary" if unit == 1j else "")
            if is_moved_twice:
                other = complex(unit).conjugate() if unit == 1j else unit
                moves = (*moves, (mirrored, other))
                component += _component(gradient[mirrored], other)
                where += " and its mirror image"
            yield _Element(where, moves, component, size)


def _component(gradient: Any, unit: complex) -> float:
    """The component of a gradient, which points uphill, along a unit of the complex plane."""
    return float(np.real(gradient * np.conj(unit)))


def _units(dtype: np.dtype[Any]) -> Iterable[complex]:
    return (1.0, 1j) if dtype.kind == "c" else (1.0,)


def _is_symmetric(value: Any) -> bool:
    """Whether an argument is a square matrix, or a stack of these, that equals its conjugate transpose."""
    return np.ndim(value) >= 2 and np.array_equal(value, np.conj(np.swapaxes(value, -1, -2)))


def _is_finite(value: Any) -> bool:
    return all(map(_is_finite, value)) if isinstance(value, tuple) else bool(np.all(np.isfinite(value)))


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


def _like(value: Any, generator: np.random.Generator) -> Any:
    """A random direction in the shape and type of an argument."""
    drawn = generator.normal(size=np.shape(value))
    if np.iscomplexobj(value):
        drawn = drawn + 1j * generator.normal(size=np.shape(value))
    return drawn.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(drawn)


def _rounded_off(value: Any, generator: np.random.Generator) -> Any:
    """An argument changed by a few units in the last place."""
    eps = float(np.finfo(_dtype(value)).eps)
    changed = value * (1.0 + 4.0 * eps * generator.uniform(-1.0, 1.0, np.shape(value)))
    return changed.astype(value.dtype) if isinstance(value, np.ndarray) else type(value)(changed)


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


def _copied(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(each.copy() if isinstance(each, np.ndarray) else each for each in values)


def _differentiable(values: tuple[Any, ...]) -> tuple[int, ...]:
    return tuple(place for place, each in enumerate(values) if is_differentiable(typeof(each)))


def _dtype(value: Any) -> np.dtype[Any]:
    return np.asarray(value).dtype
