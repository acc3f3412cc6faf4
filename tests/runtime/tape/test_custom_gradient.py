"""Functions that bring their own gradient, and functions that are run again for theirs."""

import numpy as np
import pytest

import srcad
from srcad.runtime.tape.core.variable import Variable
from srcad.runtime.tape.custom_gradient import custom_gradient, recompute_grad
from srcad.runtime.tape.gradient_tape import GradientTape
from srcad.runtime.tape.values.conversions import constant


@custom_gradient
def log1pexp(x):
    e = np.exp(x)
    return np.log(1.0 + e), lambda upstream: upstream * (1.0 - 1.0 / (1.0 + e))


def slope(function, x):
    with GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def test_the_gradient_given_is_used():
    assert float(slope(log1pexp, constant(100.0))) == 1.0


def test_second_derivatives_differentiate_the_gradient_function():
    x = constant(0.3)
    with GradientTape() as outer:
        outer.watch(x)
        first = slope(log1pexp, x)
    expected = np.exp(-0.3) / (1.0 + np.exp(-0.3)) ** 2
    assert float(outer.gradient(first, x)) == pytest.approx(expected, rel=1e-12)


def test_several_arguments_and_results():
    @custom_gradient
    def both(x, y, scale):
        return (x * y, {"sum": x + y}), lambda by_product, by_sum: (
            by_product * 10.0,
            by_sum * 100.0,
            None,
        )

    x, y = constant(2.0), constant(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        product, rest = both(x, y, 7.0)
    assert float(product) == 6.0
    assert [float(each) for each in tape.gradient([product, rest["sum"]], [x, y])] == [10.0, 100.0]
    assert [float(each) for each in tape.gradient(rest["sum"], [x, y])] == [0.0, 100.0]


def test_the_result_is_another_tensor_than_the_argument():
    same = custom_gradient(lambda x: (x, lambda upstream: upstream * 5.0))
    x = constant(2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = same(x)
        z = same(y)
    assert float(tape.gradient(z, x)) == 25.0


def test_methods_may_be_decorated_with_or_without_parentheses():
    class Layer:
        factor = 3.0

        @custom_gradient()
        def call(self, x):
            return x * self.factor, lambda upstream: upstream * self.factor * 2.0

    assert float(slope(Layer().call, constant(1.0))) == 6.0


def test_variables_that_the_function_reads_have_gradients_of_their_own():
    weights, x = Variable([1.0, 1.0]), constant([1.0, 2.0, 3.0])

    @custom_gradient
    def polynomial(x):
        def gradient(upstream, variables):
            assert variables == [weights] or variables[0] is weights
            return upstream * weights[1], [np.stack([np.sum(upstream), np.sum(upstream * x)])]

        return weights[1] * x + weights[0], gradient

    with GradientTape() as tape:
        tape.watch(x)
        y = polynomial(x)
    by_x, by_weights = tape.gradient(y, [x, weights])
    assert by_x.tolist() == [1.0, 1.0, 1.0]
    assert by_weights.tolist() == [3.0, 6.0]


def test_a_function_that_reads_variables_must_take_them():
    v = Variable(1.0)
    f = custom_gradient(lambda x: (x * v, lambda upstream: upstream))
    with pytest.raises(TypeError, match="must accept the keyword argument 'variables'"):
        f(constant(1.0))


def test_a_variable_as_argument_is_no_captured_one():
    v = Variable(3.0)
    f = custom_gradient(lambda x: (x * x, lambda upstream: upstream * 7.0))
    with GradientTape() as tape:
        y = f(v)
    assert float(tape.gradient(y, v)) == 7.0


@pytest.mark.parametrize(
    ("gradient", "message"),
    [
        (lambda upstream: (upstream, upstream), "return 1 gradients, but returned 2"),
        (lambda upstream: np.ones(3), r"has the shape \(3,\)"),
    ],
)
def test_gradients_that_do_not_fit_are_refused(gradient, message):
    f, x = custom_gradient(lambda x: (x * 1.0, gradient)), constant([1.0, 2.0])
    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    with pytest.raises(ValueError, match=message):
        tape.gradient(y, x)


def test_it_is_refused_in_a_compiled_function():
    with pytest.raises(SyntaxError, match="neither a number nor an array"):
        srcad.grad(lambda x: log1pexp(x) * x)(3.0)


def test_values_may_be_looked_at_in_a_gradient_function_that_is_itself_recorded():
    f = custom_gradient(lambda x: (x * x, lambda upstream: upstream * 2.0 * x * float(np.asarray(x) > 0)))
    x = constant(3.0)
    with GradientTape() as outer:
        outer.watch(x)
        first = slope(f, x)
    assert float(outer.gradient(first, x)) == 2.0


def test_a_recomputed_function_is_run_again_and_its_inside_is_not_kept():
    runs, w, x = [], Variable(3.0), constant(2.0)

    def f(x):
        runs.append(1)
        return np.sin(x * w) * x

    with GradientTape() as tape:
        tape.watch(x)
        y = recompute_grad(f)(x)
        assert len(tape.trace) == 1
    assert len(runs) == 1
    by_x, by_w = tape.gradient(y, [x, w])
    assert len(runs) == 2
    assert float(by_x) == pytest.approx(np.sin(6.0) + 6.0 * np.cos(6.0))
    assert float(by_w) == pytest.approx(4.0 * np.cos(6.0))
    assert recompute_grad(f).__wrapped__.__name__ == "f"


def test_second_derivatives_of_a_recomputed_function():
    x, w = constant(2.0), Variable(1.5)
    with GradientTape() as outer:
        outer.watch(x)
        with GradientTape() as inner:
            inner.watch(x)
            y = recompute_grad(lambda x: x * x * w * w)(x)
        by_w = inner.gradient(y, w)
    by_x, again = outer.gradient(by_w, [x, w])
    assert (float(by_w), float(by_x), float(again)) == (12.0, 12.0, 8.0)


def test_a_recomputed_function_with_lists_and_keywords():
    f = recompute_grad(lambda pair, power: pair[0] ** power * pair[1])
    x, y = constant(2.0), constant(5.0)
    with GradientTape() as tape:
        tape.watch([x, y])
        z = f([x, y], power=3)
    assert [float(each) for each in tape.gradient(z, [x, y])] == [60.0, 8.0]
