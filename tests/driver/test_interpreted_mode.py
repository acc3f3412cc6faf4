"""Functions that Numba cannot type: generated from what a run shows, uncompiled, and never wrong."""

import warnings
from dataclasses import replace

import numba
import numpy as np
import pytest

import srcad
from srcad.driver import pipeline
from srcad.driver.version import Version
from srcad.errors import MissingRule, PerformanceWarning, UnsupportedSyntax
from srcad.runtime.jit.numba_inference import CannotType
from tests.checking import assert_gradient
from tests.differences import directional_derivative
from tests.test_programs import every, programs

X = np.array([0.3, 1.1, -0.7])
A = np.array([[1.0, 0.2, -0.4], [0.5, -1.3, 0.8], [0.1, 0.6, 0.9]])
MODES = ("arrays", "tangent")


def turned(x):
    """A call that Numba does not know: axes and shifts are tuples."""
    return np.roll(x, (1,), axis=(0,))


def contracted(x, a):
    return np.einsum("i,ij,j->", x, a, x)


def column_norms(a):
    return np.sum(np.linalg.norm(a, axis=(0,)) * a[0])


def traced_power(a, k):
    return np.sum(np.tensordot(a, a, axes=k)) ** 2


def in_place(x):
    y = turned(x)
    y[0] = y[1] * x[2]
    y += x
    return np.sum(y * y)


def rows(a):
    b = a.copy()
    for i in range(b.shape[0]):
        b[i] = turned(b[i]) * b[i, 0]
    return np.sum(b * a)


def halved(x):
    y = x
    while np.sum(turned(y) * y) ** 2 > 0.001:
        y = y * 0.5
    return np.sum(y * turned(x))


def guarded(x):
    if x[0] > 100.0:
        raise ValueError(f"{x[0]:.1f} is too large")
    return np.sum(turned(x) * x * x)


def branching(x, n):
    s = turned(x)
    for i in range(n):
        s = np.sin(s) * x[i]
    if x[0] > 0.0:
        t = s * x
    else:
        t = np.cosh(s)
        t[1] = x[0] * x[1]
    return np.sum(t * s)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (contracted, (X, A)),
        (column_norms, (A,)),
        (traced_power, (A, 2)),
        (traced_power, (A, 1)),
        (in_place, (X,)),
        (rows, (A,)),
        (halved, (X,)),
        (guarded, (X,)),
        (branching, (X, 2)),
    ],
)
def test_gradients_are_those_of_finite_differences(f, args):
    assert_gradient(f, *args, modes=MODES)


@pytest.mark.parametrize(("f", "args"), [(contracted, (X, A)), (rows, (A,)), (halved, (X,)), (branching, (X, 2))])
def test_second_derivatives_are_those_of_finite_differences(f, args):
    gradient = srcad.grad(f, jit=False)
    direction = np.cos(np.arange(args[0].size)).reshape(args[0].shape)
    found = np.sum(srcad.hvp(f, jit=False)(*args, direction) * direction)
    along, _ = directional_derivative(lambda t: np.sum(gradient(args[0] + t * direction, *args[1:]) * direction))
    assert found == pytest.approx(along, rel=1e-6)


@pytest.mark.slow
def test_a_branch_or_loop_not_taken_at_first_is_taken_later():
    expected = {}
    for x in (X, -X):
        for n in (2, 0):

            def fresh(x, n):
                return branching(x, n)

            expected[x[0], n] = srcad.grad(fresh, jit=False)(x, n)
            assert_gradient(branching, x, n, modes=MODES)
    gradient = srcad.grad(lambda x, n: 1.0 * branching(x, n), jit=False)
    for x, n in [(X, 0), (X, 0), (-X, 0), (X, 2), (-X, 2), (X, 0)]:
        np.testing.assert_array_equal(gradient(x, n), expected[x[0], n])


def test_a_second_derivative_too_takes_branches_that_were_not_observed():
    product = srcad.hvp(lambda x, n: 1.0 * branching(x, n), jit=False)
    fresh = srcad.hvp(lambda x, n: branching(x, n) + 0.0, jit=False)
    first = product(X, 0, X)
    second = product(-X, 2, X)
    np.testing.assert_allclose(second, fresh(-X, 2, X))
    np.testing.assert_array_equal(product(X, 0, X), first)


