"""What must hold of one program, and how it failed if it does not."""

import re
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from random import Random
from typing import Any, NamedTuple

import numpy as np

import srcad
from srcad.driver.passes import PASSES
from srcad.errors import CompilerBug, MayOverlap, SourceUnavailable, SrcadError
from srcad.runtime.jit.numba_inference import CannotType
from tests.differences import directional_derivative
from tests.fuzz import metamorphic
from tests.fuzz.generated_code import GeneratedCode
from tests.fuzz.leaves import direction_of, inner, is_differentiable, mapped, moved, own_copy
from tests.fuzz.oracle import by_complex_step, by_differences
from tests.fuzz.program import Program

LONGEST = 60  # seconds of the processor for a program; a compiled one has five times as many
RTOL = 1e-7
SINGLE = 2e-3
MORE = 0.08  # how often a way is taken beside another


class Outcome(NamedTuple):
    """How a program went: a kind, and what tells failures of one kind apart.

    right       all that was tried agrees
    invalid     Python itself raises an exception, or gives nan
    refused     srcad says what it does not differentiate, where, and what to do
    unclear     srcad agrees with itself, and neither a complex step nor differences are reliable here
    wrong       a wrong value or derivative, or two that should be the same and are not
    crash       an exception that is none of these
    slow        no answer in time
    """

    kind: str
    about: str = ""


class WrongError(AssertionError):
    """Two numbers that should be the same are not."""


class _TooSlowError(BaseException):
    """The time for a program is over."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise _TooSlowError in the block when it takes more of the processor, however busy the machine is."""

    def stop(*_: Any) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)  # again, where a callback has swallowed the first
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)


def outcome(program: Program, seed: int, compiled: bool = False, only: str = "") -> Outcome:
    """Check a program; which checks and which passes are left out depends on the seed. `only` names the one check."""
    try:
        with limited(LONGEST * (5 if compiled else 1)), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return _Check(program, seed, compiled).outcome(only)
    except _TooSlowError:
        return Outcome("slow")


