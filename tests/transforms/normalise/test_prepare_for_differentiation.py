"""Three rewrites before differentiation: copies of parameters, linear stores, counted loops."""

import numpy as np
import pytest

from srcad.printing.printer import print_function
from tests.transforms.core_text import body_of, lines, typed, unit_after


def made(text, signature):
    after = unit_after("prepare_for_differentiation", *typed(text, signature))
    return after.unit, after.types, after.counts


def test_a_parameter_that_is_written_into_is_copied_on_entry():
    unit, types, _ = made(
        """
def f(x):
    x[0] = 1.0
    return x
""",
        "f8[:]",
    )
    assert body_of(unit) == lines("""
    x_2 = np.copy(x)
    x_2[0] = 1.0
    return x_2
""")
    assert types.rank("x_2") == 1


def test_a_parameter_that_is_only_read_is_not_copied():
    unit, _, _ = made(
        """
def f(x):
    y = x[0]
    return y
""",
        "f8[:]",
    )
    assert "copy" not in body_of(unit)


def test_arguments_that_overlap_are_refused_when_one_is_written_into():
    unit, _, _ = made(
        """
def f(x, y):
    a = y[0]
    x[1] = a
    return x
""",
        "f8[:], f8[:]",
    )
    namespace = dict(unit.bindings)
    exec(print_function(unit.tree), namespace)
    whole = np.zeros(4)
    with pytest.raises(ValueError, match="share memory"):
        namespace["f"](whole[:3], whole[1:])
    namespace["f"](whole[:2], whole[2:])


def test_arguments_that_nobody_writes_into_may_overlap():
    unit, _, _ = made(
        """
def f(x, y):
    a = y[0]
    b = x[0]
    c = a * b
    return c
""",
        "f8[:], f8[:]",
    )
    assert "overlap" not in body_of(unit)


def test_a_product_in_place_is_read_multiplied_and_stored():
    unit, types, _ = made(
        """
def f(x, a):
    w = np.copy(x)
    w[0] *= a
    return w
""",
        "f8[:], f8",
    )
    assert body_of(unit) == lines("""
    w = np.copy(x)
    t1 = w[0]
    t2 = t1 * a
    w[0] = t2
    return w
""")
    assert str(types.get("t1")) == "float64"


@pytest.mark.parametrize("operator", ["+", "-"])
def test_sums_in_place_are_linear_and_stay(operator):
    unit, _, _ = made(
        f"""
def f(x, a):
    w = np.copy(x)
    w[0] {operator}= a
    return w
""",
        "f8[:], f8",
    )
    assert f"w[0] {operator}= a" in body_of(unit)


def test_a_loop_that_may_stop_early_counts_its_iterations():
    unit, types, counts = made(
        """
def f(x, n):
    s = x
    for i in range(0, n, 1):
        a = s * x
        s = a
        done = a > 2.0
        if done:
            break
    r = s
    return r
""",
        "f8, i8",
    )
    (total,) = counts.values()
    namespace = {}
    exec(print_function(unit.tree).replace("return r", f"return {total}"), namespace)
    assert namespace["f"](1.5, 100) == 1
    assert namespace["f"](1.1, 100) == 7  # 1.1 ** 8 > 2, and s begins as x
    assert namespace["f"](1.0, 5) == 5
    assert str(types.get(total)) == "int64"


def test_a_while_loop_counts_its_iterations():
    unit, _, counts = made(
        """
def f(x):
    s = x
    c = s < 100.0
    while c:
        a = s * 2.0
        d = a < 100.0
        s = a
        c = d
    r = s
    return r
""",
        "f8",
    )
    (total,) = counts.values()
    namespace = {}
    exec(print_function(unit.tree).replace("return r", f"return {total}"), namespace)
    assert namespace["f"](1.0) == 7
    assert namespace["f"](200.0) == 0


def test_a_plain_loop_is_not_counted():
    _, _, counts = made(
        """
def f(x, n):
    for i in range(0, n, 1):
        a = x * x
    return x
""",
        "f8, i8",
    )
    assert counts == {}
