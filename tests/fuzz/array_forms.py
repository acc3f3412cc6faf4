"""Statements on arrays for random programs: short texts in which a name of an array, or a number, may be any.

`z`, `g`, `r` and `y` belong to these texts; `q` is an array of indices, of which one occurs twice.
"""

TABLE = "q = np.array([2, 0, 2])"
HELPERS = """
def both(s, v):
    for n in range(v.shape[0] - 1, 0, -1):
        v[n] = v[n - 1] * np.cos(s)
        if v[n] > 0.6:
            return v[n], s
    return s * v[0], np.sum(v)


def rotated(m, s):
    kept = m[0, 0] * s
    for n in range(m.shape[0]):
        m[n, n - 1], m[n - 1, n] = m[n - 1, n] + kept, m[n, n - 1]
        m[n] *= np.sin(s)
    return m[-1, -1]
"""


def array_forms(one: str, other: str, number: str, at: str) -> tuple[tuple[str, ...], ...]:
    """Statements on two vectors of four, which may be one, a number and an index; `p` is a matrix of two by two."""
    return (
        (f"z = {one}[1:][::-1]", f"{number} = z[0] * {number} + np.sum(z[1:])", f"z[1] = np.sin({number})"),
        (f"{one}[1:][::2] *= np.cos({number})",),
        (f"z = {one}[::-1][1:]", f"z[1:] += {other}[:2]", f"{number} = np.sin(z[0] + {number})"),
        (f"{one}[3:0:-1] = np.sin({other}[:3])",),
        (f"{one}[::-2] += {other}[:2] * {number}",),
        (f"{one}[:2], {one}[2:] = {one}[2:].copy(), {one}[:2].copy()",),
        (f"{number} = {number} + np.sum({one}[2:2])", f"{one}[4:] = {number}"),
        (f"z = np.zeros(0) * {number}", "for g in z:", f"    {number} += g", f"{one}[{at} % 4] *= 1.0 + np.sum(z)"),
        ("for r in p:", f"    r[0] += np.sin({number} * r[1])", f"    {one}[1:3] -= r"),
        ("for r in p.T:", f"    {number} = np.sin({number} + r[1])", "    r[...] = r[::-1] * 0.5"),
        (f"p[{at} % 2] = p[:, {at} % 2] * {number}",),
        ("p[:, 0], p[:, 1] = p[:, 1].copy(), p[:, 0].copy()",),
        ("z = p.T[1]", f"z *= np.sin({number})", f"{number} = p[1, 1] + z[0]"),
        (f"rotated(p, {number})",),
        (f"{number} = np.sin(rotated(p[::-1].T, {number}))",),
        ("z = np.zeros(3)", f"z[1:] = {one}[:2]", f"z[0] = np.sin({number})", f"{other}[1:] += np.sin(z)"),
        ("z = np.empty(4)", "for y in range(4):", f"    z[y] = {one}[3 - y] * {number}", f"{other} = np.sin(z)"),
        ("z = np.ones((2, 3))", f"z[:, 1:] = p * {number}", f"{one}[1:] = np.sin(z[{at} % 2])", "z[0] = z[1]"),
        (f"a, b = both(np.sin({number}), {one})",),
        (f"c, m = both({number}, {one}[1:])", "c, m = np.sin(m), np.sin(c)"),
        ("a, b, c = b, c, np.sin(a)",),
        (f"{number} = np.sin(np.sum({one}[q] * {other}[q]))",),
        (f"{one}[q[{at} % 3]] += np.sin({number})",),
        (f"for y in range(3): {one}[q[y]] *= np.cos({other}[q[2 - y]])",),
        (f"{one}[q] += np.sin({number})",),
        (f"{one}[1:][q] = {other}[:3] * {number}",),
        (
            *(f"g = np.sin({number})", "y = 0", "while g * g < 2.0 and y < 4:"),
            *(f"    g = g + 0.7 + 0.1 * np.cos({one}[y])", "    y += 1", f"{other}[y % 4] *= np.sin(g)"),
        ),
        ("g = 3.0", "while g > 0.5:", f"    g *= 0.4 + 0.1 * np.sin({number})", f"{one}[-1] = np.sin(g)"),
    )
