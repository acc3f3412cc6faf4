"""Random programs, put together by Hypothesis, so that it can shrink what fails.

Loops, branches, exits, writes, views, helpers, numbers that begin as integers, names that only some paths set. Every
program takes two numbers and a vector of four, keeps its values small by sines, and ends by a sum over all that it has.
"""

from dataclasses import dataclass, field, replace

from hypothesis import strategies as st

from tests.random_arrays import HELPERS as MORE_HELPERS
from tests.random_arrays import TABLE, array_forms

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


@st.composite
def index(draw, scope, length=4):
    choices = [str(k) for k in range(-1, length)]
    for counter in (*scope.counters, "k"):
        choices += [f"{counter} % {length}", f"({counter} + 1) % {length}", f"({counter} * 2 - 1) % {length}"]
    return draw(st.sampled_from(choices))


@st.composite
def element(draw, scope):
    name = draw(st.sampled_from(VECTORS + tuple(scope.views) + scope.tables))
    if name in scope.tables:
        return f"{name}[{draw(index(scope, 2))}, {draw(index(scope, 2))}]"
    return f"{name}[{draw(index(scope, scope.views.get(name, 4)))}]"


@st.composite
def name_of_number(draw, scope):
    return draw(st.sampled_from(SCALARS + tuple(dict.fromkeys(scope.perhaps))))


@st.composite
def scalar(draw, scope, depth=2):
    """An expression that is a number."""
    kind = draw(st.integers(0, 10 if depth else 2))
    if kind == 0:
        return draw(name_of_number(scope))
    if kind == 1:
        return draw(element(scope))
    if kind == 2:
        return draw(st.sampled_from(("0.5", "-1.5", "2", "k", *scope.counters)))
    left, right = draw(scalar(scope, depth - 1)), draw(scalar(scope, depth - 1))
    forms = (
        f"np.sin({left})",
        f"({left} * {right})",
        f"({left} + {right})",
        f"({left} if {right} > 0.3 else {draw(name_of_number(scope))})",
        f"np.exp(-{left} * {left})",
        f"mixed({left}, {right})",
        f"{left} / (2 + np.cos({right}))",
        f"np.sum({draw(st.sampled_from(VECTORS + scope.tables + tuple(scope.views)))} * {left})",
    )
    return forms[kind - 3]


@st.composite
def condition(draw, scope):
    """A test: a comparison, now and then a chain or two with a short circuit."""
    first = f"{draw(scalar(scope, 1))} > {draw(st.sampled_from(('0.3', '-0.2', '0.9')))}"
    form = draw(st.integers(0, 9))
    if form == 0:
        return f"-0.4 < {draw(scalar(scope, 1))} <= 0.8"
    if form in (1, 2):
        word = "and" if form == 1 else "or"
        return f"{first} {word} {draw(scalar(scope, 1))} < 0.5"
    if form == 3:
        return f"k % 2 == {draw(st.integers(0, 1))}"
    return f"not {first}" if form == 4 else first


@st.composite
def assignment(draw, scope):
    new = draw(st.sampled_from(("d", "e", *SCALARS, *SCALARS)))
    target = draw(st.one_of(st.just(new), element(scope)))
    if target in ("d", "e") and target not in scope.perhaps:
        operator, value = "=", draw(scalar(scope))
        scope.perhaps.append(target)
        return [f"{target} = np.sin({value})"]
    operator = draw(st.sampled_from(("=", "+=", "-=", "*=")))
    return [f"{target} {operator} np.sin({draw(scalar(scope))})"]


@st.composite
def plain(draw, scope):
    """Assignments without an operation: constants, copies, integers."""
    simple = ("k += 1", "k = 0", "m = 1", "a = b", "m = c", f"{draw(element(scope))} = {draw(element(scope))}")
    return [draw(st.sampled_from(simple))]


