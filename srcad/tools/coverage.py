"""Which functions of NumPy have which derivatives, written as Markdown by trying them.

    python -m srcad.tools.coverage > docs/coverage.md

The calls that are tried, and the names that other libraries differentiate, stand in `srcad.tools.coverage_calls`.
"""

from __future__ import annotations

import ast
import linecache
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import srcad
from srcad.errors import PerformanceWarning, SrcadError
from srcad.tools.coverage_calls import CALLS, OTHERS, WITHOUT_DERIVATIVE

COLUMNS = ("reverse", "tangent", "second order", "compiled", "complex", "float32")
YES, NO, NONE = "yes", "no", "-"
_STEP = 1e-6


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


class Call:
    """A call as a function of the names in it, whose result is one real number."""

    def __init__(self, text: str, number: int = 0) -> None:
        self.text = text
        tree = ast.parse(text.replace("; ", "\n"))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        self.names = tuple(name for name in points() if name in used)
        self.others = tuple(name for name in INTEGERS if name in used)
        self.file = f"coverage_{number}.py"

    def function(self, is_complex: bool = False) -> Callable[..., Any]:
        """The function; a complex result is reduced to a number by both of its parts."""
        *before, last = self.text.split("; ")
        number = "np.sum(np.real(y) ** 2 + np.real(y) * np.imag(y))" if is_complex else "np.sum(np.sin(y))"
        body = [*before, f"y = {last}", f"return {number}"]
        text = f"def f({', '.join([*self.names, *self.others])}):\n" + "".join(f"    {line}\n" for line in body)
        file = f"{self.file}_{is_complex}"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {"np": np, "__name__": "coverage"}
        exec(compile(text, file, "exec", dont_inherit=True), namespace)
        found: Callable[..., Any] = namespace["f"]
        return found

    def gives_complex(self, arguments: Sequence[Any]) -> bool:
        """Whether the result is complex."""
        *before, last = self.text.split("; ")
        names = dict(zip([*self.names, *self.others], arguments, strict=True))
        space = {"np": np, **names}
        exec("\n".join(before), space)
        return np.iscomplexobj(eval(last, space))


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
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                warnings.simplefilter("error", PerformanceWarning)
                words[column] = _TRIALS[column](call)
        except (SrcadError, ArithmeticError, ValueError, TypeError, AttributeError, IndexError, Warning) as error:
            words[column], reasons[column] = NO, f"{type(error).__name__}: {error}"
    return Outcome(text, words, reasons)


def _arguments(call: Call, dtype: str = "f8") -> list[Any]:
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


def _slope(f: Callable[..., Any], arguments: Sequence[Any], towards: Sequence[Any]) -> Any:
    """The derivative by central differences."""
    ahead, back = (
        f(*[x if t is None else x + step * t for x, t in zip(arguments, towards, strict=True)])
        for step in (_STEP, -_STEP)
    )
    return (ahead - back) / (2.0 * _STEP)


def _directions(call: Call, arguments: Sequence[Any], seed: int = 7) -> list[Any]:
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


def _inner(bars: Any, towards: Sequence[Any]) -> float:
    return float(sum(np.sum(np.real(np.conj(bar) * t)) for bar, t in zip(bars, towards, strict=False) if t is not None))


def _agrees(found: Any, expected: Any, rel: float = 1e-5) -> str:
    if not np.allclose(found, expected, rtol=rel, atol=rel * 0.1):
        raise ValueError(f"{found} is not {expected}")
    return YES


def _made(call: Call, jit: bool, dtype: str = "f8") -> tuple[Any, Any, list[Any], list[Any]]:
    arguments = _arguments(call, dtype)
    f = call.function(call.gives_complex(arguments))
    return f, srcad.grad(f, wrt=tuple(range(len(call.names))), jit=jit), arguments, _directions(call, arguments)


def _reverse(call: Call, jit: bool = False, dtype: str = "f8") -> str:
    f, gradient, arguments, towards = _made(call, jit, dtype)
    expected = _slope(f, arguments, towards)
    return _agrees(_inner(gradient(*arguments), towards), expected)


def _tangent(call: Call) -> str:
    f, _, arguments, towards = _made(call, jit=False)
    return _agrees(srcad.jvp(f, arguments, towards, jit=False)[1], _slope(f, arguments, towards))


def _second(call: Call) -> str:
    f, gradient, arguments, towards = _made(call, jit=False)
    count = len(call.names)
    again = srcad.hvp(f, wrt=tuple(range(count)), jit=False)(*arguments, *towards[:count])
    other = _directions(call, arguments, 11)
    expected = _slope(lambda *x: _inner(gradient(*x), other), arguments, towards)
    return _agrees(_inner(again, other), expected, 1e-4)


def _complex(call: Call) -> str:
    arguments = _arguments(call, "c16")
    try:
        call.gives_complex(arguments)
    except (TypeError, ValueError, np.linalg.LinAlgError):
        return NONE  # NumPy does not have it
    return _reverse(call, dtype="c16")


