"""What types decide: in-place operators, references to arrays, tuples."""

import numpy as np
import pytest
from numba import types as nb

import srcad
from srcad.printing.printer import print_function
from srcad.transforms.normalise.in_place_resolution import blank
from tests.checking import assert_gradient
from tests.transforms.core_text import body_of, lines, settled


def text(source, signature):
    return body_of(settled(source, signature)[0])


AUGMENTED = """
def f(x, v):
    x = operator.iadd(x, v)
    return x
"""


def test_an_in_place_operator_on_a_number_is_an_operation():
    assert text(AUGMENTED, "f8, f8") == lines("""
    x_2 = x + v
    return x_2
""")


def test_an_in_place_operator_on_an_array_is_a_store():
    assert text(AUGMENTED, "f8[:], f8") == lines("""
    x[...] += v
    return x
""")


def test_an_operator_without_a_store_of_its_own_is_computed_first():
    assert text(AUGMENTED.replace("iadd", "ipow"), "f8[:], f8") == lines("""
    t1 = x ** v
    x[...] = t1
    return x
""")


def test_what_is_computed_first_has_a_type():
    _, types = settled(AUGMENTED.replace("iadd", "ipow"), "f8[:], f8")
    assert types.get("t1") == types.get("x")


def test_two_names_of_one_array_become_one():
    assert text(
        """
def f(x):
    a = x
    b = a
    y = b[0]
    return y
""",
        "f8[:]",
    ) == lines("""
    y = x[0]
    return y
""")


def test_two_names_of_one_number_stay():
    assert text(
        """
def f(x):
    a = x
    return a
""",
        "f8",
    ) == lines("""
    a = x
    return a
""")


def test_an_array_that_a_loop_writes_into_is_one_array():
    assert text(
        """
def f(x, n):
    for i in range(n):
        x = operator.imul(x, 2.0)
    return x
""",
        "f8[:], i8",
    ) == lines("""
    for i in range(0, n, 1):
        x[...] *= 2.0
    return x
""")


def test_an_element_of_a_tuple_of_variables_is_the_variable():
    assert "s[" not in text(
        """
def f(a, b):
    s = (a, b)
    c = s[1]
    return c
""",
        "f8, f8",
    )


def test_a_returned_tuple_is_written_out():
    assert text(
        """
def f(a, b):
    s = (a, b)
    return s
""",
        "f8, f8",
    ).endswith("return a, b\n")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (nb.float64, "0.0"),
        (nb.float32, "np.float32(0.0)"),
        (nb.int64, "0"),
        (nb.boolean, "False"),
        (nb.complex128, "0j"),
        (nb.float64[:, :], "np.empty((0, 0), np.float64)"),
        (nb.boolean[:], "np.empty((0,), np.bool_)"),
        (nb.Tuple((nb.int64, nb.float64)), "0, 0.0"),
    ],
)
def test_a_name_without_a_value_gets_one_of_its_type(kind, expected):
    assert print_function(blank(kind)).strip().strip("()") == expected.strip("()")


def test_a_name_that_only_one_branch_stores_has_a_value_of_its_type_in_the_other():
    found = text(
        """
def f(x, c):
    if c:
        y = x * 2.0
    if c:
        z = y
    else:
        z = 0.0
    return z
""",
        "f8, b1",
    )
    assert "y_2 = x * 2.0" in found
    assert "y_2 = 0.0" in found


def told_apart(x, b):
    w = np.ones(x.size)
    if b > 0.3:
        w = b * x
        w *= np.cos(w)
    return np.sum(x * w)


def told_apart_in_a_loop(x, b):
    w, v = np.ones(x.size), x
    for i in range(3):
        if b > 0.3 + 0.1 * i:
            w = v * b
            w -= np.cos(w)
        elif b > 2.0:
            w += 1.0
        elif b < 0.2:
            w += v
            w **= 2
    return np.sum(x * w + v)


@pytest.mark.slow
@pytest.mark.parametrize("b", [0.1, 0.45, 0.8, 2.5])
@pytest.mark.parametrize("program", [told_apart, told_apart_in_a_loop])
def test_an_array_that_one_arm_made_and_wrote_into_is_not_the_others(program, b):
    assert_gradient(program, np.array([0.3, 0.7, -0.2]), b, modes=("loops", "gradient", "tangent"))


def in_place(u, out):
    n = u.shape[0]
    for i in range(1, n - 1):
        out[i] = u[i] + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) * u[i]


def stepped_by_a_helper(x, m):
    u, new = x.copy(), x.copy()
    for _ in range(m):
        in_place(u, new)
        u, new = new, u
    return np.sum(u**2)


def stepped_here(x, m):
    u, new = x.copy(), x.copy()
    for _ in range(m):
        for i in range(1, u.shape[0] - 1):
            new[i] = u[i] + 0.1 * (u[i + 1] - 2.0 * u[i] + u[i - 1]) * u[i]
        u, new = new, u
    return np.sum(u**2)


def kept_beyond_its_turn(x, m):
    """`old` is not what `u` is when it is read."""
    u, new, old = x.copy(), x.copy(), x
    s = 0.0
    for _ in range(m):
        s += np.sum(old * u)
        old = u
        in_place(u, new)
        u, new = new.copy(), u.copy()
    return s + np.sum(u**2)


@pytest.mark.slow
def test_what_a_helper_calls_buffers_that_trade_places_are_these_buffers():
    x = np.linspace(0.1, 0.9, 6) ** 2
    for m in (0, 1, 4):
        for function in (stepped_by_a_helper, stepped_here, kept_beyond_its_turn):
            assert_gradient(function, x, m, modes=["arrays", "loops", "gradient"])
    for function in (stepped_by_a_helper, stepped_here):
        assert "which" not in srcad.source(function, args=(x, 4))


def swapped_first(x, c, steps):
    a, b = x.copy(), x * 0.5
    for _ in range(steps):
        a, b = b, a
        b *= c
    return np.sum(a * b * b)


def rotated_in_between(x, c, steps):
    a, b, d = x.copy(), x * 0.5, np.zeros_like(x)
    for _ in range(steps):
        d[:] = a * c
        a, b, d = b, d, a
        d -= d * b
    return np.sum(a * b) + np.sum(d * d)


@pytest.mark.slow
@pytest.mark.parametrize("program", [swapped_first, rotated_in_between])
def test_an_array_that_is_written_into_after_it_was_exchanged_is_still_that_array(program):
    assert_gradient(program, np.array([0.3, 0.8, 0.5]), 0.7, 3, modes=("arrays", "loops", "gradient"), rtol=1e-6)
