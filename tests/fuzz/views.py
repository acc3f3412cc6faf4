"""Random programs of array statements whose operands and targets are parts of one vector and one matrix.

    v0 = b[:, ::2].T
    b[1:, k] -= np.sin(v0[0]) * y[:1]
    y[::-1] *= np.sum(b[0]) + y

Parts overlap, have length one, or are empty; some have names of their own, and some statements are in a loop. Each
statement is tried in NumPy before it is taken, so that nearly all programs are valid.
"""

from random import Random
from typing import Any

import numpy as np

from tests.fuzz.leaves import own_copy
from tests.fuzz.program import Program

PARTS = (
    ":", "1:", ":-1", ":1", "k:", ":k", "k:k + 1", "1:2", "::2", "1::2", "::-1", "2:", ":2", "-1:", "n - 1:", "1:n - 1",
    "-2:", "k + 1:", ":n - k",
)  # fmt: skip
PLACES = ("0", "1", "-1", "k", "n - 1", "i", "-k")
COPIES = ("np.ravel({0})", "np.ascontiguousarray({0})", "np.diag({0})", "{0}.copy()", "np.flip({0})", "np.asarray({0})")
HEAD = ["y, b = x * a, m * a", "p = np.array([0, 2, 1, 2])", "s, i = a, 1"]
MOST_TRIES = 200


class _Author:
    """Writes one program."""

    def __init__(self, random: Random, values: dict[str, Any]) -> None:
        self.random, self.values = random, values
        self.body: list[str] = []
        self.names: dict[str, int] = {}  # of parts, with the number of their axes
        self.state = self.after([])

    def after(self, lines: list[str]) -> dict[str, Any]:
        """What the names are after these lines. Raises what NumPy raises."""
        state = {"np": np, **own_copy(self.values)}
        with np.errstate(all="ignore"):
            exec("\n".join([*HEAD, *lines]), state)
        return state

    def of(self, *choices: str) -> str:
        """One of these texts, with parts and places in it."""
        text = self.random.choice(choices)
        for mark, given in (("<", PARTS), (">", PLACES)):
            while mark in text:
                text = text.replace(mark, self.random.choice(given), 1)
        return text

    def part(self) -> str:
        """A part of an array, or a whole one."""
        named = [name for name in self.names for _ in range(2)]
        vectors = ("y[<]", "y[<]", "b[>]", "b[>, <]", "b[<, >]", "y", "y[p]", "y[<][:, None]", "y[None, <]")
        part = self.of(*vectors, "b", "b[<]", "b[<, <]", "b[<, <]", "b.T", "b.T[<]", "b[<, <].T", *named)
        return self.random.choice(COPIES).format(part) if self.random.random() < 0.08 else part

    def value(self, depth: int = 0) -> str:
        """An expression."""
        part = self.part()
        if depth < 2 and self.random.random() < 0.5:
            return f"{part} {self.random.choice('*+-')} {self.value(depth + 1)}"
        return self.of(part, part, f"np.sin({part})", f"{part} * s", f"({part} + a)")

    def store(self) -> str:
        """A statement that writes into an array."""
        named = [f"{name}[:]" for name in self.names]
        target = self.of("y[<]", "y[:]", "b[:]", "b[>]", "b[<]", "b[<, <]", "b[<, >]", "b[>, <]", *named)
        if self.random.random() < 0.15:
            target = target.removesuffix("[:]")
        operator = self.random.choice(("=", "+=", "-=", "*=") if target.endswith("]") else ("+=", "-=", "*="))
        value = "w" if "w" in self.state and self.random.random() < 0.15 else self.value()
        return f"{target} {operator} {self.random.choice(('', '0.5 * '))}({value})"

    def statement(self) -> str:
        """Any statement."""
        form = self.random.random()
        if form < 0.18:
            return f"v{len(self.names)} = {self.part()}"
        if form < 0.28:
            return self.random.choice(
                (f"s = s + 0.1 * np.sum({self.value()})", f"s = np.tanh(s + np.mean({self.value()}))")
            )
        return f"w = {self.value()}" if form < 0.36 else self.store()

    def take(self) -> None:
        """Add a statement, if NumPy takes it."""
        line = self.statement()
        try:
            state = self.after([*self.body, line])
        except (ValueError, IndexError, TypeError, NameError):
            return
        name = line.partition(" ")[0]
        if name.startswith("v") and name not in self.names and "[" not in name:
            self.names[name] = np.ndim(state[name])
        self.body.append(line)
        self.state = state

    def program(self) -> Program:
        """The whole program."""
        count, tries = self.random.choice((3, 5, 6)), 0
        while len(self.body) < count and tries < MOST_TRIES:
            self.take()
            tries += 1
        lines = self.body
        if self.random.random() < 0.35:
            span = self.random.choice(("2", "k + 1", "1, 3", "k"))
            lines = [f"for i in range({span}):", *(f"    {line}" for line in lines)]
        text = "\n".join(f"    {line}" for line in (*HEAD, *lines, "return s + np.sum(y * y) + np.sum(np.sin(b))"))
        return Program(f"import numpy as np\n\n\ndef program(x, m, a, n, k):\n{text}\n", tuple(self.values.values()))


def program(seed: int) -> Program:
    """The program of a seed."""
    random, rng, n = Random(seed), np.random.default_rng(seed), 4
    x, m = rng.uniform(-1.0, 1.0, n), rng.uniform(-1.0, 1.0, (n, n))
    return _Author(random, {"x": x, "m": m, "a": 0.7, "n": n, "k": random.choice((0, 1, 1, 2))}).program()