def _float32(call: Call) -> str:
    _, gradient, arguments, towards = _made(call, jit=False)
    single = gradient(*_arguments(call, "f4"))
    if any(bar.dtype != np.float32 for bar in single):
        raise TypeError(f"the gradient is of {', '.join(str(bar.dtype) for bar in single)}")
    return _agrees(_inner(single, towards), _inner(gradient(*arguments), towards), 5e-3)


_TRIALS: Mapping[str, Callable[[Call], str]] = {
    "reverse": _reverse,
    "tangent": _tangent,
    "second order": _second,
    "compiled": lambda call: _reverse(call, jit=True),
    "complex": _complex,
    "float32": _float32,
}


_INTRODUCTION = """\
# Coverage of NumPy

What srcad differentiates of NumPy, found by trying: each call below is differentiated at a point, and the result is
compared with central differences (`python -m srcad.tools.coverage > docs/coverage.md`). The columns:

- **reverse**, **tangent**: the gradient, and the derivative in a direction;
- **second order**: the product of the Hessian with a vector;
- **compiled**: the gradient is compiled, nothing of it runs as Python;
- **complex**: the gradient by complex arguments (`-`: NumPy itself has none, or the function is one of real numbers);
- **float32**: single-precision arguments have single-precision gradients.

A cell says `yes` if all calls of the function pass, else how many of them. **autograd** and **JAX** say whether these
libraries differentiate all (`yes`), some, or none of the same calls.
"""


def outcomes(names: Iterable[str] = CALLS, columns: Sequence[str] = COLUMNS) -> dict[str, list[Outcome]]:
    """What becomes of all calls of these functions.

    >>> [each.columns for each in outcomes(["np.sin"], ["reverse"])["np.sin"]]
    [{'reverse': 'yes'}]
    """
    return {name: [tried(text, columns) for text in CALLS[name]] for name in names}


def page(found: Mapping[str, Sequence[Outcome]]) -> str:
    """The page for these outcomes."""
    parts = [_INTRODUCTION, *_counts(found), "\n## Functions\n", *_table(found)]
    problems = list(_problems(found))
    if problems:
        parts += ["\n## What is refused, or runs uncompiled\n", *problems]
    left = [name for name in CALLS if name not in found]
    if left:
        parts += ["\n## Not tried for this page\n", ", ".join(f"`{name}`" for name in left) + "."]
    parts += ["\n## Without a derivative in any sense\n", *_without()]
    return "\n".join(parts) + "\n"


def _counts(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    calls = [each for outcomes in found.values() for each in outcomes]
    yield f"{len(found)} functions and methods, {len(calls)} calls.\n"
    yield "| | all calls pass | some pass | calls that pass |\n|---|---|---|---|"
    for column in COLUMNS:
        rows = [[each.columns[column] for each in outcomes] for outcomes in found.values()]
        whole = sum(NO not in row for row in rows)
        some = sum(NO in row and set(row) != {NO} for row in rows)
        passed = sum(each.columns[column] == YES for each in calls)
        possible = sum(each.columns[column] != NONE for each in calls)
        yield f"| {column} | {whole} | {some} | {passed} of {possible} |"
    for library, texts in OTHERS.items():
        both = sum(each.text in texts for each in calls)
        missing = [each.text for each in calls if each.text in texts and each.columns["reverse"] == NO]
        listed = f" ({', '.join(f'`{each}`' for each in missing)})" if missing else ""
        yield f"| {library} | | | {both}; of these {len(missing)} are refused here{listed} |"


def _table(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    titles = (*COLUMNS, *OTHERS)
    yield f"| function | {' | '.join(titles)} |\n|---|{'---|' * len(titles)}"
    for name, outcomes in found.items():
        cells = [_cell([each.columns[column] for each in outcomes]) for column in COLUMNS]
        cells += [_cell([YES if each.text in texts else NO for each in outcomes]) for texts in OTHERS.values()]
        yield f"| `{name}` | {' | '.join(cells)} |"


def _cell(words: Sequence[str]) -> str:
    """How many of the calls pass.

    >>> _cell(["yes", "yes"]), _cell(["yes", "no", "-"]), _cell(["-"]), _cell(["no"])
    ('yes', '1 of 2', '-', 'no')
    """
    asked = [each for each in words if each != NONE]
    passed = asked.count(YES)
    if not asked:
        return NONE
    return YES if passed == len(asked) else NO if not passed else f"{passed} of {len(asked)}"


def _problems(found: Mapping[str, Sequence[Outcome]]) -> Iterator[str]:
    yield "| call | not | why |\n|---|---|---|"
    for outcomes in found.values():
        for each in outcomes:
            columns = [column for column, word in each.columns.items() if word == NO]
            if columns:
                yield f"| `{each.text}` | {', '.join(columns)} | {each.problem.replace('|', '&#124;')} |"


def _without() -> Iterator[str]:
    for reason, names in WITHOUT_DERIVATIVE.items():
        yield f"- {reason}: {', '.join(f'`{name}`' for name in names.split())}."


if __name__ == "__main__":
    sys.stdout.write(page(outcomes()))
