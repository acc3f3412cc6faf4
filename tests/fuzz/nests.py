"""Random programs of nested loops over matrices and vectors: rows, columns, index arrays, arrays made in loops.

    for i in range(n - 2, 0, -1):
        t = a[i].copy()
        for j in range(i + 1, n):
            a[i, j - 1] -= 0.5 * a[j, i] * v[n - 1 - j]
        v[:i] += np.sin(t[i:][::-1][:i])

Arrays may be complex, or of single precision. Subscripts may be negative, which Python counts from the end. Every
program takes two square matrices, two vectors, places that repeat, and a number.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from tests.fuzz.program import Program

MATRICES, VECTORS, NUMBERS = ("a", "b"), ("v", "w", "t"), ("s", "r")
WHOLE = ("n", "n", "1, n", "n - 1", "n - 1, -1, -1", "n - 2, 0, -1", "0, n, 2", "n - 1, -1, -2")
INSIDE = ("{0}", "{0} + 1", "{0} + 1, n", "{0}, n", "{0}, -1, -1", "{0} - 1, n", "1, {0}")
PLACES = ("{0}", "{0}", "{0}", "{0} - 1", "-{0}", "-{0} - 1", "n - 1 - {0}", "({0} + 1) % n", "k[{0}]", "{0} // 2")
REAL_FUNCTIONS = ("np.sin", "np.tanh", "np.cos")
SPANS = ("[:{0}]", "[{0}:]", "[:{0} + 1]", "[{0} + 1:]", "[{0}::-1]", "[-{0}:]")
HEAD = """\
import numpy as np


def program(a, b, v, w, k, s):
    n = v.shape[0]
    a, v = a * s, v + s
    t, r = np.sin(w), 0.5
"""
COMPLEX_HEAD = """\
import numpy as np


def small(z):
    return z / (1.0 + np.abs(z) ** 2)


def program(a, b, v, w, k, s):
    n = v.shape[0]
    a, b, v, w = a * (s + 0.2j), b + 0.3j * a, v + s * 1j, w * (1.0 - 0.5j)
    t, r, s = np.sin(w), 0.5 + 0.1j, s * (1.0 - 0.3j)