def test_a_pullback_outlives_that_its_function_is_generated_anew():
    def f(x, n):
        return branching(x, n) * 2.0

    for jit in (False, True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PerformanceWarning)
            _, pull = srcad.vjp(f, X, 0, jit=jit)
            before = pull(1.0)[0]
            _, other = srcad.vjp(f, -X, 2, jit=jit)
            np.testing.assert_array_equal(pull(1.0)[0], before)
            np.testing.assert_allclose(other(1.0)[0], srcad.grad(f, jit=False)(-X, 2))


def test_values_of_another_rank_are_observed_anew():
    def f(x, k):
        y = np.squeeze(np.roll(x, (1,), axis=(0,)))
        return np.sum(np.tensordot(y, y, axes=k) * 1.5)

    gradient = srcad.grad(f, jit=False)
    for shape, k in [((2, 3), 1), ((2, 1), 0), ((2, 1), 1), ((2, 2), 2), ((1, 1), 0), ((2, 2), 1)]:
        x = np.linspace(1.0, 2.0, shape[0] * shape[1]).reshape(shape)
        if shape == (2, 3):
            continue
        along, _ = directional_derivative(lambda t, x=x, k=k: f(x + t * np.sin(x), k))
        assert np.sum(gradient(x, k) * np.sin(x)) == pytest.approx(along, rel=1e-6), (shape, k)


def test_a_warning_names_the_call_once_for_a_function():
    def f(x):
        return np.sum(turned(x) * x)

    with pytest.warns(PerformanceWarning, match=r"_mode\.py:\d+:\d+: f runs uncompiled: .*roll") as caught:
        srcad.grad(f)(X)
    assert [each.filename for each in caught] == [__file__]
    # From here on a warning would be an error.
    srcad.grad(f)(X)
    srcad.value_and_grad(f)(X)
    srcad.vjp(f, X)[1](1.0)


def test_defaults_and_a_number_repeated_along_an_axis():
    def f(x, n=2):
        return np.sum(np.repeat(x, n, axis=0))

    with pytest.warns(PerformanceWarning):
        assert srcad.grad(f)(1.5) == 2.0
    assert srcad.grad(f)(np.ones((1, 2))).tolist() == [[2.0, 2.0]]


def test_without_jit_nothing_is_said():
    assert srcad.grad(lambda x: np.sum(turned(x) * x), jit=False)(X) == pytest.approx(turned(X) + turned(turned(X)))


def test_everything_that_differentiates_falls_back():
    def f(x):
        return np.sum(turned(x) * x)

    expected = turned(X) + turned(turned(X))
    matrix = np.ones((3, 3)) - np.eye(3)
    with pytest.warns(PerformanceWarning):
        np.testing.assert_allclose(srcad.grad(f)(X), expected)
    np.testing.assert_allclose(srcad.value_and_grad(f)(X)[1], expected)
    np.testing.assert_allclose(srcad.vjp(f, X)[1](1.0)[0], expected)
    np.testing.assert_allclose(srcad.jvp(f, (X,), (X,))[1], expected @ X)
    np.testing.assert_allclose(srcad.jacobian(f)(X), expected)
    np.testing.assert_allclose(srcad.hessian(f)(X), matrix)
    np.testing.assert_allclose(srcad.hvp(f)(X, X), matrix @ X)
    np.testing.assert_allclose(srcad.jacobian(srcad.grad(f))(X), matrix)
    run = srcad.function(f)
    assert run(X) == f(X)
    x = srcad.Variable(X)
    with srcad.GradientTape() as tape:
        y = run(x)
    np.testing.assert_allclose(np.asarray(tape.gradient(y, x)), expected)


def test_a_captured_array_is_what_it_is_at_the_call():
    weights = np.ones(3)

    def f(x):
        return np.sum(turned(x) * x * weights)

    gradient = srcad.grad(f, jit=False)
    np.testing.assert_allclose(gradient(X), turned(X) + turned(turned(X)))
    weights = np.zeros(3)
    np.testing.assert_allclose(gradient(X), np.zeros(3))


def test_functions_are_generated_once_for_a_set_of_types(monkeypatch):
    asked = []
    derive = pipeline.derive
    monkeypatch.setattr(pipeline, "derive", lambda *a, **k: (asked.append(k.get("observed")), derive(*a, **k))[1])
    gradient = srcad.grad(lambda x: np.sum(turned(x) * x), jit=False)
    for x in (X, 2.0 * X, X[:2], X.astype(np.float32), X):
        assert gradient(x).dtype == x.dtype
    assert sum(each is not None for each in asked) == 2


def test_a_function_without_a_rule_is_named():
    with pytest.raises(MissingRule, match=r"np\.nextafter has no derivative rule"):
        srcad.grad(lambda x: np.sum(np.nextafter(x, 9.0)))(X)


