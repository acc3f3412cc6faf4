"""`custom_vjp` and `custom_jvp`: values, both modes, second order, tapes, structures, and rules that are wrong."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, BadType, MissingRule, WrongRule
from tests.night import by_day

X = np.array([0.3, 0.7, 1.1])
V = np.array([1.0, -0.5, 0.2])
SCALE = np.array([2.0, 3.0, 0.5])


def product(x, k):
    return x * x * k * SCALE


def product_forward(x, k):
    return x * x * k * SCALE, (x, k)


def product_backward(saved, y_bar):
    x, k = saved
    return 2.0 * x * k * SCALE * y_bar, np.sum(x * x * SCALE * y_bar)


by_vjp = srcad.custom_vjp(product)
by_vjp.defvjp(product_forward, product_backward)


@srcad.custom_jvp
def by_jvp(x, k):
    return x * x * k * SCALE


@by_jvp.defjvp
def product_jvp(primals, tangents):
    (x, k), (x_dot, k_dot) = primals, tangents
    return x * x * k * SCALE, (2.0 * x * k * x_dot + x * x * k_dot) * SCALE


by_jvps = srcad.custom_jvp(product)
by_jvps.defjvps(lambda x_dot, y, x, k: 2.0 * x * k * SCALE * x_dot, lambda k_dot, y, x, k: x * x * SCALE * k_dot)

by_njit = srcad.custom_vjp(numba.njit(product))
by_njit.defvjp(numba.njit(product_forward), numba.njit(product_backward))


def called_once(by_rule):
    return lambda x, k: np.sum(np.sin(by_rule(x, k)))


def called_in_a_loop(by_rule):
    def total(x, k):
        s = 0.0
        for i in range(3):
            y = by_rule(x, k)
            y += 1.0
            s += np.sum(y * y) * (i + 1)
            x = 0.7 * x
        return s

    return total


def called_in_branches(by_rule):
    def chosen(x, k):
        s = 0.0
        for i in range(4):
            if i % 2 == 0:
                s += np.sum(by_rule(x, k))
            elif x[0] > 10.0:
                s += np.sum(by_rule(x, s))
            else:
                k = k * 1.1
        return s

    return chosen


def called_on_what_is_written_later(by_rule):
    def total(x, k):
        x = x.copy()
        s = 0.0
        for i in range(x.shape[0]):
            s += np.sum(by_rule(x, k))
            x[i] = x[i] * x[i]
        return s

    return total


def called_by_a_recursive_function(by_rule):
    def folded(x, k, n):
        if n == 0:
            return by_rule(x, k)
        return by_rule(x, k) * folded(0.5 * x, k, n - 1)

    return lambda x, k: np.sum(folded(x, k, 2))


PROGRAMS = [
    called_once,
    called_in_a_loop,
    called_in_branches,
    called_on_what_is_written_later,
    called_by_a_recursive_function,
]
RULES = {"vjp": by_vjp, "jvp": by_jvp, "jvps": by_jvps, "njit": by_njit}


def check(ours, plain, jit):
    """Gradients by both arguments and the second derivative are those of the function without a rule."""
    check_gradient(ours, plain, jit)
    second = srcad.hvp(ours, jit=jit)(X, 2.0, V)
    np.testing.assert_allclose(second, srcad.hvp(plain, jit=False)(X, 2.0, V), rtol=1e-11, atol=1e-13)


def check_gradient(ours, plain, jit):
    found, expected = (srcad.grad(f, (0, 1), jit=j)(X, 2.0) for f, j in ((ours, jit), (plain, False)))
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


@pytest.mark.parametrize("program", PROGRAMS[:-1])
@pytest.mark.parametrize("rule", ["vjp", "jvp", "jvps"])
def test_derivatives_by_a_rule_are_those_of_the_function(program, rule):
    check(program(RULES[rule]), program(product), jit=False)


# By day each program and each kind of rule is compiled once, the recursive one without its second derivative.
COMPILED = [(program, rule) for program in PROGRAMS for rule in RULES]
DIAGONAL = [*zip(PROGRAMS[:-1], ("jvps", "njit", "vjp", "jvp"), strict=True)]


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("program", "rule"), by_day([pytest.param(*each) for each in COMPILED], lambda *each: each in DIAGONAL)
)
def test_derivatives_by_a_rule_are_those_of_the_function_compiled(program, rule):
    check(program(RULES[rule]), program(product), jit=True)


@pytest.mark.compiled
def test_gradients_of_a_recursive_function_by_a_rule():
    check_gradient(called_by_a_recursive_function(by_vjp), called_by_a_recursive_function(product), jit=True)


@pytest.mark.parametrize("rule", RULES)
def test_forward_mode_by_a_rule(rule):
    ours, plain = called_in_a_loop(RULES[rule]), called_in_a_loop(product)
    expected = (plain(X + 1e-6 * V, 2.0 + 3e-7) - plain(X - 1e-6 * V, 2.0 - 3e-7)) / 2e-6
    assert srcad.jvp(ours, (X, 2.0), (V, 0.3), jit=False)[1] == pytest.approx(expected, rel=1e-7)


@pytest.mark.compiled
@pytest.mark.parametrize("rule", by_day(RULES, {"vjp", "jvp"}.__contains__))
def test_jacobians_and_hessians_by_a_rule(rule):
    ours = RULES[rule]
    np.testing.assert_allclose(srcad.jacobian(ours)(X, 2.0), np.diag(4.0 * X * SCALE))
    np.testing.assert_allclose(srcad.jacobian(ours, 1)(X, 2.0), X * X * SCALE)
    np.testing.assert_allclose(srcad.hessian(lambda x: np.sum(ours(x, 2.0)))(X), np.diag(4.0 * SCALE), atol=1e-14)


@pytest.mark.compiled
@pytest.mark.parametrize("rule", by_day(RULES, {"jvps", "njit"}.__contains__))
def test_a_tape_records_a_call_by_its_rule(rule):
    ours, x, k = RULES[rule], srcad.constant(X), srcad.constant(2.0)
    with srcad.GradientTape() as outer:
        outer.watch(x)
        with srcad.GradientTape() as tape:
            tape.watch([x, k])
            y = np.sum(ours(x, k))
        x_bar, k_bar = tape.gradient(y, [x, k])
        total = np.sum(x_bar * x_bar)
    np.testing.assert_allclose(x_bar.numpy(), 4.0 * X * SCALE)
    np.testing.assert_allclose(k_bar.numpy(), np.sum(X * X * SCALE))
    np.testing.assert_allclose(outer.gradient(total, x).numpy(), 32.0 * X * SCALE**2)


@pytest.mark.compiled
@pytest.mark.parametrize("rule", RULES)
def test_compiled_code_calls_the_function_and_is_differentiated_by_the_rule(rule):
    ours = RULES[rule]

    @numba.njit
    def total(x, k):
        return np.sum(ours(x, k))

    assert total(X, 2.0) == pytest.approx(np.sum(product(X, 2.0)))
    np.testing.assert_allclose(srcad.grad(total)(X, 2.0), 4.0 * X * SCALE)


@pytest.mark.compiled
@pytest.mark.parametrize("rule", ["vjp", "jvp"])
def test_arguments_of_single_precision_and_empty_ones(rule):
    ours = srcad.grad(lambda x: np.sum(RULES[rule](x, np.float32(2.0))))
    assert ours(X.astype(np.float32)).dtype == np.float32
    assert srcad.grad(lambda x: np.sum(exponential(x)))(np.zeros(0)).shape == (0,)
    assert srcad.grad(lambda x: np.sum(exponential(x)))(np.zeros((0, 2))).shape == (0, 2)


@srcad.custom_vjp
def exponential(x):
    return np.exp(x)


def exponential_forward(x):
    y = np.exp(x)
    return y, y


exponential.defvjp(exponential_forward, lambda y, y_bar: (y * y_bar,))


def np_exponential(z):
    return np.exp(z)


def test_adjoints_of_complex_arguments_are_as_everywhere():
    z, w = np.array([1.0 + 2.0j]), np.array([0.5 - 1.0j])
    by_rule, plain = (srcad.vjp(f, z)[1](w)[0] for f in (exponential, np_exponential))
    np.testing.assert_allclose(by_rule, plain)


def test_a_value_that_the_rule_and_the_program_compute_alike_keeps_its_own_derivative():
    found = srcad.grad(lambda x: np.sum(exponential(x)) * np.sum(np.exp(x)), jit=False)(X)
    np.testing.assert_allclose(found, 2.0 * np.exp(X) * np.sum(np.exp(X)))


@srcad.custom_vjp
def sine_and_cosine(x):
    return np.sin(x), np.cos(x)


def sine_and_cosine_forward(x):
    s, c = np.sin(x), np.cos(x)
    return (s, c), (s, c)


sine_and_cosine.defvjp(sine_and_cosine_forward, lambda saved, bars: (bars[0] * saved[1] - bars[1] * saved[0],))


def test_several_results():
    def total(x):
        s, c = sine_and_cosine(x)
        return np.sum(s * s * c)

    def plain(x):
        return np.sum(np.sin(x) ** 2 * np.cos(x))

    np.testing.assert_allclose(srcad.grad(total, jit=False)(X), srcad.grad(plain, jit=False)(X))
    np.testing.assert_allclose(srcad.hvp(total, jit=False)(X, V), srcad.hvp(plain, jit=False)(X, V))
    np.testing.assert_allclose(srcad.grad(lambda x: np.sum(sine_and_cosine(x)[1]), jit=False)(X), -np.sin(X))


def layer(p, x, power, act):
    return act(np.sum(p["w"] * x**power) + p["b"][0])


def layer_forward(p, x, power, act):
    z = np.sum(p["w"] * x**power) + p["b"][0]
    return act(z), (p, (x, z))


def layer_backward(power, act, saved, y_bar):
    p, (x, z) = saved
    z_bar = y_bar * (1.0 - act(z) ** 2)
    return {"w": z_bar * x**power, "b": (z_bar, None)}, z_bar * p["w"] * power * x ** (power - 1)


structured = srcad.custom_vjp(layer, nondiff_argnums=(2, 3))
structured.defvjp(layer_forward, layer_backward)


def test_structures_and_arguments_that_are_not_differentiated():
    p = {"w": np.array([0.1, 0.2, -0.1]), "b": (0.3, 5.0)}
    found = srcad.grad(structured, (0, 1), jit=False)(p, X, 2, np.tanh)
    z_bar = 1.0 - np.tanh(np.sum(p["w"] * X**2) + 0.3) ** 2
    np.testing.assert_allclose(found[0]["w"], z_bar * X**2)
    assert found[0]["b"] == (pytest.approx(z_bar), 0.0)
    np.testing.assert_allclose(found[1], z_bar * p["w"] * 2.0 * X)


class Power:
    def __init__(self, k):
        self.k = k

    @srcad.custom_vjp
    def of(self, x):
        return self.k * x**3

    @staticmethod
    @srcad.custom_vjp
    def cube(x):
        return x**3


Power.of.defvjp(
    lambda self, x: (self.k * x**3, (self.k, x)),
    lambda saved, y_bar: ({"k": np.sum(saved[1] ** 3 * y_bar)}, 3.0 * saved[0] * saved[1] ** 2 * y_bar),
)
Power.cube.defvjp(lambda x: (x**3, x), lambda x, y_bar: (3.0 * x * x * y_bar,))


def test_methods():
    power = Power(2.0)
    np.testing.assert_allclose(srcad.grad(lambda x: np.sum(power.of(x)), jit=False)(X), 6.0 * X**2)
    np.testing.assert_allclose(srcad.grad(lambda k: np.sum(Power(k).of(X)), jit=False)(2.0), np.sum(X**3))
    np.testing.assert_allclose(srcad.grad(lambda x: np.sum(power.cube(x)), jit=False)(X), 3.0 * X**2)
    assert srcad.grad(power.of, jit=False)(2.0) == pytest.approx(24.0)


def test_keywords_and_defaults():
    @srcad.custom_vjp
    def power(x, k=2.0, *, c=1.0):
        return c * x**k

    power.defvjp(
        lambda x, k, c: (c * x**k, (x, k, c)),
        lambda saved, y_bar: (
            y_bar * saved[2] * saved[1] * saved[0] ** (saved[1] - 1.0),
            None,
            y_bar * saved[0] ** saved[1],
        ),
    )
    assert srcad.grad(power, jit=False)(3.0) == pytest.approx(6.0)
    assert srcad.grad(lambda x: power(x, c=x), jit=False)(3.0) == pytest.approx(27.0)
    assert srcad.grad(lambda x: power(k=3.0, x=x), jit=False)(3.0) == pytest.approx(27.0)


def test_a_new_rule_and_changed_numbers_are_used_from_the_next_call_on():
    scope = {"k": 2.0}

    def make(k):
        @srcad.custom_vjp
        def scaled(x):
            return k * x

        def set_to(new):
            nonlocal k
            k = new

        scaled.defvjp(lambda x: (k * x, None), lambda saved, y_bar: (k * y_bar,))
        return scaled, set_to

    scaled, set_to = make(scope["k"])
    gradient = srcad.grad(lambda x: 1.0 * scaled(x), jit=False)
    assert gradient(1.0) == 2.0
    set_to(3.0)
    assert gradient(1.0) == 3.0
    scaled.defvjp(lambda x: (x, None), lambda saved, y_bar: (100.0 * y_bar,))
    assert gradient(1.0) == 100.0


@pytest.mark.filterwarnings("ignore::srcad.PerformanceWarning")
def test_a_rule_may_call_what_has_no_rule_and_does_not_compile():
    def outside(x):
        return np.array([float(str(each)) for each in x]) ** 2

    class Library:
        def __call__(self, x):
            return outside(x)

    library = Library()
    library.__srcad_primitive__ = True
    by_rule = srcad.custom_vjp(lambda x: 1.0 * library(x))
    by_rule.defvjp(lambda x: (library(x), x), lambda x, y_bar: (2.0 * x * y_bar,))
    np.testing.assert_allclose(srcad.grad(lambda x: np.sum(by_rule(x)))(X), 2.0 * X)
    with pytest.raises(MissingRule, match="has no derivative rule"):
        srcad.grad(lambda x: np.sum(library(x)))(X)


def clipped(limit):
    @srcad.custom_vjp
    def same(x):
        return x

    same.defvjp(lambda x: (x, None), lambda saved, y_bar: (np.minimum(y_bar, limit),))
    return same


def test_a_rule_need_not_be_the_derivative():
    same = clipped(1.0)
    assert srcad.grad(lambda x: 5.0 * same(x))(3.0) == 1.0
    np.testing.assert_allclose(srcad.grad(lambda x: np.sum(SCALE * same(x)))(X), [1.0, 1.0, 0.5])


def given(forward, backward, function=lambda x: x * x):
    by_rule = srcad.custom_vjp(function)
    by_rule.defvjp(forward, backward)
    return lambda x: np.sum(by_rule(x))


WRONG = {
    "a shape": (lambda x: (x * x, x), lambda x, y_bar: (np.ones(2),), r"the shape \(2,\) was returned, where \(3,\)"),
    "a rank": (lambda x: (x * x, x), lambda x, y_bar: (np.ones((3, 1)),), r"the shape \(3, 1\) was returned"),
    "a number": (lambda x: (x * x, x), lambda x, y_bar: (1.0,), r"a number was returned, where \(3,\)"),
    "a kind": (lambda x: (x * x, x), lambda x, y_bar: (2j * x * y_bar,), "complex128 was returned, where float64"),
    "whole numbers": (lambda x: (x * x, x), lambda x, y_bar: (np.ones(3, np.int64),), "int64 was returned"),
    "a count": (lambda x: (x * x, x), lambda x, y_bar: (x, x), "returns 2 derivatives, where 1 is needed"),
    "no tuple": (lambda x: (x * x, x), lambda x, y_bar: None, "returns no tuple"),
    "a structure": (
        lambda x: (x * x, x),
        lambda x, y_bar: ((x, x),),
        "a tuple for `x`, which is a number or",
    ),
    "three": (lambda x: (x * x, x, x), lambda x, y_bar: (x,), "returns a tuple of 3, not a pair"),
}


IN_BOTH_WAYS = [pytest.param(name, jit, marks=[pytest.mark.compiled] * jit) for name in WRONG for jit in (False, True)]


@pytest.mark.parametrize(
    ("name", "jit"), by_day(IN_BOTH_WAYS, lambda name, jit: not jit or name in ("a kind", "three"))
)
def test_a_rule_that_returns_something_else_is_named_with_its_line(name, jit):
    forward, backward, message = WRONG[name]
    with pytest.raises(WrongRule, match=message) as caught:
        srcad.grad(given(forward, backward), jit=jit)(X)
    assert "the rule of " in str(caught.value)
    assert "test_custom_rules.py:" in str(caught.value)


def test_a_rule_without_the_second_function_and_other_misuse():
    square = srcad.custom_vjp(lambda x: x * x)
    with pytest.raises(MissingRule, match=r"defvjp\(forward, backward\)"):
        srcad.grad(lambda x: 2.0 * square(x))(2.0)
    with pytest.raises(BadType, match="not a function"):
        square.defvjp(lambda x: (x * x, x), 3.0)
    with pytest.raises(BadType, match="not a function"):
        srcad.custom_vjp(3.0)
    with pytest.raises(BadArgument, match="nondiff_argnums has 2"):
        srcad.custom_vjp(lambda x, y: x, nondiff_argnums=2)
    two = srcad.custom_jvp(lambda x, y: x * y)
    two.defjvps(None)
    with pytest.raises(WrongRule, match="returns 1 functions, where 2 are needed"):
        srcad.grad(lambda x: two(x, x))(2.0)


def test_a_rule_that_reads_a_differentiated_variable_is_refused():
    k = srcad.Variable(2.0)
    by_rule = srcad.custom_vjp(lambda x: k * x)
    by_rule.defvjp(lambda x: (k * x, None), lambda saved, y_bar: (k * y_bar,))
    x = srcad.constant(3.0)
    with srcad.GradientTape() as tape:
        tape.watch(x)
        with pytest.raises(WrongRule, match="which is differentiated and no argument"):
            by_rule(x)


def test_a_rule_that_writes_into_its_argument_is_refused():
    def forward(x):
        x[0] = 1.0
        return np.sum(x), None

    with pytest.raises(WrongRule, match="writes into an array that is an argument"):
        srcad.grad(given(forward, lambda saved, y_bar: (y_bar * np.ones(3),)))(X)


def test_a_result_that_is_an_argument_must_not_be_written_to():
    same = clipped(1.0)

    def written(x):
        y = same(x)
        y[0] = 5.0
        return np.sum(x * y)

    with pytest.raises(WrongRule, match="returns an array that it got"):
        srcad.grad(written)(X)
