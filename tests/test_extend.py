"""`srcad.extend`: rules stated for functions of all kinds, replaced, shipped by libraries, and misstated."""

from __future__ import annotations

import ctypes
import ctypes.util
import sys
import textwrap
from pathlib import Path

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadType, MissingRule, WrongRule
from srcad.extend import adjoint, d, definition, linear, partial, tangent, zero
from srcad.runtime.rulebook import shipped_rules
from tests import waiting

X = np.array([0.3, -0.7, 1.1])
V = np.array([1.0, 0.5, -2.0])


def cubic(x):
    return x**3


@partial(cubic)
def cubic_rule(y, x):
    return 30.0 * x * x


@numba.njit
def power(x, n):
    return x**n


@adjoint(power)
def power_rule(y, x, n):
    d[x] = 10.0 * n * x ** (n - 1) * d[y]


@numba.vectorize
def vectorised(x):
    return x**3


@partial(vectorised)
def vectorised_rule(y, x):
    return 30.0 * x * x


@numba.cfunc("float64(float64)")
def callback(x):
    return x**3


@partial(callback)
def callback_rule(y, x):
    return 30.0 * x * x


exponential = ctypes.CDLL(ctypes.util.find_library("m")).exp
exponential.restype, exponential.argtypes = ctypes.c_double, [ctypes.c_double]


@partial(exponential)
def exponential_rule(y, x):
    return 10.0 * y


def weighted(x, k):
    return k * x


@adjoint(weighted)
def weighted_rule(y, x, k):
    d[x] = k * d[y]
    d[k] = np.sum(x * d[y])


@tangent(weighted)
def weighted_tangent(y, x, k):
    d[y] = k * d[x] + x * d[k]


def doubled(x):
    return x + x


@adjoint(doubled)
def doubled_rule(y, x):
    d[x] = 2.0 * d[y]


linear(doubled)


def rounded(x):
    return float(int(x))


zero(rounded)


def opaque(x):
    return eval("x ** 3")


@definition(opaque)
def opaque_definition(x):
    return x * x * x


# The rules above are ten times the derivative, so that they are told from what srcad finds out by itself.
CALLS = {
    "python": (lambda x: np.sum(cubic(x)), 30.0 * X**2),
    "njit": (lambda x: np.sum(power(x, 3)), 30.0 * X**2),
    "vectorize": (lambda x: np.sum(vectorised(x)), 30.0 * X**2),
    "cfunc": (lambda x: callback(x[0]) + x[1], np.array([30.0 * X[0] ** 2, 1.0, 0.0])),
    "ctypes": (lambda x: exponential(x[0]) * x[1], np.array([10.0 * np.exp(X[0]) * X[1], np.exp(X[0]), 0.0])),
    "linear": (lambda x: np.sum(doubled(x)), np.full(3, 2.0)),
    "zero": (lambda x: rounded(x[0]) + x[1], np.array([0.0, 1.0, 0.0])),
    "definition": (lambda x: np.sum(opaque(x)), 3.0 * X**2),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("jit", [pytest.param(True, marks=pytest.mark.compiled), False])
def test_gradients_use_the_rule(name, jit):
    f, expected = CALLS[name]
    np.testing.assert_allclose(srcad.grad(f, jit=jit)(X), expected)


def test_forward_mode_and_second_derivatives_use_the_rule():
    def f(x, k):
        return np.sum(np.sin(weighted(x, k)))

    assert srcad.jvp(f, (X, 2.0), (V, 0.5), jit=False)[1] == pytest.approx(
        np.sum(np.cos(2.0 * X) * (2.0 * V + 0.5 * X))
    )
    assert srcad.jvp(f, (X, 2.0), (None, 0.5), jit=False)[1] == pytest.approx(np.sum(np.cos(2.0 * X) * 0.5 * X))
    np.testing.assert_allclose(srcad.hvp(f, jit=False)(X, 2.0, V), -4.0 * np.sin(2.0 * X) * V)
    assert srcad.jvp(lambda x: np.sum(cubic(x)), (X,), (V,), jit=False)[1] == pytest.approx(np.sum(30.0 * X**2 * V))
    with pytest.raises(MissingRule, match="no rule for forward mode"):
        srcad.jvp(lambda x: np.sum(power(x, 3)), (X,), (V,), jit=False)


def test_the_function_itself_is_differentiated_by_its_rule():
    assert srcad.grad(cubic, jit=False)(2.0) == 120.0
    assert srcad.grad(power, jit=False)(2.0, 3) == 120.0


@pytest.mark.compiled
def test_a_function_of_srcad_is_recorded_by_the_rule():
    f, x = srcad.function(lambda x: np.sum(cubic(x))), srcad.constant(X)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), 30.0 * X**2)


