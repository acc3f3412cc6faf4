"""Random statements: assignments, writes to parts, views, structures, branches, loops, calls."""

from tests.fuzz.expressions import Expressions
from tests.fuzz.scope import COMPLEX, INTEGER, NUMBER, Kind, Scope

DEEPEST = 3


class Statements(Expressions):
    """Writes statements, as lines of text."""

    fresh = 0

    def new_name(self, start: str) -> str:
        """A name that the program does not have yet."""
        self.fresh += 1
        return f"{start}{self.fresh}"

    def bounded(self, kind: Kind, depth: int = 2) -> str:
        """An expression whose values stay small however often it is computed."""
        text = self.expression(kind, depth)
        if kind == COMPLEX or kind.dtype == "c":
            size = self.array(kind.shape, 1) if kind.shape else self.number(1)
            return f"np.tanh({size}) * np.exp(1j * {self.leaf()})"
        return text if kind == INTEGER else f"{self.of('np.sin', 'np.sin', 'np.tanh')}({text})"

    def block(self, scope: Scope, most: int = 2) -> list[str]:
        """Some statements in a scope of their own, indented."""
        outer, self.scope = self.scope, scope
        lines: list[str] = []
        for _ in range(self.random.randint(1, most)):
            lines += self.statement()
        self.scope = outer
        return [f"    {line}" for line in lines]

    def statement(self) -> list[str]:
        """One statement of any kind."""
        forms = [self.assign] * 4 + [self.write_element] * 2 + [self.write_slice] * 3 + [self.view] * 2
        forms += [self.update, self.swap, self.select, self.structure, self.call, self.comprehension, self.copy_name]
        if self.scope.depth < DEEPEST:
            forms += [self.branch] * 2 + [self.count] * 3 + [self.walk, self.repeat, self.grow]
        if self.scope.depth == 0 and not self.scope.in_parallel:
            forms += [self.parallel]
        if self.scope.depth > 0 and not self.scope.in_parallel:
            forms += [self.leave]
        return self.random.choice(forms)()

    # Without control flow.

    def assign(self) -> list[str]:
        """A new value for a name, or a new name."""
        if self.chance(0.35):
            kind = self.random.choice([NUMBER, NUMBER, Kind("f", self.shape())] + [COMPLEX] * self.has_complex())
            name = self.new_name({(): "s"}.get(kind.shape, "v"))
            line = f"{name} = {self.bounded(kind)}"
            self.scope.names[name] = kind
            return [line]
        known = [(name, kind) for name, kind in self.scope.names.items() if kind.dtype != "i"]
        if not known:
            return ["pass"]
        name, kind = self.random.choice(known)
        return [f"{name} = {self.bounded(kind)}"]

    def update(self) -> list[str]:
        """An augmented assignment."""
        known = [(name, kind) for name, kind in self.scope.names.items() if kind.dtype == "f"]
        if not known:
            return ["pass"]
        name, kind = self.random.choice(known)
        other = NUMBER if kind.shape and self.chance(0.3) else kind
        return [f"{name} {self.of('+=', '-=', '*=')} {self.bounded(other)}"]

    def copy_name(self) -> list[str]:
        """Two names of one array or number, or a number of an integer."""
        known = [(name, kind) for name, kind in self.scope.names.items() if kind.dtype != "i"]
        if not known:
            return ["pass"]
        name, kind = self.random.choice(known)
        others = [other for other in self.scope.names if self.scope.names[other] == kind]
        return [f"{self.of(*others)} = {name}{self.of('', '', '.copy()') if kind.shape else ''}"]

    def write_element(self) -> list[str]:
        places = self.parts(NUMBER, writable=True)
        if not places:
            return self.assign()
        place = self.of(*places)
        if self.chance(0.2):
            return [f"{place} = {self.leaf()}"]
        return [f"{place} {self.of('=', '=', '+=', '*=', '-=')} {self.bounded(NUMBER)}"]

    def write_slice(self) -> list[str]:
        """A write to a slice: of a number, of an array, of another part of perhaps the same array."""
        arrays = self.arrays(writable=True)
        if not arrays:
            return self.assign()
        name, kind = self.random.choice(arrays)
        shape = tuple(self.random.randint(0, length) for length in kind.shape)
        keep = len(shape) if self.chance(0.6) else max(len(shape) - 1, 1)
        place = self.part(name, kind, shape[:keep]) if keep < len(shape) else self.part(name, kind, shape)
        if place is None:
            place, shape, keep = f"{name}[{self.of('...', ':')}]", kind.shape, len(kind.shape)
        shape = shape[:keep]
        operator = self.of("=", "=", "+=", "*=")
        others = self.parts(Kind("f", shape))
        if others and self.chance(0.4):
            return [f"{place} {operator} {self.of(*others)}"]
        return [f"{place} {operator} {self.bounded(NUMBER if self.chance(0.3) else Kind('f', shape))}"]

    def view(self) -> list[str]:
        """A name for a part of an array, which further statements may write to."""
        arrays = self.arrays(writable=True)
        if not arrays:
            return self.assign()
        name, kind = self.random.choice(arrays)
        new = self.new_name("w")
        if len(kind.shape) > 1 and self.chance(0.4):
            self.scope.names[new] = Kind("f", kind.shape[::-1])
            return [f"{new} = {name}{self.of('.T', '.transpose()')}"]
        if kind.shape == (4,) and self.chance(0.2):
            self.scope.names[new] = Kind("f", (2, 2))
            return [f"{new} = {name}.reshape(2, 2)"]
        shape = kind.shape[1:] if len(kind.shape) > 1 and self.chance(0.5) else kind.shape
        wanted = tuple(max(length - self.random.randrange(2), 1) for length in shape)
        text = self.part(name, kind, wanted)
        if text is None:
            return self.assign()
        self.scope.names[new] = Kind("f", wanted)
        return [f"{new} = {text}"]

    def swap(self) -> list[str]:
        """Two values trade places: names, elements or rows."""
        known = list(self.scope.names.items())
        name, kind = self.random.choice(known)
        others = [other for other, each in known if each == kind and other != name]
        if others and self.chance(0.5):
            other = self.of(*others)
            return [f"{name}, {other} = {other}, {name}"]
        if self.chance(0.3) and len(kind.shape) == 2 and kind.shape[0] > 1:
            return [f"{name}[0], {name}[1] = {name}[1].copy(), {name}[0].copy()"]
        places = self.parts(NUMBER, writable=True)
        if len(places) < 2:
            return self.assign()
        one, other = self.random.sample(places, 2)
        return [f"{one}, {other} = {other}, {self.of(one, f'np.sin({one})')}"]

    def select(self) -> list[str]:
        """Writes through an array of indices, of which some occur twice, or through a mask."""
        vectors = [(name, kind) for name, kind in self.arrays(writable=True) if len(kind.shape) == 1]
        tables = [name for name, kind in self.arrays("i") if kind.shape == (3,)]
        if not vectors:
            return self.assign()
        name, kind = self.random.choice(vectors)
        if tables and kind.shape[0] > 2 and self.chance(0.7):
            table = self.of(*tables)
            value = self.of(self.bounded(NUMBER), self.bounded(Kind("f", (3,))))
            operator = self.of("=", "+=", "*=")
            return [self.of(f"{name}[{table}] {operator} {value}", f"np.add.at({name}, {table}, {value})")]
        operator = self.of("=", "*=", "+=")
        return [f"{name}[{name} > {self.of('0.2', self.leaf())}] {operator} {self.bounded(NUMBER)}"]

    def comprehension(self) -> list[str]:
        """A list by a comprehension, and its sum; or a list that a loop over a zip adds up."""
        new = self.new_name("s")
        vectors = [(name, kind) for name, kind in self.arrays() if len(kind.shape) == 1 and kind.shape[0]]
        if not vectors:
            return self.assign()
        name, kind = self.random.choice(vectors)
        other = self.array(kind.shape, 1)
        line = self.of(
            f"{new} = sum([np.sin(e * {self.leaf()}) for e in {name}])",
            f"{new} = sum(e * g for e, g in zip({name}, {other}))",
            f"{new} = np.sum(np.array([e * {self.leaf()} for e in {name} if e > 0.1]))",
            f"{new} = max([e + 0.1 for e in {name}])",
        )
        self.scope.names[new] = NUMBER
        return [line]

    def structure(self) -> list[str]:
        """A tuple, list, dictionary or object, whose parts can be used from then on."""
        new = self.new_name("t")
        shape = self.shape()
        number, array = self.bounded(NUMBER, 1), self.expression(Kind("f", shape), 1)
        kinds = NUMBER, Kind("f", shape)
        match self.random.randrange(5):
            case 0:
                self.scope.constants |= {f"{new}[0]": kinds[0], f"{new}[1]": kinds[1]}
                return [f"{new} = ({number}, {array})"]
            case 1:
                self.scope.names |= {f"{new}['a']": kinds[0], f"{new}['w']": kinds[1]}
                return [f"{new} = {{'a': {number}, 'w': {array}}}"]
            case 2:
                self.scope.names |= {f"{new}.a": kinds[0], f"{new}.w": kinds[1]}
                lines = [f"{new} = State({number}, {array})"]
                return [*lines, f"{new}.move({self.leaf()})"] if self.chance(0.5) else lines
            case 3:
                self.scope.names |= {f"{new}[0]": NUMBER, f"{new}[1]": NUMBER}
                return [f"{new} = [{number}, {self.number(1)}]"]
        self.scope.constants |= {f"{new}.a": kinds[0], f"{new}.w": kinds[1]}
        lines = [f"{new} = Pair({number}, {array})"]
        if self.chance(0.4):
            one, other = self.new_name("s"), self.new_name("v")
            self.scope.names |= {one: kinds[0], other: kinds[1]}
            lines.append(f"{one}, {other} = {new}")
        return lines

    def call(self) -> list[str]:
        """A call of a helper, which may write to what it is given."""
        fitting = [each for each in self.scope.helpers if not self.scope.in_parallel or not each.writes]
        if not fitting:
            return self.assign()
        helper = self.random.choice(fitting)
        call = f"{helper.name}({self.arguments(helper.takes)})"
        if not helper.gives:
            return [call]
        names = []
        for kind in helper.gives:
            known = [name for name in self.scope.names if self.scope.names[name] == kind and name not in names]
            if known and self.chance(0.6):
                names.append(self.of(*known))
            else:
                name = self.new_name("v" if kind.shape else "s")
                names.append(name)
        self.scope.names |= dict(zip(names, helper.gives, strict=True))
        return [f"{', '.join(names)} = {call}"]

    # With control flow.

    def branch(self) -> list[str]:
        lines = [f"if {self.condition()}:", *self.block(self.scope.inside())]
        way = self.random.randrange(4)
        if way == 0:
            lines += [f"elif {self.condition()}:", *self.block(self.scope.inside())]
        if way < 3:
            lines += ["else:", *self.block(self.scope.inside())]
        return lines

    def leave(self) -> list[str]:
        """An early exit."""
        ways = ["break", "break", "continue"] if self.scope.in_loop else []
        way = self.of(*ways, f"return {self.result()}".strip())
        return [f"if {self.condition()}:", f"    {way}"]

    def result(self) -> str:
        """What a `return` gives."""
        return ", ".join(f"{self.of('np.sin', 'np.cos')}({self.expression(kind, 1)})" for kind in self.scope.gives)

    def otherwise(self) -> list[str]:
        return ["else:", *self.block(self.scope.inside(), 1)] if self.chance(0.1) else []

    def count(self) -> list[str]:
        """A loop over a range, perhaps of no iterations."""
        counter = self.new_name("i")
        span = self.of("2", "3", "1, 4", "3, -1, -1", "0, 5, 2", "0", self.integer(), f"{self.integer()}, 3")
        inner = self.scope.inside(loop=True)
        inner.constants[counter] = INTEGER
        return [f"for {counter} in range({span}):", *self.block(inner), *self.otherwise()]

    def walk(self) -> list[str]:
        """A loop over elements or rows."""
        arrays = [(name, kind) for name, kind in self.arrays() if "[" not in name]
        if not arrays:
            return self.count()
        name, kind = self.random.choice(arrays)
        inner, element = self.scope.inside(loop=True), self.new_name("e")
        inner.names[element] = Kind("f", kind.shape[1:])
        if self.chance(0.3):
            counter = self.new_name("i")
            inner.constants[counter] = INTEGER
            return [f"for {counter}, {element} in enumerate({name}):", *self.block(inner), *self.otherwise()]
        text = self.of(name, f"{name}[::-1]", f"reversed({name})" if kind.shape == (3,) else name)
        return [f"for {element} in {text}:", *self.block(inner), *self.otherwise()]

    def repeat(self) -> list[str]:
        """A `while` loop."""
        counter, inner = self.new_name("n"), self.scope.inside(loop=True)
        inner.constants[counter] = INTEGER
        test = self.of(f"{counter} < 3", f"{counter} < 3 and ({self.condition()})", "True")
        stop = [f"    if {counter} > 2:", "        break"] if test == "True" else []
        return [f"{counter} = 0", f"while {test}:", f"    {counter} += 1", *stop, *self.block(inner), *self.otherwise()]

    def grow(self) -> list[str]:
        """A list that a loop appends to, and its sum."""
        values, counter, new = self.new_name("l"), self.new_name("i"), self.new_name("s")
        inner = self.scope.inside(loop=True)
        inner.constants[counter] = INTEGER
        body = self.block(inner, 1)
        outer, self.scope = self.scope, inner
        value = self.bounded(NUMBER, 1)
        self.scope = outer
        self.scope.names[new] = NUMBER
        last = self.of(f"{new} = np.sin(sum({values}))", f"{new} = {values}[-1] * {values}[0]")
        head = f"for {counter} in range({self.of('2', '3')}):"
        if any(word in line for line in body for word in ("break", "continue")):
            last = f"{new} = np.sin(sum({values}))"
        return [f"{values} = []", head, *body, f"    {values}.append({value})", last]

    def parallel(self) -> list[str]:
        """A parallel loop, each of whose iterations writes to an element of its own, and a sum over all."""
        total, counter, array = self.new_name("s"), self.new_name("i"), self.new_name("v")
        inner = self.scope.inside(loop=False)
        inner.in_parallel = True
        inner.constants = {**inner.constants, **inner.names, counter: INTEGER}
        inner.names = {}
        self.scope.names |= {total: NUMBER, array: Kind("f", (4,))}
        outer, self.scope = self.scope, inner
        local = self.new_name("s")
        lines = [f"{local} = {self.bounded(NUMBER)}"]
        inner.names[local] = NUMBER
        for _ in range(self.random.randrange(2)):
            lines += self.assign()
        lines += [f"{array}[{counter}] = {self.bounded(NUMBER)}", f"{total} += {self.bounded(NUMBER)}"]
        self.scope = outer
        lines = [f"    {line}" for line in lines]
        return [f"{total} = 0.0", f"{array} = np.zeros(4)", f"for {counter} in prange(4):", *lines]
