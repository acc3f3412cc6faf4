"""`check_grads` finds wrong gradients, says where, and passes right ones."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, WrongGradient

X = np.array([1.0, -2.0, 0.5])


def energy(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        total += k * x[i] * x[i] * x[i]
    return total


def several(x, n):
    return n * x, x * x * x


@pytest.mark.slow
@pytest.mark.parametrize("jit", [True, False])
def test_right_gradients_pass(jit):
    srcad.check_grads(energy, (X, 2.0), jit=jit)
    srcad.check_grads(energy, (X, 2.0), wrt="k", jit=jit)
    srcad.check_grads(srcad.function(energy), (X, 2.0), wrt=(1, "x"), jit=jit)
    srcad.check_grads(several, (0.7, 3), jit=jit)


def test_single_precision_passes():
    srcad.check_grads(energy, (X.astype(np.float32), np.float32(2.0)))


def test_scale_does_not_matter():
    for scale in (1e-6, 1e6):
        srcad.check_grads(energy, (scale * X, 2.0), wrt=0)


def test_arguments_stay_as_they_are():
    given = X.copy()
    srcad.check_grads(energy, (given, 2.0))
    np.testing.assert_array_equal(given, X)


def frozen_part(x, k):
    total = 0.0
    for i in range(x.shape[0]):
        if i == 1:
            total += srcad.stop_gradient(x[i]) * x[i]
        else:
            total += x[i] * x[i]
    return k * total


def test_a_wrong_gradient_is_an_assertion_error_that_says_where():
    # stop_gradient makes the gradient differ from finite differences, on purpose: at the element 1.
    with pytest.raises(AssertionError) as caught:
        srcad.check_grads(frozen_part, (X, 2.0))
    assert isinstance(caught.value, WrongGradient)
    first, second = str(caught.value).splitlines()
    assert first == "the gradient of frozen_part differs from finite differences in 1 of 4 elements:"
    assert second.startswith("    x[1]: gradient -4, differences -8")
    assert second.endswith("(relative difference 5.0e-01)")


def test_what_is_right_in_a_wrong_function_passes():
    srcad.check_grads(frozen_part, (X, 2.0), wrt="k")


def test_many_differences_are_summed_up():
    def blocked(x):
        total = 0.0
        for i in range(x.shape[0]):
            total += srcad.stop_gradient(x[i]) * x[i]
        return total

    with pytest.raises(WrongGradient) as caught:
        srcad.check_grads(blocked, (np.arange(1.0, 11.0),))
    lines = str(caught.value).splitlines()
    assert "in 10 of 10 elements" in lines[0]
    assert len(lines) == 7
    assert lines[-1] == "    and 5 more"


def test_a_nan_differs():
    def root(x):
        return np.sqrt(x - x) + x

    with pytest.raises(WrongGradient, match="x: gradient nan"):
        srcad.check_grads(root, (1.0,))


@pytest.mark.slow
def test_a_large_argument_is_sampled():
    srcad.check_grads(energy, (np.linspace(-1.0, 1.0, 5000), 1.0), wrt=0)


def test_nothing_to_differentiate_is_refused():
    with pytest.raises(BadArgument, match="no argument of several can have a derivative"):
        srcad.check_grads(several, (2, 3))