"""
RESULT = "    return np.sum(a * a) + np.sum(b * v) + np.sum(np.cos(t) * w) + s * r\n"
COMPLEX_RESULT = (
    "    return np.sum(np.abs(a) ** 2) + np.sum(np.imag(b * v)) + np.sum(np.real(t * np.conj(w))) + np.real(s * r)\n"
)


@dataclass(frozen=True)
class Scope:
    """The counters of the loops around, how deep a statement is, and whether numbers are complex."""

    counters: tuple[str, ...] = ()
    depth: int = 0
    is_complex: bool = False

    def real(self, text: str) -> str:
        """A number that can be compared."""
        return f"np.real({text})" if self.is_complex else text


def place(random: Random, scope: Scope) -> str:
    """A place on an axis."""
    if not scope.counters or random.random() < 0.15:
        return random.choice(("0", "-1", "n - 1", "n // 2", "k[0]"))
    return random.choice(PLACES).format(random.choice((*scope.counters, scope.counters[-1])))


def element(random: Random, scope: Scope) -> str:
    """An element."""
    if random.random() < 0.6:
        return f"{random.choice(MATRICES)}[{place(random, scope)}, {place(random, scope)}]"
    return f"{random.choice(VECTORS)}[{place(random, scope)}]"


def number(random: Random, scope: Scope, depth: int = 0) -> str:
    """An expression for a number."""
    form = random.random()
    if depth > 1 or form < 0.35:
        return element(random, scope) if random.random() < 0.75 else random.choice(NUMBERS)
    if form < 0.8:
        one, other = (number(random, scope, depth + 1) for _ in range(2))
        return f"{random.choice(('', '', '0.5 * '))}({one} {random.choice('+-**')} {other})"
    if form < 0.9:
        functions = ("np.conj", "np.abs", "np.real", "1j * np.imag", "small") if scope.is_complex else REAL_FUNCTIONS
        return f"{random.choice(functions)}({number(random, scope, depth + 1)})"
    if form < 0.95:
        return f"{row(random, scope)} @ {row(random, scope)}"
    return f"np.sum({row(random, scope)})"


def row(random: Random, scope: Scope) -> str:
    """A vector of n elements."""
    form = random.random()
    if form < 0.3:
        return f"{random.choice(MATRICES)}[{place(random, scope)}]"
    if form < 0.45:
        return f"{random.choice(MATRICES)}[:, {place(random, scope)}]"
    if form < 0.6:
        return f"{random.choice(MATRICES)} @ {random.choice(VECTORS)}"
    if form < 0.65:
        return f"{random.choice(VECTORS)}[k]"
    return random.choice(VECTORS) + random.choice(("", "", "", "[::-1]"))


def bounded(random: Random, scope: Scope, text: str) -> str:
    """An expression, so that it stays small."""
    if scope.is_complex:
        return random.choice((f"small({text})", f"np.conj(small({text}))", f"np.exp(1j * np.real({text}))"))
    return random.choice((f"np.sin({text})", f"np.tanh({text})", f"0.3 * np.cos({text})"))


def number_set(random: Random, scope: Scope) -> list[str]:
    """A number gets a value, or more."""
    name, value = random.choice(NUMBERS), number(random, scope)
    return [
        random.choice(
            (f"{name} = {bounded(random, scope, value)}", f"{name} += {bounded(random, scope, value)}", f"{name} = 0.0")
        )
    ]


def element_set(random: Random, scope: Scope) -> list[str]:
    """An element gets a value, or more."""
    value = bounded(random, scope, number(random, scope))
    return [f"{element(random, scope)} {random.choice(('=', '=', '+=', '-=', '*='))} {value}"]


def row_set(random: Random, scope: Scope) -> list[str]:
    """A row, a column or a vector, in place."""
    targets = [
        f"{random.choice(MATRICES)}[{place(random, scope)}]",
        f"{random.choice(MATRICES)}[:, {place(random, scope)}]",
    ]
    target = random.choice((*targets, f"{random.choice(VECTORS)}[:]", f"{random.choice(VECTORS)}[::-1]"))
    return [f"{target} {random.choice(('=', '+=', '-=', '*='))} {bounded(random, scope, row(random, scope))}"]


def span_set(random: Random, scope: Scope) -> list[str]:
    """A part of a vector, by the same part of another."""
    if not scope.counters:
        return row_set(random, scope)
    span = random.choice(SPANS).format(random.choice(scope.counters))
    one, other = random.choice(VECTORS), random.choice((*VECTORS, f"a[{place(random, scope)}]"))
    value = bounded(random, scope, f"{other}{span}")
    return [f"{one}{span} {random.choice(('=', '+=', '*='))} {value} * {random.choice((*NUMBERS, '0.5'))}"]


def array_made(random: Random, scope: Scope) -> list[str]:
    """An array of its own."""
    product = random.choice(("a + b", "a @ b", "a.T", "b[::-1]", "np.outer(v, w)"))
    whole = f"{random.choice(MATRICES)} = {bounded(random, scope, product)}"
    made = (
        f"t = {bounded(random, scope, row(random, scope))}",
        "t = np.zeros(n, complex)" if scope.is_complex else "t = np.zeros_like(v)",
        f"t = a[{place(random, scope)}].copy()",
    )
    return [random.choice((*made, whole, f"{random.choice(VECTORS)} = {bounded(random, scope, row(random, scope))}"))]


def exchanged(random: Random, scope: Scope) -> list[str]:
    """Two elements or rows trade values."""
    one, other = (place(random, scope) for _ in range(2))
    array = random.choice((*MATRICES, *VECTORS))
    copy = ".copy()" if array in MATRICES else ""
    return [f"{array}[{one}], {array}[{other}] = {array}[{other}]{copy}, {array}[{one}]{copy}"]


def branch(random: Random, scope: Scope) -> list[str]:
    """A branch, by a number or by counters."""
    limit = random.choice(("0.0", "0.2", scope.real("s")))
    choices = [f"{scope.real(number(random, scope, 1))} > {limit}"]
    if scope.counters:
        choices.append(
            f"{random.choice(scope.counters)} {random.choice(('<', '>', '=='))} {random.choice(('1', 'n - 1', 'k[0]'))}"
        )
    if len(scope.counters) > 1:
        choices.append(f"{scope.counters[0]} {random.choice(('<', '>=', '!='))} {scope.counters[-1]}")
    leaves = random.random() < 0.25 and scope.counters
    lines = [f"if {random.choice(choices)}:"]
    lines += (
        [f"    {random.choice(('break', 'continue'))}"]
        if leaves
        else indented(block(random, replace(scope, depth=scope.depth + 1)))
    )
    if not leaves and random.random() < 0.3:
        lines += ["else:", *indented(block(random, replace(scope, depth=scope.depth + 1)))]
    return lines


def loop(random: Random, scope: Scope) -> list[str]:
    """A loop, whose range may be that of a counter outside."""
    counter = "ijlm"[len(scope.counters)]
    bounds = [text.format(random.choice(scope.counters)) for text in INSIDE] if scope.counters else []
    span = random.choice((*WHOLE[: random.choice((2, len(WHOLE)))], *bounds))
    inner = replace(scope, counters=(*scope.counters, counter), depth=scope.depth + 1)
    return [f"for {counter} in range({span}):", *indented(block(random, inner))]


def indented(lines: Sequence[str]) -> list[str]:
    """The lines as the body of a statement."""
    return [f"    {line}" for line in lines]


FORMS: dict[Callable[[Random, Scope], list[str]], float] = {
    number_set: 2, element_set: 4, row_set: 1.5, span_set: 0.7, array_made: 0.8, exchanged: 0.4, branch: 1, loop: 3,
}  # fmt: skip


def block(random: Random, scope: Scope) -> list[str]:
    """Some statements; loops are three deep at most."""
    lines: list[str] = []
    for _ in range(random.choice((1, 1, 2, 2, 3))):
        form = random.choices([*FORMS], [*FORMS.values()])[0] if scope.counters else loop
        is_deep = len(scope.counters) > 2 or scope.depth > 3
        lines += (element_set if is_deep and form in (loop, branch) else form)(random, scope)
    return lines


def program(seed: int) -> Program:
    """The program of a seed."""
    random = Random(seed)
    rng = np.random.default_rng(seed)
    n = random.choice((3, 3, 4, 2, 1))
    kind = random.choices(("real", "complex", "single"), (6, 2, 1))[0]
    scope = Scope(is_complex=kind == "complex")
    lines = [*block(random, scope)]
    if random.random() < 0.5:
        lines += [*array_made(random, scope), *block(random, scope)]
    head, result = (COMPLEX_HEAD, COMPLEX_RESULT) if scope.is_complex else (HEAD, RESULT)
    arrays = [rng.uniform(-1, 1, (n,) * axes).astype("f4" if kind == "single" else "f8") for axes in (2, 2, 1, 1)]
    return Program(head + "\n".join(indented(lines)) + f"\n{result}", (*arrays, rng.integers(0, n, n), 0.6))
