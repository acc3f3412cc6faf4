"""Statements that nothing depends on are dropped, and no others."""

import textwrap

import pytest

from tests.transforms.core_text import block_text, generated, lines, parsed, tree_after


def cleaned(text):
    """The statements that are left."""
    body = textwrap.indent(lines(text), "    ")
    found = block_text(tree_after("dead_code", parsed(f"def f():\n{body}    return r\n"), {}).body)
    return [line.strip() for line in found.splitlines()]


def test_what_is_never_read_is_dropped():
    assert cleaned("""
    a = x * x
    r = x
    """) == ["r = x", "return r"]


def test_what_only_dead_statements_read_is_dropped():
    assert cleaned("""
    a = x * x
    b = a + 1.0
    r = x
    """) == ["r = x", "return r"]


def test_a_store_is_alive_while_a_view_of_it_is_read():
    assert "w[0] = x" in cleaned("""
    w = np.zeros(3)
    v = w[0:]
    w[0] = x
    r = v[0]
    """)


def test_a_store_through_a_view_is_alive_while_its_base_is_read():
    assert "v[0] = x" in cleaned("""
    w = np.zeros(3)
    v = w[0:]
    v[0] = x
    r = w[0]
    """)


def test_a_store_into_an_array_that_nobody_reads_is_dropped():
    assert cleaned("""
    w = np.zeros(3)
    w[0] = x
    r = x
    """) == ["r = x", "return r"]


def test_a_copy_is_not_a_view():
    assert cleaned("""
    w = np.zeros(3)
    v = np.copy(w)
    v[0] = x
    r = w[0]
    """) == ["w = np.zeros(3)", "r = w[0]", "return r"]


@pytest.mark.parametrize("effect", ["print(a)", "assert a, 'text'", "kernels.refuse_overlap(a, x)"])
def test_effects_stay_with_what_they_read(effect):
    found = cleaned(f"""
    a = x * x
    {effect}
    r = x
    """)
    assert effect in found
    assert "a = x * x" in found


def test_a_raise_keeps_its_branch():
    found = cleaned("""
    c = x < 0
    if c:
        raise ValueError('negative')
    r = x
    """)
    assert found[:3] == ["c = x < 0", "if c:", "raise ValueError('negative')"]


def test_an_empty_loop_is_dropped():
    assert cleaned("""
    for i in range(n):
        a = x * i
    r = x
    """) == ["r = x", "return r"]


def test_a_loop_keeps_its_exit_and_what_that_reads():
    found = cleaned("""
    s = 0.0
    for i in range(n):
        s = s + x
        a = x * x
        done = s > 2.0
        if done:
            break
    r = s
    """)
    assert "break" in found
    assert "done = s > 2.0" in found
    assert "a = x * x" not in found


def test_a_branch_with_one_live_arm_keeps_the_other_empty():
    found = cleaned("""
    r = x
    c = x > 0
    if c:
        a = x * x
    else:
        r = x * 2.0
    """)
    assert "r = x * 2.0" in found
    assert "a = x * x" not in found


@pytest.mark.parametrize("call", ["kernels.scatter_add(w, k, x)", "w.append(y)"])
def test_a_call_that_changes_its_argument_lives_as_long_as_that(call):
    assert call in cleaned(f"""
    w = start
    {call}
    r = w
    """)
    assert call not in cleaned(f"""
    w = start
    {call}
    r = x
    """)


def test_adjoints_that_nobody_asked_for_vanish():
    made = generated(
        """
def f(x, y):
    a = x * y
    b = np.sin(a)
    return b
""",
        "f8, f8",
    )
    assert "y_bar" not in made


def test_the_value_vanishes_from_a_gradient_that_does_not_return_it():
    assert "np.exp" not in generated(
        """
def f(x):
    a = x * x
    b = np.exp(3.0)
    c = a + b
    return c
""",
        "f8",
    )