class _Check:
    """One program at one point, with one direction."""

    def __init__(self, program: Program, seed: int, compiled: bool) -> None:
        self.program, self.compiled = program, compiled
        self.random = Random(seed)
        self.directions = direction_of(program.arguments, np.random.default_rng(seed))
        self.wrt = tuple(n for n, each in enumerate(program.arguments) if _has_floats(each))
        leaves: list[Any] = []
        mapped(leaves.append, program.arguments)
        is_single = any(np.asarray(leaf).dtype == np.float32 for leaf in leaves)
        self.rtol = SINGLE if is_single or "float32" in program.text else RTOL

    def outcome(self, only: str) -> Outcome:
        try:
            self.value = self.program.function(*own_copy(self.program.arguments))
        except Exception:  # noqa: BLE001 - whatever a random program raises
            return Outcome("invalid")
        if not isinstance(self.value, (int, float, np.floating)) or not np.isfinite(self.value):
            return Outcome("invalid")
        try:
            return self.checked(only)
        except WrongError as wrong:
            return Outcome("wrong", str(wrong))
        except CompilerBug as bug:
            return Outcome("crash", _words(bug))
        except SrcadError as refusal:
            found = _refused(refusal)  # of generated code without its place, which the public functions add
            return found if found.kind == "refused" else self.refusal() or found
        except Exception as problem:  # noqa: BLE001 - each is a failure of srcad, unless the public functions refuse it
            return self.refusal() or Outcome("crash", _words(problem))

    def refusal(self) -> Outcome | None:
        """What the public functions say of a program whose generated code raises an exception."""
        try:
            self.gradient(jit=False)
        except CompilerBug as bug:
            return Outcome("crash", _words(bug))
        except SrcadError as refusal:
            return _refused(refusal)
        except Exception as problem:  # noqa: BLE001 - as above
            return Outcome("crash", _words(problem))
        return None

    def checked(self, only: str) -> Outcome:
        """Make the comparisons that the seed asks for, and judge."""
        first, slopes = None, {}
        for name, slope in self.chosen(only):
            try:
                found = slope()
            except CannotType:  # the public functions then run it uncompiled, which is another of the ways
                continue
            if found is None:
                continue
            if first is None:
                first = found
            slopes[name] = found
            self.same(found, first, f"{name} and {next(iter(slopes))}")
        if first is None:
            if only:
                return Outcome("right")
            first = self.pullback(jit=False)
        expected = by_complex_step(self.program, self.directions)
        if expected is not None and self.agrees(first, expected):
            return Outcome("right")
        judged = by_differences(self.program, self.directions)
        if judged is None or (expected is not None and not self.agrees(judged, expected)):
            return Outcome("unclear", "no differences" if expected is None else "complex step")
        if not self.agrees(first, judged):
            raise WrongError("slope")
        return Outcome("right")

    def chosen(self, only: str) -> list[tuple[str, Callable[[], float | None]]]:
        """The ways that the seed asks for: one, seldom more, because each is compared with what plain Python gives."""
        ways = self.ways()
        main = self.random.choices([name for name, _, _ in ways], [share for _, share, _ in ways])[0]
        return [
            (name, way)
            for name, _, way in ways
            if name == only or (not only and (name == main or self.random.random() < MORE))
        ]

    def ways(self) -> tuple[tuple[str, float, Callable[[], float | None]], ...]:
        """Ways to the slope: names, how often each is taken, and functions that make their own comparisons too."""
        if self.compiled:
            return (
                ("compiled gradient", 6, lambda: self.gradient(jit=True)),
                ("compiled tangent", 2, lambda: self.tangent(jit=True)),
                ("compiled pullback", 2, lambda: self.pullback(jit=True)),
                ("interpreted pullback", 0, lambda: self.pullback(jit=False)),
            )
        return (
            ("gradient with loops", 6, lambda: self.as_compiled("value_and_grad")),
            ("pullback with loops", 2, lambda: self.as_compiled("vjp")),
            ("tangent with loops", 2, lambda: self.as_compiled("tangent")),
            ("without passes", 3, lambda: self.as_compiled("value_and_grad", without=True)),
            ("pullback", 2, lambda: self.pullback(jit=False)),
            ("tangent", 1, lambda: self.tangent(jit=False)),
            ("rewritten", 1, self.rewritten),
            ("tape", 8, self.on_tape),
            ("second", 1, self.second),
        )

    # Comparisons.

    def agrees(self, one: float, other: float) -> bool:
        return bool(abs(one - other) <= self.rtol * max(1.0, abs(one), abs(other)))

    def same(self, one: float, other: float, what: str) -> None:
        tolerance = min(self.rtol * 0.1, 1e-3) * max(1.0, abs(one), abs(other))
        if not (abs(one - other) <= tolerance or (np.isnan(one) and np.isnan(other))):
            raise WrongError(what)

    def arguments(self) -> tuple[Any, ...]:
        return own_copy(self.program.arguments)

    # Ways to the slope.

    def pullback(self, jit: bool) -> float:
        given = self.arguments()
        value, pull = srcad.vjp(self.program.function, *given, wrt=self.wrt, jit=jit)
        self.same(value, self.value, "value of vjp")
        slopes = [self.along(pull(1.0)) for _ in range(2)]
        self.same(slopes[0], slopes[1], "second call of a pullback")
        for before, after in zip(self.program.arguments, given, strict=True):
            if not _equal(before, after):
                raise WrongError("an argument was changed")
        return slopes[0]

    def gradient(self, jit: bool) -> float:
        value, gradients = srcad.value_and_grad(self.program.function, wrt=self.wrt, jit=jit)(*self.arguments())
        self.same(value, self.value, "value of value_and_grad")
        return self.along(gradients)

    def tangent(self, jit: bool) -> float:
        value, change = srcad.jvp(self.program.function, self.arguments(), self.directions, jit=jit)
        self.same(value, self.value, "value of jvp")
        return float(change)

    @cached_property
    def generated(self) -> GeneratedCode:
        """What is generated for the compiler, with all passes."""
        return GeneratedCode(self.program.function, self.arguments(), self.wrt, ())

    def as_compiled(self, mode: str, without: bool = False) -> float | None:
        """What is generated for the compiler, run by Python, perhaps without some passes."""
        if any(isinstance(each, dict) for each in self.program.arguments):
            return None
        code, passes = self.generated, ()
        if without:
            passes = tuple(self.random.sample(sorted(PASSES), self.random.choice((1, 1, 3, 8, len(PASSES)))))
            if self.random.random() < 0.3:  # else only what follows differentiation is done again
                code = GeneratedCode(self.program.function, self.arguments(), self.wrt, passes)
        more = tuple(self.directions[n] for n in self.wrt) if mode == "tangent" else ()
        value, slopes = code.run(mode, passes, more)
        self.same(value, self.value, f"value of {mode} with loops")
        return float(slopes) if mode == "tangent" else self.along(slopes)

    def along(self, gradients: Any) -> float:
        """The slope along the directions, by gradients that must look like their arguments."""
        total = 0.0
        for n, gradient in zip(self.wrt, gradients, strict=True):
            argument = self.program.arguments[n]
            if isinstance(argument, np.ndarray) and (
                np.shape(gradient) != argument.shape or gradient.dtype != argument.dtype
            ):
                raise WrongError("shape or dtype of a gradient")
            total += inner(gradient, self.directions[n])
        return total

    def on_tape(self) -> float | None:
        """The slope by a tape; None for a program that it cannot record, as one that writes into arrays."""
        if any(isinstance(each, dict) for each in self.program.arguments):
            return None
        arguments = [srcad.constant(each) if _has_floats(each) else each for each in self.arguments()]
        sources = [arguments[n] for n in self.wrt]
        try:
            with srcad.GradientTape(persistent=True) as tape:
                tape.watch(sources)
                value = self.program.function(*arguments)
            if all(each is None for each in tape.gradient(value, sources)):
                return None  # which says that what has left the tape is not followed
            gradients = tape.gradient(value, sources, unconnected_gradients="zero")
        except (SrcadError, TypeError, ValueError, AttributeError):
            return None
        try:
            self.same(float(value.numpy()), self.value, "value on a tape")
        except WrongError:
            if re.search(r"^\s+\w+ \S= ", self.program.text, re.MULTILINE):
                return None  # of a tensor this makes another, as in TensorFlow: who holds the first one does not see it
            raise
        return self.along([each.numpy() for each in gradients])

    def rewritten(self) -> float:
        """The slope of a program that means the same and is written in another way."""
        name, other = metamorphic.rewritten(self.program, self.random)
        check = _Check(other, self.random.randrange(1000), compiled=False)
        check.value, check.rtol = self.value, self.rtol
        check.directions = metamorphic.directions(name, self.directions)
        try:
            return check.as_compiled("value_and_grad") or check.gradient(jit=False)
        except WrongError as wrong:
            raise WrongError(f"{wrong}, {name}") from None

    def second(self) -> None:
        """Second derivatives: symmetric, and differences of the gradient."""
        if (
            self.rtol > RTOL
            or not self.program.is_smooth
            or any(isinstance(each, dict) or np.iscomplexobj(each) for each in self.program.arguments)
        ):
            return
        ways = [self.directions, direction_of(self.program.arguments, np.random.default_rng(7))]
        function = srcad.hvp(self.program.function, wrt=self.wrt, jit=False)
        products = [function(*self.arguments(), *(way[n] for n in self.wrt)) for way in ways]
        mixed = [
            sum(inner(part, ways[1 - k][n]) for n, part in zip(self.wrt, products[k], strict=True)) for k in range(2)
        ]
        self.same(mixed[0], mixed[1], "symmetry of second derivatives")
        gradient = srcad.grad(self.program.function, wrt=self.wrt, jit=False)

        def along(step: float) -> float:
            point = [moved(x, way, step) for x, way in zip(self.program.arguments, ways[0], strict=True)]
            return sum(inner(part, ways[1][n]) for n, part in zip(self.wrt, gradient(*point), strict=True))

        expected, error = directional_derivative(along, 1e-4)
        scale = max(1.0, abs(expected))
        if error <= 1e-6 * scale and abs(mixed[0] - expected) > 1e-4 * scale:
            shorter, error = directional_derivative(along, 1e-6)
            if error <= 1e-5 * scale and abs(mixed[0] - shorter) > 1e-4 * scale:
                raise WrongError("second derivative")


