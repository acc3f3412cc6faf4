"""Random calls of NumPy's functions that have a derivative, and of SciPy's, with keywords from their signatures.

    r0 = np.cumsum(np.asfortranarray(m), axis=-1)
    r1 = np.linalg.solve(q * s, r0[:, 1])
    return np.sum(np.cos(1.0 * np.arange(np.size(r0))) * np.ravel(r0)) + ...

The functions and what they may be called with are those of the page on coverage. Arguments are replaced by expressions
of the same kind, and keywords are added; what Python does not take is drawn again.
"""

import ast
import inspect
import warnings
from random import Random
from typing import Any

import numpy as np
from scipy import fft, integrate, linalg, signal, special, stats

from srcad.tools.coverage import calls as coverage_calls
from tests.fuzz import scipy_calls
from tests.fuzz.leaves import own_copy
from tests.fuzz.program import Program


def _table(text: str) -> dict[str, tuple[str, ...]]:
    """What may stand for each name; lines that begin with spaces continue the one before."""
    lines = text.replace("\n    ", " ").splitlines()
    pairs = (line.split(":", 1) for line in lines)
    return {name: tuple(each.strip() for each in choices.split(" | ")) for name, choices in pairs}


# What may stand in place of the names that srcad.tools.coverage.calls explains, of the same shape and range.
ALIKE = _table("""\
v: np.sin(v) | v * s | v[::-1] | m[1] | v - p | c[1, 0] | np.tanh(m)[2] | m.T[:, 0] | np.repeat(v, 2)[::2]
p: np.exp(u) | p * p | 0.5 + v * v | p[::-1] | np.abs(v) + 0.3
u: 0.8 * np.sin(v) | u * u | u[::-1] | np.tanh(v) * 0.9
h: h[::-1] | h * s | m[:, 1] | q[0] | np.cos(g) | q @ h
g: g * h | g[::-1] | np.sin(q[:, 2])
s: s * s | np.sin(s) | s * v[0] | h[1] | np.sum(p)
m: m * v | np.asfortranarray(m) | c[0] | m[::-1] | m + s | np.sin(m) | m.T.copy().T | (q @ m) | m[:, ::-1] |
    np.repeat(m, 2, axis=1)[:, ::2]
k: k * s | k[::-1] | np.cos(k) | np.asfortranarray(k)
q: q.T | q * p[0] | b[1] | q + np.eye(3) * p[1] | np.asfortranarray(q) | b[:, ::-1][0, ::-1]
e: e * p[0] | (e + np.eye(3)) | d[1] | (q @ q.T + np.eye(3))
c: c * s | np.cos(c) | c[::-1] | (c + v) | np.stack((m, c[1])) | np.transpose(np.transpose(c).copy())
b: b * p[0] | np.stack((q, e)) | b[::-1] | np.swapaxes(b, 1, 2)
d: d * p[0] | np.stack((e, d[0])) | d[::-1]
""")
# Values of keywords that are added, by the name of the parameter.
KEYWORDS = _table("""\
axis: 0 | 1 | -1 | -2 | None | (0, 1) | (0, -1) | 2 | (1,) | ()
axes: (0, 1) | (1,) | (-1, 0) | (1, 0)
axis1: 0 | 1 | -1
axis2: 1 | 2 | -1
keepdims: True | True | False
initial: 0.5 | s | 2
where: m > 0.0 | v > 0.0 | c < 0.5 | True
dtype: float | np.float64 | None
ddof: 0 | 1 | 0.5
correction: 0 | 1
order: 'C' | 'F' | 'A' | 'K'
k: 0 | 1 | -1
offset: 0 | 1 | -1
mode: 'full' | 'same' | 'valid' | 'wrap' | 'clip' | 'edge' | 'reflect' | 'symmetric'
norm: 'ortho' | 'forward' | 'backward'
n: 3 | 5 | 4 | 1
s: (3, 5) | (2, 2)
ord: 1 | 2 | np.inf | 3 | -1 | 'fro' | 'nuc' | 0.5
period: 5.0 | 2.5
endpoint: True | False
kind: 'stable' | 'quicksort'
method: 'lower' | 'higher' | 'midpoint' | 'hazen' | 'linear' | 'weibull'
rowvar: True | False
bias: True | False
fweights: [1, 2, 0, 2]
aweights: p
weights: p | np.exp(u)
increasing: True | False
include_initial: True | False
left: 0.3 | s
right: 0.3 | s
minlength: 3 | 7
edge_order: 1 | 2
optimize: True
prepend: 1.0 | s
append: 2.0 | s
to_begin: 1.0 | s
to_end: h | 3.0
dx: 0.5 | s
base: 2.0 | 3.0
num: 3 | 5
UPLO: 'L' | 'U'
upper: True | False
shift: 1 | -2
decimals: 0 | 1
copy: True | False
ndmin: 0 | 2 | 3
fill_value: s | 2
nan: 0.0 | s
rcond: 1e-10
hermitian: False
overwrite_input: False
""")
# What is not initialised, and what may come in any order.
LEFT_OUT = {"np.empty", "np.ndarray", "np.sort_complex", "np.zeros_like"}
OF_NUMPY = {name: coverage_calls.CALLS[name] for name in sorted(set(coverage_calls.CALLS) - LEFT_OUT)}
# Of a matrix with fewer rows, the last vectors are any basis of what is left.
OF_NUMPY["np.linalg.svd"] = tuple(each.replace("[2][:3]", "[2][:1]") for each in OF_NUMPY["np.linalg.svd"])
MODULES = {"np": np} | {each.__name__.split(".")[1]: each for each in (fft, integrate, linalg, signal, special, stats)}
OF_NO_ELEMENTS = ("np.fft.irfft", "np.fft.hfft")  # and of several axes: NumPy reads memory that is not its own
TRIES = 12  # until Python takes a call


