"""Calls of NumPy's functions, differentiated and compared with central differences."""

from __future__ import annotations

import ast
import itertools
import linecache
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import srcad
from srcad.errors import PerformanceWarning, SrcadError
from srcad.parsing import python_tree

COLUMNS = ("reverse", "tangent", "second order", "compiled", "complex", "float32")
YES, NO, NONE = "yes", "no", "-"
FAILURES = (SrcadError, ArithmeticError, ValueError, TypeError, AttributeError, IndexError, Warning)
_STEP = 1e-6
_NUMBERS = itertools.count()


@cache
def points() -> Mapping[str, Any]:
    """The values of the names in the calls."""
    rng = np.random.default_rng(20)
    q = rng.normal(size=(3, 3)) + 3.0 * np.eye(3)
    e = q @ q.T + np.eye(3)
    found: dict[str, Any] = {
        "v": np.array([0.8, -1.3, 0.4, 2.2]), "p": rng.uniform(0.5, 2.0, 4), "u": rng.uniform(-0.8, 0.8, 4),
        "h": rng.normal(size=3) + 2.0, "g": rng.normal(size=3), "s": 0.7, "m": rng.normal(size=(3, 4)),
        "k": rng.normal(size=(4, 2)), "q": q, "e": e, "t": np.linalg.cholesky(e), "c": rng.normal(size=(2, 3, 4)),
        "b": np.stack((q, q.T @ q)), "d": np.stack((e, 2.0 * e + np.diag([1.0, 2.0, 3.0]))),
    }  # fmt: skip
    return found


INTEGERS: Mapping[str, Any] = {"i": np.array([1, 2, 0, 2]), "j": np.array([[0, 3, 1], [2, 2, 0], [1, 0, 2]])}


@dataclass(frozen=True)
class Outcome:
    """What became of one call: the words of the columns, and why a column says no."""

    text: str
    columns: Mapping[str, str]
    reasons: Mapping[str, str]

    @property
    def problem(self) -> str:
        """The first reason, in one line."""
        return next((_in_a_line(each) for each in self.reasons.values()), "")


def _in_a_line(message: str) -> str:
    r"""The message of an error without places and hints.

    >>> _in_a_line("MissingRule: f_1.py:2:5: MissingRule: np.i0 has no derivative rule\n   2 | y = np.i0(v)")
    'np.i0 has no derivative rule'
    """
    first = message.partition("\n")[0].removesuffix(":")
    _, uncompiled, reason = first.rpartition(" runs uncompiled: ")
    if uncompiled:
        return re.sub(r"the generated function \S+ in .* does not compile: ?", "", reason) or "Numba cannot compile it"
    first = re.sub(r"\S*/srcad/", "srcad/", first)
    return re.sub(r"^(\w+: )*(\S+:\d+:\d+: )?(\w+: )*", "", re.sub(r"srcad(\.\w+)+\.(\w+)", r"kernels.\2", first))


def number_of(name: str, is_complex: bool) -> str:
    """The expression that makes one real number of a result."""
    if is_complex:
        return f"np.sum(np.real({name}) ** 2 + np.real({name}) * np.imag({name}))"
    return f"np.sum(np.sin({name}))"


def defined(names: Sequence[str], body: Sequence[str], result: str) -> Callable[..., Any]:
    """The function of these statements, whose source is known by the name of a file that does not exist.

    >>> defined(["x"], ["y = x + 1"], "y * y")(2.0)
    9.0
    """
    lines = [f"def f({', '.join(names)}):\n", *(f"    {line}\n" for line in [*body, f"return {result}"])]
    text, file = "".join(lines), f"coverage_{next(_NUMBERS)}.py"
    linecache.cache[file] = (len(text), None, lines, file)
    namespace: dict[str, Any] = {"np": np, "__name__": "coverage"}
    exec(compile(text, file, "exec", dont_inherit=True), namespace)
    found: Callable[..., Any] = namespace["f"]
    return found


class Call:
    """A call as a function of the names in it, whose result is one real number."""

    def __init__(self, text: str) -> None:
        self.text = text
        tree = python_tree(text.replace("; ", "\n"))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.names = tuple(name for name in points() if name in used)
        self.others = tuple(name for name in INTEGERS if name in used)
        self._functions: dict[bool, Callable[..., Any]] = {}
        self._gradients: dict[tuple[bool, bool], Callable[..., Any]] = {}

    def function(self, is_complex: bool = False) -> Callable[..., Any]:
        """The function; a complex result is reduced to a number by both of its parts."""
        if is_complex not in self._functions:
            self._functions[is_complex] = self._defined(is_complex)
        return self._functions[is_complex]

    def gradient(self, is_complex: bool, jit: bool) -> Callable[..., Any]:
        """The gradient of the function by all names that are not integers."""
        if (is_complex, jit) not in self._gradients:
            wrt = tuple(range(len(self.names)))
            self._gradients[is_complex, jit] = srcad.grad(self.function(is_complex), wrt=wrt, jit=jit)
        return self._gradients[is_complex, jit]

    def _defined(self, is_complex: bool) -> Callable[..., Any]:
        *before, last = self.text.split("; ")
        return defined([*self.names, *self.others], [*before, f"y = {last}"], number_of("y", is_complex))

    def gives_complex(self, arguments: Sequence[Any]) -> bool:
        """Whether the result is complex."""
        *before, last = self.text.split("; ")
        names = dict(zip([*self.names, *self.others], arguments, strict=True))
        space = {"np": np, **names}
        exec("\n".join(before), space)
        return np.iscomplexobj(eval(last, space))


