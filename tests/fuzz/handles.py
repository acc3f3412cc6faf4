"""Random programs on names that stand for one array or another, or for none yet: set, exchanged, written through.

    if c == 1:
        q = u[1:]
        has_q = 1
    for i in range(c):
        if has_p and has_q:
            p, q = q, p
        if has_p:
            p[0] *= a

Whether a name has an array is known from a flag, so that programs are valid. Every program takes a vector, a number, a
count and a flag.
"""

from dataclasses import dataclass, field
from random import Random

import numpy as np

from tests.fuzz.program import Program

NAMES = ("p", "q", "r")
PARTS = ("u", "v", "u", "v", "u[:4]", "v[:4]", "v[::2]", "u[1:]", "u[::-1]", "m[1]", "m[k % 3]", "m[:, 1]", "m[c % 3]")
NEW = ("np.cos(u)", "v * a", "x.copy()", "np.zeros(5)")
TESTS = ("c == 1", "c == 2", "c > 0", "d", "s > 0.5", "k == 1", "k % 2 == 0", "k > c")
PLACES = ("0", "1", "-1", "k % 2")
WRITES = (
    "{0}[{1}] *= a", "{0}[{1}] += s * 0.1", "{0}[{1}] = np.sin({0}[0]) + s", "s += {0}[{1}] * {0}[0] * 0.1",
    "{0}[:2] *= 0.5 * a", "s = np.tanh(s) + np.sum({0}[:2])",
)  # fmt: skip
MEETINGS = ("{0}[0] += {1}[1] * 0.3", "s += {0}[0] * {1}[0]", "{1}[1] = {0}[1] * a", "{0}[:2] += {1}[:2] * 0.5")
OTHERS = ("u[1] *= 0.7", "v[1] = a * s", "u += v * 0.1", "s += u[0] * v[1] * 0.1", "k += 1", "u, v = v, u", "m[1] *= a")


@dataclass
class _Author:
    """Writes one program."""

    random: Random
    lines: list[str] = field(default_factory=list)
    depth: int = 0
    taken: set[str] = field(default_factory=set)
    names: tuple[str, ...] = NAMES

    def add(self, *lines: str) -> None:
        """Add lines where the text is."""
        self.lines += ["    " * (self.depth + 1) + line for line in lines]

    def set_up(self) -> list[str]:
        """The arrays, and the names that have one from the beginning: also those that get none later."""
        lines = ["u, v, m = x * a, np.sin(x), np.outer(x[:3], x)", "s, k = a, 0"]
        for name in self.names:
            has_one = name not in self.taken or self.random.random() < 0.5
            lines += [f"{name} = {self.random.choice('uv')}"] if has_one else []
            lines.append(f"has_{name} = {int(has_one)}")
        return [f"    {line}" for line in lines]

    def block(self) -> None:
        """Some statements."""
        for _ in range(self.random.choice((1, 2, 2, 3))):
            forms = [self.take, self.hand_on, self.exchange, self.write, self.other, self.loop, self.branch]
            self.random.choices(forms, (4, 2, 1, 5, 2, 3, 4))[0]()

    def take(self) -> None:
        """A name gets an array, or a part of one."""
        name = self.random.choice(self.names)
        self.taken.add(name)
        value = self.random.choice(NEW if self.random.random() < 0.15 else PARTS)
        self.add(f"{name} = {value}", f"has_{name} = 1")

    def hand_on(self) -> None:
        """A name gets the array of another one."""
        name, other = self.random.sample(self.names, 2)
        part = self.random.choice(("", "", "[:3]", "[1:]"))
        self.add(f"if has_{other}:", f"    {name} = {other}{part}", f"    has_{name} = 1")

    def exchange(self) -> None:
        """Two names trade arrays."""
        name, other = self.random.sample(self.names, 2)
        self.add(f"if has_{name} and has_{other}:", f"    {name}, {other} = {other}, {name}")

    def write(self) -> None:
        """Something is written through a name, or read; often beside another one."""
        name, other = self.random.sample(self.names, 2)
        write = self.random.choice(WRITES).format(name, self.random.choice(PLACES))
        self.add(f"if has_{name}:", f"    {write}")
        if self.random.random() < 0.4:
            meeting = self.random.choice(MEETINGS).format(name, other)
            self.add(f"if has_{name} and has_{other}:", f"    {meeting}")

    def other(self) -> None:
        """The arrays change by their own names."""
        self.add(self.random.choice(OTHERS))

    def inside(self, head: str) -> None:
        """A block under a head."""
        self.add(head)
        self.depth += 1
        self.block()
        self.depth -= 1

    def loop(self) -> None:
        """A loop, at most three deep."""
        if self.depth > 2:
            return self.write()
        span = self.random.choice(("2", "3", "c", "c + 1", "2, -1, -1"))
        return self.inside(f"for {'ijl'[self.depth]} in range({span}):")

    def branch(self) -> None:
        """A branch, sometimes with another."""
        if self.depth > 2:
            return self.write()
        self.inside(f"if {self.random.choice(TESTS)}:")
        return self.inside("else:") if self.random.random() < 0.4 else None


def program(seed: int) -> Program:
    """The program of a seed."""
    random, author = Random(seed), _Author(Random(seed))
    author.names = NAMES[: random.choice((2, 2, 3))]
    for part in random.choice(((author.loop,), (author.block, author.loop), (author.block, author.loop, author.block))):
        part()
    for name in author.names:
        author.add(f"if has_{name}:", f"    s += {name}[0] * {name}[1] * 0.3")
    author.add("return s + np.sum(u * u) * 0.5 + np.sum(v) * a + np.sum(np.sin(m))")
    head = "import numpy as np\n\n\ndef program(x, a, c, d):\n"
    x = np.random.default_rng(seed).uniform(-1.0, 1.0, 6)
    body = "\n".join(author.set_up() + author.lines)
    return Program(f"{head}{body}\n", (x, 0.7, random.choice((0, 1, 2, 3)), random.choice((0, 1))))