def points(random: Random, lengths: tuple[int, int]) -> dict[str, Any]:
    """Values of the names, drawn anew; the axes that have 3 and 4 elements on the page on coverage have `lengths`."""
    rng = np.random.default_rng(random.randrange(2**32))
    three, four = lengths
    q = rng.normal(size=(three, three)) + 3.0 * np.eye(three)
    e = q @ q.T + np.eye(three)
    return {
        "v": rng.normal(size=four), "p": rng.uniform(0.5, 2.0, four), "u": rng.uniform(-0.8, 0.8, four),
        "h": rng.normal(size=three) + 2.0, "g": rng.normal(size=three), "s": float(rng.uniform(0.4, 0.9)),
        "m": rng.normal(size=(three, four)), "k": rng.normal(size=(four, 2)),
        "q": q, "e": e, "t": np.linalg.cholesky(e),
        "c": rng.normal(size=(2, three, four)), "b": np.stack((q, q.T @ q)),
        "d": np.stack((e, 2.0 * e + np.diag(np.arange(1.0, three + 1.0)))),
        "i": rng.integers(0, 3, four), "j": rng.integers(0, min(lengths) or 1, (three, three)),
    }  # fmt: skip


class _Changed(ast.NodeTransformer):
    """Puts expressions alike in place of names, keywords into calls, and a number after names that are stored."""

    def __init__(self, random: Random, alike: dict[str, tuple[str, ...]], number: int) -> None:
        self.random, self.alike, self.number = random, alike, number

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "y":
            return ast.Name(f"y{self.number}", node.ctx)
        choices = self.alike.get(node.id)
        if choices is None or not isinstance(node.ctx, ast.Load) or self.random.random() < 0.55:
            return node
        return ast.parse(self.random.choice(choices), mode="eval").body

    def visit_Call(self, node: ast.Call) -> ast.Call:
        while self.random.random() < 0.4:
            keyword = self.keyword(node)
            if keyword is not None:
                node.keywords.append(keyword)
        self.generic_visit(node)
        return node

    def keyword(self, node: ast.Call) -> ast.keyword | None:
        """A keyword that the signature of a function of NumPy has and that is not given."""
        try:
            function = eval(ast.unparse(node.func), dict(MODULES))
            parameters = [*inspect.signature(function).parameters][len(node.args) :]
        except (NameError, TypeError, ValueError):
            return None  # a method, or a function that has no signature
        given = {each.arg for each in node.keywords}
        if isinstance(function, np.ufunc):
            return None  # `where` leaves elements uninitialised, and no rule covers the others
        fitting = [each for each in parameters if each in KEYWORDS and each not in given]
        if not fitting:
            return None
        name = self.random.choice(fitting)
        return ast.keyword(name, ast.parse(self.random.choice(KEYWORDS[name]), mode="eval").body)