@st.composite
def swap(draw, scope):
    names = draw(st.sampled_from(("a, b = b, a", "u, w = w, u", "m, c = c, a", "")))
    if names:
        return [names]
    left, right = draw(element(scope)), draw(element(scope))
    return [f"{left}, {right} = {right}, {left}"]


@st.composite
def slice_write(draw, scope):
    target, source = draw(st.sampled_from(VECTORS)), draw(st.sampled_from(VECTORS))
    into = draw(st.sampled_from(SLICES))
    fitting = [part for part in SLICES if LENGTHS[part] == LENGTHS[into]]
    factor = draw(name_of_number(scope))
    operator = draw(st.sampled_from(("=", "+=", "*=")))
    value = draw(
        st.sampled_from((f"np.sin({source}{fitting[0]} * {factor})", f"{source}{fitting[-1]}", f"np.sin({factor})"))
    )
    return [f"{target}{into} {operator} {value}"]


@st.composite
def array_statement(draw, scope):
    """Whole arrays: new ones, helpers that write or return them, rows and columns."""
    one, other = draw(st.sampled_from(VECTORS)), draw(st.sampled_from(VECTORS))
    number = draw(name_of_number(scope))
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
    return [draw(st.sampled_from(forms))]


@st.composite
def array_statements(draw, scope):
    """Parts of parts, scratch arrays, rows, tables of indices, loops of as many turns as it takes."""
    one, other = draw(st.sampled_from(VECTORS)), draw(st.sampled_from(VECTORS))
    forms = array_forms(one, other, draw(name_of_number(scope)), draw(st.sampled_from(("k", *scope.counters))))
    return list(draw(st.sampled_from(forms)))


@st.composite
def view(draw, scope):
    name = f"v{scope.depth}"
    base = draw(st.sampled_from(VECTORS + tuple(old for old in scope.views if scope.views[old] == 4)))
    kind = draw(st.integers(0, 4))
    if kind == 0 and not scope.is_helper:
        scope.tables += (f"t{scope.depth}",)
        return [f"t{scope.depth} = {draw(st.sampled_from((f'{draw(st.sampled_from(VECTORS))}.reshape(2, 2)', 'p.T')))}"]
    if kind == 1:
        scope.views[name] = 2
        return [
            f"{name} = {draw(st.sampled_from(scope.tables))}{draw(st.sampled_from(('[0]', '[:, 1]', '[-1, ::-1]')))}"
        ]
    part = draw(st.sampled_from(SLICES))
    scope.views[name] = LENGTHS[part]
    return [f"{name} = {base}{part}"]


@st.composite
def trade(draw, scope):
    """Arrays of which it depends which is which, and loops that pass numbers on and write into them."""
    one, other = draw(st.permutations(VECTORS))
    number, place = draw(name_of_number(scope)), draw(index(scope))
    write = f"{one}[{place}] = np.sin({draw(scalar(scope, 1))})"
    passed = f"a *= np.sin({one}[{place}] + {number})"
    forms = (
        [f"if {draw(condition(scope))}:", "    u, w = w, u"],
        ["u, w = w, u"],
        [f"u, w = exchanged(u, w, {number})"],
        ["o = u", "u = w", write, "w = o"],
        [f"for n in range({draw(st.sampled_from(('3', 'k')))}):", "    u, w = w, u", f"    {one} *= np.cos({number})"],
        [f"for n in range({draw(st.sampled_from(('2', 'k')))}):", f"    {passed}", f"    {write}"],
        ["g = 0", f"while g < 2 and {number} < 0.9:", "    g += 1", f"    {passed}", f"    {write}"],
        [f"for n in range({draw(st.sampled_from(('3', 'k')))}):", "    u, w = w, u", f"    {passed}", f"    {write}"],
        [f"if {draw(condition(scope))}:", f"    {one} = {other} * np.cos({number})", "else:", f"    {one} -= x"],
        ["PICK", f"h = u if {draw(condition(scope))} else w", f"h[{place}] += np.sin({number})"],
        ["PICK", f"h = (u if {draw(condition(scope))} else w)[::-1]", f"h[{place}] *= np.cos({number})"],
    )
    lines = draw(st.sampled_from(forms))
    if lines[0] == "PICK":
        scope.views["h"] = 4
        return lines[1:]
    return lines


