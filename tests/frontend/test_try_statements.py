"""`try` as branches: the path that Python takes is differentiated."""

import numpy as np
import pytest

import srcad
from srcad.errors import UnsupportedSyntax
from tests.checking import assert_gradient
from tests.programs.exceptions import checked_root


@pytest.mark.parametrize("x", [[0.2, 0.7, 3.0], [0.9, 0.7, 3.0], [0.1, 0.2, 0.3], [2.0, 0.2, 0.3]])
def test_each_call_takes_its_own_path(x):
    def f(x):
        for i in range(3):
            try:
                if x[i] > 1.0:
                    return checked_root(x[i]) * x[0]
                root = checked_root(x[i] - 0.5)
            except ValueError:
                continue
            if root > 0.3:
                return root**3
        return x[0] * x[1]

    at = np.array(x)
    h = 1e-6
    expected = [(f(at + h * e) - f(at - h * e)) / (2.0 * h) for e in np.eye(3)]
    np.testing.assert_allclose(srcad.grad(f, jit=False)(at), expected, rtol=1e-7, atol=1e-9)


def test_one_gradient_follows_whatever_is_caught():
    def f(x):
        try:
            y = checked_root(x)
        except ValueError:
            y = x * x * x
        return y * x

    slope = srcad.grad(f, jit=False)
    for x in (4.0, -2.0, 9.0, -1.0):
        assert slope(x) == pytest.approx(1.5 * np.sqrt(x) if x > 0.0 else 4.0 * x**3)


def test_what_no_handler_names_is_raised():
    def f(x):
        try:
            return checked_root(x)
        except KeyError:
            return 2.0 * x

    assert srcad.grad(f, jit=False)(4.0) == pytest.approx(0.25)
    with pytest.raises(ValueError, match="negative"):
        srcad.grad(f, jit=False)(-4.0)


def test_a_handler_that_raises_again_raises_what_was_caught():
    def f(x):
        try:
            return checked_root(x)
        except ValueError as problem:
            raise problem

    with pytest.raises(ValueError, match="negative"):
        srcad.grad(f, jit=False)(-4.0)


def test_the_exception_can_be_printed(capsys):
    def f(x):
        try:
            y = checked_root(x)
        except ValueError as problem:
            print("caught:", problem)
            y = x * x
        return y

    slope = srcad.grad(f, jit=False)
    slope(-3.0)
    capsys.readouterr()
    assert slope(-3.0) == -6.0
    assert capsys.readouterr().out == "caught: negative\n"


def test_finally_runs_on_all_paths(capsys):
    def f(x, n):
        for i in range(3):
            try:
                if i == n:
                    break
                if n == 5:
                    return x * x
                if n == 6:
                    continue
                x = x * 2.0
            finally:
                print(i)
        return x * x * x

    for n, lines, expected in ((1, "0\n1\n", 24.0), (5, "0\n", 2.0), (6, "0\n1\n2\n", 3.0)):
        assert srcad.grad(f, jit=False)(1.0, n) == expected
        assert capsys.readouterr().out == lines


def test_a_function_that_wrote_before_it_raised_is_refused():
    def halve(v):
        v[0] = 0.5 * v[0]
        if v[0] < 1.0:
            raise ValueError

    def f(x):
        y = x.copy()
        try:
            halve(y)
        except ValueError:
            y[1] = 0.0
        return np.sum(y * y)

    with pytest.raises(UnsupportedSyntax, match="before it raised"):
        srcad.grad(f, jit=False)(np.ones(2))
    np.testing.assert_allclose(srcad.grad(f, jit=False)(np.array([4.0, 1.0])), [2.0, 2.0])


@pytest.mark.compiled
def test_a_loop_with_a_try_statement_is_compiled_around_the_attempt():
    def f(x, n):
        total = 0.0
        for i in range(n):
            total += np.sin(total * 0.1 + x[i % 3])
        try:
            y = checked_root(x[0] - 1.0)
        except ValueError:
            y = x[1] * x[1]
        return total + y

    x = np.array([0.5, 0.2, 0.3])
    compiled = srcad.grad(f)
    with pytest.warns(srcad.PerformanceWarning, match="uncompiled"):
        found = [compiled(x, 30_000) for _ in range(3)]
    expected = srcad.grad(f, jit=False)(x, 30_000)
    np.testing.assert_allclose(found, [expected] * 3, rtol=1e-10)


def finally_within_another(x):
    s = 0.0
    try:
        for i in range(4):
            try:
                if x[i] < 0:
                    raise ValueError
                s += x[i] ** 2
            finally:
                s += x[i]
    except ValueError:
        s *= x[3]
    return s


def raised_again_through_finally(x):
    s = x[0]
    try:
        try:
            s += np.log(x[1])
            raise KeyError
        except KeyError:
            s += x[1] ** 2
            raise ValueError from None
        finally:
            s *= x[3]
    except ValueError:
        s += x[2]
    return s


def written_in_the_finally_of_a_callee(x):
    def divided(a):
        try:
            return np.log(a[2]) if a[2] > 0 else 1 / 0
        finally:
            a[0] = 7 * a[1]

    a = x * 1.0
    try:
        y = divided(a)
    except ZeroDivisionError:
        y = 2.0
    return y * np.sum(a**2)


def test_finally_runs_where_an_exception_passes_it():
    x = np.array([0.3, 1.2, -0.7, 0.9])
    for function in (finally_within_another, raised_again_through_finally):
        assert_gradient(function, x, modes=("arrays",))
    with pytest.raises(UnsupportedSyntax, match="before it raised"):
        srcad.grad(written_in_the_finally_of_a_callee, jit=False)(x)


def raised_in_the_else_of_a_loop(x):
    s = x[0]
    try:
        for each in x:
            if each > 100.0:
                break
        else:
            raise ValueError
        s = 0.0
    except ValueError:
        s = s * x[1]
    return s


def left_from_the_else_of_a_loop(x):
    s = x[0]
    for _ in range(3):
        try:
            for each in x:
                if each > 100.0:
                    break
            else:
                break
            s = 0.0
        finally:
            s = s * x[1]
    return s


def test_the_else_of_a_loop_is_part_of_the_statement_but_not_of_the_loop():
    x = np.array([0.3, 1.2])
    assert_gradient(raised_in_the_else_of_a_loop, x, modes=("arrays",))
    assert_gradient(left_from_the_else_of_a_loop, x, modes=("arrays",))


def test_texts_are_printed_once(capsys):
    def f(x):
        y = 0.0
        try:
            print("first", x, end="; ")
            y = x[1]
            print(f"second {y:.1f}")
            y = x[2]
        except IndexError:
            print("caught")
        return y * x[0]

    x = np.array([0.5, 2.0])
    np.testing.assert_allclose(srcad.grad(f, jit=False)(x), [2.0, 0.5])
    assert capsys.readouterr().out == "first [0.5 2. ]; second 2.0\ncaught\n"