def value_of(lines: list[str], values: dict[str, Any]) -> Any:
    """The value of the last line, an expression, after the others; None where Python or a sum does not take it."""
    space = {**MODULES, **own_copy(values)}
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec("\n".join(lines[:-1]), space)
            found = np.asarray(eval(lines[-1], space))
    except Exception:  # noqa: BLE001 - whatever NumPy raises
        return None
    is_fine = found.dtype.kind in "fc" and found.size and np.all(np.isfinite(found)) and np.max(np.abs(found)) < 1e4
    return found if is_fine else None


def term(name: str, found: Any) -> str:
    """A number that depends on all elements of a result."""
    parts = [f"np.real({name})", f"np.imag({name})"] if found.dtype.kind == "c" else [name]
    if not found.ndim:
        return " + ".join(f"0.7 * {part}" for part in parts)
    return " + ".join(f"np.sum(np.cos(1.0 * np.arange({found.size})) * np.ravel({part}))" for part in parts)


class _Author:
    """Writes one program: calls, one after the other, the later ones of what the earlier ones give."""

    def __init__(self, random: Random, values: dict[str, Any], table: dict[str, tuple[str, ...]]) -> None:
        self.random, self.values, self.table = random, values, table
        self.alike = dict(ALIKE)
        self.body = ["total = 0.0"]

    def call(self, number: int) -> None:
        """Add a call that Python takes."""
        random, found = self.random, None
        while found is None:
            text = random.choice(self.table[random.choice([*self.table])])
            for _ in range(TRIES):
                change = _Changed(random, self.alike, number)
                lines = [ast.unparse(ast.fix_missing_locations(change.visit(each))) for each in ast.parse(text).body]
                found = value_of(lines, self.values)
                if found is not None:
                    break
        name = f"r{number}"
        lines[-1] = f"{name} = {lines[-1]}"
        form = random.random()
        if form < 0.12:
            self.body += [f"for n{number} in range(2):", *(f"    {line}" for line in lines)]
            self.body += [f"    total = total + ({term(name, found)}) * s"]
        elif form < 0.24:
            self.body += [f"if s > {random.choice((0.3, 0.5, 1.5))}:", *(f"    {line}" for line in lines)]
            self.body += [f"    total = total + {term(name, found)}"]
        else:
            self.body += [*lines, f"total = total + {term(name, found)}"]
            self.offer(name, found)

    def offer(self, name: str, found: Any) -> None:
        """Let later calls read a result."""
        self.values[name] = found
        for like in "vmhqckb":
            if found.dtype.kind == "f" and found.shape == np.shape(self.values[like]):
                self.alike[like] = (*self.alike[like], name, f"np.sin({name})", f"{name} * 0.5", f"{name}[::-1]")

    def program(self) -> Program:
        """The whole program."""
        for number in range(self.random.choice((1, 1, 1, 1, 2, 3))):
            self.call(number)
        text = "\n".join(f"    {line}" for line in (*self.body, "return total"))
        read = {each.id for each in ast.walk(ast.parse(f"if True:\n{text[:-17]}")) if isinstance(each, ast.Name)}
        given = [name for name in self.values if name in read and not name.startswith("r")]
        modules = sorted(name for name in read & set(MODULES) if name != "np")
        imports = ["import numpy as np", *(f"from scipy import {name}" for name in modules)]
        head = "\n".join(imports) + f"\n\n\ndef program({', '.join(given)}):\n"
        return Program(f"{head}{text}\n", tuple(self.values[name] for name in given))


def program(seed: int, table: dict[str, tuple[str, ...]] = OF_NUMPY) -> Program:
    """The program of a seed, of the calls of a table."""
    random = Random(seed)
    lengths = random.choice(((3, 4), (3, 4), (3, 4), (4, 3), (3, 5), (1, 4), (3, 1), (2, 2), (0, 4)))
    values = points(random, lengths)
    if 0 in lengths:
        table = {name: table[name] for name in table if not name.startswith(OF_NO_ELEMENTS)}
    if random.random() < 0.06:
        values = {name: each if name in "ij" else np.asarray(each, np.float32)[()] for name, each in values.items()}
    if random.random() < 0.08:
        name = random.choice("vmqch")
        values[name] = values[name] * np.exp(1j * np.arange(float(values[name].size)).reshape(values[name].shape))
    return _Author(random, values, table).program()


def of_scipy(seed: int) -> Program:
    """The program of a seed, of calls of SciPy's functions."""
    return program(seed, scipy_calls.CALLS)
