"""Random programs on two numbers and a vector, which may be joined in any way.

Loops, branches, exits, writes, views, helpers, numbers that begin as integers, names that only some paths set. Every
program takes two numbers and a vector of four, keeps its values small by sines, and ends by a sum over all that it has.
"""

from dataclasses import dataclass, field, replace

from tests.fuzz.array_forms import HELPERS as MORE_HELPERS
from tests.fuzz.array_forms import TABLE, array_forms

SCALARS = ("a", "b", "c", "m")
VECTORS = ("u", "w")
MATRICES = ("p",)
SLICES = ("[:]", "[1:]", "[:-1]", "[::-1]", "[::2]", "[1:3]", "[-2:]")
LENGTHS = {"[:]": 4, "[1:]": 3, "[:-1]": 3, "[::-1]": 4, "[::2]": 2, "[1:3]": 2, "[-2:]": 2}
HELPERS = """
def mixed(s, t):
    if s > 0.5:
        return s * t
    for n in range(3):
        t = np.sin(t + s)
        if t > 0.7:
            return t - n
    return s


def stirred(v, s):
    for n in range(v.shape[0]):
        if v[n] * s > 0.4:
            continue
        v[n] = np.sin(v[n - 1] + s)
        s = s * v[n]
    v[0] += s
    return v[-1] * s


def exchanged(v, r, s):
    if s > 0.4:
        return r, v
    r[1] = np.sin(s + v[2])
    return v, r


def turned(v, s=0.5):
    r = np.empty_like(v)
    r[...] = s * v[::-1]
    return r
"""


@dataclass
class Scope:
    """What may be named at a place: loop variables, views, what was perhaps set, and how deep the place lies."""

    depth: int = 0
    counters: tuple[str, ...] = ()
    in_loop: bool = False
    is_helper: bool = False
    views: dict[str, int] = field(default_factory=dict)
    tables: tuple[str, ...] = MATRICES
    perhaps: list[str] = field(default_factory=list)
    trades: bool = False  # whether arrays trade places often

    def inside(self, *counters: str, loop: bool = False) -> "Scope":
        """One level deeper; what is perhaps set there is perhaps set from then on."""
        counters = self.counters + counters
        in_loop = self.in_loop or loop
        return replace(self, depth=self.depth + 1, counters=counters, in_loop=in_loop, views=dict(self.views))


def index(random, scope, length=4):
    choices = [str(k) for k in range(-1, length)]
    for counter in (*scope.counters, "k"):
        choices += [f"{counter} % {length}", f"({counter} + 1) % {length}", f"({counter} * 2 - 1) % {length}"]
    return random.choice(choices)


def element(random, scope):
    name = random.choice(VECTORS + tuple(scope.views) + scope.tables)
    if name in scope.tables:
        return f"{name}[{index(random, scope, 2)}, {index(random, scope, 2)}]"
    return f"{name}[{index(random, scope, scope.views.get(name, 4))}]"


def name_of_number(random, scope):
    return random.choice(SCALARS + tuple(dict.fromkeys(scope.perhaps)))


def scalar(random, scope, depth=2):
    """An expression that is a number."""
    kind = random.randint(0, 10 if depth else 2)
    if kind == 0:
        return name_of_number(random, scope)
    if kind == 1:
        return element(random, scope)
    if kind == 2:
        return random.choice(("0.5", "-1.5", "2", "k", *scope.counters))
    left, right = scalar(random, scope, depth - 1), scalar(random, scope, depth - 1)
    forms = (
        f"np.sin({left})",
        f"({left} * {right})",
        f"({left} + {right})",
        f"({left} if {right} > 0.3 else {name_of_number(random, scope)})",
        f"np.exp(-{left} * {left})",
        f"mixed({left}, {right})",
        f"{left} / (2 + np.cos({right}))",
        f"np.sum({random.choice(VECTORS + scope.tables + tuple(scope.views))} * {left})",
    )
    return forms[kind - 3]


def condition(random, scope):
    """A test: a comparison, now and then a chain or two with a short circuit."""
    first = f"{scalar(random, scope, 1)} > {random.choice(('0.3', '-0.2', '0.9'))}"
    form = random.randint(0, 9)
    if form == 0:
        return f"-0.4 < {scalar(random, scope, 1)} <= 0.8"
    if form in (1, 2):
        word = "and" if form == 1 else "or"
        return f"{first} {word} {scalar(random, scope, 1)} < 0.5"
    if form == 3:
        return f"k % 2 == {random.randint(0, 1)}"
    return f"not {first}" if form == 4 else first


