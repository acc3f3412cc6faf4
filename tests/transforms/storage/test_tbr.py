"""What the reverse sweep needs is still there, computed again, or recorded, in this order."""

import re

import numpy as np
import pytest

from tests.transforms.core_text import generated, numeric, run


def recorded(text, signature, mode="grad", **options):
    """Names of which a gradient keeps values, old values of stores among them."""
    made = generated(text, signature, mode, **options)
    return set(re.findall(r"\b(\w+?)_trace\b", made)) | set(re.findall(r"\b(\w+_old)\b(?!_trace)", made))


def assert_slope(text, signature, *args, wrt=0):
    """The gradient is the slope along a direction, by central differences."""
    f = numeric(text, "f")
    direction = np.ones_like(args[wrt]) if np.ndim(args[wrt]) else 1.0

    def along(step):
        moved = [np.copy(each) if np.ndim(each) else each for each in args]
        moved[wrt] = moved[wrt] + step * direction
        return f(*moved)

    expected = (along(1e-6) - along(-1e-6)) / 2e-6
    for mode, rest in (("grad", ()), ("vjp", (1.0,))):
        found = run(text, signature, mode, *args, *rest, wrt=(wrt,))
        found = found[0] if mode == "vjp" else found
        assert np.sum(found) == pytest.approx(expected, rel=1e-6, abs=1e-8), mode


STENCIL = """
def f(x, n, m):
    for t in range(n):
        for i in range(1, m):
            k = i + 1
            j = i - 1
            a = x[k]
            b = x[j]
            c = a {operation} b
            d = c * 0.5
            x[i] = d
    s = x[1]
    return s
"""
CELLS = np.array([0.5, 1.5, -0.7, 1.1])


@pytest.mark.parametrize("mode", ["grad", "vjp"])
def test_a_linear_stencil_records_nothing(mode):
    text = STENCIL.format(operation="+")
    assert recorded(text, "f8[:], i8, i8", mode) == set()
    assert_slope(text, "f8[:], i8, i8", CELLS, 3, 3)


def test_an_overwritten_value_that_a_product_read_is_saved_and_put_back():
    text = STENCIL.format(operation="*")
    made = generated(text, "f8[:], i8, i8")
    save = re.search(r"(\w+)\[(.*?)\] = (x_2\[i\]|x_2_old)", made)
    assert save, made
    assert re.search(rf"x_2\[i\] = ({re.escape(save[1])}\[|x_2_old)", made), made
    assert_slope(text, "f8[:], i8, i8", CELLS, 3, 3)


def test_a_value_that_is_needed_twice_is_there_for_the_later_statement_too():
    text = """
def f(x, n):
    w = np.copy(x)
    s = 0.0
    for i in range(n):
        t = w[i]
        a = np.sin(t)
        w[i] = a
        b = t * a
        s = s + b
    p = w[0]
    r = s * p
    return r
"""
    assert_slope(text, "f8[::1], i8", np.array([0.3, 0.7, 1.1]), 3)


def test_the_reverse_function_of_a_pair_never_stores_into_what_it_is_given():
    text = generated(STENCIL.format(operation="*"), "f8[:], i8, i8", "vjp")
    reverse = text.split("def f_reverse")[1]
    assert not re.search(r"\bx(_2)?\[.*\] [-+*]?= ", reverse), reverse


TABLE = """
def f(a, n):
    x = np.empty(n)
    x[0] = a
    m = n - 1
    for t in range(m):
        u = x[t]
        v = np.sin(u)
        k = t + 1
        x[k] = v
    s = x[m]
    return s
"""


@pytest.mark.parametrize("mode", ["grad", "vjp"])
def test_a_table_that_is_written_once_and_read_afterwards_needs_no_record(mode):
    assert recorded(TABLE, "f8, i8", mode) == set()
    assert_slope(TABLE, "f8, i8", 0.7, 5)


CHOLESKY = """
def f(a, n):
    for j in range(n):
        for k in range(j):
            p = a[j, k]
            q = p * p
            a[j, j] -= q
        d = a[j, j]
        r = np.sqrt(d)
        a[j, j] = r
        m = j + 1
        for i in range(m, n):
            for l in range(j):
                u = a[i, l]
                v = a[j, l]
                w = u * v
                a[i, j] -= w
            b = a[i, j]
            c = b / r
            a[i, j] = c
    s = 0.0
    for h in range(n):
        e = a[h, 0]
        s = s + e
    return s
"""


def test_a_cholesky_factorisation_in_place_saves_nothing_in_its_inner_loops():
    forward = generated(CHOLESKY, "f8[:, :], i8").split("_bar")[0]
    inner = re.findall(r"^( *)for [kl] in .*\n((?:\1 +.*\n)+)", forward, re.MULTILINE)
    assert len(inner) == 2
    assert not any(re.search(r"_trace|_old|append", body) for _, body in inner), forward
    matrix = np.array([[2.0, 0.3, 0.1], [0.3, 1.5, -0.2], [0.1, -0.2, 1.1]])
    assert_slope(CHOLESKY, "f8[:, :], i8", matrix, 3)


def test_a_product_with_a_carried_value_records_it():
    text = """
def f(x, n):
    s = x
    for i in range(n):
        t = np.sin(s)
        s = s * t
    return s
"""
    assert recorded(text, "f8, i8") <= {"s", "s_2", "t"}
    assert recorded(text, "f8, i8")
    assert_slope(text, "f8, i8", 0.7, 4)


NOTHING_IS_RECORDED = {  # bodies of a loop over i that adds elements of x up in s
    "a sum records nothing": ["t = x[i]", "u = t * t", "s = s + u"],
    "cheap operations are done again": ["t = x[i]", "u = t * t", "v = u + 1.0", "w = u * v", "s = s + w"],
    "a branch is decided again where its condition is there": [
        "t = x[i]",
        "c = t > 0.0",
        "if c:",
        "    u = t * t",
        "else:",
        "    u = 2.0 * t",
        "s = s + u",
    ],
}


@pytest.mark.parametrize("name", NOTHING_IS_RECORDED)
def test_what_can_be_had_again_is_not_recorded(name):
    body = "".join(f"        {line}\n" for line in NOTHING_IS_RECORDED[name])
    text = f"def f(x, n):\n    s = 0.0\n    for i in range(n):\n{body}    return s\n"
    assert recorded(text, "f8[:], i8") == set()
    assert_slope(text, "f8[:], i8", CELLS, 4)


def test_a_condition_that_depends_on_what_is_gone_is_recorded():
    text = """
def f(x, n):
    s = 0.0
    for i in range(n):
        t = x[i]
        c = s > 1.0
        if c:
            s = s + t
        else:
            s = s + 2.0
            s = s + t
    return s
"""
    made = generated(text, "f8[:], i8", "vjp")
    assert "_trace" in made or recorded(text, "f8[:], i8", "vjp") == set()
    assert_slope(text, "f8[:], i8", CELLS, 4)


def test_a_counter_that_grows_evenly_is_computed_from_the_index():
    text = """
def f(x, n):
    k = 3
    s = 0.0
    for i in range(n):
        t = x * k
        u = t * t
        s = s + u
        k = k + 2
    return s
"""
    assert recorded(text, "f8, i8") == set()
    assert_slope(text, "f8, i8", 0.7, 4)


def test_values_outside_of_loops_are_still_there():
    text = """
def f(x):
    a = np.sin(x)
    b = np.exp(a)
    c = b * a
    return c
"""
    assert recorded(text, "f8") == set()
    assert generated(text, "f8").count("np.exp") == 1
