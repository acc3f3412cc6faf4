"""`check_grads` finds wrong gradients, says where, and passes right ones."""

import numpy as np
import pytest

import srcad
from srcad.errors import BadArgument, UnreliableDifferences, WrongGradient

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


# Functions that are hard on differences, with the verdict.


def relu(x):
    return np.sum(np.maximum(x, 0.0))


def jumping(x):
    return x * x if x > 1.0 else x


def root_of_square(x):
    return np.sqrt(x * x)


def single_inside(x):
    return np.float64(np.sum(np.sin(x.astype(np.float32))))


def newton(a):
    y = 1.0
    for _ in range(50):
        before = y
        y = 0.5 * (y + a / y)
        if abs(y - before) < 1e-3:
            break
    return y


def squares(x):
    return np.sum(x * x)


def logarithm(x):
    return np.log(x)


def inverse(x):
    return np.linalg.inv(np.array([[1.0, 1.0], [1.0, 1.0 + x]]))[0, 0]


def offset(x):
    return 1e9 + np.sum(x * x)


def factor(a):
    return np.sum(np.linalg.cholesky(a))


def spectrum(a):
    return np.sum(np.linalg.eigvalsh(a) ** 3)


SPD = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
RIGHT = {
    "beside a kink": (relu, X),
    "a tiny distance from a kink": (relu, np.array([1e-7, 2e-7])),
    "tiny arguments": (squares, 1e-12 * X),
    "huge arguments": (squares, 1e12 * X),
    "tiny and huge arguments": (squares, np.array([1e-9, 1.0, 1e9])),
    "a pole nearby": (logarithm, 1e-12),
    "nearly singular": (inverse, 1e-6),
    "a large constant": (offset, 1e3 * X),
    "single precision inside": (single_inside, X),
    "an iteration with a loose tolerance": (newton, 2.0),
    "one triangle of a matrix": (factor, SPD),
    "eigenvalues": (spectrum, SPD),
    "the other side of a jump": (jumping, 1.0 - 1e-6),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_gradient_is_no_false_alarm(name):
    f, x = RIGHT[name]
    srcad.check_grads(f, (x,), jit=False)


UNRELIABLE = {
    "kink": (relu, np.array([1.0, 0.0]), "x[1]: gradient 1; there is a kink"),
    "kink of a root": (root_of_square, np.float64(0.0), "x: gradient nan; there is a kink"),
    "jump": (jumping, 1.0 - 0.0, "x: gradient 1; there is a kink: the slope is 1 to one side and 2 to the other"),
    "constant beside a kink": (relu, np.array([-1e-7]), "x[0]: gradient 0; the function is constant over narrow steps"),
    "root": (lambda x: np.sqrt(x) + 1.0, np.float64(0.0), "finite at the point, but not below it"),
}


@pytest.mark.parametrize("name", UNRELIABLE)
def test_where_differences_do_not_tell_the_reason_is_given(name):
    f, x, reason = UNRELIABLE[name]
    with pytest.warns(UnreliableDifferences) as caught:
        srcad.check_grads(f, (x,), jit=False)
    text = str(caught[0].message)
    assert text.startswith("differences are not reliable here: they do not tell whether the gradient of")
    assert reason in text


def scaled(x, k):
    return k * np.sum(srcad.stop_gradient(x) * x)


WRONG = {
    "half": (scaled, X, 1.0),
    "half, tiny": (scaled, 1e-12 * X, 1.0),
    "half, huge": (scaled, 1e12 * X, 1.0),
    "half, of a tiny result": (scaled, X, 1e-12),
    "half, of a huge result": (scaled, X, 1e12),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_gradient_is_wrong_at_any_scale(name):
    f, *args = WRONG[name]
    with pytest.raises(WrongGradient, match="differs from finite differences in 3 of 3 elements"):
        srcad.check_grads(f, args, wrt=0, jit=False)


def with_wrong_part(x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.maximum(x[i], 0.0) if i == 0 else srcad.stop_gradient(x[i]) * x[i]
    return total


def test_what_is_wrong_and_what_is_not_reliable_are_told_apart():
    with pytest.raises(WrongGradient) as caught:
        srcad.check_grads(with_wrong_part, (np.array([0.0, 3.0]),), jit=False)
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("differs from finite differences in 1 of 2 elements:")
    assert lines[1].startswith("    x[1]: gradient 3, differences 6")
    assert lines[2].startswith("differences are not reliable here")
    assert lines[3].startswith("    x[0]: gradient 1; there is a kink")


def test_a_gradient_that_is_not_finite_says_where_it_is_born():
    def root(x):
        return np.sqrt(x - x) + x

    with pytest.raises(WrongGradient) as caught:
        srcad.check_grads(root, (1.0,), jit=False)
    assert "the first value that is not finite:\n" in str(caught.value)
    assert "first appears in the reverse sweep of this line, where the primal is finite" in str(caught.value)
    assert "return np.sqrt(x - x) + x" in str(caught.value)


def test_differences_that_are_not_finite_say_where_that_is_born():
    def root(x):
        return np.sqrt(1.0 - x) if x > 1.0 else srcad.stop_gradient(x)

    with pytest.warns(UnreliableDifferences, match="a NaN first appears in the primal of this line"):
        srcad.check_grads(root, (1.0,), jit=False)


def test_forward_and_reverse_mode_are_compared(monkeypatch):
    from srcad.tools import check_grads as module

    def doubled(self, given, bars, directions):
        return 2.0, 1.0, 3.0

    monkeypatch.setattr(module.Check, "products", doubled)
    with pytest.raises(WrongGradient, match="the tangent gives 2, the adjoint 1"):
        srcad.check_grads(squares, (X,), jit=False)


def test_a_matrix_is_moved_by_its_elements_where_both_triangles_are_read():
    def upper(a):
        return a[0, 1] * 2.0 + srcad.stop_gradient(a[1, 0]) * a[1, 0]

    with pytest.raises(WrongGradient, match=r"a\[1, 0\]: gradient 1, differences 2"):
        srcad.check_grads(upper, (np.eye(2) + 1.0,), jit=False)