def assignment(random, scope):
    new = random.choice(("d", "e", *SCALARS, *SCALARS))
    target = new if random.randrange(2) else element(random, scope)
    if target in ("d", "e") and target not in scope.perhaps:
        operator, value = "=", scalar(random, scope)
        scope.perhaps.append(target)
        return [f"{target} = np.sin({value})"]
    operator = random.choice(("=", "+=", "-=", "*="))
    return [f"{target} {operator} np.sin({scalar(random, scope)})"]


def plain(random, scope):
    """Assignments without an operation: constants, copies, integers."""
    simple = ("k += 1", "k = 0", "m = 1", "a = b", "m = c", f"{element(random, scope)} = {element(random, scope)}")
    return [random.choice(simple)]


def swap(random, scope):
    names = random.choice(("a, b = b, a", "u, w = w, u", "m, c = c, a", ""))
    if names:
        return [names]
    left, right = element(random, scope), element(random, scope)
    return [f"{left}, {right} = {right}, {left}"]


def slice_write(random, scope):
    target, source = random.choice(VECTORS), random.choice(VECTORS)
    into = random.choice(SLICES)
    fitting = [part for part in SLICES if LENGTHS[part] == LENGTHS[into]]
    factor = name_of_number(random, scope)
    operator = random.choice(("=", "+=", "*="))
    value = random.choice((f"np.sin({source}{fitting[0]} * {factor})", f"{source}{fitting[-1]}", f"np.sin({factor})"))
    return [f"{target}{into} {operator} {value}"]


def array_statement(random, scope):
    """Whole arrays: new ones, helpers that write or return them, rows and columns."""
    one, other = random.choice(VECTORS), random.choice(VECTORS)
    number = name_of_number(random, scope)
    forms = (
        f"{one} = np.sin({other} + {number})",
        f"{one} = turned({other}, {number})",
        f"{one} = turned({other})",
        f"stirred({one}, {number})",
        f"{number} = stirred({one}, {number})",
        f"{one} = {other}.copy()",
        f"{one} *= np.cos({other})",
        f"p = np.sin(p @ p + {number})",
        f"p[0] = np.sin({one}[1:3]) * {number}",
        f"p[:, 1] += {one}[::2]",
        f"p[...] = np.cos({one}.reshape(2, 2).T)",
        f"{one} = np.sin(p).reshape(4)",
        f"{one} = np.zeros(4)",
        f"{one} = np.tanh({other} * {number})",  # whose derivatives read what they made
        f"{one} = np.exp(-{other} * {other})",
        "p = np.linalg.inv(p @ p.T + 3 * np.eye(2))",
    )
    if scope.is_helper:
        forms += (f"{number} = np.dot({one}, {other})",)
    return [random.choice(forms)]


def array_statements(random, scope):
    """Parts of parts, scratch arrays, rows, tables of indices, loops of as many turns as it takes."""
    one, other = random.choice(VECTORS), random.choice(VECTORS)
    forms = array_forms(one, other, name_of_number(random, scope), random.choice(("k", *scope.counters)))
    return list(random.choice(forms))


def view(random, scope):
    name = f"v{scope.depth}"
    base = random.choice(VECTORS + tuple(old for old in scope.views if scope.views[old] == 4))
    kind = random.randint(0, 4)
    if kind == 0 and not scope.is_helper:
        scope.tables += (f"t{scope.depth}",)
        return [f"t{scope.depth} = {random.choice((f'{random.choice(VECTORS)}.reshape(2, 2)', 'p.T'))}"]
    if kind == 1:
        scope.views[name] = 2
        return [f"{name} = {random.choice(scope.tables)}{random.choice(('[0]', '[:, 1]', '[-1, ::-1]'))}"]
    part = random.choice(SLICES)
    scope.views[name] = LENGTHS[part]
    return [f"{name} = {base}{part}"]


def trade(random, scope):
    """Arrays of which it depends which is which, and loops that pass numbers on and write into them."""
    one, other = random.sample(VECTORS, 2)
    number, place = name_of_number(random, scope), index(random, scope)
    write = f"{one}[{place}] = np.sin({scalar(random, scope, 1)})"
    passed = f"a *= np.sin({one}[{place}] + {number})"
    forms = (
        [f"if {condition(random, scope)}:", "    u, w = w, u"],
        ["u, w = w, u"],
        [f"u, w = exchanged(u, w, {number})"],
        ["o = u", "u = w", write, "w = o"],
        [f"for n in range({random.choice(('3', 'k'))}):", "    u, w = w, u", f"    {one} *= np.cos({number})"],
        [f"for n in range({random.choice(('2', 'k'))}):", f"    {passed}", f"    {write}"],
        ["g = 0", f"while g < 2 and {number} < 0.9:", "    g += 1", f"    {passed}", f"    {write}"],
        [f"for n in range({random.choice(('3', 'k'))}):", "    u, w = w, u", f"    {passed}", f"    {write}"],
        [f"if {condition(random, scope)}:", f"    {one} = {other} * np.cos({number})", "else:", f"    {one} -= x"],
        ["PICK", f"h = u if {condition(random, scope)} else w", f"h[{place}] += np.sin({number})"],
        ["PICK", f"h = (u if {condition(random, scope)} else w)[::-1]", f"h[{place}] *= np.cos({number})"],
    )
    lines = random.choice(forms)
    if lines[0] == "PICK":
        scope.views["h"] = 4
        return lines[1:]
    return lines