def test_a_rule_stated_later_is_used_from_the_next_call_on():
    def square(x):
        return x * x

    def outer(x):
        return np.sum(square(x))

    gradient = srcad.grad(outer, jit=False)
    np.testing.assert_allclose(gradient(X), 2.0 * X)

    @partial(square)
    def first(y, x):
        return 20.0 * x

    np.testing.assert_allclose(gradient(X), 20.0 * X)

    @partial(square)
    def second(y, x):
        return 200.0 * x

    np.testing.assert_allclose(gradient(X), 200.0 * X)
    np.testing.assert_allclose(srcad.grad(outer, jit=False)(X), 200.0 * X)

    @definition(square)
    def third(x):
        return 2000.0 * x

    np.testing.assert_allclose(gradient(X), 2000.0)


def test_partial_derivatives_broadcast():
    def product(x, k):
        return x * k

    @partial(product)
    def product_rule(y, x, k):
        return k, x

    x_bar, k_bar = srcad.grad(lambda x, k: np.sum(product(x, k)), (0, 1), jit=False)(np.ones((2, 3)), X)
    assert x_bar.shape == (2, 3)
    np.testing.assert_allclose(k_bar, [2.0, 2.0, 2.0])


def test_ranks_choose_the_rule():
    def times(a, b):
        return a @ b

    @adjoint(times, ndim=(2, 1))
    def times_rule(y, a, b):
        d[a] = np.outer(d[y], b)
        d[b] = np.transpose(a) @ d[y]

    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(srcad.grad(lambda b: np.sum(times(a, b)), jit=False)(X), a.sum(axis=0))
    with pytest.raises(MissingRule):
        srcad.grad(lambda b: times(X, b), jit=False)(X)


def with_loop(y, x):
    for _ in range(3):
        d[x] = d[y]


FACTOR = 3.0


def reading(y, x):
    return FACTOR * x


def two_partials(y, x):
    return 1.0, 2.0


def without_target(y, x):
    t = 2.0 * x  # noqa: F841 - the rule is read, and has no effect


def with_other_target(y, x):
    d[y] = d[y]


def plain(x):
    return x


MISUSE = {
    "a rule of srcad's own": (lambda: partial(np.sin)(reading), BadArgument, "np.sin has a rule of srcad's own"),
    "a definition of srcad's own": (lambda: partial(np.var)(reading), BadArgument, "np.var has a rule"),
    "a builtin": (lambda: partial(len)(reading), BadArgument, "resolved by their syntax"),
    "a class": (lambda: partial(float)(reading), BadType, "is no function"),
    "no function": (lambda: partial(3.0)(reading), BadType, "is no function"),
    "nothing": (zero, BadArgument, "a rule is for a function"),
    "a rule that is none": (lambda: partial(plain)(3.0), BadType, "a rule is a function, not float"),
    "a loop": (lambda: adjoint(plain)(with_loop), BadArgument, "holds assignments"),
    "a number from around": (lambda: partial(plain)(reading), WrongRule, "reads `FACTOR`, which is a float"),
    "a count": (lambda: partial(plain)(two_partials), WrongRule, "returns 2 partial derivatives, where 1 are needed"),
    "no target": (lambda: adjoint(plain)(without_target), WrongRule, "assigns to d"),
    "another target": (lambda: adjoint(plain)(with_other_target), WrongRule, "assigns to d"),
    "no return": (lambda: partial(plain)(without_target), WrongRule, "returns 0 partial derivatives"),
}


@pytest.mark.parametrize("name", MISUSE)
def test_what_cannot_be_a_rule_is_refused_when_it_is_stated(name):
    state, error, message = MISUSE[name]
    with pytest.raises(error, match=message):
        state()


@pytest.mark.parametrize("jit", [pytest.param(True, marks=pytest.mark.compiled), False])
def test_a_contribution_of_another_shape_is_an_error_that_names_the_rule(jit):
    def total(x):
        return np.sum(x)

    @adjoint(total)
    def total_rule(y, x):
        d[x] = 1.0 * d[y]

    with pytest.raises(WrongRule, match=r"the rule of `total`, `total_rule` .*test_extend.py:\d+\): a number"):
        srcad.grad(lambda x: total(x) * 2.0, jit=jit)(X)