def test_a_function_without_a_rule_may_serve_what_is_not_differentiated():
    def f(x, data):
        return np.sum(x * np.abs(np.fft.fft(data)))

    np.testing.assert_allclose(srcad.grad(f, jit=False)(X, A[0]), np.abs(np.fft.fft(A[0])))


def test_the_users_errors_come_through():
    with pytest.raises(ValueError, match=r"200\.0 is too large"):
        srcad.grad(guarded, jit=False)(np.full(3, 200.0))
    gradient = srcad.grad(lambda x: 1.0 * guarded(x), jit=False)
    gradient(X)
    with pytest.raises(ValueError, match=r"200\.0 is too large"):
        gradient(np.full(3, 200.0))


def test_arguments_stay_as_they_are_and_output_is_printed_once(capsys):
    def f(x):
        print("called")
        x[0] = 2.0 * x[1]
        return np.sum(turned(x) * x)

    x = X.copy()
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), [0.0, 4.0 * X[1] + 3.0 * X[2], 3.0 * X[1]])
    np.testing.assert_array_equal(x, X)
    assert capsys.readouterr().out == "called\n"


def test_random_numbers_are_those_of_the_call():
    def f(x):
        return np.sum(turned(x) * np.random.normal(0.0, 1.0, 3))

    np.random.seed(7)
    found = srcad.grad(f, jit=False)(X)
    np.random.seed(7)
    np.testing.assert_allclose(turned(found), np.random.normal(0.0, 1.0, 3))


def test_a_variable_may_change_between_a_number_and_an_array():
    def f(a):
        s = 0.0
        for i in range(a.shape[0]):
            s = s + turned(a[i])
        return np.sum(s)

    direction = np.cos(np.arange(A.size)).reshape(A.shape)
    slope = (f(A + 1e-6 * direction) - f(A - 1e-6 * direction)) / 2e-6
    assert np.sum(srcad.grad(f, jit=False)(A) * direction) == pytest.approx(slope, rel=1e-8)


def test_an_object_that_derivatives_would_pass_through_is_refused():
    def f(x):
        y = np.asarray(x, dtype=object)
        return np.sum(np.asarray(y, dtype=np.float64))

    with pytest.raises(UnsupportedSyntax, match="neither a number nor an array"):
        srcad.grad(f, jit=False)(X)


def refused_by_numba(monkeypatch, last_only):
    """Makes generated code call what Numba does not know: the types are found, the code does not compile."""
    derive = pipeline.derive

    def spoiled(*args, loops=True, **others):
        made = derive(*args, loops=loops, **others)
        if not loops:
            return made
        head, last = made.text.rsplit("    return", 1)
        if not last_only:
            head = head.replace("    return", "    os.getpid()\n    return")
        text = f"import os\n{head}    os.getpid()\n    return{last}"
        return replace(made, text=text)

    monkeypatch.setattr(pipeline, "derive", spoiled)


@pytest.mark.compiled
@pytest.mark.parametrize("last_only", [True, False])
def test_generated_code_that_numba_refuses_runs_uncompiled(monkeypatch, last_only):
    refused_by_numba(monkeypatch, last_only)

    def f(x, n):
        s = 0.125
        for i in range(n):
            s = np.sin(s) * x[i] + s
        return s * np.sum(x * x)

    with pytest.warns(PerformanceWarning, match=r"f runs uncompiled: the generated .* os\.getpid is not known"):
        found = srcad.grad(f)(X, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PerformanceWarning)
        _, pull = srcad.vjp(f, X, 3)
        np.testing.assert_allclose(pull(1.0)[0], found)
    along, _ = directional_derivative(lambda t: f(X + t * A[0], 3))
    assert found @ A[0] == pytest.approx(along, rel=1e-7)


@pytest.mark.compiled
def test_compiled_code_that_calls_such_a_gradient_is_told_why():
    gradient = srcad.grad(lambda x: np.sum(turned(x) * x))

    @numba.njit
    def caller(x):
        return gradient(x)

    with pytest.raises(Exception, match="roll"):
        caller(X)


def nothing_has_types(*_, **__):
    raise CannotType("nothing has types today")


@pytest.mark.slow
@pytest.mark.parametrize("program", every(12, programs()))  # the stages are those of compiled code
def test_programs_that_numba_can_type_agree_as_well(program, monkeypatch):
    monkeypatch.setattr(Version, "_module", nothing_has_types)
    arguments = program.fresh_arguments()
    assert_gradient(program.function, *arguments, wrt=program.wrt, modes=MODES, rtol=program.rtol)
