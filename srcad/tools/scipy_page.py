"""The page docs/scipy.md: which functions of SciPy are differentiated, by which arguments, and which are compiled.

python -m srcad.tools.scipy_page > docs/scipy.md
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

from srcad.runtime.rulebook import registry
from srcad.runtime.rulebook.rule_template import primitive_name
from srcad.runtime.rules.scipy.stats.discrete_formulas import DISCRETE
from srcad.runtime.rules.scipy.stats.distributions import CONTINUOUS
from srcad.tools.scipy_others import AUTOGRAD, JAX, MISSING, NONE

MULTIVARIATE = (
    *("multivariate_normal", "multivariate_t", "matrix_normal", "wishart", "invwishart", "dirichlet", "multinomial"),
    *("dirichlet_multinomial", "vonmises_fisher"),
)
METHODS = ("logpdf", "pdf", "logpmf", "pmf", "cdf", "sf", "logcdf", "logsf", "ppf", "isf")
NAMESPACES = {
    "scipy.special": (
        "Compiled: numbers and arrays, with SciPy's loops, broadcasts and dtypes; complex numbers, and what has\n"
        "complex results (`lambertw`, `sph_harm_y`, `hankel1`), run uncompiled. On a tape: the ufuncs."
    ),
    "scipy.linalg": (
        "Real matrices; stacks of them in `solve`, `solve_triangular`, `cholesky`, `cho_solve`, `inv`, `det`, `svd`,\n"
        "`eigvalsh` and `norm`; not on a tape. Compiled, but for `sqrtm`, `logm`, `eigh`\n"
        "with vectors, banded systems, and Sylvester's and Lyapunov's equations, with which programs run uncompiled.\n"
        "Eigenvectors have SciPy's signs. What a definition does not cover, such as other stacks and `qr` with\n"
        "pivoting, is refused. `schur`, `hessenberg`, `ldl`, `null_space`, `orth` and `eig` have no rule: their\n"
        "results are not unique, or jump."
    ),
    "scipy.fft": (
        "Compiled: Fourier transforms as those of `np.fft`, cosine and sine transforms of real numbers by Fourier\n"
        "transforms of four to eight times the length; not on a tape."
    ),
    "scipy.signal": (
        "Arrays of any rank, filters along any axis, `lfilter` and `sosfilt` with `zi`; not on a tape. Convolutions\n"
        "and filters of real vectors and matrices are compiled; spectra, and filters that SciPy designs, run\n"
        "uncompiled. Windows are constants, but for `gaussian` and `kaiser`, and the values of a window that is passed."
    ),
    "scipy.ndimage": (
        "By the image, the weights, `sigma`, `cval`, coordinates, shifts, angles and matrices; all modes, `origin`,\n"
        "`axes`; not on a tape. Compiled, but for rank filters, `zoom`, and `rotate` with `reshape`. Among equal\n"
        "elements, maxima and minima share the derivative equally. Interpolation has orders 0 to 5, in up to three\n"
        "dimensions: by coordinates, of order 0 the derivative is 0, and at points of the grid that of the cell that\n"
        "begins there. The shape of a zoomed or rotated image is taken as constant. `output` is refused, and so are\n"
        "images of integers, whose results hold integers."
    ),
    "scipy.interpolate": (
        "By the values, by the points and by where it is evaluated; compiled for one value a point, but for grids\n"
        "and B-splines; not on a tape. Cubic splines and their like have `nu`, `derivative`, `antiderivative` and\n"
        "`integrate`; a B-spline has `nu` to 2 and `derivative`. At a point, derivatives are those of the polynomial\n"
        "that begins there. An interpolant is made within the function that is differentiated."
    ),
    "scipy.spatial": "Compiled; not on a tape. A distance of 0 has the derivative 0, the subgradient of least norm.",
    "scipy.spatial.distance": (
        "Compiled; not on a tape. By both points, `w`, `V`, `VI` and `p`; `cdist` and `pdist` with the metrics below,\n"
        "by any of its names in SciPy. Metrics of booleans, and functions as metrics, are refused. A distance of 0\n"
        "has the derivative 0, the subgradient of least norm."
    ),
    "scipy.optimize": (
        "By the implicit function theorem, to any order; on a tape within a `srcad.function`. SciPy runs as Python,\n"
        "and what is around it compiled. [Solvers](guide.md#solvers) says more. `x`, `root`, `fun`, `cost`, `success`\n"
        "and `converged` of results can be read. Bounds are pairs or `Bounds`, constraints dictionaries. The\n"
        "covariance of `curve_fit` is given, without a derivative. `linear_sum_assignment`, `linprog` and `milp` have\n"
        "none: their results change by jumps only, or are corners."
    ),
    "scipy.sparse": (
        "By the elements and by the dense operand; compiled, not on a tape. Matrices are made from elements and\n"
        "places, from diagonals, or are the identity. They have `@` with vectors and matrices on both sides, `+`,\n"
        "`-`, `k *`, `/ k`, `T`, `dot`, `sum`, `diagonal`, `toarray`, `tocsr` and its like. Products of two sparse\n"
        "matrices, and `*` after a `csr_matrix`, are refused, and so is a sparse matrix that was made outside."
    ),
    "scipy.sparse.linalg": "SuperLU is called from Python. A factor is computed again for each solution.",
    "scipy.integrate": (
        "Compiled; cumulative sums and `romb` for vectors; not on a tape. `quad`, `quad_vec`, `odeint` and\n"
        "`solve_ivp` call SciPy in Python, and differentiate what it computes on the nodes and steps that it chose,\n"
        "stiff equations by collocation ([guide](guide.md#solvers)). Write `dblquad` as two calls of `quad`.\n"
        "A jump of the integrand or of the right-hand side is taken to stay where it is: where its place depends\n"
        "on what is differentiated by, as in `1.0 if t < a else 0.0`, split the integral there, `quad(f, 0.0, a)`\n"
        "and `quad(g, a, 1.0)`."
    ),
}

_HEAD = """# SciPy

