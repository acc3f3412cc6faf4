"""Random programs, put together by Hypothesis, so that it can shrink what fails.

Loops, branches, exits, writes and views. Every program takes two numbers and a vector of four, keeps its values small
by sines, and ends by a sum over all that it has.
"""

from dataclasses import dataclass, field

from hypothesis import strategies as st

SCALARS = ("a", "b", "c")
ARRAYS = ("u", "w")
SLICES = ("[:]", "[1:]", "[:-1]", "[::-1]", "[::2]", "[1:3]", "[-2:]")
LENGTHS = {"[:]": 4, "[1:]": 3, "[:-1]": 3, "[::-1]": 4, "[::2]": 2, "[1:3]": 2, "[-2:]": 2}


@dataclass
class Scope:
    """What may be named at a place: loop variables, and how deep the place lies."""

    depth: int = 0
    counters: tuple[str, ...] = ()
    in_loop: bool = False
    views: dict[str, int] = field(default_factory=dict)

    def inside(self, *counters: str, loop: bool = False) -> "Scope":
        return Scope(self.depth + 1, self.counters + counters, self.in_loop or loop, dict(self.views))


@st.composite
def index(draw, scope, length=4):
    choices = [str(k) for k in range(-1, length)]
    for counter in scope.counters:
        choices += [f"{counter} % {length}", f"({counter} + 1) % {length}", f"({counter} * 2 - 1) % {length}"]
    return draw(st.sampled_from(choices))


@st.composite
def element(draw, scope):
    name = draw(st.sampled_from(ARRAYS + tuple(scope.views)))
    return f"{name}[{draw(index(scope, scope.views.get(name, 4)))}]"


@st.composite
def scalar(draw, scope, depth=2):
    """An expression that is a number."""
    kind = draw(st.integers(0, 7 if depth else 2))
    if kind == 0:
        return draw(st.sampled_from(SCALARS))
    if kind == 1:
        return draw(element(scope))
    if kind == 2:
        return draw(st.sampled_from(("0.5", "-1.5", "2.0") + scope.counters))
    left, right = draw(scalar(scope, depth - 1)), draw(scalar(scope, depth - 1))
    forms = (
        f"np.sin({left})",
        f"({left} * {right})",
        f"({left} + {right})",
        f"({left} if {right} > 0.3 else {draw(st.sampled_from(SCALARS))})",
        f"np.exp(-{left} * {left})",
    )
    return forms[kind - 3]


@st.composite
def assignment(draw, scope):
    target = draw(st.one_of(st.sampled_from(SCALARS), element(scope)))
    operator = draw(st.sampled_from(("=", "+=", "-=", "*=")))
    return [f"{target} {operator} np.sin({draw(scalar(scope))})"]


@st.composite
def swap(draw, scope):
    names = draw(st.sampled_from(("a, b = b, a", "u, w = w, u", "")))
    if names:
        return [names]
    left, right = draw(element(scope)), draw(element(scope))
    return [f"{left}, {right} = {right}, {left}"]


@st.composite
def slice_write(draw, scope):
    target, source = draw(st.sampled_from(ARRAYS)), draw(st.sampled_from(ARRAYS))
    into = draw(st.sampled_from(SLICES))
    fitting = [part for part in SLICES if LENGTHS[part] == LENGTHS[into]]
    factor = draw(st.sampled_from(SCALARS))
    operator = draw(st.sampled_from(("=", "+=", "*=")))
    value = draw(
        st.sampled_from((f"np.sin({source}{fitting[0]} * {factor})", f"{source}{fitting[-1]}", f"np.sin({factor})"))
    )
    return [f"{target}{into} {operator} {value}"]


@st.composite
def view(draw, scope):
    part, name = draw(st.sampled_from(SLICES)), f"v{scope.depth}"
    scope.views[name] = LENGTHS[part]
    return [f"{name} = {draw(st.sampled_from(ARRAYS))}{part}"]


@st.composite
def branch(draw, scope):
    condition = f"{draw(scalar(scope, 1))} > {draw(st.sampled_from(('0.3', '-0.2', '0.9')))}"
    lines = [f"if {condition}:", *draw(block(scope.inside()))]
    if draw(st.booleans()):
        lines += ["else:", *draw(block(scope.inside()))]
    return lines


@st.composite
def leave(draw, scope):
    ways = ["break", "continue"] if scope.in_loop else []
    way = draw(st.sampled_from([*ways, f"return {draw(scalar(scope, 1))} + np.sum(u * w)"]))
    return [f"if {draw(scalar(scope, 1))} > {draw(st.sampled_from(('0.6', '0.1')))}:", f"    {way}"]


@st.composite
def for_loop(draw, scope):
    counter = "ijk"[scope.depth]
    spans = ("3", "1, 4", "3, -1, -1", "0, 5, 2", "0", *scope.counters)
    return [f"for {counter} in range({draw(st.sampled_from(spans))}):", *draw(block(scope.inside(counter, loop=True)))]


@st.composite
def while_loop(draw, scope):
    counter = f"n{scope.depth}"
    inner = scope.inside(loop=True)
    return [f"{counter} = 0", f"while {counter} < 3:", f"    {counter} += 1", *draw(block(inner))]


@st.composite
def block(draw, scope):
    """One to three statements, indented."""
    statements = [assignment, assignment, assignment, swap, slice_write, view]
    if scope.depth < 2:
        statements += [branch, for_loop, while_loop]
    if scope.depth:
        statements += [leave]
    lines = []
    for kind in draw(st.lists(st.sampled_from(statements), min_size=1, max_size=3)):
        lines += draw(kind(scope))
    return [f"    {line}" for line in lines]


@st.composite
def programs(draw):
    """The text of a module with one function, `program`."""
    body = [line for _ in range(draw(st.integers(1, 3))) for line in draw(block(Scope()))]
    head = [
        "import numpy as np",
        "",
        "",
        "def program(a, b, x):",
        "    c = a * b",
        "    u = x.copy()",
        "    w = np.ones(4)",
    ]
    return "\n".join([*head, *body, "    return a + 2.0 * b - c + np.sum(u * w) + np.sum(w * w)", ""])