@st.composite
def branch(draw, scope):
    lines = [f"if {draw(condition(scope))}:", *draw(block(scope.inside()))]
    way = draw(st.integers(0, 3))
    if way == 0:
        lines += [f"elif {draw(condition(scope))}:", *draw(block(scope.inside()))]
    if way in (0, 1):
        lines += ["else:", *draw(block(scope.inside()))]
    return lines


@st.composite
def leave(draw, scope):
    ways = ["break", "break", "continue"] if scope.in_loop else []
    way = draw(st.sampled_from([*ways, f"return {draw(scalar(scope, 1))} + np.sum(u * w)"]))
    return [f"if {draw(condition(scope))}:", f"    {way}"]


@st.composite
def otherwise(draw, scope):
    """The `else` of a loop, seldom."""
    return ["else:", *draw(block(scope.inside()))] if draw(st.integers(0, 5)) == 0 else []


@st.composite
def for_loop(draw, scope):
    counter = "ijln"[scope.depth]
    spans = ("3", "1, 4", "3, -1, -1", "0, 5, 2", "0", "k", "k, 3", *scope.counters)
    head = f"for {counter} in range({draw(st.sampled_from(spans))}):"
    if draw(st.integers(0, 4)) == 0:
        head = f"for {draw(st.sampled_from(('d', 'a')))} in {draw(st.sampled_from(('u', 'w[::-1]', 'p[0]')))}:"
        return [head, *draw(block(scope.inside(loop=True))), *draw(otherwise(scope))]
    return [head, *draw(block(scope.inside(counter, loop=True))), *draw(otherwise(scope))]


@st.composite
def while_loop(draw, scope):
    counter = f"n{scope.depth}"
    inner = scope.inside(loop=True)
    tests = (f"{counter} < 3", f"{counter} < 3 and ({draw(condition(scope))})", f"not {counter} >= 2", "True")
    test = draw(st.sampled_from(tests))
    body = draw(block(inner))
    stop = [f"    if {counter} > 3:", "        break"] if test == "True" else []
    return [f"{counter} = 0", f"while {test}:", f"    {counter} += 1", *stop, *body, *draw(otherwise(scope))]


@st.composite
def block(draw, scope):
    """One to three statements, indented."""
    statements = [assignment, assignment, assignment, plain, swap, slice_write, array_statement, array_statements, view]
    statements += [trade] * 9 if scope.trades else []
    if scope.depth < 3 - scope.is_helper:
        statements += [branch, for_loop, while_loop]
    if scope.depth:
        statements += [leave]
    lines = []
    for kind in draw(st.lists(st.sampled_from(statements), min_size=1, max_size=3)):
        lines += draw(kind(scope))
    return [f"    {line}" for line in lines]


@st.composite
def helper(draw):
    """A function with a body of the same kind, that writes into its arguments perhaps."""
    body = draw(block(Scope(depth=1, is_helper=True)))
    return [
        "def own(a, b, u, w):",
        "    c, m, k = a - b, 1, 0",
        "    p = np.outer(u, w)[:2, 1:3]",
        f"    {TABLE}",
        *body,
        "    return a * c + m",
    ]


@st.composite
def programs(draw, trades=False):
    """The text of a module with one function, `program`, and what it calls; arrays that trade places, if wanted."""
    body = [line for _ in range(draw(st.integers(1, 3))) for line in draw(block(Scope(trades=trades)))]
    own = draw(helper()) if draw(st.integers(0, 2)) == 0 else []
    if own:
        call = draw(
            st.sampled_from(("    b = np.sin(own(a, b, u, w))", "    b = own(a, c, w, u * 1)", "    own(c, b, u, x)"))
        )
        body.insert(0, call)
    first = draw(st.sampled_from(("x.copy()", "x", "x * b")))
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
