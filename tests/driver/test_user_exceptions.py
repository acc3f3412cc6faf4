"""An exception that reaches the user is one that the function raises itself; else its line is refused."""

import numpy as np
import pytest
import scipy.special

import srcad
from srcad.driver import user_exceptions
from srcad.errors import MissingRule, NotDifferentiable, UnsupportedSyntax

X = np.array([0.5, 2.0, 1.5])


def test_a_line_that_python_runs_and_the_generated_code_does_not_is_refused():
    def f(x, n):
        outer = np.outer(x, x)
        return n * np.sum(np.linalg.pinv(outer))

    with pytest.raises(UnsupportedSyntax, match=r"test_user_exceptions.py:\d+:27: .*full rank") as caught:
        srcad.grad(f, jit=False)(X, 2)
    assert isinstance(caught.value.__cause__, np.linalg.LinAlgError)


@pytest.mark.parametrize(
    "derivative",
    [lambda f, *args: srcad.grad(f, jit=False)(*args), lambda f, *args: srcad.vjp(f, *args, jit=False)[1](1.0)],
    ids=["gradient", "pullback"],
)
def test_a_rule_that_refuses_while_it_runs_is_refused_at_the_users_line(derivative):
    def f(v, c):
        rows = np.pad(v * c, 1, mode="empty")
        return np.sum(rows * rows)

    with pytest.raises(NotDifferentiable, match=r"test_user_exceptions.py:\d+:\d+: .*'empty'(.*\n)*.*rows = np.pad"):
        derivative(f, X, 2.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "what"),
    [
        (lambda m: np.sum(np.linalg.svd(m, hermitian=True)[1]), "np.linalg.eigh"),
        (lambda m: np.sum(np.median(np.stack((m, m)), axis=(0, 1))), "several axes"),
    ],
)
def test_arguments_that_our_own_definitions_refuse_are_refused_at_the_users_line(function, what):
    with pytest.raises(MissingRule) as caught:
        srcad.grad(function, jit=False)(np.eye(3) + 0.1)
    said = str(caught.value)
    assert what in said
    assert "test_user_exceptions.py" in said
    assert "lambda m" in said


def test_exceptions_of_the_function_are_its_own():
    def singular(x):
        return np.linalg.solve(np.zeros((3, 3)), x)[0]

    def far(x, n):
        return x[n] * 2.0

    def guarded(x):
        if x[0] > 0.0:
            raise KeyError("no such key")
        return x[0]

    with pytest.raises(np.linalg.LinAlgError):
        srcad.grad(singular, jit=False)(X)
    with pytest.raises(IndexError):
        srcad.grad(far, jit=False)(X, 7)
    with pytest.raises(KeyError):
        srcad.grad(guarded, jit=False)(X)


def test_messages_with_numbers_are_those_of_python():
    def root(x, y):
        if x < 0.0:
            raise ValueError(f"negative: {x} and {y:.2f}")
        assert y > 0.0, f"y is {y}"
        return np.sqrt(x) * y

    for make in (srcad.function, srcad.grad):
        with pytest.raises(ValueError, match=r"^negative: -2\.5 and 3\.00"):
            make(root)(-2.5, 3.0)
        with pytest.raises(AssertionError, match=r"^y is -3\.0"):
            make(root)(2.5, -3.0)
    assert srcad.function(root)(4.0, 3.0) == 6.0


def test_an_exception_that_the_function_raises_otherwise_is_raised_as_the_function_does():
    def f(x, n):
        first, *rest = tuple(v for v in range(n))
        return x[first] * len(rest)

    with pytest.raises((ValueError, UnsupportedSyntax)):
        srcad.grad(f, jit=False)(X, 0)


def test_what_the_function_prints_when_it_is_asked_does_not_appear_again(capsys):
    def f(x, n):
        print("looking")
        return n * np.sum(np.linalg.pinv(np.outer(x, x)))

    with pytest.raises(UnsupportedSyntax):
        srcad.grad(f, jit=False)(X, 2)
    assert capsys.readouterr().out in ("", "looking\n")


def inverted_late(x, n):
    for _ in range(n):
        x = x * 0.5 + 0.1
    return np.sum(np.linalg.inv(np.ones((2, 2)) * x))


def test_a_function_that_runs_for_long_is_not_run_again(monkeypatch):
    asked = []
    monkeypatch.setattr(user_exceptions, "_MOST_SECONDS", 0.0)
    monkeypatch.setattr(user_exceptions, "asked", lambda *given: asked.append(given))
    with pytest.raises(np.linalg.LinAlgError):
        srcad.grad(inverted_late, jit=False)(0.3, 100_000)
    assert not asked


def test_a_refusal_of_a_kernel_inside_a_definition_names_the_users_line():
    def share(z):
        return np.sum(np.real(scipy.special.softmax(z)))

    for derivative in (srcad.grad(share, jit=False), srcad.grad(share)):
        with pytest.raises(MissingRule, match="does not cover complex numbers") as caught:
            derivative(np.array([1.0 + 1.0j, 2.0]))
        assert "scipy.special.softmax(z)" in caught.value.at.in_users_file().text
