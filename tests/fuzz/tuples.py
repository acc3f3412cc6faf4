"""Random functions about tuples and lists: what they hold becomes a number that is multiplied by something smooth.

Shapes known at run time, literals, mixtures, what helpers return, names that branches and loops assign; every operator
and what else Python does with such values. Whatever raises an exception in Python may be put together, too.
"""

from random import Random

HELPERS = """import numpy as np

def doubled(t):
    return t + t


def shape_with(a, t):
    return a.shape + t


def ends(t):
    return t[:1] + t[-1:]


def chosen(x, t, u):
    if x[0] > 0.0:
        return t
    return u


def larger(t):
    t += (1,)
    return t
"""
SHAPES = (
    "x.shape",
    "m.shape",
    "m.T.shape",
    "np.shape(m)",
    "x[1:].shape",
    "m[0].shape",
    "np.sin(m).shape",
    "x[None].shape",
)
SLICES = ("[:]", "[1:]", "[:-1]", "[::-1]", "[:1]", "[-1:]", "[1:1]", "[::2]")
ELEMENTS = ("1", "2", "3", "n", "x.shape[0]", "len(m)", "x.size", "-1")
FLOATS = ("x[0]", "2.5", "x[1] * x[2]")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Author:
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names: list[str] = []  # of tuples
        self.lists: list[str] = []

    def of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def sometimes(self, share: float) -> bool:
        return self.random.random() < share

    def element(self) -> str:
        return self.of(*ELEMENTS) if self.sometimes(0.85) else self.of(*FLOATS)

    def elements(self) -> str:
        return ", ".join(self.element() for _ in range(self.random.randrange(4)))

    def literal(self) -> str:
        text = self.elements()
        return f"({text},)" if text else "()"

    def tuple_(self, depth: int = 2) -> str:
        """An expression that is a tuple."""
        if depth == 0 or self.sometimes(0.2):
            named = [self.of(*self.names)] if self.names else []
            return self.of(self.literal(), self.of(*SHAPES), self.of(*SHAPES), *named)
        inner = self.tuple_(depth - 1)
        match self.random.randrange(12):
            case 0 | 1 | 2 | 3:
                return f"({inner} + {self.tuple_(depth - 1)})"
            case 4:
                return f"({inner} * {self.of('2', '3', '0', '-1', 'len(x.shape)')})"
            case 5:
                return f"({self.of('2', '1', '0')} * {inner})"
            case 6 | 7:
                return f"({inner}){self.of(*SLICES)}"
            case 8:
                return f"{self.of('doubled', 'ends', 'larger', 'tuple')}({inner})"
            case 9:
                return f"shape_with({self.of('x', 'm', 'm[0]')}, {inner})"
            case 10:
                return f"chosen(x, {inner}, {self.alike(inner, depth)})"
        test = self.of("x[0] > 0.0", "n > 2", "x.ndim == 1")
        return f"({inner} if {test} else {self.alike(inner, depth)})"

    def alike(self, text: str, depth: int) -> str:
        """Mostly a tuple of the same form: what may be one of two is refused otherwise."""
        return self.of(text, f"({text})[::-1]", f"({text})[:]", self.tuple_(depth - 1))

    def list_(self, depth: int = 1) -> str:
        """An expression that is a list."""
        inner = f"[{self.elements()}]"
        if depth and self.sometimes(0.3):
            inner = f"({inner} + {self.list_(depth - 1)})"
        if self.sometimes(0.2):
            inner = f"list({self.tuple_(1)})"
        if self.sometimes(0.15):
            inner = f"({inner} * 2)"
        return self.of(inner, *self.lists)

    def either(self) -> str:
        return self.tuple_() if self.sometimes(0.85) else self.list_()

    def statement(self) -> list[str]:
        """A statement that gives a name a tuple or a list."""
        name = self.of("s", "t", "u")
        if self.sometimes(0.15):
            lines = [f"k = {self.list_()}"] + ([f"k += {self.either()}"] if self.sometimes(0.5) else [])
            self.lists.append("k")
            return lines
        value = self.tuple_()
        lines = [f"{name} = {value}"]
        match self.random.randrange(8):
            case 0 | 1:
                lines.append(f"{name} += {self.tuple_(1)}")
            case 2:
                lines.append(f"{name} *= {self.of('2', '0')}")
            case 3:
                lines = ["if x[1] > 0.0:", f"    {name} = {value}", "else:", f"    {name} = {self.alike(value, 1)}"]
            case 4:
                lines += ["if n > 1:", f"    {name} += {self.tuple_(1)}"]
            case 5:
                lines += ["for i in range(2):", f"    {name} = {name} + {self.tuple_(1)}"]
        self.names.append(name)
        return lines

    def number(self) -> list[str]:
        """Statements that add something to `total` that tells tuples apart."""
        t = self.either()
        match self.random.randrange(22):
            case 0:
                return [f"total += len({t})"]
            case 1:
                return [f"total += sum({t})"]
            case 2 | 3:
                return ["j = 1", f"for v in {t}:", "    total += j * v", "    j += 1"]
            case 4:
                return [f"for j, v in enumerate({t}):", "    total += (j + 1) * v"]
            case 5 | 6:
                return [f"total += float({t} {self.of(*COMPARISONS)} {self.either()})"]
            case 7:
                return [f"total += 2.0 if {t} {self.of('==', '!=')} {self.either()} else 3.0"]
            case 8:
                return [f"total += float({self.element()} {self.of('in', 'not in')} {t})"]
            case 9:
                return [f"total += {t}[{self.of('0', '-1', '1', 'n - 2')}]"]
            case 10:
                return [f"first, *rest = {t}", "total += first + 2 * len(rest)"]
            case 11:
                return [f"first, second = {t}", "total += first + 2 * second"]
            case 12:
                return [f"total += np.zeros({t}).size"]
            case 13:
                return [f"total += np.sum(np.broadcast_to(x[0], {t}))"]
            case 14:
                return [f"total += np.sum(np.ones({t}) * x[0]) + np.zeros({t}).ndim"]
            case 15:
                return [f"total += {self.of('max', 'min', 'np.prod', 'np.sum', 'np.max')}({t})"]
            case 16:
                return [f"total += np.sum(np.array({t}) * 2)"]
            case 17:
                return [f"total += 1.0 if {self.of('not ', '')}{t} else 2.0"]
            case 18:
                return [f"total += np.sum(np.array({t}) {self.of('+', '-', '*')} {self.tuple_(1)})"]
            case 19:
                return [f"total += np.sum({self.of('x', 'm')} {self.of('+', '-', '/')} {t})"]
            case 20:
                return [f"total += np.sum({t} {self.of('+', '-')} {self.of('x', 'm')})"]
        return [f"total += np.reshape(np.concatenate((x, x)), {t}).ndim"]

    def text(self) -> str:
        lines = ["total = 0.5"]
        for _ in range(self.random.randrange(3)):
            lines += self.statement()
        for _ in range(self.random.randrange(1, 3)):
            lines += self.number()
        lines.append("return total * np.sum(np.sin(x)) + np.sum(m * m)")
        return HELPERS + "\n\ndef program(x, m, n):\n" + "".join(f"    {line}\n" for line in lines)


def program(seed: int) -> str:
    """The text of a function `program(x, m, n)` of a vector, a matrix and a number."""
    return Author(seed).text()
