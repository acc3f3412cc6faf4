"""Ways out become branches; what runs, in which order, stays the same."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import srcad
from srcad.errors import UnsupportedSyntax
from tests.lowering import assert_same, function_of, text_of
from tests.programs.lowered.leaving import (
    NUMBERS,
    OVER_NUMBERS,
    OVER_ROWS,
    ROWS,
    a_value_or_none,
    early,
    loop_may_end_without_a_value,
    some_paths_without_a_value,
    straight,
)


@pytest.mark.parametrize("function", OVER_ROWS, ids=lambda function: function.__name__)
def test_arrays_leave_the_same(function):
    assert_same(function, *ROWS)


@pytest.mark.parametrize("function", OVER_NUMBERS, ids=lambda function: function.__name__)
def test_numbers_leave_the_same(function):
    assert_same(function, *NUMBERS)


@pytest.mark.parametrize("function", [some_paths_without_a_value, a_value_or_none, loop_may_end_without_a_value])
def test_a_path_without_a_value_is_refused_when_it_is_taken(function):
    expected = (4.0, 2.0) if function is loop_may_end_without_a_value else (2.0, 1.0)
    assert srcad.value_and_grad(function, jit=False)(2.0) == expected
    with pytest.raises(UnsupportedSyntax, match="None is returned on this path") as refused:
        srcad.grad(function, jit=False)(-1.0)
    assert "leaving.py" in str(refused.value)


def chosen(x, mode):
    match mode:
        case "sum":
            return np.sum(x)
        case "squares":
            return np.sum(x * x)


@pytest.mark.parametrize("jit", [False, pytest.param(True, marks=pytest.mark.compiled)])
def test_match_needs_no_default_where_each_case_returns(jit):
    x = np.array([0.5, -2.0])
    np.testing.assert_array_equal(srcad.grad(chosen, jit=jit)(x, "squares"), 2.0 * x)
    with pytest.raises(UnsupportedSyntax, match="None is returned"):
        srcad.grad(chosen, jit=jit)(x, "product")


def test_a_single_return_needs_no_variable():
    assert text_of(straight) == "def straight(x):\n    y = x * x\n    return y\n"


def test_what_follows_an_early_return_moves_into_the_else():
    expected = """\
def early(x):
    t1 = x < 0
    if t1:
        result = 1
    else:
        y = x * 2
        result = y
    return result
"""
    assert text_of(early) == expected


@st.composite
def blocks(draw, depth, in_loop, number):
    """Statements that write down that they ran, with decisions taken from an array of booleans."""
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        kinds = ["mark", "mark", "if", "if", "leave"] if depth == 3 else ["mark", "if", "leave", "for", "while"]
        kind = draw(st.sampled_from(kinds if depth else ["mark", "leave"]))
        number[0] += 1
        tick = [f"n = n + {number[0]}", "log[n % 40] += n"]
        decide = f"bits[n % {draw(st.sampled_from((5, 7, 9)))}]"
        ways = ["break", "continue"] if in_loop else []
        if kind == "mark":
            lines += tick
        elif kind == "leave":
            lines += [f"if {decide}:", "    " + draw(st.sampled_from([*ways, f"return n * 100 + {number[0]}"]))]
        elif kind == "if":
            lines += [*tick, f"if {decide}:", *draw(blocks(depth - 1, in_loop, number))]
            if draw(st.booleans()):
                lines += ["else:", *draw(blocks(depth - 1, in_loop, number))]
        else:
            counter = f"k{number[0]}"
            if kind == "for":
                lines += [f"for {counter} in range({draw(st.integers(0, 3))}):"]
            else:
                lines += [f"{counter} = 0", f"while {counter} < {draw(st.integers(0, 3))}:", f"    {counter} += 1"]
            lines += draw(blocks(depth - 1, True, number))
            if draw(st.integers(0, 3)) == 0:
                lines += ["else:", *draw(blocks(depth - 1, in_loop, number))]
    return [f"    {line}" for line in lines]


@st.composite
def texts(draw):
    body = draw(blocks(3, False, [0]))
    return "\n".join(["def program(bits, log):", "    n = 1", *body, "    return n", ""])


@pytest.mark.slow
@settings(max_examples=150)
@given(texts(), st.integers(0, 2**16))
def test_random_exits_leave_the_same(text, seed):
    rng = np.random.default_rng(seed)
    cases = [(rng.random(9) < share, np.zeros(40)) for share in (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)]
    assert_same(function_of(text), *cases)
