"""Random expressions of a given type, from the names of a scope."""

from collections.abc import Callable
from random import Random

from tests.fuzz.scope import COMPLEX, INTEGER, NUMBER, Kind, Scope

SLICES = (":", "1:", ":-1", "::-1", "::2", "1:3", "-2:", "::-2", "3:0:-1", "1:1", ":2", "2:", "-2::-1", "1::2", ":1")
SMOOTH = ("np.sin", "np.cos", "np.tanh", "np.arctan")


def slices_from(length: int, wanted: int) -> list[str]:
    """Slices that take so many elements of an axis."""
    fitting = []
    for text in SLICES:
        parts = [int(part) if part else None for part in text.split(":")]
        if len(range(length)[slice(*parts)]) == wanted:
            fitting.append(text)
    return fitting


class Expressions:
    """Writes expressions; `scope` is the place for which."""

    def __init__(self, random: Random, scope: Scope) -> None:
        self.random = random
        self.scope = scope

    def of(self, *choices: str) -> str:
        return self.random.choice(choices)

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    # Names and parts of what they hold.

    def readable(self) -> dict[str, Kind]:
        return {**self.scope.names, **self.scope.constants}

    def named(self, kind: Kind) -> list[str]:
        """The names of values of a type."""
        return [name for name, known in self.readable().items() if known == kind]

    def arrays(self, dtype: str = "f", writable: bool = False) -> list[tuple[str, Kind]]:
        """The names of arrays, with their types."""
        known = self.scope.names if writable else self.readable()
        return [(name, kind) for name, kind in known.items() if kind.shape and kind.dtype == dtype]

    def index(self, length: int) -> str:
        """An integer within an axis, possibly counted from its end."""
        counters = self.named(INTEGER)
        if counters and self.chance(0.6):
            one = self.of(*counters)
            return self.of(f"{one} % {length}", f"({one} + 1) % {length}", f"(2 * {one} - 1) % {length}")
        tables = [(name, kind) for name, kind in self.arrays("i") if kind.shape[0]]
        if tables and self.chance(0.3):
            name, kind = self.random.choice(tables)
            return f"{name}[{self.random.randrange(kind.shape[0])}] % {length}"
        return str(self.random.randrange(-length, length))

    def part(self, name: str, kind: Kind, shape: tuple[int, ...]) -> str | None:
        """A part of an array that has a shape; None if none is known."""
        extra = len(kind.shape) - len(shape)
        if extra < 0:
            return None
        indexed = sorted(self.random.sample(range(len(kind.shape)), extra))
        kept = [axis for axis in range(len(kind.shape)) if axis not in indexed]
        texts = {}
        for axis, wanted in zip(kept, shape, strict=True):
            fitting = slices_from(kind.shape[axis], wanted)
            if not fitting:
                return None
            texts[axis] = self.of(*fitting)
        for axis in indexed:
            if not kind.shape[axis]:
                return None
            texts[axis] = self.index(kind.shape[axis])
        inside = [texts[axis] for axis in range(len(kind.shape))]
        if self.chance(0.5):
            while len(inside) > 1 and inside[-1] == ":":
                inside.pop()
        return f"{name}[{', '.join(inside)}]"

    def parts(self, kind: Kind, writable: bool = False) -> list[str]:
        """Some parts of arrays that have a type."""
        known = [self.part(name, each, kind.shape) for name, each in self.arrays(kind.dtype, writable)]
        return [each for each in known if each]

    # Numbers.

    def expression(self, kind: Kind, depth: int = 2) -> str:
        """An expression of this type."""
        if kind.shape:
            return self.complex_array(kind.shape, depth) if kind.dtype == "c" else self.array(kind.shape, depth)
        if kind == INTEGER:
            return self.integer()
        return self.complex_number(depth) if kind == COMPLEX else self.number(depth)

    def integer(self) -> str:
        counters = self.named(INTEGER)
        if not counters or self.chance(0.3):
            return self.of("0", "1", "2", "3")
        one = self.of(*counters)
        return self.of(one, one, f"({one} + 1) % 4", f"{one} // 2")

    def leaf(self) -> str:
        """A number without operations."""
        elements = self.parts(NUMBER) if self.chance(0.5) else []
        names = self.named(NUMBER)
        if elements or names:
            return self.of(*elements, *names)
        return self.of("0.5", "1.5")

    def number(self, depth: int = 2) -> str:
        if depth == 0 or self.chance(0.15):
            return self.leaf() if self.chance(0.85) else self.of("0.5", "-1.5", "2", self.integer())
        return self.random.choice(self.numbers(depth - 1))()

    def numbers(self, depth: int) -> tuple[Callable[[], str], ...]:
        """The productions of numbers."""

        def inner() -> str:
            return self.number(depth)

        def vector() -> str:
            return self.array(self.shape(), depth)

        return (
            lambda: f"{self.of(*SMOOTH)}({inner()})",
            lambda: f"({inner()} {self.of('+', '-', '*')} {inner()})",
            lambda: f"({inner()} {self.of('+', '-', '*')} {inner()})",
            lambda: f"-{self.leaf()}",
            lambda: f"({inner()} if {self.condition()} else {inner()})",
            lambda: f"{inner()} / (2.0 + np.cos({inner()}))",
            lambda: f"np.exp(-abs({inner()}))",
            lambda: f"np.sqrt(1.0 + {self.leaf()} ** 2)",
            lambda: f"np.log(2.0 + np.sin({inner()}))",
            lambda: f"{self.of('max', 'min', 'np.maximum', 'np.minimum', 'np.hypot')}({inner()}, 0.1 + {inner()})",
            lambda: f"(1.5 + np.sin({inner()})) ** {self.of('2', '3', '0.5', '-1', self.leaf())}",
            lambda: f"{self.of('np.sum', 'np.sum', 'np.mean', 'np.var')}({vector()})",
            lambda: f"{self.array(self.shape(), depth)}.{self.of('sum', 'mean', 'max', 'min')}()",
            self.dot_product,
            self.of_a_matrix,
            self.called,
            lambda: f"sum([{inner()}, {inner()}])",
            lambda: f"(lambda s, t=0.5: np.sin(s) * t)({inner()}{self.of('', f', {self.leaf()}')})",
            lambda: f"abs({self.complex_number(depth)} + 3.0)" if self.has_complex() else inner(),
            lambda: f"({self.complex_number(depth)}).{self.of('real', 'imag')}" if self.has_complex() else inner(),
        )

    def has_complex(self) -> bool:
        return any(kind.dtype == "c" for kind in self.readable().values())

    def shape(self) -> tuple[int, ...]:
        """The shape of an array in the scope, mostly; never of an empty one."""
        known = [kind.shape for _, kind in self.arrays() if 0 not in kind.shape]
        return self.random.choice(known) if known and self.chance(0.8) else self.random.choice([(3,), (2,), (2, 3)])

    def dot_product(self) -> str:
        length = self.random.choice([2, 3, 4])
        one, other = self.array((length,), 1), self.array((length,), 1)
        return self.of(f"np.dot({one}, {other})", f"({one}) @ ({other})", f"np.inner({one}, {other})")

    def of_a_matrix(self) -> str:
        size = self.random.choice([2, 3])
        one = self.array((size, size), 1)
        return self.of(
            f"np.trace({one})",
            f"np.linalg.det({one} * 0.3 + np.eye({size}))",
            f"np.linalg.norm({one} + 3.0)",
            f"np.sum(np.linalg.inv({one} * 0.2 + np.eye({size}) * 2.0))",
            f"np.linalg.slogdet({one} * 0.2 + np.eye({size}) * 2.0)[1]",
            f"np.einsum('ij,ji->', {one}, {one})",
        )

    def called(self) -> str:
        """A call of a helper that gives one number."""
        fitting = [each for each in self.scope.helpers if each.gives == (NUMBER,)]
        if not fitting:
            return self.leaf()
        helper = self.random.choice(fitting)
        return f"{helper.name}({self.arguments(helper.takes)})"

    def arguments(self, kinds: tuple[Kind, ...]) -> str:
        """Arguments of a call: names, views or expressions."""
        texts = []
        for kind in kinds:
            names = self.named(kind) if kind.shape else []
            views = self.parts(kind) if kind.shape else []
            if (names or views) and self.chance(0.75):
                texts.append(self.of(*names, *views))
            else:
                texts.append(self.expression(kind, 1))
        return ", ".join(texts)

    def condition(self) -> str:
        """A test of numbers."""
        first = f"{self.number(1)} {self.of('>', '<', '>=')} {self.of('0.3', '-0.2', '0.9', self.leaf())}"
        counters = self.named(INTEGER)
        match self.random.randrange(8):
            case 0:
                return f"{first} {self.of('and', 'or')} {self.leaf()} < 0.5"
            case 1 if counters:
                return f"{self.of(*counters)} % 2 == {self.of('0', '1')}"
            case 2:
                return f"not {first}"
            case 3:
                return f"-0.4 < {self.leaf()} <= 0.8"
        return first

    # Arrays.

    def array(self, shape: tuple[int, ...], depth: int = 2) -> str:
        kind = Kind("f", shape)
        known = self.named(kind)
        if depth == 0 or self.chance(0.2):
            parts = known + self.parts(kind)
            if parts:
                return self.of(*parts)
            return self.of(f"np.ones({self.text(shape)})", f"np.full({self.text(shape)}, {self.leaf()})")
        return self.random.choice(self.array_forms(shape, depth - 1))()

    def text(self, shape: tuple[int, ...]) -> str:
        return str(shape[0]) if len(shape) == 1 else f"({', '.join(map(str, shape))})"

    def array_forms(self, shape: tuple[int, ...], depth: int) -> list[Callable[[], str]]:
        """The productions of arrays of a shape."""

        def inner() -> str:
            return self.array(shape, depth)

        forms: list[Callable[[], str]] = [
            lambda: f"{self.of(*SMOOTH)}({inner()})",
            lambda: f"({inner()} {self.of('+', '-', '*')} {inner()})",
            lambda: f"({inner()} {self.of('+', '-', '*')} {self.number(depth)})",
            lambda: f"({self.number(depth)} {self.of('+', '-', '*')} {inner()})",
            lambda: f"{inner()} / (1.5 + {inner()} ** 2)",
            lambda: f"np.exp(-{self.array(shape, 0)} ** 2)",
            lambda: f"np.where({self.array(shape, 0)} > {self.of('0.1', self.leaf())}, {inner()}, {inner()})",
            lambda: f"{self.of('np.maximum', 'np.minimum')}({inner()}, {self.of('0.1', self.number(0))})",
            lambda: f"np.clip({inner()}, -0.7, {self.of('0.6', '0.8')})",
            lambda: f"np.zeros({self.text(shape)}) + {self.number(depth)}",
            lambda: f"({inner()}){self.of('.copy()', '[::-1]', '')}",
            lambda: f"np.abs({inner()} - 0.123)",
        ]
        if len(shape) == 1:
            forms += self.vector_forms(shape[0], depth)
        if len(shape) == 2:
            forms += self.matrix_forms(shape, depth)
        if len(shape) > 1:
            rest = shape[1:]
            forms += [
                lambda: f"({inner()} {self.of('+', '*')} {self.array(rest, depth)})",
                lambda: (
                    f"np.stack(({', '.join(self.array(rest, min(depth, 1)) for _ in range(shape[0]))},))"
                    if shape[0]
                    else inner()
                ),
                lambda: f"{self.array(shape[::-1], depth)}{self.of('.T', '.transpose()')}",
                lambda: f"({self.array((*shape[:-1], 1), depth)} * {inner()})",
                lambda: f"np.cumsum({inner()}, axis={self.random.randrange(len(shape))})",
            ]
        if 0 not in shape:
            size = 1
            for each in shape:
                size *= each
            if len(shape) > 1:
                forms.append(lambda: f"{self.array((size,), depth)}.reshape({', '.join(map(str, shape))})")
            forms.append(
                lambda: (
                    f"{self.of('np.sum', 'np.mean', 'np.max')}({self.array((2, *shape), min(depth, 1))}, axis=0)"
                    if len(shape) < 3
                    else inner()
                )
            )
        return forms

    def vector_forms(self, length: int, depth: int) -> list[Callable[[], str]]:
        def number() -> str:
            return self.number(min(depth, 1))

        def inner() -> str:
            return self.array((length,), depth)

        tables = [name for name, kind in self.arrays("i") if kind.shape == (length,)]
        forms: list[Callable[[], str]] = [
            lambda: f"np.array([{', '.join(number() for _ in range(length))}])" if length else inner(),
            lambda: f"np.cumsum({inner()})",
            lambda: f"np.roll({inner()}, {self.of('1', '-1', '2')})",
            lambda: f"np.linspace({number()}, {number()}, {length})" if length > 1 else inner(),
            lambda: f"np.array([np.sin({number()} + e) for e in range({length})])" if length else inner(),
            lambda: f"{self.array((length, 2), depth)} @ {self.array((2,), depth)}",
            lambda: f"{self.array((3, length), depth)}.{self.of('sum', 'mean')}(axis=0)" if length else inner(),
            lambda: f"np.sort({inner()})",
        ]
        if length > 1:
            cut = self.random.randrange(1, length)
            forms += [
                lambda: f"np.concatenate(({self.array((cut,), depth)}, {self.array((length - cut,), depth)}))",
                lambda: f"np.diff({self.array((length + 1,), depth)})",
                lambda: f"np.diag({self.array((length, length), depth)})",
                lambda: f"np.linalg.solve({self.array((length, length), 1)} * 0.2 + 2.0 * np.eye({length}), {inner()})",
            ]
        for table in tables:
            longer = [(name, kind) for name, kind in self.arrays() if len(kind.shape) == 1 and kind.shape[0] > 2]
            if longer:
                name, _ = self.random.choice(longer)
                forms += [lambda name=name, table=table: f"{name}[{table}]"] * 2
        return forms

    def matrix_forms(self, shape: tuple[int, ...], depth: int) -> list[Callable[[], str]]:
        rows, columns = shape

        def inner() -> str:
            return self.array(shape, depth)

        forms: list[Callable[[], str]] = [
            lambda: f"np.outer({self.array((rows,), depth)}, {self.array((columns,), depth)})",
            lambda: f"{self.array((rows, 2), depth)} @ {self.array((2, columns), depth)}",
            lambda: f"np.einsum('ik,kj->ij', {self.array((rows, 3), depth)}, {self.array((3, columns), depth)})",
            lambda: f"{self.array((rows,), depth)}[:, None] * {self.array((columns,), depth)}",
            lambda: f"{self.of('np.triu', 'np.tril')}({inner()})",
            lambda: f"np.concatenate(({inner()}, {inner()}), axis=1)[:, :{columns}]",
        ]
        if rows == columns and rows:
            forms += [
                lambda: f"np.linalg.inv({inner()} * 0.2 + 2.0 * np.eye({rows}))",
                lambda: f"np.linalg.cholesky(({inner()} @ {self.array(shape, 0)}.T) * 0.0 + 2.0 * np.eye({rows}))",
                lambda: f"np.diag({self.array((rows,), depth)})",
            ]
            names = self.named(Kind("f", shape))
            if names:
                name = self.of(*names)
                forms.append(lambda: f"np.linalg.cholesky({name} @ {name}.T + 2.0 * np.eye({rows}))")
        return forms

    # Complex numbers.

    def complex_number(self, depth: int = 1) -> str:
        names = self.named(COMPLEX) + self.parts(COMPLEX)
        if depth == 0 and names:
            return self.of(*names)
        inner = self.complex_number(depth - 1) if depth > 0 and names else f"({self.leaf()} + 1j * {self.leaf()})"
        return self.of(
            f"np.exp(1j * {self.number(min(depth, 1))})",
            f"({inner} * {inner})",
            f"({inner} + {self.leaf()})",
            f"({inner} - 2j * {self.leaf()})",
            f"np.conj({inner})",
            f"np.sin({inner})" if depth < 2 else inner,
            f"{inner} / (3.0 + abs({inner}))",
        )

    def complex_array(self, shape: tuple[int, ...], depth: int = 1) -> str:
        kind = Kind("c", shape)
        names = self.named(kind) + self.parts(kind)
        if depth <= 0 and names:
            return self.of(*names)
        inner = self.of(*names) if names else f"({self.array(shape, 0)} * 1j)"
        again = self.complex_array(shape, depth - 1) if depth > 0 else inner
        return self.of(
            f"({again} * {self.complex_number(0)})",
            f"({again} + {self.array(shape, min(depth, 1))})",
            f"np.conj({again})",
            f"np.exp(1j * {self.array(shape, min(depth, 1))})",
            f"({again} * {inner})",
            f"({again}).conj()",
        )
