"""Random programs with functions at their poles, whose values there are dropped, by functions of NumPy or by branches.

    t = np.log(x)                   x has zeros where q is zero
    a = np.where(q > 0, t, y)       the derivative must not be nan

Nothing is written to, so a tape can follow them as well.
"""

from random import Random

import numpy as np

from tests.fuzz.program import Program

SIZE = 5
# Functions of x, the points at which their slopes are infinite, and whether their values are finite there. An infinite
# value may only be added and scaled by constants: times something that is differentiated it is 0 * inf in its adjoint.
POLES = (
    ("np.sqrt({x})", 0.0, True),
    ("{x} ** 0.5", 0.0, True),
    ("np.cbrt({x})", 0.0, True),
    ("np.power({x}, s)", 0.0, True),
    ("np.arccosh(1.0 + {x})", 0.0, True),
    ("np.arcsin({x})", 1.0, True),
    ("np.arccos({x})", -1.0, True),
    ("np.log({x})", 0.0, False),
    ("1.0 / {x}", 0.0, False),
    ("{x} ** -1.5", 0.0, False),
    ("np.reciprocal({x})", 0.0, False),
    ("np.log1p(-{x})", 1.0, False),
    ("np.arctanh({x})", 1.0, False),
)
DROPPED = (
    "np.sum(np.where(m, {t}, y))",
    "np.sum({t}[m])",
    "np.sum(np.compress(m, {t}))",
    "np.sum(np.take({t}, np.flatnonzero(q)))",
    "np.max(np.where(m, {t}, -1e3))",
    "np.prod(np.where(m, {t}, 1.0))",
    "np.dot(np.where(m, {t}, 0.0), y)",
    "np.sum(np.sort(np.where(m, {t}, y)) * np.arange(5.0))",
    "np.linalg.norm(np.where(m, {t}, 0.25))",
)
LINEAR = ("{t}", "2.0 * {t}", "{t} + y", "{t} - x", "np.concatenate(({t}[:2], {t}[2:]))")
PRODUCTS = ("s * {t}", "{t} * y", "{t} * {t}", "np.sin({t})")


def program(seed: int) -> Program:
    """The program of a seed."""
    random = Random(seed)
    pole = random.choice((0.0, 0.0, 1.0, -1.0))
    lines, terms = ["m = q > 0"], []
    for place in range(random.randint(1, 3)):
        call, is_finite = random.choice([(text, finite) for text, at, finite in POLES if at == pole])
        inner = random.choice(("x", "x", "x * 1.0", "x * x" if pole != -1.0 else "x"))
        lines.append(f"t{place} = {call.format(x=f'({inner})')}")
        value = random.choice(LINEAR + PRODUCTS * is_finite).format(t=f"t{place}")
        lines.append(f"u{place} = {value}")
        if random.random() < 0.25:
            lines += [
                f"e{place} = 0.0",
                "for i in range(5):",
                "    if q[i] > 0:",
                f"        e{place} += u{place}[i] * y[i]",
            ]
            terms.append(f"np.sin(e{place})")
        else:
            terms.append(random.choice(DROPPED).format(t=f"u{place}"))
    lines.append(f"return {' + '.join(terms)} + np.sum(x * y)")
    q = np.array([random.choice((0, 1, 1)) for _ in range(SIZE)])
    q[random.randrange(SIZE)] = 0
    regular = np.array([random.uniform(0.2, 0.8) for _ in range(SIZE)])
    x = np.where(q > 0, regular, pole)
    y = np.array([random.uniform(0.5, 1.5) for _ in range(SIZE)])
    text = "import numpy as np\n\n\ndef program(x, y, s, q):\n" + "\n".join(f"    {line}" for line in lines) + "\n"
    # Along directions that move an element at a pole, its tangent is infinite: products with it are nan.
    return Program(text, (x, y, random.uniform(0.3, 0.7), q), is_smooth=False)
