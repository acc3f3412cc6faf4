"""Random programs over the whole language: arguments of all types, helpers, recursion, closures, structures.

A program is a function `program` in a module; its arguments are drawn with it.
"""

import textwrap
from random import Random

import numpy as np

from tests.fuzz.program import Program
from tests.fuzz.scope import COMPLEX, INTEGER, NUMBER, Helper, Kind, Scope
from tests.fuzz.statements import Statements

HEAD = """
from collections import namedtuple
from dataclasses import dataclass

import numpy as np
from numba import prange

Pair = namedtuple("Pair", "a w")


@dataclass
class State:
    a: float
    w: np.ndarray

    def move(self, s):
        self.a = np.sin(self.a + s)
        self.w = self.w * np.cos(s)

    def energy(self):
        return self.a * self.a + np.sum(self.w * self.w)
"""
SHAPES = ((4,), (4,), (3,), (3, 3), (2, 3), (2, 2), (2, 3, 2), (0,))
INDICES = (0, 1, 2)


class Author(Statements):
    """Writes one program."""

    def __init__(self, random: Random) -> None:
        super().__init__(random, Scope({}, ()))
        self.helpers: list[Helper] = []
        self.texts: list[str] = []
        self.arguments_of: dict[str, object] = {}

    def kinds(self) -> tuple[Kind, ...]:
        """Types of parameters."""
        choices = [NUMBER, NUMBER, Kind("f", (4,)), Kind("f", (3,)), Kind("f", (3, 3)), Kind("f", (2, 3))]
        return tuple(self.random.choice(choices) for _ in range(self.random.randint(1, 3)))

    def helper(self) -> None:
        """A function with a body of the same kind; perhaps one that calls itself."""
        takes = self.kinds()
        gives = self.random.choice([(NUMBER,), (NUMBER,), (NUMBER,), (), (NUMBER, NUMBER), (Kind("f", (3,)),)])
        name, names = self.new_name("f"), [f"p{n}" for n in range(len(takes))]
        calls_itself = gives in ((NUMBER,), (NUMBER, NUMBER)) and self.chance(0.25)
        self.scope = Scope(dict(zip(names, takes, strict=True)), gives, {}, tuple(self.helpers), depth=1)
        if calls_itself:
            self.scope.constants["n"] = INTEGER
        body = [line for _ in range(self.random.randint(1, 3)) for line in self.statement()]
        result = self.result()
        parameters = ", ".join(names + ["n"] * calls_itself)
        if calls_itself:
            body[:0] = ["if n <= 0:", f"    return {', '.join(self.number(1) for _ in gives)}"]
            again = f"{name}({self.arguments(takes)}, n - 1)"
            if len(gives) == 1:
                result += f" * {again}"
            else:
                body += [f"r0, r1 = {again}", f"s0, s1 = {result}"]
                result = "s0 * r1, np.sin(s1 + r0)"
            takes = (*takes, INTEGER)
        if gives:
            body.append(f"return {result}")
        self.texts.append(f"def {name}({parameters}):\n" + textwrap.indent("\n".join(body), "    "))
        self.helpers.append(Helper(name, takes, gives, any(kind.shape for kind in takes)))

    def argument(self, name: str, kind: Kind, single: bool = False) -> None:
        """Draw a value for a parameter."""
        if kind.dtype == "i":
            value = self.random.choice((1, 2, 3)) if not kind.shape else np.array([2, 0, 2])
        else:
            value = np.array(
                [self.random.uniform(-1.0, 1.0) for _ in range(int(np.prod(kind.shape)))], np.float64
            ).reshape(kind.shape)
            if kind.dtype == "c":
                value = value * np.exp(1j * self.random.uniform(0, 6))
            elif single:
                value = value.astype(np.float32)
            elif not kind.shape:
                value = value.item()
            if single and kind == NUMBER:
                value = np.float32(value)
        self.arguments_of[name] = value
        self.scope.names[name] = kind
        if kind.dtype == "i":
            self.scope.constants[name] = self.scope.names.pop(name)

    def parameters(self) -> None:
        """Draw the parameters."""
        single = self.chance(0.08)
        self.argument("a", NUMBER, single)
        self.argument("b", NUMBER)
        self.argument("x", Kind("f", (4,)), single)
        for name, share, kind in (
            ("y", 0.6, Kind("f", self.random.choice(SHAPES))),
            ("m", 0.4, Kind("f", self.random.choice(SHAPES[3:7]))),
            ("k", 0.5, INTEGER),
            ("q", 0.4, Kind("i", (3,))),
            ("z", 0.12, COMPLEX),
            ("c", 0.06, Kind("c", (3,))),
        ):
            if self.chance(share):
                self.argument(name, kind, single)
                if name == "z":
                    self.arguments_of[name] = complex(self.random.uniform(-1, 1), self.random.uniform(-1, 1))
        if self.chance(0.12):
            value = {"a": self.random.uniform(-1, 1), "w": np.array([self.random.uniform(-1, 1) for _ in range(3)])}
            self.arguments_of["d"] = value
            self.scope.names |= {"d['a']": NUMBER, "d['w']": Kind("f", (3,))}

    def program(self) -> Program:
        """Write the whole module."""
        for _ in range(self.random.choice([0, 0, 0, 1])):
            self.helper()
        self.scope = Scope({}, (NUMBER,), {}, tuple(self.helpers))
        self.parameters()
        # Mostly short: a fault needs a few statements, and time goes with length.
        count = self.random.choice((1, 1, 2, 2, 2, 3, 4))
        lines = [line for _ in range(count) for line in self.statement()]
        ends = [self.weight(name, kind) for name, kind in self.readable().items() if kind.dtype != "i"]
        lines.append(f"return {' + '.join(ends)}")
        body = textwrap.indent("\n".join(lines), "    ")
        own = f"def program({', '.join(self.arguments_of)}):\n{body}\n"
        text = "\n\n\n".join([HEAD.strip(), *self.texts, own])
        return Program(text, tuple(self.arguments_of.values()))

    def weight(self, name: str, kind: Kind) -> str:
        """A term of the result that depends on a value."""
        factor = self.of("0.5", "1.5", "0.7", "1.0")
        if kind.dtype == "c":
            return f"{factor} * np.sum(np.real({name} * np.conj({name}) + {name}))"
        return f"{factor} * np.sum({name} * {name} + {name})" if kind.shape else f"{factor} * {name}"


def program(seed: int) -> Program:
    """The program of a seed."""
    return Author(Random(seed)).program()