@contextmanager
def uncompiled_is_an_error() -> Iterator[None]:
    """Warnings are not shown, and the one that something runs uncompiled is raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", PerformanceWarning)
        yield


def tried(text: str, columns: Sequence[str] = COLUMNS) -> Outcome:
    """What becomes of a call.

    >>> tried("np.sin(v)", ["reverse", "complex"]).columns
    {'reverse': 'yes', 'complex': 'yes'}
    >>> tried("np.i0(v)", ["complex"]).columns
    {'complex': '-'}
    """
    call, words, reasons = Call(text), {}, {}
    for column in columns:
        try:
            with uncompiled_is_an_error():
                words[column] = _TRIALS[column](call)
        except FAILURES as error:
            words[column], reasons[column] = NO, f"{type(error).__name__}: {error}"
    return Outcome(text, words, reasons)


def arguments_of(call: Call, dtype: str = "f8") -> list[Any]:
    """The values of the names in a call."""
    rng = np.random.default_rng(3)
    found = []
    for name in call.names:
        x = np.asarray(points()[name])
        if dtype == "c16":
            x = x + 0.3j * rng.normal(size=x.shape)
            if name in "ed":  # Hermitian
                x = x + np.conj(np.swapaxes(x, -1, -2))
        found.append(x.astype(dtype)[()])
    return [*found, *(INTEGERS[name] for name in call.others)]


def slope(f: Callable[..., Any], arguments: Sequence[Any], towards: Sequence[Any]) -> Any:
    """The derivative by central differences."""
    ahead, back = (
        f(*[x if t is None else x + step * t for x, t in zip(arguments, towards, strict=True)])
        for step in (_STEP, -_STEP)
    )
    return (ahead - back) / (2.0 * _STEP)


def directions(call: Call, arguments: Sequence[Any], seed: int = 7) -> list[Any]:
    """A direction for each argument; None for integers."""
    rng = np.random.default_rng(seed)
    found: list[Any] = []
    for name, x in zip([*call.names, *call.others], arguments, strict=True):
        if name in INTEGERS:
            found.append(None)
            continue
        t = np.asarray(rng.normal(size=np.shape(x)))
        if np.iscomplexobj(x):
            t = t + 1j * rng.normal(size=np.shape(x))
        if name in "ed":  # stays symmetric
            t = t + np.conj(np.swapaxes(t, -1, -2))
        found.append(t[()])
    return found


def inner(bars: Any, towards: Sequence[Any]) -> float:
    """The derivative in a direction, by the gradient."""
    return float(sum(np.sum(np.real(np.conj(bar) * t)) for bar, t in zip(bars, towards, strict=False) if t is not None))


def agrees(found: Any, expected: Any, rel: float = 1e-5) -> str:
    """YES if two numbers agree; else an error."""
    if not np.allclose(found, expected, rtol=rel, atol=rel * 0.1):
        raise ValueError(f"{found} is not {expected}")
    return YES


def _made(call: Call, jit: bool, dtype: str = "f8") -> tuple[Any, Any, list[Any], list[Any]]:
    arguments = arguments_of(call, dtype)
    is_complex = call.gives_complex(arguments)
    return call.function(is_complex), call.gradient(is_complex, jit), arguments, directions(call, arguments)


def _reverse(call: Call, jit: bool = False, dtype: str = "f8") -> str:
    f, gradient, arguments, towards = _made(call, jit, dtype)
    expected = slope(f, arguments, towards)
    return agrees(inner(gradient(*arguments), towards), expected)


def _tangent(call: Call) -> str:
    f, _, arguments, towards = _made(call, jit=False)
    return agrees(srcad.jvp(f, arguments, towards, jit=False)[1], slope(f, arguments, towards))


def _second(call: Call) -> str:
    f, gradient, arguments, towards = _made(call, jit=False)
    count = len(call.names)
    again = srcad.hvp(f, wrt=tuple(range(count)), jit=False)(*arguments, *towards[:count])
    other = directions(call, arguments, 11)
    expected = slope(lambda *x: inner(gradient(*x), other), arguments, towards)
    return agrees(inner(again, other), expected, 1e-4)


def _complex(call: Call) -> str:
    arguments = arguments_of(call, "c16")
    try:
        call.gives_complex(arguments)
    except (TypeError, ValueError, np.linalg.LinAlgError):
        return NONE  # NumPy does not have it
    return _reverse(call, dtype="c16")


def _float32(call: Call) -> str:
    _, gradient, arguments, towards = _made(call, jit=False)
    single = gradient(*arguments_of(call, "f4"))
    if any(bar.dtype != np.float32 for bar in single):
        raise TypeError(f"the gradient is of {', '.join(str(bar.dtype) for bar in single)}")
    return agrees(inner(single, towards), inner(gradient(*arguments), towards), 5e-3)


_TRIALS: Mapping[str, Callable[[Call], str]] = {
    "reverse": _reverse,
    "tangent": _tangent,
    "second order": _second,
    "compiled": lambda call: _reverse(call, jit=True),
    "complex": _complex,
    "float32": _float32,
}
