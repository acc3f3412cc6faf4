"""Random programs on numbers that loops carry from one iteration to the next: replaced, kept, searched for, summed.

    for i in range(n):
        e = x[i % 3] * b
        if e < c:
            c = e
        for j in range(2):
            d = np.sin(c)

Loops may have no iterations, end early, count down, be parallel, be inside of others. Every program takes two numbers,
a vector of three and a count.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

import numpy as np

from tests.fuzz.program import Program

NUMBERS = ("a", "b", "c", "d")
TERMS = (
    "np.sin({0})", "np.cos({0})", "np.tanh({0} + 0.3)", "{0} * 0.7", "{0} * x[{1}]", "{0} + x[{1}]", "x[{1}]",
    "np.exp(-{0} * {0})", "{0} * y[{1}]", "abs({0})", "np.sqrt(1.0 + {0} * {0})", "np.sin({0}) / (2.0 + y[{1}] ** 2)",
    "first_above(y, {0})", "settled(y, {0})",
)  # fmt: skip
LIMITS = ("-0.5", "0.1", "0.4", "x[1]")
RANGES = ("0", "1", "2", "3", "n", "n - 1", "len(y)", "1, n", "n, 0, -1", "2, -1, -1", "0, 5, 2", "n % 2, 3")
HEAD = """\
import numpy as np
from numba import prange


def first_above(y, limit):
    for i in range(len(y)):
        if y[i] > limit:
            return y[i] * limit
    return limit


def settled(y, s):
    for i in range(len(y)):
        for j in range(i):
            if y[j] > s:
                return y[i] - s
            y[i] += 0.1 * y[j] * s
            if y[i] < -0.5:
                break
        else:
            s *= 0.7
    return s


def program(a, b, x, n):
    y = x * b
    c, d, k = 0.5, a * b, 0