srcad differentiates functions of SciPy in reverse and in forward mode, and twice, in compiled and in uncompiled code,
and on a tape where SciPy hands tensors on (its ufuncs). Programs that use no SciPy import nothing of it. This page is
written by `python -m srcad.tools.scipy_page`, from the tables of rules.

```python
import numpy as np
import srcad
from scipy import special


def log_likelihood(alpha, x):
    return np.sum((alpha - 1.0) * np.log(x) - x - special.gammaln(alpha))


x = np.array([0.5, 1.0, 2.5])
print(srcad.grad(log_likelihood)(2.0, x))
```
```text
-1.0452094539811916
```

What SciPy has a function for in C is compiled by a call of that function, so that a program gives the same numbers
compiled as uncompiled. A derivative that is not known, such as that of a Bessel function by its order, is refused with
the line and the name of the argument (`MissingRule`); it is never taken as 0. An argument that is an integer has none.
Functions that are not listed have no rule: a program that differentiates through one is refused.
"""


def page() -> str:
    """The text of the page.

    >>> page().splitlines()[0]
    '# SciPy'
    """
    return (
        "\n".join([_HEAD, *(line for name in NAMESPACES for line in _section(name)), *_distributions(), *_others()])
        + "\n"
    )


def _distributions() -> Iterator[str]:
    """The section on `scipy.stats`."""
    stats = importlib.import_module("scipy.stats")
    yield "## scipy.stats\n"
    yield (
        "Compiled, by all arguments but counts; not on a tape. `loc`, `scale` and shapes are passed by position or by\n"
        "name, or to a frozen distribution, `stats.gamma(a, scale=s).logpdf(x)`, also one that has a name.\n"
    )
    yield "| distribution | methods |"
    yield "|---|---|"
    for name in (*CONTINUOUS, *DISCRETE, *MULTIVARIATE):
        methods = [each for each in METHODS if _has_method(getattr(stats, name), each)]
        yield f"| `{name}` | {', '.join(f'`{each}`' for each in methods)} |"
    yield ""
    yield "Statistics of samples, with `nan_policy='propagate'`. Those of ranks change by jumps: no derivative.\n"
    names = [name for name, _ in functions("scipy.stats")]
    yield ", ".join(f"`{name}`" for name in names) + "."


def differentiated_elsewhere() -> dict[str, list[str]]:
    """The functions that other libraries differentiate, each with these libraries.

    >>> differentiated_elsewhere()["scipy.special.gammaln"]
    ['autograd', 'JAX']
    """
    found: dict[str, list[str]] = {}
    for library, table in (("autograd", AUTOGRAD), ("JAX", JAX)):
        for namespace, names in table.items():
            for name in names.split():
                found.setdefault(f"{namespace}.{name}", []).append(library)
    return found


def is_differentiated(name: str) -> bool:
    """Whether a function of SciPy, by its full name, has a rule or a definition."""
    value: Any = None
    *path, last = name.split(".")
    for end in range(len(path), 0, -1):
        try:
            value = importlib.import_module(".".join(path[:end]))
        except ImportError:
            continue
        for each in (*path[end:], last):
            value = getattr(value, each)
        return _has_rule(value)
    return False


def _others() -> Iterator[str]:
    """The section on other libraries."""
    elsewhere = differentiated_elsewhere()
    missing = [name for name in elsewhere if not is_differentiated(name)]
    yield "\n## Beside autograd and JAX\n"
    counts = {library: sum(library in each for each in elsewhere.values()) for library in ("autograd", "JAX")}
    yield (
        f"autograd 1.9.1 differentiates {counts['autograd']} functions and methods of SciPy, JAX 0.10.2 "
        f"{counts['JAX']}, {len(elsewhere)} together.\nOf these, srcad differentiates {len(elsewhere) - len(missing)}."
    )
    if missing:
        yield "\n| not differentiated here | by | |"
        yield "|---|---|---|"
        for name in missing:
            yield f"| `{name}` | {', '.join(elsewhere[name])} | {MISSING.get(name, '')} |"
    yield "\nWithout a derivative in any sense:\n"
    yield "| function | why |"
    yield "|---|---|"
    yield from (f"| `{name}` | {why} |" for name, why in NONE.items())


def _has_method(distribution: Any, name: str) -> bool:
    method = getattr(distribution, name, None)
    return method is not None and registry.definition(method) is not None


def _section(namespace: str) -> Iterator[str]:
    importlib.import_module(namespace)
    rows = [_row(name, value) for name, value in functions(namespace)]
    yield f"## {namespace}\n"
    yield f"{NAMESPACES[namespace]}\n"
    yield "| function | derivative by | not known by |"
    yield "|---|---|---|"
    yield from rows
    yield ""


def functions(namespace: str) -> list[tuple[str, Any]]:
    """The public functions of a namespace that have rules or definitions, each under all of its names.

    >>> [name for name, _ in functions("scipy.special") if name.startswith("log")]
    ['log1p', 'log_expit', 'log_ndtr', 'log_softmax', 'loggamma', 'logit', 'logsumexp']
    """
    module = importlib.import_module(namespace)
    known = {name: value for name, value in vars(module).items() if not name.startswith("_") and callable(value)}
    return [(name, value) for name, value in sorted(known.items()) if _is_of(namespace, value) and _has_rule(value)]


def _is_of(namespace: str, value: Any) -> bool:
    return primitive_name(value).startswith(f"{namespace}.")


def _has_rule(value: Any) -> bool:
    return bool(registry.variants(value)) or registry.definition(value) is not None


def _row(name: str, value: Any) -> str:
    known, refused = _arguments(value)
    return f"| `{name}` | {', '.join(known) or ('' if refused else 'none: it is 0')} | {', '.join(refused)} |"


def _arguments(value: Any) -> tuple[list[str], list[str]]:
    """The arguments by which a derivative is known, and those by which it is refused."""
    definition = registry.definition(value)
    rules = registry.variants(value)
    if not rules and definition is not None:
        return ["what its definition computes with"], []
    known, refused = dict[str, None](), dict[str, None]()
    for rule in rules:
        template = rule.partials or rule.adjoint
        if template is None:
            continue
        for each in template.parameters[1:]:
            (refused if each in template.refuses else known)[f"`{each}`"] = None
    return [*known], [*refused]


if __name__ == "__main__":
    sys.stdout.write(page())