def _has_floats(argument: Any) -> bool:
    found: list[bool] = []
    mapped(lambda leaf: found.append(is_differentiable(leaf)), argument)
    return any(found)


def _equal(before: Any, after: Any) -> bool:
    found: list[bool] = []
    mapped(lambda one, other: found.append(np.array_equal(one, other)), before, after)
    return all(found)


def _words(problem: BaseException) -> str:
    """What a failure is about, without the names and numbers of the program."""
    frames = [each for each in traceback.extract_tb(problem.__traceback__) if "/srcad/" in each.filename]
    where = f" in {frames[-1].name}" if frames else ""
    said = str(problem).strip().splitlines() or [""]
    return f"{type(problem).__name__}{where}: " + re.sub(r"[\w.'\"\[\]]*\d[\w.]*", "N", said[0])[:100]


def _refused(refusal: SrcadError) -> Outcome:
    """A refusal, which must name a file, line and source, and a way out."""
    said = str(refusal)
    if isinstance(refusal, SourceUnavailable):  # srcad's own: a program of the campaign has one
        return Outcome("crash", _words(refusal))
    is_of_call = isinstance(refusal, MayOverlap) and refusal.at is None  # generated code refuses arguments of a call
    if not re.search(r"hint: " if is_of_call else r"^.+?:\d+:\d+: .*\n(.*\n)*hint: ", said):
        return Outcome("crash", f"a refusal without place or hint: {_words(refusal)}")
    reason = re.sub(r"^.*?:\d+:\d+: ", "", said.splitlines()[0])
    return Outcome("refused", re.sub(r"(['`])[^'`]*\1|\b\w*\d\w*\b", "…", reason)[:110])