"""


@dataclass(frozen=True)
class Place:
    """How deep a statement is, the places of vectors that may be named there, and whether it is in a loop."""

    depth: int = 0
    places: tuple[str, ...] = ("0", "1", "2", "k % 3")
    in_loop: bool = False
    in_parallel: bool = False

    def inside(self, counter: str | None = None) -> "Place":
        """One level deeper, in a loop if there is a counter."""
        more = () if counter is None else (f"{counter} % 3", f"({counter} + 1) % 3", f"{counter} % 3")
        return replace(self, depth=self.depth + 1, places=self.places + more, in_loop=self.in_loop or bool(counter))


def term(random: Random, place: Place) -> str:
    """An expression of numbers that stay small."""
    text = random.choice(TERMS).format(random.choice(NUMBERS), random.choice(place.places))
    return f"{text} + {random.choice(NUMBERS)} * 0.5" if random.random() < 0.25 else text


def target(random: Random) -> str:
    """A number that is changed, seldom the first."""
    return random.choice(NUMBERS[random.random() < 0.9 :])


def test(random: Random) -> str:
    """A condition."""
    return f"{random.choice(NUMBERS)} {random.choice('<>')} {random.choice((*LIMITS, *NUMBERS))}"


def indented(lines: Sequence[str]) -> list[str]:
    """The lines as the body of a statement."""
    return [f"    {line}" for line in lines]


def number_set(random: Random, place: Place) -> list[str]:
    """A number gets another value, or begins again."""
    name = target(random)
    return [f"{name} = {random.choice((term(random, place), term(random, place), '0.5', random.choice(NUMBERS)))}"]


def number_changed(random: Random, place: Place) -> list[str]:
    """A sum, a product, a minimum, a maximum."""
    name, value = target(random), term(random, place)
    function = random.choice(("min({0}, {1})", "max({1}, {0})", "np.minimum({1}, {0})", "np.fmax({0}, {1})"))
    changes = (f"{name} += {value}", f"{name} = {name} * 0.5 + {value}", f"{name} *= np.cos({value})")
    return [random.choice((*changes, f"{name} = {function.format(name, value)}"))]


def element_changed(random: Random, place: Place) -> list[str]:
    """An element or the whole vector."""
    at, value = random.choice(place.places), term(random, place)
    whole = ("y = np.sin(y)", "y = y[::-1] * 1.0", "y[1:] = y[:-1] * 0.5")
    return [
        random.choice((f"y[{at}] = {value}", f"y[{at}] += {value}", f"y[{at}] *= 0.5", *whole[: random.choice((0, 3))]))
    ]


def exchanged(random: Random, place: Place) -> list[str]:
    """Two numbers trade values."""
    del place
    one, other = random.sample(NUMBERS[1:], 2)
    return [f"{one}, {other} = {other}, {one}"]


def branch(random: Random, place: Place) -> list[str]:
    """A branch, often with another."""
    lines = [f"if {test(random)}:", *indented(block(random, place.inside()))]
    if random.random() < 0.35:
        lines += ["else:", *indented(block(random, place.inside()))]
    return lines


def left(random: Random, place: Place) -> list[str]:
    """The end of an iteration or of a loop."""
    if not place.in_loop or place.in_parallel:
        return number_set(random, place)
    return [f"if {test(random)}:", f"    {random.choice(('break', 'continue'))}"]


def returned(random: Random, place: Place) -> list[str]:
    """The end of the function."""
    return (
        number_set(random, place) if place.in_parallel else [f"if {test(random)}:", f"    return {term(random, place)}"]
    )


def search(random: Random, place: Place) -> list[str]:
    """The smallest, largest or last of something, with what belongs to it."""
    best, other = random.sample(NUMBERS[1:], 2)
    counter = place.places[-1].partition(" ")[0]
    lines = [f"e = {term(random, place)}", f"if e {random.choice(('<', '>', '<=', '>='))} {best}:", f"    {best} = e"]
    if random.random() < 0.4:
        lines.append(f"    {other} = {term(random, place)}")
    if random.random() < 0.4 and place.in_loop and counter.isidentifier():
        lines.append(f"    k = {counter}")
    if random.random() < 0.2 and place.in_loop and not place.in_parallel:
        lines.append("    break")
    return lines


def loop(random: Random, place: Place) -> list[str]:
    """A loop, over a range or as long as a count is positive."""
    counter = "ijlm"[place.depth]
    inner = place.inside(counter)
    if random.random() < 0.12:
        head = [f"{counter} = {random.choice(('n', '2', '0'))}", f"while {counter} > 0:", f"    {counter} -= 1"]
        return [*head, *indented(block(random, inner))]
    lines = [f"for {counter} in range({random.choice(RANGES)}):", *indented(block(random, inner))]
    if random.random() < 0.08:
        lines += ["else:", *indented(block(random, place.inside()))]
    return lines


def parallel_loop(random: Random, place: Place) -> list[str]:
    """A parallel loop over elements of its own and sums."""
    if place.depth:
        return loop(random, place)
    name = target(random)
    value = random.choice(("np.sin(x[i] * {0})", "x[i] * {0}", "np.cos({0}) * y[i]")).format(
        "a" if name != "a" else "0.4"
    )
    lines = random.choice(([f"{name} += {value}"], [f"y[i] = {value}"], ["y[i] *= 0.5", f"{name} += x[i] * y[i]"]))
    return ["for i in prange(3):", *indented(lines)]


FORMS: dict[Callable[[Random, Place], list[str]], float] = {
    number_set: 3, number_changed: 3, element_changed: 1.5, exchanged: 0.5, branch: 1.5, left: 0.7, search: 1.2,
    loop: 3, parallel_loop: 0.4, returned: 0.3,
}  # fmt: skip


def block(random: Random, place: Place) -> list[str]:
    """Some statements."""
    lines: list[str] = []
    for _ in range(random.choice((1, 1, 2, 2, 3))):
        form = random.choices([*FORMS], [*FORMS.values()])[0]
        lines += (number_changed if place.depth > 2 and form in (loop, parallel_loop, branch) else form)(random, place)
    return lines


def program(seed: int) -> Program:
    """The program of a seed."""
    random = Random(seed)
    results = ("a", "b", "c", "d", "c + d", "b + np.sum(y)", "d * c + y[1]", "c * k + y[k % 3]")
    lines = [*block(random, Place()), *block(random, Place()), f"return {random.choice(results)}"]
    text = HEAD + "\n".join(indented(lines)) + "\n"
    return Program(text, (0.43, 0.81, np.array([0.3, -0.7, 0.9]), random.choice((0, 1, 2, 3))))
