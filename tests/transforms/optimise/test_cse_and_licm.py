"""Operations are shared and hoisted where that cannot change anything."""

import gast

from srcad.transforms.ir.side_effects import all_written
from tests.transforms.core_text import body_of, lines, settled, unit_after


def tidied(text, signature):
    return body_of(unit_after("cse_and_licm", *settled(text, signature)).unit)


def test_the_same_operation_is_done_once():
    assert tidied(
        """
def f(a, b):
    t = a * b
    u = a * b
    v = t + u
    return v
""",
        "f8, f8",
    ) == lines("""
    t = a * b
    v = t + t
    return v
""")


def test_what_is_the_same_only_after_sharing_is_shared_too():
    assert tidied(
        """
def f(a):
    t = a * a
    u = a * a
    v = np.sin(t)
    w = np.sin(u)
    r = v + w
    return r
""",
        "f8",
    ) == lines("""
    t = a * a
    v = np.sin(t)
    r = v + v
    return r
""")


LOOP = """
def f(x, a, n):
    s = 0.0
    for i in range(n):
        t = {value}
        u = s + t
        {store}
        s = u
    return s
"""


def is_hoisted(value):
    return "t" in {name for statement in before_loop(value) for name in all_written(statement)}


def before_loop(value):
    body = unit_after("cse_and_licm", *settled(LOOP.format(value=value, store="pass"), "f8[:], f8, i8")).unit.tree.body
    return body[: next(k for k, each in enumerate(body) if isinstance(each, gast.For))]


def test_an_invariant_operation_is_hoisted():
    assert is_hoisted("a * a")
    assert is_hoisted("np.sin(a)")


def test_an_operation_on_the_index_stays():
    assert not is_hoisted("a * i")


def test_an_operation_that_may_fail_is_not_hoisted():
    assert not is_hoisted("a / a")
    assert not is_hoisted("a // 2.0")
    assert not is_hoisted("a % 2.0")


def test_an_element_is_not_read_before_a_loop_that_may_not_run():
    assert not is_hoisted("x[0]")


def test_an_element_of_a_written_array_is_read_each_time():
    text = tidied(
        """
def f(x, a):
    t = x[0]
    x[0] = a
    u = x[0]
    v = t + u
    return v
""",
        "f8[:], f8",
    )
    assert text.count("= x[0]") == 2


def test_an_element_of_an_array_that_nobody_writes_into_is_read_once():
    text = tidied(
        """
def f(x, a):
    t = x[0]
    u = x[0]
    v = t + u
    return v
""",
        "f8[:], f8",
    )
    assert text.count("= x[0]") == 1


def test_arrays_are_not_shared():
    text = tidied(
        """
def f(x, a):
    t = x * a
    u = x * a
    t[0] = 1.0
    v = u[0]
    return v
""",
        "f8[:], f8",
    )
    assert text.count("x * a") == 2


def test_what_one_branch_computes_is_not_there_for_the_other():
    text = tidied(
        """
def f(a, c):
    if c:
        t = a * a
        r = t
    else:
        u = a * a
        r = u
    return r
""",
        "f8, b1",
    )
    assert text.count("a * a") == 2


def test_what_is_computed_before_a_branch_is_there_inside():
    text = tidied(
        """
def f(a, c):
    t = a * a
    r = t
    if c:
        u = a * a
        r = u
    return r
""",
        "f8, b1",
    )
    assert text.count("a * a") == 1


def test_an_invariant_operation_leaves_all_loops():
    text = tidied(
        """
def f(a, n):
    s = 0.0
    for i in range(n):
        for j in range(n):
            t = a * a
            s = s + t
    return s
""",
        "f8, i8",
    )
    assert text.index("t = a * a") < text.index("for i")


def test_a_division_by_a_literal_is_hoisted():
    assert is_hoisted("a / 6")
    assert not is_hoisted("6 / a")
    assert not is_hoisted("a / 0")


def test_a_remainder_of_an_integer_by_a_literal_is_hoisted():
    assert is_hoisted("n % 2")
    assert is_hoisted("n // 2")
    assert not is_hoisted("n % 0")


def test_what_may_fail_is_done_once_where_it_has_been_done():
    text = tidied(
        """
def f(a, b, c):
    t = a / b
    u = math.log(a)
    r = 0.0
    if c:
        v = a / b
        w = math.log(a)
        r = v * w
    x = b / a
    r = r + t
    r = r * u
    r = r + x
    return r
""",
        "f8, f8, b1",
    )
    assert (text.count("a / b"), text.count("b / a"), text.count("math.log")) == (1, 1, 1)


def test_what_may_fail_in_one_branch_is_done_behind_it():
    text = tidied(
        """
def f(a, b, c):
    r = 0.0
    if c:
        t = a / b
        r = t
    u = a / b
    r = r + u
    return r
""",
        "f8, f8, b1",
    )
    assert text.count("a / b") == 2