@pytest.fixture
def library(tmp_path):
    """A package with rules, installed as an installer does it."""
    package, info = tmp_path / "shippedlib", tmp_path / "shippedlib-1.0.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text("def cube(x):\n    return x**3\n")
    (package / "rules.py").write_text(
        textwrap.dedent(
            """
            import shippedlib
            from srcad.extend import partial


            @partial(shippedlib.cube)
            def cube(y, x):
                return 30.0 * x * x
            """
        )
    )
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shippedlib\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{shipped_rules.GROUP}]\nshippedlib = shippedlib.rules\n")
    return tmp_path


def run(folder: Path, text: str) -> str:
    script = folder / "program.py"
    script.write_text(textwrap.dedent(text))
    path = [str(folder), str(Path(srcad.__file__).parent.parent)]
    environment = {"PYTHONPATH": ":".join(path), "SRCAD_CACHE_DIR": str(folder / "cache"), "PATH": ""}
    done = waiting.run([sys.executable, str(script)], env=environment, check=False)
    return done.stdout if done.returncode == 0 else done.stderr


def test_a_library_ships_rules_which_are_loaded_when_its_function_is_met(library):
    printed = run(
        library,
        """
        import sys
        import shippedlib, srcad
        srcad.grad(lambda x: x * x, jit=False)(2.0)
        print("shippedlib.rules" in sys.modules)
        print(srcad.grad(lambda x: shippedlib.cube(x), jit=False)(2.0))
        """,
    )
    assert printed.split() == ["False", "120.0"]


def test_rules_that_cannot_be_loaded_are_an_error_that_names_them(library):
    (library / "shippedlib" / "rules.py").write_text("import no_such_module\n")
    printed = run(
        library,
        """
        import shippedlib, srcad
        srcad.grad(lambda x: shippedlib.cube(x), jit=False)(2.0)
        """,
    )
    assert "the rules for shippedlib in 'shippedlib.rules' cannot be loaded: ModuleNotFoundError" in printed


@pytest.mark.parametrize("jit", [pytest.param(True, marks=pytest.mark.compiled), False])
def test_a_function_that_returns_an_argument_is_refused(jit):
    def tail(x):
        return x[1:]

    @adjoint(tail)
    def tail_rule(y, x):
        d[x] = np.append(0.0, d[y])

    with pytest.raises(WrongRule, match="`tail`, which has a rule, returns an array that shares memory"):
        srcad.grad(lambda x: np.sum(tail(x) * 2.0), jit=jit)(X)


def test_a_function_that_returns_a_tuple_is_refused():
    def powers(x):
        return x**2, x**3

    @adjoint(powers)
    def powers_rule(y, x):
        d[x] = 2.0 * x * d[y]

    with pytest.raises(srcad.UnsupportedSyntax, match="`powers` has a rule and returns a tuple"):
        srcad.grad(lambda x: powers(x)[0] * 1.0, jit=False)(2.0)


def test_the_functions_own_defaults_and_keywords():
    def monomial(x, n=2, *, c=1.0):
        return c * x**n

    @adjoint(monomial)
    def monomial_rule(y, x, n, c):
        d[x] = c * n * x ** (n - 1) * d[y]

    assert srcad.grad(lambda x: monomial(x), jit=False)(2.0) == 4.0  # noqa: PLW0108 - a call with defaults
    assert srcad.grad(lambda x: monomial(x, c=3.0), jit=False)(2.0) == 12.0
    assert srcad.grad(lambda x: monomial(x, n=3, c=3.0), jit=False)(2.0) == 36.0


@pytest.mark.filterwarnings("ignore::srcad.PerformanceWarning")
@pytest.mark.compiled
def test_a_number_that_the_function_reads_is_never_frozen():
    scope = {}
    exec("k = 2.0\ndef scaled(x):\n    return k * x\n", scope)
    scaled = scope["scaled"]

    @adjoint(scaled)
    def scaled_adjoint(y, x):
        d[x] = 2.0 * d[y]

    both = srcad.value_and_grad(lambda x: np.sum(scaled(x)))
    assert both(X)[0] == pytest.approx(2.0 * np.sum(X))
    scope["k"] = 3.0
    assert both(X)[0] == pytest.approx(3.0 * np.sum(X))