def branch(random, scope):
    lines = [f"if {condition(random, scope)}:", *block(random, scope.inside())]
    way = random.randint(0, 3)
    if way == 0:
        lines += [f"elif {condition(random, scope)}:", *block(random, scope.inside())]
    if way in (0, 1):
        lines += ["else:", *block(random, scope.inside())]
    return lines


def leave(random, scope):
    ways = ["break", "break", "continue"] if scope.in_loop else []
    way = random.choice([*ways, f"return {scalar(random, scope, 1)} + np.sum(u * w)"])
    return [f"if {condition(random, scope)}:", f"    {way}"]


def otherwise(random, scope):
    """The `else` of a loop, seldom."""
    return ["else:", *block(random, scope.inside())] if random.randint(0, 5) == 0 else []


def for_loop(random, scope):
    counter = "ijln"[scope.depth]
    spans = ("3", "1, 4", "3, -1, -1", "0, 5, 2", "0", "k", "k, 3", *scope.counters)
    head = f"for {counter} in range({random.choice(spans)}):"
    if random.randint(0, 4) == 0:
        head = f"for {random.choice(('d', 'a'))} in {random.choice(('u', 'w[::-1]', 'p[0]'))}:"
        return [head, *block(random, scope.inside(loop=True)), *otherwise(random, scope)]
    return [head, *block(random, scope.inside(counter, loop=True)), *otherwise(random, scope)]


def while_loop(random, scope):
    counter = f"n{scope.depth}"
    inner = scope.inside(loop=True)
    tests = (f"{counter} < 3", f"{counter} < 3 and ({condition(random, scope)})", f"not {counter} >= 2", "True")
    test = random.choice(tests)
    body = block(random, inner)
    stop = [f"    if {counter} > 3:", "        break"] if test == "True" else []
    return [f"{counter} = 0", f"while {test}:", f"    {counter} += 1", *stop, *body, *otherwise(random, scope)]


def block(random, scope):
    """One to three statements, indented."""
    statements = [assignment, assignment, assignment, plain, swap, slice_write, array_statement, array_statements, view]
    statements += [trade] * 9 if scope.trades else []
    if scope.depth < 3 - scope.is_helper:
        statements += [branch, for_loop, while_loop]
    if scope.depth:
        statements += [leave]
    lines = []
    for _ in range(random.randint(1, 3)):
        kind = random.choice(statements)
        lines += kind(random, scope)
    return [f"    {line}" for line in lines]


def helper(random):
    """A function with a body of the same kind, that writes into its arguments perhaps."""
    body = block(random, Scope(depth=1, is_helper=True))
    return [
        "def own(a, b, u, w):",
        "    c, m, k = a - b, 1, 0",
        "    p = np.outer(u, w)[:2, 1:3]",
        f"    {TABLE}",
        *body,
        "    return a * c + m",
    ]


def text_of(random, trades=False):
    """The text of a module with one function, `program`, and what it calls; arrays that trade places, if wanted."""
    body = [line for _ in range(random.randint(1, 3)) for line in block(random, Scope(trades=trades))]
    own = helper(random) if random.randint(0, 2) == 0 else []
    if own:
        call = random.choice(("    b = np.sin(own(a, b, u, w))", "    b = own(a, c, w, u * 1)", "    own(c, b, u, x)"))
        body.insert(0, call)
    first = random.choice(("x.copy()", "x", "x * b"))
    head = [
        "def program(a, b, x):",
        "    c = a * b",
        "    m, k = 0, 1",
        f"    u = {first}",
        "    w = np.ones(4)",
        "    p = np.outer(x, x + 1)[1:3, 1:3] * 0.5",
        f"    {TABLE}",
    ]
    last = "    return a + 2.0 * b - c + 0.5 * m + np.sum(u * w) + np.sum(w * w) + np.sum(p * p.T)"
    before = [*own, "", ""] if own else []
    return "\n".join(
        [
            "import numpy as np",
            "",
            *HELPERS.splitlines(),
            *MORE_HELPERS.splitlines(),
            "",
            "",
            *before,
            *head,
            *body,
            last,
            "",
        ]
    )
